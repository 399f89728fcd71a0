#include "document/edit.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace kedge::document {
namespace {

Document read(const std::string& text, Format format = Format::Yaml) {
  Document document = read_document("f.yml", text, format);
  EXPECT_TRUE(document.usable && document.problems.empty()) << text;
  return document;
}

std::string removed(const std::string& text, const std::vector<Path>& paths,
                    WhenEmptied when = WhenEmptied::RemoveKey, Format format = Format::Yaml) {
  const Document document = read(text, format);
  Editor editor(document);
  for (const Path& path : paths) {
    editor.remove(path, when);
  }
  return editor.apply();
}

const std::string kModel =
    "# model\nname: crates   # the name\n\ncolumns:\n  # the key\n  - name: id\n    type: int\n"
    "  - {name: kg, type: double}  # weight\n\n  # last\n  - name: lot\nmeasures: [a, b , c]\n"
    "text: |\n  line\n\n# end\n";

TEST(EditTest, RemovesBlockItemsAndNothingElse) {
  EXPECT_EQ(
      removed(kModel, {{"columns", std::size_t{1}}}),
      "# model\nname: crates   # the name\n\ncolumns:\n  # the key\n  - name: id\n    type: int\n"
      "\n  # last\n  - name: lot\nmeasures: [a, b , c]\ntext: |\n  line\n\n# end\n");
  EXPECT_EQ(removed(kModel, {{"columns", std::size_t{0}}, {"columns", std::size_t{2}}}),
            "# model\nname: crates   # the name\n\ncolumns:\n  # the key\n"
            "  - {name: kg, type: double}  # weight\n\n  # last\nmeasures: [a, b , c]\ntext: |\n  "
            "line\n\n# end\n");
  EXPECT_EQ(removed(kModel, {{"text"}}), kModel.substr(0, kModel.find("text:")) + "\n# end\n");
}

TEST(EditTest, RemovesFlowItems) {
  const std::string text = "m: [a, b , c]\nn: {x: 1, y: 2}\n";
  const auto list = [&](std::vector<std::size_t> which) {
    std::vector<Path> paths;
    for (const std::size_t i : which) {
      paths.push_back({"m", i});
    }
    return removed(text, paths).substr(0, 14);
  };
  EXPECT_EQ(list({0}), "m: [b , c]\nn: ");
  EXPECT_EQ(list({1}), "m: [a, c]\nn: {");
  EXPECT_EQ(list({2}), "m: [a, b]\nn: {");
  EXPECT_EQ(list({0, 2}), "m: [b]\nn: {x: ");
  EXPECT_EQ(list({1, 2}), "m: [a]\nn: {x: ");
  EXPECT_EQ(removed(text, {{"n", "x"}}), "m: [a, b , c]\nn: {y: 2}\n");
  EXPECT_EQ(removed(text, {{"n", "y"}}), "m: [a, b , c]\nn: {x: 1}\n");
}

TEST(EditTest, RemovesFlowItemsThatStandOnLinesOfTheirOwn) {
  const std::string text = "m: [\n  a, # one\n  b, # two\n  c # three\n]\n";
  EXPECT_EQ(removed(text, {{"m", std::size_t{1}}}), "m: [\n  a, # one\n  c # three\n]\n");
  EXPECT_EQ(removed(text, {{"m", std::size_t{2}}}), "m: [\n  a, # one\n  b # two\n]\n");
  const std::string json = "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {\"c\": 1}\n}\n";
  EXPECT_EQ(removed(json, {{"a", std::size_t{1}}}, WhenEmptied::RemoveKey, Format::Json),
            "{\n  \"a\": [\n    1\n  ],\n  \"b\": {\"c\": 1}\n}\n");
  EXPECT_EQ(removed(json, {{"b"}}, WhenEmptied::RemoveKey, Format::Json),
            "{\n  \"a\": [\n    1,\n    2\n  ]\n}\n");
}

TEST(EditTest, AnEmptiedListGoesWithItsKeyOrStaysEmpty) {
  const std::string text = "a:\n- 1 # x\n- 2\nb: [1]\nc:\n  d: {e: 1}\n";
  EXPECT_EQ(removed(text, {{"a", std::size_t{0}}, {"a", std::size_t{1}}}),
            "b: [1]\nc:\n  d: {e: 1}\n");
  EXPECT_EQ(removed(text, {{"a", std::size_t{0}}, {"a", std::size_t{1}}}, WhenEmptied::KeepEmpty),
            "a: []\nb: [1]\nc:\n  d: {e: 1}\n");
  EXPECT_EQ(removed(text, {{"c", "d", "e"}}), "a:\n- 1 # x\n- 2\nb: [1]\n");
  EXPECT_EQ(removed(text, {{"c", "d", "e"}}, WhenEmptied::KeepEmpty),
            "a:\n- 1 # x\n- 2\nb: [1]\nc:\n  d: {}\n");
  EXPECT_EQ(removed("# c\na: 1\n", {{"a"}}), "# c\n");
}

TEST(EditTest, RemovesTheFirstEntryBehindADash) {
  EXPECT_EQ(removed("- a: 1\n  b: 2\n- c: 3\n", {{std::size_t{0}, "a"}}), "- b: 2\n- c: 3\n");
  EXPECT_EQ(removed("- a: 1\n  # about b\n  b: 2\n", {{std::size_t{0}, "a"}}),
            "- \n  # about b\n  b: 2\n");
  EXPECT_EQ(removed("- - 1\n  - 2\n", {{std::size_t{0}, std::size_t{0}}}), "- - 2\n");
}

TEST(EditTest, KeepsCarriageReturnsAndAMissingLastLineEnd) {
  EXPECT_EQ(removed("a:\r\n  - 1\r\n  - 2\r\n", {{"a", std::size_t{0}}}), "a:\r\n  - 2\r\n");
  const Document document = read("a:\r\n  - 1");
  Editor editor(document);
  editor.append({"a"}, Json(2));
  EXPECT_EQ(editor.apply(), "a:\r\n  - 1\r\n  - 2");
}

TEST(EditTest, AppendsInTheStyleOfTheList) {
  const Document document = read(kModel);
  Editor editor(document);
  editor.append({"columns"}, Json().set("name", "new col").set("type", "text"));
  editor.append({"measures"}, Json("d"));
  editor.append({"joins"}, Json().set("target", "x"));
  EXPECT_EQ(
      editor.apply(),
      "# model\nname: crates   # the name\n\ncolumns:\n  # the key\n  - name: id\n    type: int\n"
      "  - {name: kg, type: double}  # weight\n\n  # last\n  - name: lot\n"
      "  - name: new col\n    type: text\nmeasures: [a, b , c, d]\n"
      "text: |\n  line\njoins:\n  - target: x\n\n# end\n");
}

TEST(EditTest, AppendsToEmptyAndMultiLineLists) {
  const Document document = read("a: []\nb:\nc: [\n  1, # one\n  2  # two\n]\nd:\n- x\n");
  Editor editor(document);
  editor.append({"a"}, Json(1));
  editor.append({"b"}, Json("y"));
  editor.append({"c"}, Json(3));
  EXPECT_EQ(editor.apply(), "a:\n- 1\nb:\n- y\nc: [\n  1, # one\n  2,  # two\n  3\n]\nd:\n- x\n");
}

TEST(EditTest, AddsInsideTheLastItemBeforeWhatComesBehindIt) {
  for (const std::string end : {"", "\n", "\n...\n", "\n# end\n...\n"}) {
    const Document document = read("name: a\ncolumns:\n  - name: x" + end);
    Editor editor(document);
    editor.append({"joins"}, Json().set("target", "b"));
    editor.append({"columns"}, Json().set("name", "y"));
    EXPECT_EQ(editor.apply(),
              "name: a\ncolumns:\n  - name: x\n  - name: y\njoins:\n  - target: b" + end);
  }
}

TEST(EditTest, LeavesCommentsWhereTheyStand) {
  const Document document =
      read("a: []  # none\nb:  # none either\nc: [\n  # soon\n]\nd:\n  []  # d\ne: ~ # e");
  Editor editor(document);
  for (const char* key : {"a", "b", "c", "d", "e"}) {
    editor.append({std::string(key)}, Json().set("x", 1).set("y", 2));
  }
  const std::string item = "\n  - x: 1\n    y: 2\n";
  EXPECT_EQ(editor.apply(), "a:  # none" + item + "b:  # none either" + item +
                                "c: [\n  # soon\n  {x: 1, y: 2}\n]\nd:  # d" + item + "e: # e" +
                                item.substr(0, item.size() - 1));
}

// Every pair of layouts, every end of a file, every choice of what is added: nothing is refused,
// no comment is lost or moved in front of another one.
TEST(EditTest, AddsToEveryLayout) {
  const std::vector<std::string> lists = {
      "[]  # @",     " # @",  "[1]  # @",    "\n- 1  # @",   "\n- 1\n# @", "[\n  1,  # @\n]",
      "[  # @\n  ]", "~ # @", "\n  []  # @", "\n  - x: 1\n", "# @\n  # @"};
  const std::vector<std::string> ends = {"", "\n", "\n...\n", "\n\n# z\n... # z\n"};
  const auto comments = [](const std::string& text) {
    std::string found;
    for (std::size_t at = 0; (at = text.find('#', at)) != std::string::npos; ++at) {
      found += text.substr(at, 3);
    }
    return found;
  };
  int edits = 0;
  for (std::size_t first = 0; first < lists.size(); ++first) {
    for (std::size_t second = 0; second < lists.size(); ++second) {
      for (unsigned mask = 1; mask < 16; ++mask) {
        const std::string& end = ends[(first + second + mask) % ends.size()];
        std::string text = "a: " + base::replace_all(lists[first], "@", "1") +
                           "\nb: " + base::replace_all(lists[second], "@", "2") + end;
        text = mask % 3 == 0 ? base::replace_all(text, "\n", "\r\n") : text;
        const Document document = read(text);
        Editor editor(document);
        for (unsigned bit = 0; bit < 4; ++bit) {
          if ((mask & (1U << bit)) != 0) {
            const std::string key(1, "cabd"[bit]);
            bit < 3
                ? editor.append({key}, Json().set("k", "v").set("l", Json(Json::Array{Json(1)})))
                : editor.set({}, key, Json("text"));
          }
        }
        std::string changed;
        ASSERT_NO_THROW(changed = editor.apply()) << text;
        EXPECT_EQ(comments(changed), comments(text)) << text << "\nbecame\n" << changed;
        ++edits;
      }
    }
  }
  EXPECT_EQ(edits, 11 * 11 * 15);
}

TEST(EditTest, SetsAndReplacesValues) {
  const Document document =
      read("a: 'x' # c\nb: \"y\"\nc: plain\nd:\n  e: 1\nf: {g: 1}\nh: |\n  t\ni:\n");
  Editor editor(document);
  editor.replace({"a"}, Json("it's"));
  editor.replace({"b"}, Json("z"));
  editor.replace({"c"}, Json("true"));
  editor.set({"d"}, "k", Json(Json::Array{Json(1)}));
  editor.set({"f"}, "l: m", Json("a, b"));
  editor.replace({"h"}, Json(5));
  editor.replace({"i"}, Json("now"));
  EXPECT_EQ(editor.apply(),
            "a: 'it''s' # c\nb: \"z\"\nc: \"true\"\nd:\n  e: 1\n  k:\n    - 1\n"
            "f: {g: 1, \"l: m\": \"a, b\"}\nh: 5\ni: now\n");
}

TEST(EditTest, RefusesToEditThroughAliasesAndToLoseAnchors) {
  const Document document = read("a: &x {k: 1, l: 2}\nb: *x\n");
  Editor editor(document);
  EXPECT_THROW(editor.remove({"b", "k"}), Error);
  EXPECT_THROW(removed("a: &x 1\nb: *x\n", {{"a"}}), Error);
  EXPECT_EQ(removed("a: &x 1\nb: *x\n", {{"b"}}), "a: &x 1\n");
}

TEST(YamlWriterTest, QuotesOnlyWhatWouldReadDifferently) {
  for (const char* text :
       {"plain",     "true",   "12",    "",     "a: b", "- x",       "-x",
        "#x",        "x #y",   "yes",   "null", "'q'",  "\xC2\x85",  "tab\there",
        "line\nend", "line\n", " lead", "@x",   "{a}",  "a,b",       "\xE2\x80\xA8",
        "key:",      "<<",     "=",     "1e3",  "~",    "a\n\n b\n", "\n"}) {
    Json value;
    value.set("k", text).set("l", Json(Json::Array{Json(text), Json(Json::Array{Json(text)})}));
    const std::string yaml = write_yaml(value);
    EXPECT_EQ(to_json(read(yaml).root), value) << yaml;
  }
  EXPECT_EQ(write_yaml(Json().set("a", "yes").set("b", "12"), 2), "  a: \"yes\"\n  b: \"12\"\n");
}

}  // namespace
}  // namespace kedge::document
