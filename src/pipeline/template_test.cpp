#include "pipeline/template.h"

#include <gtest/gtest.h>

#include "kedge/codes.h"

namespace kedge::pipeline {
namespace {

std::vector<std::string> functions(const Template& parsed) {
  std::vector<std::string> names;
  for (const Segment& segment : parsed.segments) {
    for (const Call& call : segment.calls) {
      names.push_back(call.function);
    }
  }
  return names;
}

TEST(TemplateTest, SkipsCallsInComments) {
  const Template parsed = parse_template(
      "p.sql", "SELECT 1 -- {{ a('x') }}\n/* {{ b() }} /* {{ c() }} */ */ FROM {{ d('x', 'y') }}");
  EXPECT_TRUE(parsed.problems.empty());
  EXPECT_EQ(functions(parsed), (std::vector<std::string>{"d"}));
}

TEST(TemplateTest, FindsCallsInsideQuotes) {
  EXPECT_EQ(functions(parse_template("p.sql", "SELECT '--{{ var('x') }}' AS \"a{{ this }}\"")),
            (std::vector<std::string>{"var", "this"}));
}

TEST(TemplateTest, ReadsOptionsOverSeveralLines) {
  const Template parsed =
      parse_template("p.sql",
                     "{{ source('c', 'e',\n  path: 'it''s.csv', header: false, n: -1.5,\n"
                     "  columns: { \"a b\": 'bigint', c: [1, 'x'] }) }}");
  ASSERT_TRUE(parsed.problems.empty());
  const Call& call = parsed.segments.at(0).calls.at(0);
  ASSERT_EQ(call.arguments.size(), 6U);
  EXPECT_EQ(call.arguments[2].value.text, "it's.csv");
  EXPECT_EQ(call.arguments[5].value.entries.at(0).key.text, "a b");
  EXPECT_EQ(to_string(parsed.position(call.arguments[5].value.range)), "p.sql:3:12");
}

TEST(TemplateTest, SaysWhereACallIsWrong) {
  for (const auto& [text, place] :
       std::vector<std::pair<std::string, std::string>>{{"SELECT {{ x('a' }}", "p.sql:1:17"},
                                                        {"{{ source('a', b) }}", "p.sql:1:16"},
                                                        {"a\n é {{ x(['1') }}", "p.sql:2:13"},
                                                        {"{{ x", "p.sql:1:5"},
                                                        {"{{ x({a: 1, a: 2}) }}", "p.sql:1:13"}}) {
    const Template parsed = parse_template("p.sql", text);
    ASSERT_EQ(parsed.problems.size(), 1U) << text;
    EXPECT_EQ(to_string(*parsed.problems[0].where), place) << text;
    EXPECT_EQ(parsed.problems[0].code, codes::PZ0104);
  }
}

TEST(TemplateTest, RefusesInvalidTextAndBottomlessValues) {
  EXPECT_EQ(parse_template("p.sql", "SELECT '\xFF'").problems.size(), 1U);
  EXPECT_EQ(parse_template("p.sql", "{{ x(" + std::string(1000, '[') + ") }}").problems.size(), 1U);
}

}  // namespace
}  // namespace kedge::pipeline
