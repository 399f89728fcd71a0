#include <gtest/gtest.h>

#include "document/json.h"
#include "kedge/codes.h"

namespace kedge::document {
namespace {

Document yaml(std::string text) {
  return read_document("f.yml", std::move(text), Format::Yaml);
}
Document json(std::string text) {
  return read_document("f.json", std::move(text), Format::Json);
}
std::string compact(const Document& document) {
  return write_json(to_json(document.root), -1);
}
std::string slice(const Document& document, const Node& node) {
  return document.source.substr(node.range.begin, node.range.end - node.range.begin);
}
std::vector<std::string> problems(const Document& document) {
  std::vector<std::string> lines;
  for (const Problem& problem : document.problems) {
    lines.push_back(std::to_string(problem.where->line) + ":" +
                    std::to_string(problem.where->column) + " " + std::string(problem.code.name()) +
                    " " + problem.message);
  }
  return lines;
}
bool has(const Document& document, const std::string& place, const std::string& words) {
  for (const std::string& line : problems(document)) {
    if (line.starts_with(place + " ") && line.find(words) != std::string::npos) {
      return true;
    }
  }
  return false;
}

TEST(YamlTest, TypesPlainScalarsByTheCoreSchemaAndNothingElse) {
  const Document read = yaml(
      "[true, True, yes, on, null, ~, Null, 1, +2, 0x1F, 0o17, 1.10, .5, 1e3, .inf, 1_000, 12:30, "
      "2020-01-01, '1', \"true\", !!str 7]");
  std::string kinds;
  for (const Node& item : read.root.items) {
    kinds += "NBIFSQM"[static_cast<int>(item.kind)];
  }
  EXPECT_EQ(kinds, "BSSSNNNIIIIFFFFSSSSSS");
}

TEST(YamlTest, GivesByteRangesAndCodePointColumns) {
  const Document read = yaml(
      "\xEF\xBB\xBF"
      "gr\xC3\xBC\xC3\x9F: [\"\xE2\x82\xAC\", x]\r\nnext: 'it''s'\r\n");
  ASSERT_TRUE(read.usable);
  ASSERT_TRUE(read.problems.empty());
  const Node& list = read.root.entries[0].value;
  EXPECT_EQ(list.range.column, 7U);
  EXPECT_EQ(slice(read, list), "[\"\xE2\x82\xAC\", x]");
  EXPECT_EQ(list.items[1].range.column, 13U);
  EXPECT_EQ(slice(read, list.items[1]), "x");
  EXPECT_EQ(read.root.entries[1].value.range.line, 2U);
  EXPECT_EQ(read.root.entries[1].value.text, "it's");
  EXPECT_EQ(slice(read, read.root.entries[1].value), "'it''s'");
}

TEST(YamlTest, RangesOfBlocksEndWithTheirLastItemAndLeaveOutAnchorsAndTags) {
  const Document read =
      yaml("a: &x !!map\n  b: 1\n  c: |\n    text\n\n# end\nd: &y [1]\ne:\n- 1\n- 2\n\nf: g\n");
  ASSERT_TRUE(read.problems.empty()) << problems(read)[0];
  EXPECT_EQ(slice(read, read.root.entries[0].value), "b: 1\n  c: |\n    text");
  EXPECT_EQ(slice(read, read.root.entries[1].value), "[1]");
  EXPECT_EQ(slice(read, read.root.entries[2].value), "- 1\n- 2");
}

TEST(YamlTest, NamesBothPlacesOfADuplicateKeyAndGoesOn) {
  const Document read = yaml("a: 1\nb:\n  c: 1\n  c: 2\na: 3\n");
  EXPECT_TRUE(read.usable);
  EXPECT_TRUE(has(read, "4:3", "duplicate key 'c' (first at line 3, column 3)"));
  EXPECT_TRUE(has(read, "5:1", "duplicate key 'a' (first at line 1, column 1)"));
  EXPECT_EQ(compact(read), R"({"a":1,"b":{"c":1}})");
}

TEST(YamlTest, ReportsEveryBadByteWithItsOffsetAndReadsOn) {
  const Document read = yaml(std::string("a: \xFFx\nb: \0y\nb: 2\n", 18));
  EXPECT_TRUE(has(read, "1:4", "byte 0xFF is not valid UTF-8 (byte offset 3)"));
  EXPECT_TRUE(has(read, "2:4", "NUL byte (byte offset 9)"));
  EXPECT_TRUE(has(read, "3:1", "duplicate key 'b'"));
}

TEST(YamlTest, RefusesTabsSecondDocumentsMergeKeysAndUnknownTags) {
  EXPECT_TRUE(has(yaml("a:\n\tb: 1\n"), "2:1", "tab"));
  EXPECT_TRUE(has(yaml("a: 1\n---\nb: 2\n"), "2:1", "second document"));
  EXPECT_TRUE(has(yaml("x: &a {k: 1}\ny:\n  <<: *a\n"), "3:3", "merge keys"));
  EXPECT_TRUE(has(yaml("x: !thing 1\n"), "1:4", "!thing"));
  EXPECT_TRUE(has(yaml("[a]: 1\n"), "1:1", "scalar"));
  EXPECT_TRUE(has(yaml("a: [1\nb: 2\n"), "2:2", "malformed YAML"));
}

TEST(YamlTest, MergesWhenAllowed) {
  ReadOptions options;
  options.allow_merge_keys = true;
  const Document read =
      read_document("f", "x: &a {k: 1, l: 2}\ny:\n  <<: *a\n  k: 3\n", Format::Yaml, options);
  EXPECT_EQ(compact(read), R"({"x":{"k":1,"l":2},"y":{"k":3,"l":2}})");
}

TEST(YamlTest, AnEmptyFileIsAnEmptyMapping) {
  for (const char* text : {"", "# only\n", "---\n", "\xEF\xBB\xBF", "--- # x\n...\n"}) {
    const Document read = yaml(text);
    EXPECT_TRUE(read.usable && read.problems.empty()) << text;
    EXPECT_EQ(compact(read), "{}") << text;
  }
}

TEST(YamlTest, RefusesAliasCyclesUnknownAliasesAndExpansions) {
  EXPECT_TRUE(has(yaml("a: &x [*x]\n"), "1:8", "cycle"));
  EXPECT_TRUE(has(yaml("a: *nope\n"), "1:4", "names no anchor"));
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string from = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) {
      bomb += (j > 0 ? "," : "") + from;
    }
    bomb += "]\n";
  }
  const Document read = yaml(bomb);
  ASSERT_EQ(read.problems.size(), 1U);
  EXPECT_EQ(read.problems[0].code, codes::ERR_LIMIT);
}

TEST(YamlTest, RefusesDepthAndSizeWithoutRecursion) {
  EXPECT_EQ(yaml(std::string(10'000, '[')).problems.at(0).code, codes::ERR_LIMIT);
  EXPECT_EQ(json(std::string(10'000, '[')).problems.at(0).code, codes::ERR_LIMIT);
  EXPECT_EQ(yaml("a: " + std::string(100'000'000, 'x')).problems.at(0).code, codes::ERR_LIMIT);
  std::string many = "[";
  for (int i = 0; i < 1'000'001; ++i) {
    many += "1,";
  }
  EXPECT_EQ(json(many + "1]").problems.at(0).code, codes::ERR_LIMIT);
}

TEST(JsonTest, ReadsValuesWithRanges) {
  const Document read = json(R"({"a": [1, -2.5e3, true, null, "\u20AC\n\ud83d\ude00"], "b": {}})");
  ASSERT_TRUE(read.usable && read.problems.empty());
  EXPECT_EQ(slice(read, read.root.entries[0].value.items[1]), "-2.5e3");
  EXPECT_EQ(read.root.entries[0].value.items[4].text, "\xE2\x82\xAC\n\xF0\x9F\x98\x80");
  EXPECT_EQ(slice(read, read.root.entries[1].value), "{}");
  EXPECT_EQ(read.root.entries[1].key.range.column, 56U);
}

TEST(JsonTest, ReportsAllErrorsItCanStepOver) {
  const Document read = json("{\"a\": [1,],\n // c\n \"b\": tru, \"b\": 01 \"c\": \"\\q\",}");
  EXPECT_TRUE(has(read, "1:9", "comma before the closing"));
  EXPECT_TRUE(has(read, "2:2", "comments"));
  EXPECT_TRUE(has(read, "3:7", "'tru'"));
  EXPECT_TRUE(has(read, "3:12", "duplicate key 'b'"));
  EXPECT_TRUE(has(read, "3:17", "'01'"));
  EXPECT_TRUE(has(read, "3:20", "comma is missing"));
  EXPECT_TRUE(has(read, "3:26", "escape"));
  EXPECT_TRUE(read.usable);
}

TEST(JsonTest, StopsAtWhatItCannotStepOver) {
  for (const char* text : {"", "{", "[1 2", "{\"a\" 1}", "{a: 1}", "[1}", "\"x", "[1] 2", "nul"}) {
    EXPECT_FALSE(json(text).problems.empty()) << text;
  }
}

TEST(NodeTest, GivesNumbersOnlyWhenTheyAreInRange) {
  const Document read = json("[9223372036854775807, 9223372036854775808, 1.5, -7, 1e400, 1e-400]");
  const std::vector<Node>& items = read.root.items;
  EXPECT_EQ(items[0].as_integer(), 9223372036854775807);
  EXPECT_EQ(items[1].as_integer(), std::nullopt);
  EXPECT_EQ(items[2].as_number(), 1.5);
  EXPECT_EQ(items[3].as_number(), -7.0);
  EXPECT_EQ(items[5].as_number(), 0.0);
  EXPECT_EQ(write_json(to_json(items[1]), -1), "9223372036854775808");
}

}  // namespace
}  // namespace kedge::document
