// Live shapes from a schema that is known, without a database (models.md 8.1).
#include "models/live_reader.h"

#include <gtest/gtest.h>

#include "models/test_support.h"

namespace kedge::models {
namespace {

schema::Table table(const std::string& name, const std::string& column) {
  schema::Table table;
  table.name.name = Identifier(name);
  table.columns.resize(1);
  table.columns[0].name = Identifier(column);
  return table;
}

// The first column of what each model's sql_table leads to; "-" where nothing is found.
std::string columns_found(const std::vector<std::string>& models) {
  test::Project project;
  project.dialect = SqlDialect::Mysql;
  for (const std::string& name : models) {
    project.model("m" + name, "sql_table: " + name + "\n");
  }
  schema::Schema known;
  known.engine.dialect = schema::Dialect::Mysql;
  for (const std::string name : {"orders", "oRders", "Orders", "crates"}) {
    known.tables.push_back(table(name, "of_" + name));
  }
  const ModelSet set = project.load();
  const DataSource source{"main", SqlDialect::Mysql, {}};
  ReadRequest request{source, set, {}};
  request.known = &known;
  const LiveReading reading = read_known(request);
  std::string text;
  for (const std::string& name : models) {
    const LiveShape& shape = reading.source.models.at("m" + name);
    text += (shape.columns ? shape.columns->front().name : "-") + " ";
  }
  return text;
}

TEST(LiveReaderTest, TakesTheFirstByNameOfTablesThatDifferInCase) {
  EXPECT_EQ(columns_found({"ORDERS", "orders", "oRders", "Crates", "gone"}),
            "of_Orders of_orders of_oRders of_crates - ");
}

}  // namespace
}  // namespace kedge::models
