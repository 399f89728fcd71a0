#include "models/table_names.h"

namespace kedge::models {
namespace {

bool folds_columns_only(SqlDialect dialect) {
  return dialect == SqlDialect::Mysql || dialect == SqlDialect::Bigquery;
}

}  // namespace

std::string table_key(SqlDialect dialect, std::string_view schema, std::string_view table) {
  return live_table_key(dialect, schema) + "." + live_table_key(dialect, table);
}

std::string live_table_key(SqlDialect dialect, std::string_view name) {
  return folds_columns_only(dialect) ? std::string(name) : live_key(dialect, name);
}

std::string written_table_key(SqlDialect dialect, const PhysicalName& part) {
  return folds_columns_only(dialect) ? part.text : written_key(dialect, part.text, part.quoted);
}

}  // namespace kedge::models
