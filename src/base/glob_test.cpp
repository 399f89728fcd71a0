#include "base/glob.h"

#include <gtest/gtest.h>

namespace kedge::base {
namespace {

TEST(Glob, StarMatchesAnyRun) {
  EXPECT_TRUE(matches_glob("a*c", "abbc"));
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_TRUE(matches_glob("sales.*", "sales.orders"));
  EXPECT_FALSE(matches_glob("a*c", "abcd"));
  EXPECT_FALSE(matches_glob("abc", "ab"));
}

TEST(FileGlob, StarsMarksAndSets) {
  EXPECT_TRUE(matches_file_glob("f[12].sqlite", "f2.sqlite"));
  EXPECT_FALSE(matches_file_glob("f[12].sqlite", "f3.sqlite"));
  EXPECT_TRUE(matches_file_glob("f[0-9]?.*", "f17.db"));
  EXPECT_FALSE(matches_file_glob("f[!0-9].db", "f1.db"));
  EXPECT_TRUE(matches_file_glob("*[!0-9].db", "12a.db"));
  EXPECT_TRUE(matches_file_glob("a[]-]b", "a-b"));
  EXPECT_TRUE(matches_file_glob("a[b", "a[b"));
  EXPECT_FALSE(matches_file_glob("?", ""));
}

}  // namespace
}  // namespace kedge::base
