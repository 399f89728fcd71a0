#include "migrate/script.h"

#include <gtest/gtest.h>

#include "kedge/codes.h"

namespace kedge::migrate {
namespace {

using schema::Dialect;

std::vector<std::string> texts(const Script& script) {
  std::vector<std::string> found;
  for (const ScriptStatement& one : script.statements) {
    found.push_back(one.sql);
  }
  return found;
}
using Texts = std::vector<std::string>;

TEST(ScriptTest, TransactionControlIsTakenOutAndStillCounted) {
  const Script script = read_script(
      "m", "BEGIN;\nCREATE TABLE a (n INT);\nSAVEPOINT s;\nRELEASE s;\nDROP TABLE a;\nCOMMIT;\n",
      Dialect::Postgres);
  EXPECT_EQ(texts(script), (Texts{"CREATE TABLE a (n INT)", "DROP TABLE a"}));
  EXPECT_EQ(script.statements[1].number, 5U);
  EXPECT_EQ(script.statements[1].line, 5U);
}

TEST(ScriptTest, SqliteKeepsWhatItsPragmasAsk) {
  const Script script =
      read_script("m",
                  "PRAGMA foreign_keys = OFF;\nDROP TABLE a;\nPRAGMA foreign_key_check(\"b\");\n"
                  "PRAGMA foreign_keys = ON;\n",
                  Dialect::Sqlite);
  EXPECT_TRUE(script.keys_off);
  ASSERT_EQ(script.statements.size(), 2U);
  EXPECT_FALSE(script.statements[0].is_key_check);
  EXPECT_TRUE(script.statements[1].is_key_check);
  EXPECT_FALSE(read_script("m", "PRAGMA foreign_keys = ON;", Dialect::Sqlite).keys_off);
}

TEST(ScriptTest, ATriggerIsOneStatement) {
  const Script script = read_script(
      "m",
      "CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE b SET n = 1; DELETE FROM c; END;\n"
      "DROP TABLE d;",
      Dialect::Sqlite);
  EXPECT_EQ(script.statements.size(), 2U);
}

TEST(ScriptTest, AClientsOwnCommandIsRefusedWithItsLine) {
  try {
    read_script("20270101-a", "SELECT 1;\n\\i other.sql\n", Dialect::Postgres);
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), codes::ERR_APPLY_FAILED);
    EXPECT_NE(error.problem().message.find("20270101-a, line 2"), std::string::npos)
        << error.problem().message;
  }
}

TEST(ScriptTest, ChangesOfDataAreKnownBehindComments) {
  const auto changes = [](const std::string& sql) {
    return changes_data({sql, 1, 1, false}, Dialect::Mysql);
  };
  EXPECT_TRUE(changes("/* a */ update t SET n = 1"));
  EXPECT_TRUE(changes("-- b\nREPLACE INTO t VALUES (1)"));
  EXPECT_FALSE(changes("ALTER TABLE t ADD n INT"));
  EXPECT_FALSE(changes("CREATE TABLE u AS SELECT 1"));
}

TEST(ScriptTest, AProblemNamesStatementLineAndWords) {
  const Error error(codes::ERR_STATEMENT, "no such table: a");
  const Problem problem = statement_problem(codes::ERR_APPLY_FAILED, "20270101-a", "m/up.sql",
                                            {"DROP TABLE a", 3, 12, false}, error);
  EXPECT_EQ(problem.code, codes::ERR_APPLY_FAILED);
  EXPECT_EQ(problem.message, "migration 20270101-a, statement 3 (line 12): no such table: a");
  ASSERT_TRUE(problem.where);
  EXPECT_EQ(problem.where->line, 12U);
}

}  // namespace
}  // namespace kedge::migrate
