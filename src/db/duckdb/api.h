// The functions of libduckdb that are used, found in the library on first use.
#pragma once

#include <duckdb.h>

#include "db/connection.h"

namespace kedge::db::duckdb {

// clang-format off
#define KEDGE_DUCKDB_FUNCTIONS(X)                                                              \
  X(create_instance_cache) X(get_or_create_from_cache) X(close) X(connect) X(disconnect)       \
  X(interrupt) X(library_version) X(create_config) X(set_config) X(destroy_config)             \
  X(query) X(destroy_result) X(column_name) X(column_logical_type) X(column_count)             \
  X(rows_changed) X(result_error) X(free) X(vector_size)                                       \
  X(extract_statements) X(prepare_extracted_statement) X(extract_statements_error)             \
  X(destroy_extracted) X(prepare_error) X(destroy_prepare) X(nparams)                          \
  X(prepared_statement_type) X(prepared_statement_column_count)                                \
  X(prepared_statement_column_name) X(prepared_statement_column_logical_type)                  \
  X(bind_boolean) X(bind_int64) X(bind_double) X(bind_varchar_length) X(bind_blob)             \
  X(bind_null) X(execute_prepared) X(pending_prepared_streaming) X(execute_pending)            \
  X(pending_error) X(destroy_pending) X(fetch_chunk)                                           \
  X(destroy_data_chunk) X(create_data_chunk) X(data_chunk_reset)                               \
  X(data_chunk_get_size) X(data_chunk_set_size) X(data_chunk_get_vector)                       \
  X(data_chunk_get_column_count)                                                               \
  X(vector_get_data) X(vector_get_validity) X(vector_ensure_validity_writable)                 \
  X(vector_assign_string_element_len) X(list_vector_get_child) X(struct_vector_get_child)      \
  X(array_vector_get_child)                                                                    \
  X(create_logical_type) X(create_decimal_type) X(logical_type_get_alias) X(get_type_id)       \
  X(decimal_width) X(decimal_scale) X(decimal_internal_type) X(enum_internal_type)             \
  X(enum_dictionary_size) X(enum_dictionary_value) X(list_type_child_type)                     \
  X(array_type_child_type) X(array_type_array_size) X(map_type_key_type)                       \
  X(map_type_value_type) X(struct_type_child_count) X(struct_type_child_name)                  \
  X(struct_type_child_type) X(union_type_member_count) X(union_type_member_name)               \
  X(union_type_member_type) X(destroy_logical_type)                                            \
  X(appender_create_ext) X(appender_error) X(appender_close) X(appender_destroy)               \
  X(appender_flush) X(appender_add_column) X(append_data_chunk) X(appender_column_count) X(appender_column_type) \
  X(create_scalar_function) X(scalar_function_set_name) X(scalar_function_add_parameter)       \
  X(scalar_function_set_return_type) X(scalar_function_set_function)                           \
  X(register_scalar_function) X(destroy_scalar_function)
// clang-format on

struct Api {
#define KEDGE_DUCKDB_MEMBER(name) decltype(&::duckdb_##name) name = nullptr;
  KEDGE_DUCKDB_FUNCTIONS(KEDGE_DUCKDB_MEMBER)
#undef KEDGE_DUCKDB_MEMBER
};

// Opens libduckdb once; throws ERR_CONNECT when it is not there.
const Api& api(const ConnectionSettings& settings);

}  // namespace kedge::db::duckdb
