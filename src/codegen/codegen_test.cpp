#include <gtest/gtest.h>

#include "codegen/decide.h"
#include "codegen/merge.h"
#include "codegen/names.h"
#include "kedge/codes.h"

namespace kedge::codegen {
namespace {

GeneratedFile fresh_file(const std::string& body) {
  Pack pack;
  pack.name = "demo";
  pack.line_comment = "//";
  GeneratedFile file;
  file.path = "gen/a.txt";
  file.text = with_header(pack, "a::B", body);
  return file;
}

FileFacts facts(const std::string& disk, std::optional<std::string> base = {}) {
  FileFacts result;
  result.disk = disk;
  result.base = [base] { return base; };
  return result;
}

TEST(NamesTest, SplitsWordsAndMakesSegments) {
  EXPECT_EQ(snake_case("HTTPServer"), "http_server");
  EXPECT_EQ(pascal_case("seats_left"), "SeatsLeft");
  EXPECT_EQ(camel_case("FerrySailing"), "ferrySailing");
  EXPECT_EQ(upper_case("seatsLeft"), "SEATS_LEFT");
  EXPECT_EQ(kebab_case("a::FerrySailing"), "a-ferry-sailing");
  EXPECT_EQ(rest_segment("Ferry"), "ferries");
  EXPECT_EQ(rest_segment("Day"), "days");
  EXPECT_EQ(rest_segment("Box"), "boxes");
  EXPECT_EQ(rest_segment("Branch"), "branches");
  EXPECT_EQ(identifier("class", {"class"}), "class_");
  EXPECT_EQ(identifier("2nd", {}), "_2nd");
}

TEST(NamesTest, MatchesPatternsOverQualifiedNames) {
  EXPECT_TRUE(matches_pattern("harbour::*", "harbour::Sailing"));
  EXPECT_FALSE(matches_pattern("harbour::*", "harbour::fleet::Vessel"));
  EXPECT_TRUE(matches_pattern("harbour::**", "harbour::fleet::Vessel"));
  EXPECT_TRUE(matches_pattern("**::Ves*", "harbour::fleet::Vessel"));
  EXPECT_FALSE(matches_pattern("harbour::**", "harbour"));
  for (const char* bad : {"", "a:b", "a::", "a***", "a b"}) {
    EXPECT_FALSE(is_valid_pattern(bad)) << bad;
  }
}

TEST(HeaderTest, ProvesAnUneditedFileInCommentsAndInJson) {
  const GeneratedFile file = fresh_file("x\ny\n");
  ASSERT_TRUE(read_header(file.text));
  EXPECT_TRUE(read_header(file.text)->agrees);
  EXPECT_FALSE(read_header(file.text + "z\n")->agrees);
  EXPECT_FALSE(read_header("x\n"));
  for (const Pack::Header form : {Pack::Header::Json, Pack::Header::JsonSchema}) {
    Pack pack;
    pack.name = "api";
    pack.header = form;
    const std::string text = with_header(pack, "model", "{\n  \"a\": 1\n}\n");
    ASSERT_TRUE(read_header(text)) << text;
    EXPECT_TRUE(read_header(text)->agrees) << text;
    EXPECT_FALSE(read_header(text + " ")->agrees);
    EXPECT_TRUE(read_header(with_header(pack, "model", "{}\n"))->agrees);
  }
}

TEST(DecideTest, FollowsTheTableRowByRow) {
  const GeneratedFile old_file = fresh_file("a\nb\nc\nd\ne\n");
  const GeneratedFile file = fresh_file("a\nb\nc\nd\nE\n");
  FileFacts none = facts("");
  none.disk.reset();
  EXPECT_EQ(decide(file, none).status, FileStatus::Created);
  none.recorded_sha = "x";
  EXPECT_EQ(decide(file, none).status, FileStatus::Restored);
  EXPECT_EQ(decide(file, facts(file.text)).status, FileStatus::Unchanged);
  EXPECT_EQ(decide(file, facts(old_file.text)).status, FileStatus::Updated);
  const std::string edited =
      old_file.text.substr(0, old_file.text.find("a\nb")) + "mine\na\nb\nc\nd\ne\n";
  EXPECT_EQ(decide(old_file, facts(edited, old_file.text)).status, FileStatus::Kept);
  EXPECT_EQ(decide(file, facts(edited, old_file.text)).status, FileStatus::Merged);
  EXPECT_EQ(decide(file, facts(edited)).code, codes::ERR_GEN_NO_BASE);
  EXPECT_EQ(decide(file, facts("own file\n")).code, codes::ERR_GEN_FOREIGN_FILE);
  EXPECT_EQ(decide(file, facts("\xFF")).code, codes::ERR_GEN_NOT_TEXT);
  const std::string clash = old_file.text.substr(0, old_file.text.size() - 2) + "mine\n";
  const Decision conflict = decide(file, facts(clash, old_file.text));
  EXPECT_EQ(conflict.status, FileStatus::Conflict);
  EXPECT_EQ(conflict.regions, 1);
  EXPECT_EQ(decide(file, facts(*conflict.text)).status, FileStatus::Conflict);
  GeneratedFile exact = file;
  exact.exact = true;
  EXPECT_EQ(decide(exact, facts(edited, old_file.text)).code, codes::ERR_GEN_EXACT_EDITED);
}

TEST(MergeTest, DropsGitConflictsThatCoverHeadersOnly) {
  const GeneratedFile one = fresh_file("a\n");
  const std::string header = one.text.substr(0, one.text.find('\n'));
  const std::string conflicted =
      "<<<<<<< HEAD\n" + header + "\n=======\n" + header + "0\n>>>>>>> other\n\na\n";
  EXPECT_EQ(drop_header_conflicts(conflicted), one.text);
  const std::string real = "<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> other\n";
  EXPECT_EQ(drop_header_conflicts(real), real);
}

}  // namespace
}  // namespace kedge::codegen
