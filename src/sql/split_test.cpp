#include <gtest/gtest.h>

#include "sql/analysis.h"
#include "sql/lexer.h"
#include "table_cases.h"

namespace kedge::sql {
namespace {

using testing::TableCase;

const std::string kTables = KEDGE_TABLES;

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out;
}

// Each statement as line:[text], meta commands as line:{text}.
TEST(SplitTest, FollowsTheTable) {
  const auto split = [](const TableCase& one) {
    std::string out;
    for (const auto& statement : split_statements(one.input, find_flavour(one.context).value())) {
      const bool meta = statement.kind == Statement::Kind::MetaCommand;
      out += (out.empty() ? "" : " ") + std::to_string(statement.line) + (meta ? ":{" : ":[") +
             escape(statement.text(one.input)) + (meta ? "}" : "]");
    }
    return out.empty() ? std::string("-") : out;
  };
  EXPECT_GE(testing::check_table(kTables + "/sql_split.test", split), 25U);
}

TEST(SplitTest, IsLinear) {
  std::string script;
  for (int i = 0; i < 50'000; ++i) {
    script += "insert into t values ('a;b');\n";
  }
  const auto statements = split_statements(script, schema::Dialect::Postgres);
  ASSERT_EQ(statements.size(), 50'000U);
  EXPECT_EQ(statements.back().line, 50'000U);
}

TEST(TokenizeTest, CoversTheTextInOrder) {
  const std::string sql = "a->>'x' + `b` -- c\n{p} $$q$$";
  std::size_t at = 0;
  for (const Token& token : tokenize(sql, schema::Dialect::Postgres)) {
    EXPECT_GE(token.begin, at);
    EXPECT_LE(token.end, sql.size());
    at = token.end;
  }
  EXPECT_EQ(at, sql.size());
}

TEST(TokenizeTest, ADollarSignAloneIsNoParameter) {
  EXPECT_EQ(next_token("$$", 0, Flavour::Clickhouse).kind, TokenKind::Error);
  EXPECT_EQ(next_token("$1", 0, Flavour::Clickhouse).kind, TokenKind::Parameter);
  EXPECT_EQ(next_token("$a$", 0, Flavour::Clickhouse).kind, TokenKind::Parameter);
}

TEST(IdentifierTest, TellsNamesFromExpressions) {
  const auto name = [](const char* sql, schema::Dialect dialect) -> std::string {
    const auto found = as_identifier(sql, dialect);
    return found ? found->text + (found->quoted ? "!" : "") : "-";
  };
  EXPECT_EQ(name("amount", schema::Dialect::Postgres), "amount");
  EXPECT_EQ(name(" amount ", schema::Dialect::Postgres), "amount");
  EXPECT_EQ(name("\"Order Date\"", schema::Dialect::Postgres), "Order Date!");
  EXPECT_EQ(name("\"a\"\"b\"", schema::Dialect::Postgres), "a\"b!");
  EXPECT_EQ(name("`x`", schema::Dialect::Mysql), "x!");
  EXPECT_EQ(name("[x y]", schema::Dialect::Sqlite), "x y!");
  EXPECT_EQ(name("date", schema::Dialect::Postgres), "date");
  EXPECT_EQ(name("left", schema::Dialect::Postgres), "left");
  EXPECT_EQ(name("\"x\"", schema::Dialect::Mysql), "-");
  for (const char* no : {"f(x)", "a.b", "NULL", "true", "CURRENT_DATE", "1", "'x'", "a b", "",
                         "a+b", "{p}", "case"}) {
    EXPECT_EQ(name(no, schema::Dialect::Postgres), "-") << no;
  }
}

}  // namespace
}  // namespace kedge::sql
