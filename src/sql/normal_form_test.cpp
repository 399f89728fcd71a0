#include <gtest/gtest.h>

#include "sql/analysis.h"
#include "table_cases.h"

namespace kedge::sql {
namespace {

using testing::TableCase;

const std::string kTables = KEDGE_TABLES;

Syntax syntax_of(const std::string& name) {
  const auto flavour = find_flavour(name);
  EXPECT_TRUE(flavour) << name;
  return flavour.value_or(Flavour::Ansi);
}

TEST(NormalFormTest, FollowsTheTableOfExpressions) {
  const auto normal = [](const TableCase& one) {
    return normal_expression(one.input, syntax_of(one.context));
  };
  EXPECT_GE(testing::check_table(kTables + "/sql_normal.test", normal), 100U);
}

TEST(NormalFormTest, FollowsTheTableOfQueries) {
  const auto normal = [](const TableCase& one) {
    return normal_query(one.input, syntax_of(one.context));
  };
  EXPECT_GE(testing::check_table(kTables + "/sql_normal_query.test", normal), 15U);
}

TEST(NormalFormTest, SaysAQuoteInTheWayOfTheDialect) {
  EXPECT_EQ(normal_expression(R"('\'')", Flavour::Bigquery), R"('\'')");
  EXPECT_EQ(normal_expression(R"("it's")", Flavour::Bigquery), R"('it\'s')");
  EXPECT_EQ(normal_expression(R"('\'')", Flavour::Mysql), "''''");
}

TEST(NormalFormTest, KeepsTheLineEndThatJoinsStrings) {
  const std::string text = "s ''\n''";  // only the second opinion reads it
  EXPECT_FALSE(analyse_expression(text, Flavour::Bigquery).opaque);
  EXPECT_FALSE(
      analyse_expression(normal_expression(text, Flavour::Bigquery), Flavour::Bigquery).opaque);
}

TEST(NormalFormTest, OfADeepTextCanBeReadAgain) {
  for (const char* sign : {"- ", "~", "not "}) {
    std::string text;
    for (int i = 0; i < 180; ++i) {
      text += sign;
    }
    text += "c";
    ASSERT_FALSE(analyse_expression(text, Flavour::Mysql).opaque) << sign;
    const std::string normal = normal_expression(text, Flavour::Mysql);
    EXPECT_FALSE(analyse_expression(normal, Flavour::Mysql).opaque) << normal;
    EXPECT_EQ(normal_expression(normal, Flavour::Mysql), normal);
  }
}

// The normal form of a normal form is itself, for every text of every table.
TEST(NormalFormTest, IsItsOwnNormalForm) {
  for (const char* table : {"/sql_normal.test", "/sql_references.test"}) {
    for (const auto& one : testing::read_table(kTables + table)) {
      const auto syntax = syntax_of(one.context);
      const std::string once = normal_expression(one.input, syntax);
      EXPECT_EQ(normal_expression(once, syntax), once) << table << ":" << one.line;
    }
  }
  for (const char* table : {"/sql_normal_query.test", "/sql_queries.test"}) {
    for (const auto& one : testing::read_table(kTables + table)) {
      const auto syntax = syntax_of(one.context);
      const std::string once = normal_query(one.input, syntax);
      EXPECT_EQ(normal_query(once, syntax), once) << table << ":" << one.line;
    }
  }
}

// What the parser cannot read keeps its words: names stay names, with their quotes where they need
// them.
TEST(NormalFormTest, QuotesNamesThatNeedItInTextsThatItCannotParse) {
  const Syntax sqlite(Flavour::Sqlite);
  EXPECT_EQ(normal_expression(">>~~| `00`", sqlite), ">>~~| \"00\"");
  EXPECT_EQ(normal_expression(">>~~| `A`", sqlite), ">>~~| a");
  EXPECT_EQ(normal_expression(">>~~| `a\"b`", sqlite), ">>~~| \"a\"\"b\"");
  EXPECT_EQ(normal_expression(">>~~| `select`", sqlite), ">>~~| \"select\"");
  EXPECT_EQ(normal_expression(">>~~| `a`b", sqlite), ">>~~| a b");
}

// Lines of a pair file: two texts, "dialect = " or "dialect <>".
TEST(NormalFormTest, ComparesByMeaning) {
  const auto compare = [](const TableCase& one) -> std::string {
    const auto bar = one.context.find(' ');
    const auto syntax = syntax_of(one.context.substr(0, bar));
    const auto other = one.context.substr(bar + 1);
    return normal_expression(one.input, syntax) == normal_expression(other, syntax) ? "equal"
                                                                                    : "differ";
  };
  EXPECT_GE(testing::check_table(kTables + "/sql_equal.test", compare), 60U);
}

TEST(NormalFormTest, FindsMembership) {
  const auto show = [](const TableCase& one) -> std::string {
    const auto found = find_membership(one.input, syntax_of(one.context));
    std::string out = found ? found->column + ":" : "none";
    for (const auto& member : found ? found->members : std::vector<std::string>{}) {
      out += " " + member;
    }
    return out;
  };
  EXPECT_GE(testing::check_table(kTables + "/sql_membership.test", show), 8U);
}

}  // namespace
}  // namespace kedge::sql
