#include "pipeline/decoded_change.h"

#include <gtest/gtest.h>

namespace kedge::pipeline {
namespace {

using Kind = DecodedChange::Kind;

TEST(DecodedChangeTest, ReadsTheColumnsOfAnInsertedRow) {
  const auto change = parse_decoded_change(
      "table public.t: INSERT: id[integer]:7 note[character varying(20)]:'it''s: [x]' "
      "tags[text[]]:'{a,b}' seen[timestamp with time zone]:'2027-03-14 08:00:00+00' "
      "gone[text]:null "
      "on_time[boolean]:true bits[bit(2)]:B'10'");
  ASSERT_TRUE(change);
  EXPECT_EQ(change->kind, Kind::Insert);
  EXPECT_EQ(change->tables, std::vector<std::string>{"public.t"});
  EXPECT_EQ(change->row.at("id"), "7");
  EXPECT_EQ(change->row.at("note"), "it's: [x]");
  EXPECT_EQ(change->row.at("tags"), "{a,b}");
  EXPECT_EQ(change->row.at("seen"), "2027-03-14 08:00:00+00");
  EXPECT_EQ(change->row.at("gone"), std::nullopt);
  EXPECT_EQ(change->row.at("on_time"), "true");
  EXPECT_EQ(change->row.at("bits"), "10");
}

TEST(DecodedChangeTest, TellsTheOldKeyOfAnUpdateFromItsNewRow) {
  const auto change = parse_decoded_change(
      "table public.t: UPDATE: old-key: id[integer]:1 new-tuple: id[integer]:2 "
      "big[text]:unchanged-toast-datum");
  ASSERT_TRUE(change);
  EXPECT_EQ(change->kind, Kind::Update);
  EXPECT_EQ(change->old_key.at("id"), "1");
  EXPECT_EQ(change->row.at("id"), "2");
}

TEST(DecodedChangeTest, KeepsTheServersQuotesOfTablesAndRemovesThoseOfColumns) {
  const auto change =
      parse_decoded_change("table \"Odd, one\".\"a:b\": DELETE: \"the \"\"key\"\"\"[integer]:-3");
  ASSERT_TRUE(change);
  EXPECT_EQ(change->kind, Kind::Delete);
  EXPECT_EQ(change->tables, std::vector<std::string>{"\"Odd, one\".\"a:b\""});
  EXPECT_EQ(change->old_key.at("the \"key\""), "-3");
}

TEST(DecodedChangeTest, NamesEveryTruncatedTable) {
  const auto change = parse_decoded_change("table public.a, public.b: TRUNCATE: (no-flags)");
  ASSERT_TRUE(change);
  EXPECT_EQ(change->kind, Kind::Truncate);
  EXPECT_EQ(change->tables, (std::vector<std::string>{"public.a", "public.b"}));
}

TEST(DecodedChangeTest, UnderstandsNothingElse) {
  EXPECT_FALSE(parse_decoded_change("BEGIN 742"));
  EXPECT_FALSE(parse_decoded_change("table public.t: DELETE: (no-tuple-data)"));
  EXPECT_FALSE(parse_decoded_change("table public.t: INSERT: id[integer]:'1"));
  EXPECT_FALSE(parse_decoded_change("table public.t"));
  EXPECT_EQ(parse_decoded_begin("BEGIN 742"), "742");
  EXPECT_FALSE(parse_decoded_begin("COMMIT 742"));
}

}  // namespace
}  // namespace kedge::pipeline
