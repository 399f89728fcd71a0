// The small readers of catalog texts: defaults, lists, literals, stamps.
#include <gtest/gtest.h>

#include "dialect/duckdb/catalog.h"
#include "dialect/mysql/catalog.h"
#include "dialect/postgres/catalog.h"
#include "dialect/sqlite/catalog.h"
#include "dialect/view_stamp.h"

namespace kedge::dialect {
namespace {

std::string shown(const std::optional<schema::Default>& value) {
  if (!value) {
    return "none";
  }
  return (value->kind == schema::Default::Kind::Literal ? "literal " : "expr ") + value->value;
}

TEST(PostgresDefaultTest, TheFormsOfTheServerAreLiteralsOrExpressions) {
  const std::pair<const char*, const char*> rows[] = {
      {"'1'::text", "literal 1"},
      {"'a''b'::character varying", "literal a'b"},
      {"'{}'::text[]", "literal {}"},
      {"'-1'::integer", "literal -1"},
      {"'00:00:00'::time without time zone", "literal 00:00:00"},
      {"E'a\\\\b'::text", "literal a\\b"},
      {"true", "literal true"},
      {"1.50", "literal 1.50"},
      {"NULL::character varying", "none"},
      {"now()", "expr now()"},
      {"('x'::text || 'y'::text)", "expr 'x'::text || 'y'::text"},
      {"('now'::text)::date", "expr ('now'::text)::date"},
      {"nextval('s'::regclass)", "expr nextval('s'::regclass)"},
      {"'x'::app.\"My Type\"", "literal x"}};
  for (const auto& [text, expected] : rows) {
    EXPECT_EQ(shown(postgres::default_of(text)), expected) << text;
  }
}

TEST(SqliteDefaultTest, TextsOfTheCatalogAreLiteralsOrExpressions) {
  EXPECT_EQ(shown(sqlite::default_of("'it''s'")), "literal it's");
  EXPECT_EQ(shown(sqlite::default_of("(1)")), "literal 1");
  EXPECT_EQ(shown(sqlite::default_of("TRUE")), "literal TRUE");
  EXPECT_EQ(shown(sqlite::default_of("null")), "none");
  EXPECT_EQ(shown(sqlite::default_of("CURRENT_TIMESTAMP")), "expr CURRENT_TIMESTAMP");
  EXPECT_EQ(shown(sqlite::default_of("('a' || 'b')")), "expr 'a' || 'b'");
  EXPECT_EQ(shown(sqlite::default_of("x'00'")), "expr x'00'");
}

TEST(DuckdbDefaultTest, CastsOfLiteralsAreLiterals) {
  EXPECT_EQ(shown(duckdb::default_of("CAST('t' AS BOOLEAN)")), "literal true");
  EXPECT_EQ(shown(duckdb::default_of("CAST('x' AS VARCHAR)")), "literal x");
  EXPECT_EQ(shown(duckdb::default_of("'it''s'")), "literal it's");
  EXPECT_EQ(shown(duckdb::default_of("-1")), "literal -1");
  EXPECT_EQ(shown(duckdb::default_of("now()")), "expr now()");
}

TEST(MysqlTextTest, OwnDatabaseNameIsTakenOffOutsideOfLiterals) {
  EXPECT_EQ(mysql::without_database("select `d`.`t`.`a`,'`d`.`x`' from `d`.`t` join `e`.`u`", "d"),
            "select `t`.`a`,'`d`.`x`' from `t` join `e`.`u`");
}

TEST(MysqlTextTest, LiteralsLoseTheirEscapes) {
  std::string content;
  EXPECT_TRUE(mysql::read_literal("'it\\'s \\\\ ''ok'''", content));
  EXPECT_EQ(content, "it's \\ 'ok'");
  EXPECT_FALSE(mysql::read_literal("concat('a')", content));
}

TEST(CatalogTextTest, OuterParenthesesGoOnlyWhenTheyHoldAll) {
  EXPECT_EQ(without_outer_parentheses("((a > 0))"), "a > 0");
  EXPECT_EQ(without_outer_parentheses("(a) OR (b)"), "(a) OR (b)");
  EXPECT_EQ(without_outer_parentheses("(a = ')')"), "a = ')'");
  EXPECT_EQ(without_outer_parentheses("("), "(");
}

TEST(CatalogTextTest, NumbersAreNumbers) {
  for (const char* text : {"1", "-1", "+1.5", ".5", "1e10", "1.5E-3"}) {
    EXPECT_TRUE(is_number(text)) << text;
  }
  for (const char* text : {"", "-", ".", "1e", "1x", "e5", "0x10", "1 2"}) {
    EXPECT_FALSE(is_number(text)) << text;
  }
}

TEST(ViewStampTest, TheLastLineOfTheCommentIsTheStamp) {
  const std::string hash(64, 'a');
  const std::string stamp = "kedge:v1:sha256:" + hash + ":def:" + std::string(32, 'b') + ":15";
  schema::View view;
  read_comment_stamp("what it is\n" + stamp, view);
  EXPECT_EQ(view.comment, "what it is");
  EXPECT_EQ(view.fingerprint, hash);
  EXPECT_EQ(view.definition_hash, std::string(32, 'b'));
  EXPECT_EQ(view.stamp, stamp);
}

TEST(ViewStampTest, AStampOfAnotherVersionOrToolCountsWithoutAFingerprint) {
  for (const std::string prefix : {"kedge:v9:sha256:", "metaobjects:v1:sha256:"}) {
    schema::View view;
    read_comment_stamp(prefix + std::string(64, 'a'), view);
    EXPECT_FALSE(view.stamp.empty()) << prefix;
    EXPECT_FALSE(view.fingerprint.has_value()) << prefix;
  }
}

TEST(ViewStampTest, ATextThatOnlyLooksLikeAStampIsAComment) {
  schema::View view;
  read_comment_stamp("kedge:v1:sha256:zz", view);
  EXPECT_EQ(view.comment, "kedge:v1:sha256:zz");
  EXPECT_TRUE(view.stamp.empty());
}

}  // namespace
}  // namespace kedge::dialect
