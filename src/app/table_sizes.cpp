#include "app/table_sizes.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "dialect/ddl.h"

namespace kedge::app {
namespace {

constexpr double kSeconds = 5;

schema::Name live_name(const migrate::Plan& plan, const schema::Name& table) {
  for (const migrate::PlannedChange& planned : plan.changes) {
    const auto* rename = std::get_if<change::RenameTable>(&planned.change);
    if (rename != nullptr && rename->to == table) {
      return rename->from;
    }
  }
  return table;
}

std::string size_query(const migrate::Plan& plan, std::size_t number, const schema::Name& table) {
  const dialect::Ddl& ddl = dialect::get_ddl(plan.dialect);
  if (plan.dialect == schema::Dialect::Postgres) {
    return fmt::format("SELECT {}, pg_total_relation_size(to_regclass({}))", number,
                       ddl.literal(ddl.name(table)));
  }
  const std::string space = table.schema.empty() ? "DATABASE()" : ddl.literal(table.schema.text());
  return fmt::format(
      "SELECT {}, DATA_LENGTH + INDEX_LENGTH FROM information_schema.TABLES WHERE TABLE_SCHEMA = "
      "{} AND TABLE_NAME = {}",
      number, space, ddl.literal(table.name.text()));
}

}  // namespace

std::map<schema::Name, std::int64_t> find_table_sizes(db::Connection& connection,
                                                      const migrate::Plan& plan) {
  std::map<schema::Name, std::int64_t> sizes;
  if (plan.dialect != schema::Dialect::Postgres && plan.dialect != schema::Dialect::Mysql) {
    return sizes;
  }
  std::set<schema::Name> asked;
  for (const migrate::Hazard& hazard : plan.hazards) {
    asked.insert(hazard.table);
  }
  const std::vector<schema::Name> tables(asked.begin(), asked.end());
  std::vector<std::string> queries;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    queries.push_back(size_query(plan, i, live_name(plan, tables[i])));
  }
  if (queries.empty()) {
    return sizes;
  }
  try {
    for (const db::Row& row :
         connection.query(base::join(queries, " UNION ALL "), {}, {kSeconds}).rows) {
      const auto number = db::to_integer(row.at(0));
      const auto bytes = db::to_integer(row.at(1));
      if (number && bytes) {
        sizes[tables.at(static_cast<std::size_t>(*number))] = *bytes;
      }
    }
  } catch (const Error&) {
    sizes.clear();  // no right to ask, or too slow: the plan does without
  }
  return sizes;
}

}  // namespace kedge::app
