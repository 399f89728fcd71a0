#include "base/text.h"

#include <gtest/gtest.h>

namespace kedge::base {
namespace {

TEST(NearestName, SuggestsATypingErrorAndNothingFar) {
  const std::vector<std::string> known = {"columns", "measures", "joins"};
  EXPECT_EQ(nearest_name("colums", known), "columns");
  EXPECT_EQ(nearest_name("JOINS", known), "joins");
  EXPECT_EQ(nearest_name("banana", known), std::nullopt);
}

TEST(Utf8, RefusesOverlongSurrogatesAndTruncated) {
  EXPECT_TRUE(is_valid_utf8("a\xC3\xA9\xF0\x9F\x9A\xA2"));
  EXPECT_EQ(find_invalid_utf8("ab\xC0\xAF"), 2U);
  EXPECT_EQ(find_invalid_utf8("\xED\xA0\x80"), 0U);
  EXPECT_EQ(find_invalid_utf8("abc\xE2\x82"), 3U);
}

TEST(TruncateUtf8, NeverSplitsACodePoint) {
  EXPECT_EQ(truncate_utf8("a\xC3\xA9z", 2), "a");
  EXPECT_EQ(truncate_utf8("a\xC3\xA9z", 3), "a\xC3\xA9");
}

TEST(Hash, Sha256OfAKnownText) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(DurationTest, OneNumberAndOneUnit) {
  EXPECT_EQ(parse_duration("36h"), 36 * 3'600'000);
  EXPECT_EQ(parse_duration("500ms"), 500);
  EXPECT_FALSE(parse_duration("5 h"));
  EXPECT_FALSE(parse_duration("-1h"));
  EXPECT_FALSE(parse_duration("h"));
  EXPECT_FALSE(parse_duration("1000000001d"));
}

}  // namespace
}  // namespace kedge::base
