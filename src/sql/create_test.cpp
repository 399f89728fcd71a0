#include <gtest/gtest.h>

#include "sql/analysis.h"

namespace kedge::sql {
namespace {

TEST(CreateTableTest, ReadsWhatPragmasDoNotTell) {
  const auto facts = analyse_create_table(
      "CREATE TABLE IF NOT EXISTS main.\"Orders\" (\n"
      "  id INTEGER CONSTRAINT pk PRIMARY KEY AUTOINCREMENT, -- the key, not a column\n"
      "  code TEXT COLLATE NOCASE CONSTRAINT uq_code UNIQUE NOT NULL DEFAULT 'a,(b' CHECK "
      "(length(code) > 1),\n"
      "  total REAL GENERATED ALWAYS AS (price * qty) STORED, half AS (total / 2),\n"
      "  boat_id INT REFERENCES boats(id) ON DELETE SET NULL NOT NULL,\n"
      "  CONSTRAINT positive CHECK (price >= 0 AND qty > (1)),\n"
      "  CONSTRAINT fk2 FOREIGN KEY (a, \"B c\") REFERENCES t2(a, b) DEFERRABLE INITIALLY "
      "DEFERRED\n"
      ") WITHOUT ROWID, STRICT",
      schema::Dialect::Sqlite);
  EXPECT_FALSE(facts.opaque);
  ASSERT_EQ(facts.checks.size(), 2U);
  EXPECT_EQ(facts.checks[0].column, "code");
  EXPECT_EQ(facts.checks[0].expression, "length(code) > 1");
  EXPECT_EQ(facts.checks[1].name, "positive");
  EXPECT_EQ(facts.checks[1].expression, "price >= 0 AND qty > (1)");
  ASSERT_EQ(facts.foreign_keys.size(), 2U);
  EXPECT_EQ(facts.foreign_keys[0].columns, std::vector<std::string>{"boat_id"});
  EXPECT_EQ(facts.foreign_keys[1].name, "fk2");
  EXPECT_EQ(facts.foreign_keys[1].columns, (std::vector<std::string>{"a", "B c"}));
  EXPECT_TRUE(facts.foreign_keys[1].deferrable && facts.foreign_keys[1].initially_deferred);
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(facts.collations, (Pairs{{"code", "NOCASE"}}));
  EXPECT_EQ(facts.generated, (Pairs{{"total", "price * qty"}, {"half", "total / 2"}}));
  EXPECT_EQ(facts.unique_names, (Pairs{{"uq_code", "code"}}));
  EXPECT_EQ(facts.primary_key_name, "pk");
  EXPECT_EQ(facts.autoincrement_column, "id");
  EXPECT_TRUE(facts.without_rowid && facts.strict);
}

TEST(CreateTableTest, TakesNonsenseForOpaque) {
  for (const char* text : {"", "CREATE TABLE", "CREATE TABLE t", "CREATE TABLE t (a", "(((((",
                           "CREATE TABLE t (a CHECK (x"}) {
    EXPECT_TRUE(analyse_create_table(text, schema::Dialect::Sqlite).opaque) << text;
  }
}

TEST(CreateTableTest, GivesWhatBecomesOfARowThatBreaksAConstraint) {
  const auto facts = analyse_create_table(
      "CREATE TABLE t (a INT NOT NULL ON CONFLICT REPLACE UNIQUE ON CONFLICT ABORT, "
      "b INT NOT NULL REFERENCES o (x) ON DELETE SET NULL NOT NULL ON CONFLICT FAIL, "
      "k INTEGER PRIMARY KEY ASC ON CONFLICT IGNORE AUTOINCREMENT, UNIQUE (a, b) ON CONFLICT "
      "ROLLBACK)",
      schema::Dialect::Sqlite);
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(facts.not_null_conflicts, (Pairs{{"a", "replace"}, {"b", "fail"}}));
  ASSERT_EQ(facts.unique_conflicts.size(), 1U);
  EXPECT_EQ(facts.unique_conflicts[0].first, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(facts.unique_conflicts[0].second, "rollback");
  EXPECT_EQ(facts.primary_key_conflict, "ignore");
  EXPECT_EQ(facts.autoincrement_column, "k");
}

TEST(CreateIndexTest, GivesExpressionsAndPredicate) {
  const auto facts = analyse_create_index(
      "CREATE UNIQUE INDEX \"on\" ON t (a DESC, lower(b) COLLATE NOCASE, (c || 'x,y') ASC) WHERE d "
      "IS NULL -- end",
      schema::Dialect::Sqlite);
  EXPECT_EQ(facts.parts, (std::vector<std::string>{"lower(b)", "(c || 'x,y')"}));
  EXPECT_EQ(facts.all_parts, (std::vector<std::string>{"a", "lower(b)", "(c || 'x,y')"}));
  EXPECT_EQ(facts.where, "d IS NULL");
}

TEST(ViewBodyTest, IsTheTextAfterAs) {
  const auto body = [](const char* sql) { return view_body(sql, schema::Dialect::Sqlite); };
  EXPECT_EQ(body("CREATE VIEW v AS SELECT 1 AS a;"), "SELECT 1 AS a");
  EXPECT_EQ(body("CREATE TEMP VIEW IF NOT EXISTS \"as\" (a, b) AS /* kedge:v1 */ SELECT 1, 2"),
            "/* kedge:v1 */ SELECT 1, 2");
  EXPECT_EQ(body("SELECT 1"), "");
}

}  // namespace
}  // namespace kedge::sql
