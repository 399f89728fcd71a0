// The functions of libpq that are used, found in the library on first use.
#pragma once

#include <libpq-fe.h>

#include "db/connection.h"

namespace kedge::db::postgres {

#define KEDGE_PQ_FUNCTIONS(X)                                                                    \
  X(PQconnectStartParams)                                                                        \
  X(PQconnectPoll) X(PQfinish) X(PQstatus) X(PQerrorMessage) X(PQsocket) X(PQsendQueryParams)    \
      X(PQsendQuery) X(PQsendPrepare) X(PQsendDescribePrepared) X(PQsetSingleRowMode)            \
          X(PQsetnonblocking) X(PQflush) X(PQconsumeInput) X(PQisBusy) X(PQgetResult) X(PQclear) \
              X(PQresultStatus) X(PQresultErrorField) X(PQresultErrorMessage) X(PQntuples)       \
                  X(PQnfields) X(PQfname) X(PQftype) X(PQfmod) X(PQgetvalue) X(PQgetlength)      \
                      X(PQgetisnull) X(PQcmdTuples) X(PQtransactionStatus) X(PQparameterStatus)  \
                          X(PQserverVersion) X(PQgetCancel) X(PQcancel) X(PQfreeCancel)          \
                              X(PQputCopyData) X(PQputCopyEnd) X(PQgetCopyData) X(PQfreemem)     \
                                  X(PQsetNoticeReceiver) X(PQconninfoParse) X(PQconndefaults)    \
                                      X(PQconninfoFree)

struct Api {
#define KEDGE_PQ_MEMBER(name) decltype(&::name) name = nullptr;
  KEDGE_PQ_FUNCTIONS(KEDGE_PQ_MEMBER)
#undef KEDGE_PQ_MEMBER
};

// Opens libpq once; throws ERR_CONNECT when it is not there.
const Api& api(const ConnectionSettings& settings);

}  // namespace kedge::db::postgres
