#include "db/duckdb/json_text.h"

#include <gtest/gtest.h>

namespace kedge::db::duckdb {
namespace {

TEST(JsonTextTest, GivesMembersAsTheyStand) {
  const std::string record =
      R"( { "a" : 12345678901234567890.50 , "s":"x\"y\u00e9\ud83d\ude00\\", "o": { "k": [ 1 , " b " ] },)"
      R"( "n": null, "a": 2, "q\"k": 1, "a/b~c": true } )";
  EXPECT_EQ(member_value(record, "a"), "12345678901234567890.50");
  EXPECT_EQ(member_text(record, "a"), "12345678901234567890.50");
  EXPECT_EQ(member_text(record, "s"), "x\"y\u00e9\U0001F600\\");
  EXPECT_EQ(member_value(record, "s"), R"("x\"y\u00e9\ud83d\ude00\\")");
  EXPECT_EQ(member_value(record, "o"), R"({"k":[1," b "]})");
  EXPECT_EQ(member_text(record, "o"), R"({"k":[1," b "]})");
  EXPECT_EQ(member_value(record, "n"), std::nullopt);
  EXPECT_EQ(member_value(record, "zz"), std::nullopt);
  EXPECT_EQ(member_value(record, "q\"k"), "1");
  EXPECT_EQ(member_value(record, "a/b~c"), "true");
  EXPECT_EQ(member_value("[1]", "a"), std::nullopt);
  EXPECT_EQ(member_value("{\"a\"", "a"), std::nullopt);
  EXPECT_EQ(member_value("{\"a\":\"x", "b"), std::nullopt);
}

TEST(JsonTextTest, SpellsNestedValuesAsDuckdbDoes) {
  EXPECT_EQ(nested_text("[1, 2.50, null, \"it's\"]", "lt"), R"(['1', '2.50', NULL, 'it\'s'])");
  EXPECT_EQ(nested_text("[]", "lt"), "[]");
  EXPECT_EQ(nested_text("[[1], [], null]", "llt"), "[['1'], [], NULL]");
  EXPECT_EQ(nested_text(R"({"a": 1, "more": [2], "b": "x"})", "s1:at1:bt4:gonelt;"),
            R"({'a': '1', 'b': 'x', 'gone': NULL})");
  EXPECT_EQ(nested_text(R"({"a": {"x": 1e400}, "": "NULL"})", "mj"),
            R"({'a'='{"x":1e400}', ''='"NULL"'})");
  EXPECT_EQ(nested_text(R"({"l": {"k": ["a"]}})", "s1:lmlt;"), R"({'l': {'k'=['a']}})");
  EXPECT_EQ(nested_text("[null, {\"a\": 1}]", "ls1:at;"), "[NULL, {'a': '1'}]");
}

TEST(JsonTextTest, RefusesAnotherShape) {
  for (const auto& [json, shape] : {std::pair{"\"text\"", "s1:at;"},
                                    {"[1]", "s1:at;"},
                                    {"1", "lt"},
                                    {"{\"a\":1}", "lt"},
                                    {"[1] x", "lt"},
                                    {"[1,]", "lt"},
                                    {"[abc]", "lt"},
                                    {"[1", "lt"},
                                    {"", "lt"},
                                    {"[\"\\ud800\"]", "lt"},
                                    {"[1]", "mt"},
                                    {"[01x]", "lt"},
                                    {"[[1], 2]", "llt"},
                                    {"{", "mt"},
                                    {"nul", "lt"},
                                    {"{'a': 1}", "s1:at;"},
                                    {"{a: 1}", "s1:at;"},
                                    {"{\"a\":1,}", "s1:at;"},
                                    {"[\"\\", "lt"},
                                    {"{\"a\":", "s1:at;"}}) {
    EXPECT_EQ(nested_text(json, shape), std::nullopt) << json << " as " << shape;
  }
}

TEST(JsonTextTest, CountsDecimalPlaces) {
  EXPECT_FALSE(has_more_places("20.200", 1));
  EXPECT_TRUE(has_more_places("20.205", 2));
  EXPECT_FALSE(has_more_places("1.5e1", 0));
  EXPECT_TRUE(has_more_places("1234567890123456789e-1", 0));
  EXPECT_FALSE(has_more_places("1200e-2", 0));
  EXPECT_TRUE(has_more_places("1200e-3", 0));
  EXPECT_TRUE(has_more_places("1.23456789012345678915e10", 9));
  EXPECT_FALSE(has_more_places("1.23456789012345678915E+11", 9));
  EXPECT_FALSE(has_more_places("0e-99999999999999999999999", 0));
  EXPECT_TRUE(has_more_places("1e-99999999999999999999999", 9));
  EXPECT_FALSE(has_more_places("abc", 0));
  EXPECT_FALSE(has_more_places("", 0));
}

}  // namespace
}  // namespace kedge::db::duckdb
