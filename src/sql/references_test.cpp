#include <algorithm>

#include <gtest/gtest.h>

#include "sql/analysis.h"
#include "sql/pg_fallback.h"
#include "table_cases.h"

namespace kedge::sql {
namespace {

using testing::TableCase;

std::string show_parts(const std::vector<NamePart>& parts) {
  std::string out;
  for (const NamePart& part : parts) {
    out += (out.empty() ? "" : ".") + (part.quoted ? "\"" + part.text + "\"" : part.text);
  }
  return out;
}

// x in the outermost scope; x@a,b inside a FROM with the aliases a and b, innermost first; '~' a
// FROM that is not only base relations; ':' the output columns known there.
std::string show(const std::string& sql, const ColumnReference& reference) {
  EXPECT_LE(reference.end, sql.size());
  EXPECT_LT(reference.begin, reference.end);
  std::string out = show_parts(reference.parts);
  for (const auto& scope : reference.scopes) {
    out += "@";
    for (std::size_t i = 0; i < scope.aliases.size(); ++i) {
      out += (i == 0 ? "" : ",") + scope.aliases[i];
    }
    out += scope.only_base_relations ? "" : "~";
    for (std::size_t i = 0; i < scope.output_columns.size(); ++i) {
      out += (i == 0 ? ":" : ",") + scope.output_columns[i];
    }
  }
  return out;
}

std::string show_all(const std::string& sql, const std::vector<ColumnReference>& references) {
  std::string out;
  for (const auto& reference : references) {
    out += (out.empty() ? "" : " ") + show(sql, reference);
  }
  return out.empty() ? "-" : out;
}

Syntax syntax_of(const TableCase& one) {
  const auto flavour = find_flavour(one.context);
  EXPECT_TRUE(flavour) << one.context;
  return flavour.value_or(Flavour::Ansi);
}

std::string expression_facts(const TableCase& one) {
  const ExpressionFacts facts = analyse_expression(one.input, syntax_of(one));
  std::string out = facts.opaque ? "opaque " : "";
  out += show_all(one.input, facts.references);
  out += facts.has_window ? " window" : "";
  out += facts.has_aggregate ? " aggregate" : "";
  out += facts.colon_aggregation ? " colon" : "";
  return out;
}

std::string query_facts(const TableCase& one) {
  const QueryFacts facts = analyse_query(one.input, syntax_of(one));
  std::string out = facts.opaque ? "opaque" : "reads";
  for (const auto& relation : facts.relations) {
    out += " " + show_parts(relation);
  }
  out += " gives";
  for (const auto& output : facts.outputs) {
    out += " " + output.value_or("?");
  }
  out += facts.has_star ? " *" : "";
  return out + " refs " + show_all(one.input, facts.references);
}

const std::string kTables = KEDGE_TABLES;

TEST(ReferencesTest, SaysWhichOutputsHandAColumnOn) {
  const auto handed_on = [](std::string_view text) {
    std::string out;
    const QueryFacts facts = analyse_query(text, schema::Dialect::Sqlite);
    for (const auto& begin : facts.handed_on) {
      const auto found = std::find_if(facts.references.begin(), facts.references.end(),
                                      [&](const auto& one) { return begin == one.begin; });
      out += (found == facts.references.end() ? "-" : found->parts.back().text) + " ";
    }
    return out;
  };
  EXPECT_EQ(handed_on("SELECT a, t.b AS c, d + 1, count(*), (SELECT e FROM u) FROM t"),
            "a b - - - ");
  EXPECT_EQ(
      handed_on(
          "WITH w AS (SELECT x, y FROM t) SELECT y AS x, * FROM w WHERE y IN (SELECT z FROM u)"),
      "y - ");
  EXPECT_EQ(handed_on("SELECT a FROM (SELECT b, c FROM t)"), "a ");
  EXPECT_EQ(handed_on("SELECT a FROM t UNION SELECT b FROM t"), "");
}

TEST(ReferencesTest, FollowsTheTableOfExpressions) {
  EXPECT_GE(testing::check_table(kTables + "/sql_references.test", expression_facts), 100U);
}

TEST(ReferencesTest, FollowsTheTableOfQueries) {
  EXPECT_GE(testing::check_table(kTables + "/sql_queries.test", query_facts), 40U);
}

// The byte range of a reference is the text of the reference.
TEST(ReferencesTest, GivesByteRanges) {
  const std::string sql = "f('a.b') + \"Qty\" /* x */ * t.price";
  const auto facts = analyse_expression(sql, schema::Dialect::Postgres);
  ASSERT_EQ(facts.references.size(), 2U);
  EXPECT_EQ(
      sql.substr(facts.references[0].begin, facts.references[0].end - facts.references[0].begin),
      "\"Qty\"");
  EXPECT_EQ(
      sql.substr(facts.references[1].begin, facts.references[1].end - facts.references[1].begin),
      "t.price");
}

// kedge's parser and PostgreSQL's own grammar find the same references, wherever both read a text.
TEST(ReferencesTest, AgreesWithThePostgresGrammar) {
  std::size_t compared = 0;
  for (const char* table : {"/sql_references.test", "/sql_normal.test"}) {
    for (const auto& one : testing::read_table(kTables + table)) {
      const bool braces = one.input.find('{') != std::string::npos;
      const auto theirs = one.context == "postgres" && !braces
                              ? parse_expression_with_postgres(one.input, Flavour::Postgres)
                              : std::nullopt;
      if (!theirs) {
        continue;
      }
      const auto ours = analyse_expression(one.input, Flavour::Postgres);
      EXPECT_EQ(show_all(one.input, ours.references), show_all(one.input, theirs->references))
          << table << ":" << one.line << " " << one.input;
      ++compared;
    }
  }
  EXPECT_GE(compared, 80U);
}

// Texts that only PostgreSQL's grammar reads are not opaque.
TEST(ReferencesTest, AsksPostgresForTheRest) {
  const auto facts =
      analyse_expression("xmlelement(name item, xmlattributes(a.b as x), c)", Flavour::Postgres);
  EXPECT_FALSE(facts.opaque);
  EXPECT_EQ(show_all("xmlelement(name item, xmlattributes(a.b as x), c)", facts.references),
            "a.b c");
  EXPECT_TRUE(analyse_expression("a) from (select b", Flavour::Postgres).opaque);
}

TEST(ReferencesTest, RefusesDeepTextsFast) {
  const std::string open(1U << 20U, '(');
  EXPECT_TRUE(analyse_expression(open, schema::Dialect::Postgres).opaque);
  EXPECT_TRUE(analyse_query(open, schema::Dialect::Postgres).opaque);
  EXPECT_TRUE(analyse_query("select * from " + open, schema::Dialect::Mysql).opaque);
  std::string nots;
  std::string minus;
  std::string cases;
  for (int i = 0; i < 100'000; ++i) {
    nots += "not ";
    minus += "- ";
    cases += "case ";
  }
  EXPECT_TRUE(analyse_expression(nots + "x", schema::Dialect::Sqlite).opaque);
  EXPECT_TRUE(analyse_expression(minus + "x", schema::Dialect::Sqlite).opaque);
  EXPECT_TRUE(analyse_expression(cases, schema::Dialect::Sqlite).opaque);
}

TEST(ReferencesTest, ReadsLongChains) {
  std::string chain = "a = 1";
  for (int i = 0; i < 20'000; ++i) {
    chain += " or a = 1";
  }
  EXPECT_EQ(analyse_expression(chain, schema::Dialect::Postgres).references.size(), 20'001U);
}

std::string second_opinion(const std::string& sql, Flavour flavour) {
  const auto facts = parse_query_with_postgres(sql, flavour);
  if (!facts) {
    return "none";
  }
  std::string out = "reads";
  for (const auto& relation : facts->relations) {
    out += " " + show_parts(relation);
  }
  out += " gives";
  for (const auto& output : facts->outputs) {
    out += " " + output.value_or("?");
  }
  return out + (facts->has_star ? " *" : "") + " refs " + show_all(sql, facts->references);
}

TEST(SecondOpinionTest, ReadsWholeQueries) {
  EXPECT_EQ(second_opinion("WITH c AS (SELECT x FROM s.t) SELECT c.x AS y, u.b FROM c JOIN u "
                           "TABLESAMPLE SYSTEM (10) ON u.a = c.x",
                           Flavour::Postgres),
            "reads u s.t gives y b refs x@c,u,t~ c.x@c,u,t~ u.b@c,u,t~ u.a@c,u,t~ c.x@c,u,t~");
  EXPECT_EQ(second_opinion("SELECT * FROM a", Flavour::Ansi), "reads a gives ? * refs -");
}

TEST(SecondOpinionTest, SaysOtherQuotesInItsOwn) {
  EXPECT_EQ(second_opinion("SELECT `a b` FROM `t` # gone\n WHERE c = \"x\"", Flavour::Mysql),
            "reads t gives a b refs \"a b\"@t c@t");
  EXPECT_EQ(second_opinion("SELECT [a] FROM [t]", Flavour::Sqlserver),
            "reads t gives a refs \"a\"@t");
  EXPECT_EQ(second_opinion("SELECT a FROM t WHERE c = 'it\\'s'", Flavour::Mysql), "none");
  EXPECT_EQ(second_opinion("SELECT `a\"b` FROM t", Flavour::Mysql), "none");
}

TEST(SecondOpinionTest, TakesNoSignsForAComment) {
  EXPECT_FALSE(parse_expression_with_postgres("ab-----", Flavour::Mysql));
  EXPECT_FALSE(parse_expression_with_postgres("ab/ *1", Flavour::Mysql));
  EXPECT_TRUE(analyse_expression("ab-----", Flavour::Mysql).opaque);
  EXPECT_TRUE(parse_expression_with_postgres("ab -- said", Flavour::Mysql));
}

TEST(SecondOpinionTest, RefusesWhatIsNoQuery) {
  EXPECT_EQ(second_opinion("DELETE FROM t", Flavour::Postgres), "none");
  EXPECT_EQ(second_opinion("SELECT 1; SELECT 2", Flavour::Postgres), "none");
  EXPECT_EQ(second_opinion("SELECT a INTO b FROM c", Flavour::Postgres), "none");
  EXPECT_EQ(
      second_opinion(std::string(200, '(') + "SELECT 1" + std::string(200, ')'), Flavour::Postgres),
      "none");
}

TEST(SecondOpinionTest, IsAskedWhenTheOwnParserGivesUp) {
  const std::string sql = "SELECT a FROM t GROUP BY GROUPING SETS ((a), (), ROLLUP (a, b))";
  const QueryFacts facts =
      analyse_query("SELECT k FROM t TABLESAMPLE BERNOULLI (10) REPEATABLE (3)", Flavour::Postgres);
  EXPECT_FALSE(facts.opaque);
  ASSERT_EQ(facts.relations.size(), 1U);
  EXPECT_EQ(facts.relations[0][0].text, "t");
  EXPECT_FALSE(analyse_query(sql, Flavour::Postgres).opaque);
  EXPECT_TRUE(analyse_query("SELECT FROM WHERE )", Flavour::Postgres).opaque);
}

}  // namespace
}  // namespace kedge::sql
