// Rows of databases (spec/contracts.md 4.4, 5.3): exactly the declared columns are selected in the
// remote database and streamed into a raw table as text, then converted as every text is.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "contracts/type_name.h"
#include "kedge/codes.h"
#include "pipeline/land.h"
#include "pipeline/render.h"
#include "pipeline/source.h"
#include "pipeline/transfer.h"

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
  std::vector<std::string> remote;  // source column names
  std::vector<RawColumn> columns;   // in landed order
  std::vector<std::string> absent;  // optional columns that land as NULL
};

std::string raw_name(std::size_t index) {
  return "c" + std::to_string(index);
}

schema::Type text_type() {
  schema::Type type;
  type.kind = schema::TypeKind::Text;
  return type;
}

schema::Type raw_type(const schema::Type& source) {
  schema::Type type = text_type();
  if (source.kind == schema::TypeKind::Blob) {
    type.kind = schema::TypeKind::Blob;
  }
  return type;
}

Plan plan_all(const FetchedShape& shape) {
  Plan plan;
  for (const FetchedColumn& column : shape.columns) {
    plan.remote.push_back(column.name);
    plan.columns.push_back({raw_name(plan.columns.size()), column.name, raw_type(column.type),
                            contracts::underlying_type(column.type)});
  }
  return plan;
}

Plan plan_contract(const ReadSpec& read, const FetchedShape& shape) {
  Plan plan;
  std::vector<std::string> missing;
  for (const contracts::ContractColumn& column : read.contract.columns) {
    const FetchedColumn* found = find(shape, column.source);
    if (found == nullptr && !column.optional) {
      missing.push_back(column.source);
      continue;
    }
    RawColumn raw{raw_name(plan.columns.size()), column.name,
                  found == nullptr ? text_type() : raw_type(found->type), column.type};
    if (found == nullptr) {
      plan.absent.push_back(raw.name);
    } else {
      plan.remote.push_back(column.source);
    }
    plan.columns.push_back(std::move(raw));
  }
  if (!missing.empty()) {
    std::vector<std::string> present;
    for (const FetchedColumn& column : shape.columns) {
      present.push_back(column.name);
    }
    fail_missing_columns(read, missing, present, "");
  }
  return plan;
}

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
  const bool sqlite = source.dialect() == schema::Dialect::Sqlite;
  if (!sqlite || read.query.empty() || !read.contract.empty()) {
    return;
  }
  for (FetchedColumn& column : shape.columns) {
    if (column.native.empty()) {
      column.type = observed_type(source, read, column.name);
    }
  }
}

std::string bound_condition(const db::Connection& source, const ReadSpec& read,
                            const StoredCursor& bound) {
  const bool inclusive = read.cursor->inclusive;
  const bool sqlite = source.dialect() == schema::Dialect::Sqlite;
  const bool number =
      bound.type.starts_with("DECIMAL") || bound.type.find("INT") != std::string::npos;
  std::string value = number ? bound.value : quote_literal(bound.value);
  if (sqlite && !number && bound.type.starts_with("TIMESTAMP")) {
    // Both spellings of a timestamp are kept there; the pipeline filters exactly.
    value = quote_literal(bound.value.substr(0, 10));
    return " WHERE " + quote_column(source, read.cursor->column) + " >= " + value;
  }
  return " WHERE " + quote_column(source, read.cursor->column) + (inclusive ? " >= " : " > ") +
         value;
}

std::string select_sql(const db::Connection& source, const ReadSpec& read, const Plan& plan,
                       const std::optional<StoredCursor>& bound) {
  std::string list;
  for (const std::string& column : plan.remote) {
    list += (list.empty() ? "" : ", ") + quote_column(source, column);
  }
  const std::string from = read.query.empty() ? quote_entity(source, read.entity)
                                              : "(" + read.query + "\n) AS kedge_query";
  const bool pushes =
      bound && read.cursor && (read.cursor->pushable || read.cursor->origin == CursorOrigin::File);
  return "SELECT " + (list.empty() ? "1" : list) + " FROM " + from +
         (pushes ? bound_condition(source, read, *bound) : "");
}

std::string raw_table_sql(const std::string& table, const Plan& plan) {
  std::string columns;
  for (const RawColumn& column : plan.columns) {
    columns += (columns.empty() ? "" : ", ") + column.name +
               (column.from.kind == schema::TypeKind::Blob ? " BLOB" : " VARCHAR");
  }
  return "CREATE OR REPLACE TABLE " + table + " (" + columns + ")";
}

std::vector<std::string> filled_columns(const Plan& plan) {
  std::vector<std::string> names;
  for (const RawColumn& column : plan.columns) {
    if (std::find(plan.absent.begin(), plan.absent.end(), column.name) == plan.absent.end()) {
      names.push_back(column.name);
    }
  }
  return names;
}

}  // namespace

std::vector<contracts::ShapeColumn> land_database(const Engine& engine, db::Connection& staging,
                                                  const ReadSpec& read,
                                                  const std::optional<StoredCursor>& bound) {
  const std::unique_ptr<db::Connection> source = engine.open(read.connection, Engine::Use::Read);
  const Engine::Running running(engine, *source);
  FetchedShape shape = describe_entity(*source, read);
  settle_expression_types(*source, read, shape);
  const Plan plan = read.contract.empty() ? plan_all(shape) : plan_contract(read, shape);
  const std::string raw = "raw_" + read.staging;
  const std::string raw_table = staging_table(raw);
  staging.execute(raw_table_sql(raw_table, plan));
  TransferTarget target{raw_table,
                        {Identifier("staging"), Identifier(raw)},
                        filled_columns(plan),
                        ValueForm::Text,
                        engine.workspace().project.engine.chunk_rows};
  copy_rows(*source, select_sql(*source, read, plan, bound), staging, target);
  land_converted(engine, staging, read, raw_table, plan.columns);
  staging.execute("DROP TABLE " + raw_table);
  return contracts::shape_of(shape);
}

}  // namespace kedge::pipeline
