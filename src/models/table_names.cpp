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

std::string RelationKeys::of(const schema::Name& live) const {
  return folded(table_key(dialect_, live.schema.text(), live.name.text()));
}

std::string RelationKeys::of(const RelationName& written) const {
  const std::string table = written_table_key(dialect_, written.name);
  if (!written.schema && sight_->searched) {
    const auto found = sight_->searched->find(table);
    return found == sight_->searched->end() ? "" : found->second;
  }
  std::string schema = written.schema ? written_table_key(dialect_, *written.schema) : "";
  if (schema == live_table_key(dialect_, default_schema_)) {
    schema.clear();
  }
  return folded(schema + "." + table);
}

std::string RelationKeys::folded(std::string key) const {
  return sight_->folds_tables ? live_key(dialect_, key) : key;
}

}  // namespace kedge::models
