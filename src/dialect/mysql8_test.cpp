// Introspection of MySQL 8 from rows as its information_schema gives them: what differs from
// MariaDB's. No server is asked.
#include <gtest/gtest.h>

#include "dialect/ddl.h"
#include "dialect/dialect.h"

namespace kedge::dialect {
namespace {

using db::Row;
using db::Value;
using schema::Default;

// Answers a query of information_schema by the first table that it names.
class CannedServer : public db::Connection {
 public:
  std::map<std::string, std::vector<Row>> tables;

  schema::Dialect dialect() const override { return schema::Dialect::Mysql; }
  const schema::Engine& engine() override { return engine_; }
  db::ResultSet query(std::string_view sql, std::span<const Value>,
                      const db::ExecuteOptions&) override {
    return {{}, rows_of(sql), 0};
  }
  std::vector<db::ResultColumn> stream(std::string_view sql, const db::RowHandler& handler,
                                       const db::ExecuteOptions&) override {
    for (const Row& row : rows_of(sql)) {
      handler(row);
    }
    return {};
  }
  std::vector<db::ResultColumn> describe(std::string_view) override { return {}; }
  void execute(std::string_view) override {}
  void begin() override { open_ = true; }
  void commit() override { open_ = false; }
  void rollback() override { open_ = false; }
  bool in_transaction() const override { return open_; }
  void cancel() override {}

 private:
  std::vector<Row> rows_of(std::string_view sql) const {
    constexpr std::string_view kFrom = "FROM information_schema.";
    const std::size_t at = sql.find(kFrom);
    if (at == std::string_view::npos) {
      ADD_FAILURE() << "nothing is known about: " << sql;
      return {};
    }
    const std::string_view rest = sql.substr(at + kFrom.size());
    const auto found = tables.find(std::string(rest.substr(0, rest.find(' '))));
    return found == tables.end() ? std::vector<Row>() : found->second;
  }

  schema::Engine engine_{schema::Dialect::Mysql, "MySQL", "8.0.36", 8};
  bool open_ = false;
};

Row column(const char* name, const char* type, const Value& value, const char* extra,
           const char* expression = "") {
  return {"d", "t", name, type, "YES", value, {}, {}, extra, expression, "", "select,insert"};
}

class Mysql8Test : public testing::Test {
 protected:
  void SetUp() override {
    server_.tables["SCHEMATA"] = {{"d", "d"}};
    server_.tables["TABLES"] = {
        {"d", "t", "BASE TABLE", "InnoDB", {}, "utf8mb4_0900_ai_ci", "", ""}};
  }
  schema::Table table() {
    schema::Schema schema = get_dialect(schema::Dialect::Mysql).introspect(server_, {});
    EXPECT_EQ(schema.tables.size(), 1U);
    return schema.tables.at(0);
  }
  CannedServer server_;
};

TEST_F(Mysql8Test, DefaultsAreBareUnlessTheyAreGenerated) {
  server_.tables["COLUMNS"] = {
      column("a", "varchar(9)", "NULL", ""),
      column("b", "bit(3)", "b'101'", ""),
      column("c", "varbinary(4)", "0x6162", ""),
      column("d", "binary(4)", "0x00ff", ""),
      column("e", "datetime", "CURRENT_TIMESTAMP", "DEFAULT_GENERATED on update CURRENT_TIMESTAMP"),
      column("f", "varchar(9)", "concat(_utf8mb4\\'it\\\\\\'s\\',`a`)", "DEFAULT_GENERATED")};
  const schema::Table read = table();
  const std::vector<std::string> wanted = {
      "`a` varchar(9) DEFAULT 'NULL'",
      "`b` bit(3) DEFAULT b'101'",
      "`c` varbinary(4) DEFAULT 'ab'",
      "`d` binary(4) DEFAULT X'00FF'",
      "`e` datetime DEFAULT CURRENT_TIMESTAMP ON UPDATE current_timestamp",
      "`f` varchar(9) DEFAULT (concat(_utf8mb4'it\\'s',`a`))"};
  ASSERT_EQ(read.columns.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(get_ddl(schema::Dialect::Mysql).column(read.columns[i], read), wanted[i]);
  }
}

TEST_F(Mysql8Test, ExpressionsLoseTheEscapesOfTheCatalog) {
  server_.tables["COLUMNS"] = {
      column("a", "varchar(9)", {}, ""),
      column("g", "varchar(9)", {}, "STORED GENERATED", "concat(`a`,_utf8mb4\\'x\\')")};
  server_.tables["CHECK_CONSTRAINTS"] = {
      {"d", "t", "k", "Table", "(`a` in (_utf8mb4\\'x\\',_utf8mb4\\'y\\'))", "NO"}};
  server_.tables["STATISTICS"] = {{"d",
                                   "t",
                                   "i",
                                   std::int64_t{1},
                                   {},
                                   "A",
                                   {},
                                   "BTREE",
                                   "",
                                   "concat(`a`,_utf8mb4\\'z\\')",
                                   "NO"}};
  const schema::Table read = table();
  EXPECT_EQ(read.columns.at(1).generated->expression, "concat(`a`,_utf8mb4'x')");
  EXPECT_EQ(read.checks.at(0).members, (std::vector<std::string>{"x", "y"}));
  EXPECT_FALSE(read.checks.at(0).enforced);
  const schema::Index& index = read.indexes.at(0);
  EXPECT_EQ(get_ddl(schema::Dialect::Mysql).index(index, read.name),
            "CREATE INDEX `i` ON `t` ((concat(`a`,_utf8mb4'z'))) INVISIBLE");
}

}  // namespace
}  // namespace kedge::dialect
