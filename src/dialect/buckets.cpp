#include "dialect/buckets.h"

#include <array>

#include "base/text.h"
#include "dialect/bucket_table.h"
#include "dialect/dialect.h"
#include "dialect/type_text.h"

namespace kedge::dialect {
namespace {

using schema::Bucket;
using schema::Type;
using schema::TypeKind;

struct Hint {
  ColumnClass column_class;
  std::string_view part;
};
// sqlite, after BOOLEAN, DATE and TIME as whole names.
constexpr std::array kSqliteHints = {
    Hint{ColumnClass::Int, "int"},     Hint{ColumnClass::Text, "char"},
    Hint{ColumnClass::Text, "clob"},   Hint{ColumnClass::Text, "text"},
    Hint{ColumnClass::Text, "string"}, Hint{ColumnClass::Text, "uuid"},
    Hint{ColumnClass::Text, "json"},   Hint{ColumnClass::Double, "real"},
    Hint{ColumnClass::Double, "floa"}, Hint{ColumnClass::Double, "doub"},
    Hint{ColumnClass::Double, "dec"},  Hint{ColumnClass::Double, "num"},
    Hint{ColumnClass::Double, "money"}};

// decimal(p,0) counts as a whole number; one argument alone means scale 0.
ColumnClass decimal_class(const TypeText& text) {
  return !text.arguments.empty() && argument(text, 1).value_or(0) == 0 ? ColumnClass::Int
                                                                       : ColumnClass::Double;
}

ColumnClass sqlite_class(const TypeText& text) {
  const std::string& words = text.words;
  if (words == "bool" || words == "boolean") {
    return ColumnClass::Boolean;
  }
  if (words == "date") {
    return ColumnClass::Date;
  }
  if (words == "time" || words.starts_with("timestamp") || words.starts_with("datetime")) {
    return ColumnClass::Timestamp;
  }
  if ((words == "numeric" || words == "decimal") && !text.arguments.empty()) {
    return decimal_class(text);
  }
  for (const Hint& hint : kSqliteHints) {
    if (words.find(hint.part) != std::string::npos) {
      return hint.column_class;
    }
  }
  return ColumnClass::Undetermined;
}

bool is_named(std::string_view names, std::string_view words) {
  for (const std::string& name : base::split(names, '|')) {
    if (name == words || (name.ends_with('*') &&
                          words.starts_with(std::string_view(name).substr(0, name.size() - 1)))) {
      return true;
    }
  }
  return false;
}

ColumnClass table_class(std::string_view dialect, std::string_view words) {
  for (const BucketRow& row : bucket_rows()) {
    if (row.dialect == dialect && is_named(row.names, words)) {
      return row.column_class;
    }
  }
  return ColumnClass::Text;
}

// Nullable(LowCardinality(T)), SimpleAggregateFunction(f, T): T.
std::string_view unwrap_clickhouse(std::string_view native) {
  for (;;) {
    native = base::trim(native);
    std::size_t open = std::string_view::npos;
    if (native.starts_with("Nullable(") || native.starts_with("LowCardinality(")) {
      open = native.find('(');
    } else if (native.starts_with("SimpleAggregateFunction(")) {
      open = native.find(',');
    }
    if (open == std::string_view::npos || !native.ends_with(')')) {
      return native;
    }
    native = native.substr(open + 1, native.size() - open - 2);
  }
}

bool is_decimal(std::string_view dialect, std::string_view words) {
  if (dialect == "snowflake" || dialect == "oracle") {
    return words == "number" || words == "decimal" || words == "numeric" || words == "dec";
  }
  return words == "decimal" || words == "numeric" || words == "dec" || words == "fixed" ||
         words == "decimal unsigned";
}

std::string canonical_dialect(std::string_view dialect) {
  const std::string lower = base::to_lower(dialect);
  if (lower == "mariadb") {
    return "mysql";
  }
  if (lower == "d1") {
    return "sqlite";
  }
  for (const BucketRow& row : bucket_rows()) {
    if (row.dialect == lower) {
      return lower;
    }
  }
  return lower == "sqlite" ? lower : "ansi";
}

// What a bare decimal means where nothing is written behind it.
ColumnClass bare_decimal(std::string_view dialect) {
  const bool whole = dialect == "snowflake" || dialect == "sqlserver" || dialect == "mysql";
  return whole ? ColumnClass::Int : ColumnClass::Double;
}

bool is_truth_value(std::string_view dialect, const TypeText& text) {
  return dialect == "mysql" && (text.words == "tinyint" || text.words == "bit") &&
         argument(text, 0) == std::optional(1);
}

// By the kind alone, where no server gave a spelling.
ColumnClass kind_class(const Type& type) {
  switch (type.kind) {
    case TypeKind::Boolean:
      return ColumnClass::Boolean;
    case TypeKind::Int8:
    case TypeKind::Int16:
    case TypeKind::Int32:
    case TypeKind::Int64:
    case TypeKind::Int128:
    case TypeKind::UInt8:
    case TypeKind::UInt16:
    case TypeKind::UInt32:
    case TypeKind::UInt64:
    case TypeKind::UInt128:
      return ColumnClass::Int;
    case TypeKind::Real4:
    case TypeKind::Real8:
      return ColumnClass::Double;
    case TypeKind::Numeric:
      return type.precision && type.scale.value_or(0) == 0 ? ColumnClass::Int : ColumnClass::Double;
    case TypeKind::Date:
      return ColumnClass::Date;
    case TypeKind::Time:
    case TypeKind::TimeTz:
    case TypeKind::Timestamp:
    case TypeKind::TimestampTz:
      return ColumnClass::Timestamp;
    case TypeKind::Unknown:
      return ColumnClass::Undetermined;
    case TypeKind::Text:
    case TypeKind::Char:
    case TypeKind::Blob:
    case TypeKind::Bit:
    case TypeKind::Interval:
    case TypeKind::Uuid:
    case TypeKind::Json:
    case TypeKind::Inet:
    case TypeKind::Array:
    case TypeKind::Struct:
    case TypeKind::Map:
    case TypeKind::Enum:
    case TypeKind::Domain:
    case TypeKind::Native:
      return ColumnClass::Text;
  }
  return ColumnClass::Undetermined;
}

}  // namespace

ColumnClass column_class(std::string_view dialect, std::string_view native) {
  const std::string name = canonical_dialect(dialect);
  const TypeText text = take_apart(name == "clickhouse" ? unwrap_clickhouse(native) : native);
  if (text.words.empty()) {
    return ColumnClass::Undetermined;
  }
  if (name == "sqlite") {
    return sqlite_class(text);
  }
  if (text.arrays > 0) {
    return ColumnClass::Text;
  }
  if (is_truth_value(name, text)) {
    return ColumnClass::Boolean;
  }
  if (is_decimal(name, text.words) && name != "clickhouse" && name != "bigquery") {
    return text.arguments.empty() ? bare_decimal(name) : decimal_class(text);
  }
  return table_class(name, text.words);
}

ColumnClass column_class(schema::Dialect dialect, const Type& type) {
  if (type.kind == TypeKind::Domain && !type.element.empty()) {
    return column_class(dialect, type.element[0]);
  }
  const bool structured = type.kind == TypeKind::Array || type.kind == TypeKind::Enum ||
                          type.kind == TypeKind::Domain || type.kind == TypeKind::Unknown;
  if (type.native.empty() || structured) {
    return kind_class(type);
  }
  return column_class(schema::to_string(dialect), type.native);
}

Bucket bucket_of(ColumnClass column_class) {
  switch (column_class) {
    case ColumnClass::Int:
    case ColumnClass::Double:
      return Bucket::Number;
    case ColumnClass::Boolean:
      return Bucket::Boolean;
    case ColumnClass::Date:
    case ColumnClass::Timestamp:
      return Bucket::Temporal;
    case ColumnClass::Text:
      return Bucket::String;
    case ColumnClass::Undetermined:
      return Bucket::Undetermined;
  }
  return Bucket::Undetermined;
}

Bucket bucket_of(std::string_view dialect, std::string_view native) {
  return bucket_of(column_class(dialect, native));
}

Bucket bucket_of(schema::Dialect dialect, const Type& type) {
  return bucket_of(column_class(dialect, type));
}

}  // namespace kedge::dialect
