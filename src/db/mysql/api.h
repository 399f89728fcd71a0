// The functions of libmariadb that are used, found in the library on first use.
#pragma once

#include <mysql.h>

#include "db/connection.h"

namespace kedge::db::mysql {

// clang-format off
#define KEDGE_MYSQL_FUNCTIONS(X)                                                                 \
  X(mysql_init) X(mysql_options) X(mysql_real_connect) X(mysql_close) X(mysql_real_query)        \
  X(mysql_use_result) X(mysql_fetch_row) X(mysql_fetch_lengths) X(mysql_free_result)             \
  X(mysql_num_fields) X(mysql_fetch_fields) X(mysql_errno) X(mysql_error) X(mysql_sqlstate)      \
  X(mysql_affected_rows) X(mysql_field_count) X(mysql_next_result) X(mysql_more_results)         \
  X(mysql_thread_id) X(mysql_get_socket) X(mysql_get_server_info) X(mysql_set_server_option)     \
  X(mariadb_get_infov) X(mysql_stmt_init) X(mysql_stmt_prepare) X(mysql_stmt_close)              \
  X(mysql_stmt_bind_param) X(mysql_stmt_execute) X(mysql_stmt_result_metadata)                   \
  X(mysql_stmt_bind_result) X(mysql_stmt_fetch) X(mysql_stmt_fetch_column)                       \
  X(mysql_stmt_errno) X(mysql_stmt_error) X(mysql_stmt_sqlstate) X(mysql_stmt_affected_rows)     \
  X(mysql_stmt_param_count) X(mysql_stmt_free_result)
// clang-format on

struct Api {
#define KEDGE_MYSQL_MEMBER(name) decltype(&::name) name = nullptr;
  KEDGE_MYSQL_FUNCTIONS(KEDGE_MYSQL_MEMBER)
#undef KEDGE_MYSQL_MEMBER
};

// Opens libmariadb once; throws ERR_CONNECT when it is not there.
const Api& api(const ConnectionSettings& settings);

}  // namespace kedge::db::mysql
