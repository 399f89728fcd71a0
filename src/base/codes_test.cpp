#include "kedge/codes.h"

#include <gtest/gtest.h>

#include <set>

namespace kedge {
namespace {

TEST(Codes, AreUniqueAndSaid) {
  std::set<std::string_view> seen;
  for (const CodeEntry& entry : all_codes()) {
    EXPECT_TRUE(seen.insert(entry.code.name()).second) << entry.code.name();
    EXPECT_FALSE(entry.purpose.empty()) << entry.code.name();
    EXPECT_FALSE(entry.purpose.ends_with('.')) << entry.code.name();
  }
}

TEST(Codes, WarningsNeverChangeAnExitCode) {
  for (const CodeEntry& entry : all_codes()) {
    if (entry.code_class == CodeClass::Warning) {
      EXPECT_EQ(entry.exit, 0) << entry.code.name();
    }
  }
}

TEST(Codes, AreFoundByName) {
  ASSERT_NE(find_code("ERR_CONNECT"), nullptr);
  EXPECT_EQ(find_code("ERR_CONNECT")->exit, 2);
  EXPECT_EQ(find_code("ERR_BANANA"), nullptr);
}

}  // namespace
}  // namespace kedge
