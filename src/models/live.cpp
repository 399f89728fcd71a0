#include "models/live.h"

#include "dialect/buckets.h"

namespace kedge::models {
namespace {

dialect::ColumnClass class_of(const schema::Type& type, schema::Dialect engine,
                              SqlDialect dialect) {
  if (engine != schema::Dialect::Ansi || type.native.empty()) {
    return dialect::column_class(engine, type);
  }
  if (dialect == SqlDialect::Generic || dialect == SqlDialect::Oracle) {
    // Nobody knows what its names mean: the driver's type code decides.
    schema::Type coded = type;
    coded.native.clear();
    return dialect::column_class(engine, coded);
  }
  return dialect::column_class(to_string(dialect), type.native);
}

}  // namespace

schema::Bucket bucket_of(const schema::Type& type, schema::Dialect engine, SqlDialect dialect) {
  return dialect::bucket_of(class_of(type, engine, dialect));
}

std::string column_type_of(const schema::Type& type, schema::Dialect engine, SqlDialect dialect) {
  switch (class_of(type, engine, dialect)) {
    case dialect::ColumnClass::Int:
      return "INT";
    case dialect::ColumnClass::Double:
      return "DOUBLE";
    case dialect::ColumnClass::Boolean:
      return "BOOLEAN";
    case dialect::ColumnClass::Date:
      return "DATE";
    case dialect::ColumnClass::Timestamp:
      return "TIMESTAMP";
    case dialect::ColumnClass::Text:
    case dialect::ColumnClass::Undetermined:
      return "TEXT";
  }
  return "TEXT";
}

}  // namespace kedge::models
