// Rows of databases (spec/contracts.md 4.4, 5.3): exactly the declared columns are selected in the
// remote database and streamed into a raw table as text, then converted as every text is.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "contracts/type_name.h"
#include "db/bulk.h"
#include "kedge/codes.h"
#include "pipeline/cursor.h"
#include "pipeline/land.h"
#include "pipeline/nested.h"
#include "pipeline/render.h"
#include "pipeline/source.h"

namespace kedge::pipeline {
namespace {

using contracts::FetchedColumn;
using contracts::FetchedShape;

const FetchedColumn* find(const FetchedShape& shape, const std::string& name) {
  const auto found = std::find_if(shape.columns.begin(), shape.columns.end(),
                                  [&](const FetchedColumn& c) { return c.name == name; });
  return found == shape.columns.end() ? nullptr : &*found;
}

// What is selected remotely and how it lands.
struct Plan {
  std::vector<std::string> remote;  // SQL of the selected columns
  std::vector<RawColumn> columns;   // in landed order
  std::vector<std::string> absent;  // raw names of optional columns, which land as NULL
  bool direct = true;               // the raw table already is what lands
};

schema::Type text_type() {
  schema::Type type;
  type.kind = schema::TypeKind::Text;
  return type;
}

bool is_sqlite(const db::Connection& source) {
  return schema::is_sqlite(source.dialect());
}

// sqlite keeps what it is given, so its values travel as text; so do nested values everywhere, and
// decimals that are declared as text, which may have more digits than a DECIMAL.
schema::Type raw_type(const db::Connection& source, const schema::Type& type,
                      const schema::Type& wanted) {
  if (type.kind == schema::TypeKind::Blob) {
    return type;
  }
  const bool untyped = is_sqlite(source) || source.dialect() == schema::Dialect::Ansi;
  const bool textual =
      !type.element.empty() || type.kind == schema::TypeKind::Interval ||
      (type.kind == schema::TypeKind::Numeric && wanted.kind == schema::TypeKind::Text) ||
      type.kind == schema::TypeKind::Json || type.kind == schema::TypeKind::Enum ||
      (type.kind == schema::TypeKind::Timestamp && type.precision);
  return untyped || textual ? text_type() : contracts::underlying_type(type);
}

// Where sqlite's contract says varchar, any storage class lands as text.
bool takes_any_class(const db::Connection& source, const ReadSpec& read,
                     const FetchedColumn& column, const schema::Type& wanted) {
  return is_sqlite(source) && !read.contract.empty() && wanted.kind == schema::TypeKind::Text &&
         column.type.kind != schema::TypeKind::Blob;
}

int depth_of(const schema::Type& type) {
  return type.kind == schema::TypeKind::Array ? 1 + depth_of(type.element.at(0)) : 0;
}

// The type of an array does not say how many dimensions a value has: one of others becomes a text
// that no list is read from.
std::string array_expression(const std::string& name, const schema::Type& wanted) {
  const std::string json = "CAST(to_jsonb(" + name + ") AS text)";
  const std::string dimensions = "array_ndims(" + name + ")";
  const int depth = depth_of(wanted);
  if (depth == 0) {
    return json;
  }
  return "CASE WHEN " + dimensions + " <> " + std::to_string(depth) + " THEN 'an array of ' || " +
         dimensions + " || ' dimensions' ELSE " + json + " END";
}

std::string remote_expression(const db::Connection& source, const FetchedColumn& column,
                              const schema::Type& wanted) {
  const std::string name = quote_column(source, column.name);
  if (source.dialect() == schema::Dialect::Postgres &&
      column.type.kind == schema::TypeKind::Array) {
    return array_expression(name, wanted);
  }
  if (source.dialect() == schema::Dialect::Postgres && !column.type.element.empty()) {
    return "CAST(to_jsonb(" + name + ") AS text)";
  }
  const bool nanos = column.type.kind == schema::TypeKind::Timestamp && column.type.precision;
  if (source.dialect() == schema::Dialect::Duckdb && (!column.type.element.empty() || nanos)) {
    return "CAST(" + name + " AS VARCHAR)";
  }
  if (source.dialect() == schema::Dialect::Mysql && column.type.kind == schema::TypeKind::Real4) {
    return "(" + name + " + 0e0)";  // MySQL shows a float with six digits only
  }
  return name;
}

class Planner {
 public:
  Planner(const db::Connection& source, const ReadSpec& read, const FetchedShape& shape)
      : source_(source), read_(read), shape_(shape) {}

  Plan run() {
    if (read_.contract.empty()) {
      for (const FetchedColumn& column : shape_.columns) {
        add(column, column.name, contracts::underlying_type(column.type));
      }
      return std::move(plan_);
    }
    std::vector<std::string> missing;
    for (const contracts::ContractColumn& column : read_.contract.columns) {
      const FetchedColumn* found = find(shape_, column.source);
      if (found != nullptr) {
        add(*found, column.name, contracts::underlying_type(column.type));
      } else if (column.optional) {
        add_absent(column);
      } else {
        missing.push_back(column.source);
      }
    }
    refuse(missing);
    return std::move(plan_);
  }

 private:
  void add(const FetchedColumn& column, const std::string& landed, schema::Type type) {
    if (source_.dialect() == schema::Dialect::Postgres && is_nested(column.type) &&
        has_kind(column.type, schema::TypeKind::Blob)) {
      throw Error(codes::PZ0804,
                  "entity '" + read_.label + "': column '" + column.name + "' is an array of bytea",
                  "cast it in query:");
    }
    // Of an expression sqlite does not say that it gives a blob.
    const bool blob =
        is_sqlite(source_) && column.native.empty() && type.kind == schema::TypeKind::Blob;
    const schema::Type raw = blob ? type : raw_type(source_, column.type, type);
    plan_.direct = plan_.direct && contracts::type_name(raw) == contracts::type_name(type);
    const std::string name = quote_column(source_, column.name);
    plan_.remote.push_back(takes_any_class(source_, read_, column, type)
                               ? "CASE typeof(" + name + ") WHEN 'blob' THEN CAST(" + name +
                                     " AS TEXT) ELSE " + name + " END"
                               : remote_expression(source_, column, type));
    const TextForm form =
        source_.dialect() == schema::Dialect::Duckdb ? TextForm::Duckdb : TextForm::Json;
    plan_.columns.push_back({landed, landed, raw, std::move(type), form});
  }
  void add_absent(const contracts::ContractColumn& column) {
    plan_.absent.push_back(column.name);
    plan_.columns.push_back(
        {column.name, column.name, text_type(), contracts::underlying_type(column.type)});
    plan_.direct = false;
  }
  void refuse(const std::vector<std::string>& missing) const {
    if (missing.empty()) {
      return;
    }
    std::vector<std::string> present;
    for (const FetchedColumn& column : shape_.columns) {
      present.push_back(column.name);
    }
    fail_missing_columns(read_, missing, present, "");
  }

  const db::Connection& source_;
  const ReadSpec& read_;
  const FetchedShape& shape_;
  Plan plan_;
};

// Storage classes of a sqlite expression column: only integers, reals too, blobs, anything else.
schema::Type observed_type(db::Connection& source, const ReadSpec& read,
                           const std::string& column) {
  const std::string name = quote_column(source, column);
  const std::string from = read.query.empty() ? quote_entity(source, read.entity)
                                              : "(" + read.query + "\n) AS kedge_query";
  const db::ResultSet rows = source.query("SELECT DISTINCT typeof(" + name + ") FROM " + from +
                                          " WHERE " + name + " IS NOT NULL ORDER BY 1");
  schema::Type type = text_type();
  std::vector<std::string> classes;
  for (const db::Row& row : rows.rows) {
    classes.push_back(db::to_text(row[0]));
  }
  const bool numbers =
      !classes.empty() && std::all_of(classes.begin(), classes.end(), [](const std::string& c) {
        return c == "integer" || c == "real";
      });
  if (numbers) {
    type.kind = std::find(classes.begin(), classes.end(), "real") == classes.end()
                    ? schema::TypeKind::Int64
                    : schema::TypeKind::Real8;
  } else if (classes.size() == 1 && classes[0] == "blob") {
    type.kind = schema::TypeKind::Blob;
  }
  return type;
}

void settle_expression_types(db::Connection& source, const ReadSpec& read, FetchedShape& shape) {
  if (!is_sqlite(source) || read.query.empty() || !read.contract.empty()) {
    return;
  }
  for (FetchedColumn& column : shape.columns) {
    if (column.native.empty()) {
      column.type = observed_type(source, read, column.name);
    }
  }
}

// A stored or declared value in the source's own words.
std::string literal(const std::string& value) {
  const bool number = !value.empty() &&
                      value.find_first_not_of("0123456789.-+") == std::string::npos &&
                      value.find('-', 1) == std::string::npos;
  return number ? value : quote_literal(value);
}

std::string bound_condition(const db::Connection& source, const ReadSpec& read,
                            const StoredCursor& bound) {
  const std::string column = quote_column(source, read.cursor->column);
  if (is_sqlite(source) && bound.type.starts_with("TIMESTAMP")) {
    // Both spellings of a timestamp are kept there; the pipeline filters exactly.
    return column + " >= " + quote_literal(bound.value.substr(0, 10));
  }
  return column + (read.cursor->inclusive ? " >= " : " > ") + literal(bound.value);
}

// Where comparisons mean what they say, the window is cut there; what is landed is cut in any case.
std::string window_condition(db::Connection& source, db::Connection& staging, const ReadSpec& read,
                             const std::optional<StoredCursor>& bound) {
  const schema::Dialect dialect = source.dialect();
  const bool exact = dialect == schema::Dialect::Postgres || dialect == schema::Dialect::Duckdb ||
                     dialect == schema::Dialect::Mysql;
  if (!exact || !read.cursor->has_window()) {
    return "";
  }
  const std::string column = quote_column(source, read.cursor->column);
  const CursorRange range = cursor_range(read, bound);
  std::string condition;
  if (!bound && !range.from.empty()) {
    condition = column + " >= " + literal(range.from);
  }
  std::string end = range.to;
  if (!read.cursor->max_window.empty() && read.cursor->type) {
    const std::string lower = bound ? bound_condition(source, read, *bound) : condition;
    const std::string from = read.query.empty() ? quote_entity(source, read.entity)
                                                : "(" + read.query + "\n) AS kedge_query";
    const db::Value first = query_value(source, "SELECT min(" + column + ") FROM " + from +
                                                    (lower.empty() ? "" : " WHERE " + lower));
    if (!db::is_null(first)) {
      end = window_end(staging, read,
                       contracts::type_name(contracts::underlying_type(*read.cursor->type)),
                       db::to_text(first));
    }
  }
  if (!end.empty()) {
    condition += (condition.empty() ? "" : " AND ") + column + " <= " + literal(end);
  }
  return condition;
}

std::string select_list(const Plan& plan) {
  std::string list;
  for (const std::string& column : plan.remote) {
    list += (list.empty() ? "" : ", ") + column;
  }
  return list.empty() ? "1" : list;
}

// The whole entity, or what is newer than the stored cursor and inside the window.
std::string from_clause(const Transfer& transfer, const ReadSpec& read,
                        const std::optional<StoredCursor>& bound) {
  db::Connection& source = transfer.source;
  const std::string from = read.query.empty() ? quote_entity(source, read.entity)
                                              : "(" + read.query + "\n) AS kedge_query";
  const bool pushes =
      bound && read.cursor && (read.cursor->pushable || read.cursor->origin == CursorOrigin::File);
  std::string condition = pushes ? bound_condition(source, read, *bound) : "";
  if (read.cursor && read.cursor->origin == CursorOrigin::File) {
    const std::string window = window_condition(source, transfer.staging, read, bound);
    condition += (condition.empty() || window.empty() ? "" : " AND ") + window;
  }
  return from + (condition.empty() ? "" : " WHERE " + condition);
}

std::string raw_table_sql(const std::string& table, const Plan& plan) {
  std::string columns;
  for (const RawColumn& column : plan.columns) {
    columns += (columns.empty() ? "" : ", ") + quote_name(column.name) + " " +
               contracts::type_name(column.from);
  }
  return "CREATE OR REPLACE TABLE " + table + " (" + columns + ")";
}

void copy_remote(const Engine& engine, db::Connection& source, db::Connection& staging,
                 const std::string& select, const std::string& raw, const Plan& plan) {
  db::BulkTarget target{{Identifier("staging"), Identifier(raw)}, {}};
  db::ReadOptions options;
  options.rows = static_cast<std::size_t>(engine.workspace().project.engine.chunk_rows);
  for (const RawColumn& column : plan.columns) {
    const bool absent =
        std::find(plan.absent.begin(), plan.absent.end(), column.name) != plan.absent.end();
    if (!absent) {
      target.columns.push_back(column.name);
      options.kinds.push_back(column.from.kind);
    }
  }
  db::copy_rows(source, select, staging, target, options);
}

// What cannot be kept exactly is the contract's failure; what the connection says is its own.
[[noreturn]] void fail_read(const Engine& engine, const ReadSpec& read,
                            const db::DatabaseError& error) {
  if (error.failure() == db::FailureClass::Cancelled) {
    throw error;
  }
  const bool data = error.failure() == db::FailureClass::Data;
  const std::string text =
      engine.workspace().hide(error.problem().message) +
      (data || error.problem().notes.empty() ? "" : ": " + engine.workspace().said(error));
  throw db::DatabaseError(
      {data ? codes::PZ0804
            : (error.failure() == db::FailureClass::Connection ? codes::PZ0330 : codes::PZ0501),
       "entity '" + read.label + "': " + text, std::nullopt,
       data ? "declare varchar, a narrower decimal, or cast in query:" : "", error.problem().notes},
      error.failure(), error.native_code());
}

}  // namespace

std::vector<contracts::ShapeColumn> land_selected(const Engine& engine, const Transfer& transfer,
                                                  const ReadSpec& read, const FromClauses& next) {
  db::Connection& source = transfer.source;
  db::Connection& staging = transfer.staging;
  FetchedShape shape = describe_entity(source, read);
  settle_expression_types(source, read, shape);
  const Plan plan = Planner(source, read, shape).run();
  const std::string raw = plan.direct ? read.staging : "raw_" + read.staging;
  const std::string raw_table = staging_table(raw);
  staging.execute(raw_table_sql(raw_table, plan));
  try {
    while (const std::optional<std::string> from = next()) {
      copy_remote(engine, source, staging, "SELECT " + select_list(plan) + " FROM " + *from, raw,
                  plan);
    }
  } catch (const db::DatabaseError& error) {
    engine.let_finish(staging);
    staging.execute("DROP TABLE IF EXISTS " + raw_table);
    fail_read(engine, read, error);
  }
  if (!plan.direct) {
    land_converted(engine, staging, read, raw_table, plan.columns);
    staging.execute("DROP TABLE " + raw_table);
  }
  return contracts::shape_of(shape);
}

std::vector<contracts::ShapeColumn> land_database(const Engine& engine, db::Connection& staging,
                                                  const ReadSpec& read,
                                                  const std::optional<StoredCursor>& bound) {
  const Engine::Held source = engine.open(read.connection, Engine::Use::Read);
  bool done = false;
  return land_selected(engine, {*source, staging}, read, [&]() -> std::optional<std::string> {
    if (done) {
      return std::nullopt;
    }
    done = true;
    return from_clause({*source, staging}, read, bound);
  });
}

}  // namespace kedge::pipeline
