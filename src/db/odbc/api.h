// The functions of the ODBC driver manager that are used, found in the library on first use.
#pragma once

#include <sql.h>
#include <sqlext.h>
#include <sqlucode.h>

#include "db/connection.h"

namespace kedge::db::odbc {

// clang-format off
#define KEDGE_ODBC_FUNCTIONS(X)                                                              \
  X(SQLAllocHandle) X(SQLFreeHandle) X(SQLSetEnvAttr) X(SQLSetConnectAttr) X(SQLSetStmtAttr) \
  X(SQLDriverConnectW) X(SQLDisconnect) X(SQLGetDiagRecW) X(SQLGetInfoW) X(SQLExecDirectW)   \
  X(SQLPrepareW) X(SQLExecute) X(SQLBindParameter) X(SQLNumResultCols) X(SQLDescribeColW)    \
  X(SQLColAttributeW) X(SQLFetch) X(SQLGetData) X(SQLRowCount) X(SQLMoreResults)             \
  X(SQLEndTran) X(SQLCancel) X(SQLTablesW) X(SQLColumnsW) X(SQLPrimaryKeysW)                 \
  X(SQLForeignKeysW) X(SQLStatisticsW)
// clang-format on

struct Api {
#define KEDGE_ODBC_MEMBER(name) decltype(&::name) name = nullptr;
  KEDGE_ODBC_FUNCTIONS(KEDGE_ODBC_MEMBER)
#undef KEDGE_ODBC_MEMBER
};

// Opens libodbc once; throws ERR_CONNECT when it is not there.
const Api& api(const ConnectionSettings& settings);

}  // namespace kedge::db::odbc
