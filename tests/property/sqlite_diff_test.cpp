// Two routes must agree: a schema made at once, and the same schema reached from another one by
// kedge's own statements. All schemas of up to two tables of two columns, on a real sqlite.
#include <gtest/gtest.h>

#include "db/sqlite/connector.h"
#include "dialect/dialect.h"
#include "migrate/plan.h"
#include "sql/analysis.h"

namespace kedge {
namespace {

// Column b is absent, or one of these; column a is always there.
const std::vector<std::string> kColumns = {"",
                                           ", b INTEGER",
                                           ", b TEXT NOT NULL DEFAULT 'x'",
                                           ", b INTEGER CHECK (b > 0)",
                                           ", b INTEGER REFERENCES t1 (a)",
                                           ", b TEXT UNIQUE"};
const std::vector<std::string> kKeys = {
    "a INTEGER PRIMARY KEY", "a INTEGER PRIMARY KEY AUTOINCREMENT", "a INTEGER NOT NULL"};

std::vector<std::string> table_texts(const std::string& name) {
  std::vector<std::string> texts = {""};
  for (const std::string& key : kKeys) {
    for (const std::string& column : kColumns) {
      texts.push_back("CREATE TABLE " + name + " (" + key + column + ");");
    }
  }
  return texts;
}

std::vector<std::string> all_schemas() {
  std::vector<std::string> all;
  for (const std::string& first : table_texts("t1")) {
    for (const std::string& second : table_texts("t2")) {
      const bool refers = (first + second).find("REFERENCES") != std::string::npos;
      if (refers && first.find("PRIMARY KEY") == std::string::npos) {
        continue;  // sqlite itself refuses a reference to what is no key
      }
      const std::string index = second.find(" b ") == std::string::npos
                                    ? ""
                                    : "CREATE INDEX t2_b ON t2 (b) WHERE b IS NOT NULL;";
      all.push_back(first + second + index);
    }
  }
  return all;
}

class Database {
 public:
  Database() {
    db::ConnectionSettings settings;
    settings.name = "memory";
    settings.connector = "sqlite";
    settings.options["path"] = ":memory:";
    settings.access = db::AccessMode::Create;
    connection_ = db::make_sqlite_connector()->connect(settings);
  }
  void run(const std::string& script) {
    for (const sql::Statement& one : sql::split_statements(script, schema::Dialect::Sqlite)) {
      connection_->execute(one.text(script));
    }
  }
  void apply(const migrate::Plan& plan) {
    for (const migrate::PlanStatement& statement : plan.up) {
      if (statement.sql.starts_with("PRAGMA foreign_key_check")) {
        connection_->query(statement.sql);
      } else {
        connection_->execute(statement.sql);
      }
    }
  }
  schema::Schema look() {
    return dialect::get_dialect(schema::Dialect::Sqlite).introspect(*connection_, {});
  }

 private:
  std::unique_ptr<db::Connection> connection_;
};

diff::Options comparison() {
  diff::Options options;
  options.dialect = schema::Dialect::Sqlite;
  return options;
}

TEST(SqliteDiffProperty, DiffAndApplyLeadToTheTarget) {
  const std::vector<std::string> all = all_schemas();
  migrate::PlanOptions options;
  options.dialect = schema::Dialect::Sqlite;
  options.gate = migrate::Gate::Marked;
  std::vector<schema::Schema> shapes;
  for (const std::string& text : all) {
    Database database;
    database.run(text);
    shapes.push_back(database.look());
  }
  std::size_t pairs = 0;
  for (std::size_t from = 0; from < all.size(); ++from) {
    // Every schema is start and target of ten pairs; the strides reach all of the others.
    for (std::size_t step = 0; step < 10; ++step) {
      const std::size_t to = (from + 1 + step * 37) % all.size();
      Database database;
      database.run(all[from]);
      const auto difference = diff::compare(shapes[from], shapes[to], comparison());
      const auto plan = migrate::make_plan(difference, shapes[from], shapes[to], options);
      ASSERT_NO_THROW(database.apply(plan)) << all[from] << "\n-> " << all[to] << "\n"
                                            << migrate::render_up(plan);
      const auto left = diff::compare(database.look(), shapes[to], comparison());
      ASSERT_TRUE(left.changes.empty())
          << all[from] << "\n-> " << all[to] << "\nstill " << describe(left.changes.front());
      ++pairs;
    }
  }
  EXPECT_EQ(pairs, all.size() * 10);
}

TEST(SqliteDiffProperty, DownLeadsBackToTheStart) {
  const std::vector<std::string> all = all_schemas();
  migrate::PlanOptions options;
  options.dialect = schema::Dialect::Sqlite;
  options.gate = migrate::Gate::Marked;
  for (std::size_t from = 0; from < all.size(); ++from) {
    const std::size_t to = (from * 7 + 3) % all.size();
    Database first;
    first.run(all[from]);
    const schema::Schema start = first.look();
    Database second;
    second.run(all[to]);
    const schema::Schema target = second.look();
    migrate::Plan plan =
        migrate::make_plan(diff::compare(start, target, comparison()), start, target, options);
    first.apply(plan);
    plan.up = plan.down;
    ASSERT_NO_THROW(first.apply(plan)) << all[from] << "\n-> " << all[to] << "\n"
                                       << migrate::render_down(plan);
    const auto left = diff::compare(first.look(), start, comparison());
    ASSERT_TRUE(left.changes.empty())
        << all[from] << "\n-> " << all[to] << "\nstill " << describe(left.changes.front());
  }
}

}  // namespace
}  // namespace kedge
