#include "models/formula.h"

#include <gtest/gtest.h>

#include "kedge/codes.h"
#include "models/facts.h"

namespace kedge::models {
namespace {

using Kind = FormulaNode::Kind;

std::string show(const FormulaNode& node);

std::string show_list(const std::vector<FormulaNode>& nodes) {
  std::string out;
  for (const FormulaNode& node : nodes) {
    out += " " + show(node);
  }
  return out;
}

std::string show_path(const std::vector<std::string>& path) {
  std::string out;
  for (const auto& part : path) {
    out += (out.empty() ? "" : ".") + part;
  }
  return out;
}

std::string show_arguments(const FormulaNode& node) {
  std::string out;
  for (const FormulaArgument& argument : node.arguments) {
    out += out.empty() ? "" : ",";
    out += argument.name.empty() ? "" : argument.name + "=";
    out += argument.value.empty() ? "" : show(argument.value[0]);
    for (const auto& path : argument.list) {
      out += "[" + show_path(path) + "]";
    }
  }
  return out;
}

std::string show(const FormulaNode& node) {
  switch (node.kind) {
    case Kind::Numeral:
    case Kind::Boolean:
      return node.text;
    case Kind::String:
      return "'" + node.text + "'";
    case Kind::Null:
      return "null";
    case Kind::Placeholder:
      return "{" + node.text + "}";
    case Kind::Reference:
      return show_path(node.path);
    case Kind::Aggregate:
      return show_path(node.path) + ":" + node.aggregation + "(" + show_arguments(node) + ")";
    case Kind::Star:
      return show_path(node.path) + "*:" + node.aggregation;
    case Kind::Transform:
      return node.text + "<" + show_arguments(node) + ">";
    case Kind::Scalar:
      return "(" + node.text + show_list(node.items) + ")";
    case Kind::Not:
      return "(not" + show_list(node.items) + ")";
    case Kind::Negate:
      return "(neg" + show_list(node.items) + ")";
    case Kind::Binary:
      return "(" + node.text + show_list(node.items) + ")";
    case Kind::In:
      return std::string(node.negated ? "(not-in" : "(in") + show_list(node.items) + ")";
    case Kind::Like:
      return std::string(node.negated ? "(not-like" : "(like") + show_list(node.items) + ")";
    case Kind::IsNull:
      return std::string(node.negated ? "(not-null" : "(null") + show_list(node.items) + ")";
    case Kind::Between:
      return std::string(node.negated ? "(not-between" : "(between") + show_list(node.items) + ")";
  }
  return {};
}

std::string parse(std::string_view text) {
  const ParsedFormula parsed = parse_formula(text);
  if (parsed.error) {
    return std::string(parsed.error->code.name()) + "@" + std::to_string(parsed.error_offset);
  }
  return show(parsed.root);
}

TEST(FormulaTest, ReadsReferencesAndAggregates) {
  EXPECT_EQ(parse("amount:sum"), "amount:sum()");
  EXPECT_EQ(parse("a.b.c:SUM"), "a.b.c:sum()");
  EXPECT_EQ(parse("x:countDistinct"), "x:count_distinct()");
  EXPECT_EQ(parse("price:weighted_avg(weight=qty)"), "price:weighted_avg(weight=qty)");
  EXPECT_EQ(parse("x:percentile(p=0.9)"), "x:percentile(p=0.9)");
  EXPECT_EQ(parse("bal:last(booked_at)"), "bal:last(booked_at)");
  EXPECT_EQ(parse("mean_weight"), "mean_weight");
  EXPECT_EQ(parse("*:count"), "*:count");
  EXPECT_EQ(parse("depots.*:count"), "depots*:count");
  EXPECT_EQ(parse("weight_kg:sum / *:count"), "(/ weight_kg:sum() *:count)");
  EXPECT_EQ(parse("*:count * 2"), "(* *:count 2)");
  EXPECT_EQ(parse("2 * *:count"), "(* 2 *:count)");
}

TEST(FormulaTest, FollowsThePrecedence) {
  EXPECT_EQ(parse("a + b * c"), "(+ a (* b c))");
  EXPECT_EQ(parse("a - b - c"), "(- a b c)");
  EXPECT_EQ(parse("a - (b - c)"), "(- a (- b c))");
  EXPECT_EQ(parse("-a ** 2"), "(neg (** a 2))");
  EXPECT_EQ(parse("2 ** -1"), "(** 2 (neg 1))");
  EXPECT_EQ(parse("a or b and not c = 1"), "(or a (and b (not (= c 1))))");
  EXPECT_EQ(parse("a == 1"), "(= a 1)");
  EXPECT_EQ(parse("a != 1 OR a <> 2"), "(or (<> a 1) (<> a 2))");
  EXPECT_EQ(parse("a || 'x'"), "(|| a 'x')");
}

TEST(FormulaTest, ReadsPredicates) {
  EXPECT_EQ(parse("a in (1, 'x', null)"), "(in a 1 'x' null)");
  EXPECT_EQ(parse("a NOT IN {list}"), "(not-in a {list})");
  EXPECT_EQ(parse("city like \"A%\""), "(like city 'A%')");
  EXPECT_EQ(parse("a is not null"), "(not-null a)");
  EXPECT_EQ(parse("a between 1 and 2 and b"), "(and (between a 1 2) b)");
  EXPECT_EQ(parse("name = 'it''s'"), "(= name 'it's')");
}

TEST(FormulaTest, ReadsCalls) {
  EXPECT_EQ(parse("ROUND(a:sum, 2)"), "(round a:sum() 2)");
  EXPECT_EQ(parse("sum(amount)"), "amount:sum()");
  EXPECT_TRUE(parse_formula("sum(amount)").function_style);
  EXPECT_EQ(parse("count(*)"), "*:count");
  EXPECT_EQ(parse("last(amount:sum)"), "last<amount:sum()>");
  EXPECT_EQ(parse("last(amount)"), "amount:last()");
  EXPECT_EQ(parse("cumsum(x:sum)"), "cumsum<x:sum()>");
  EXPECT_EQ(parse("time_shift(x:sum, -1, month)"), "time_shift<x:sum(),(neg 1),month>");
  EXPECT_EQ(parse("rank(x:sum, partition_by=[a.b, c])"), "rank<x:sum(),partition_by=[a.b][c]>");
}

TEST(FormulaTest, CountsRowsOfTheFirstAndLastBucket) {
  for (const std::string name : {"first", "last"}) {
    for (const std::string star : {"*:count", "depots.*:count"}) {
      const ParsedFormula parsed = parse_formula(name + "(" + star + ")");
      ASSERT_FALSE(parsed.error) << parsed.error->message;
      EXPECT_EQ(parsed.root.kind, Kind::Transform);
      EXPECT_FALSE(parsed.function_style);
    }
    EXPECT_EQ(parse_formula(name + "(*)").error.value().code, codes::star_aggregation);
  }
}

TEST(FormulaTest, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(parse(""), "formula_syntax@0");
  EXPECT_EQ(parse("a +"), "formula_syntax@3");
  EXPECT_EQ(parse("a b"), "formula_syntax@2");
  EXPECT_EQ(parse("(a"), "formula_syntax@2");
  EXPECT_EQ(parse("a:"), "formula_syntax@2");
  EXPECT_EQ(parse("'open"), "formula_syntax@0");
  EXPECT_EQ(parse("a ; b"), "formula_syntax@2");
  EXPECT_EQ(parse("foo(a)"), "unknown_function@0");
  EXPECT_EQ(parse("*:sum"), "star_aggregation@2");
  EXPECT_EQ(parse("sum(a) over (order by b)"), "window_in_formula@7");
  EXPECT_EQ(parse("sum(a * 2)"), "formula_syntax@0");
  EXPECT_EQ(parse(std::string(100'000, '(')).substr(0, 14), "formula_syntax");
  std::string nots;
  for (int i = 0; i < 100'000; ++i) {
    nots += "not ";
  }
  EXPECT_EQ(parse(nots + "a"), "a");
  std::string chain = "a";
  for (int i = 0; i < 20'000; ++i) {
    chain += " + a";
  }
  EXPECT_EQ(parse(chain).substr(0, 5), "(+ a ");
}

TEST(FormulaFactsTest, ListsNamesInTheOrderOfTheText) {
  const auto facts = analyse_formula(
      "a:sum / b.c:weighted_avg(weight=q) + rank(m, partition_by=[d]) + time_shift(n, 1, day)");
  std::string out;
  for (const auto& reference : facts.references) {
    out += show_path(reference.path) + "/" + std::to_string(static_cast<int>(reference.kind)) + " ";
  }
  EXPECT_EQ(out, "a/1 b.c/1 q/3 m/0 d/3 n/0 ");
}

}  // namespace
}  // namespace kedge::models
