#include "cli/arguments.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace kedge::cli {
namespace {

using Words = std::vector<std::string>;

Words words_of(const Command& command) {
  Words words = base::split(command.name, ' ');
  for (const Positional& positional : command.positionals) {
    if (positional.required) {
      words.emplace_back("x");
    }
  }
  return words;
}

bool is_refused(const Command& command, const Words& more) {
  Words words = words_of(command);
  words.insert(words.end(), more.begin(), more.end());
  return std::holds_alternative<Misuse>(parse_arguments({command}, words));
}

// What `--only "$UNSET"` gives.
TEST(ArgumentsTest, AnEmptyValueIsNeverTakenForEverything) {
  std::size_t flags = 0;
  for (const Command& command : all_commands()) {
    for (const Flag& flag : command.flags) {
      const bool takes = flag.kind == FlagKind::Value || flag.kind == FlagKind::List;
      if (!takes || flag.may_be_empty) {
        continue;
      }
      for (const std::string& name : base::split(flag.name, ',')) {
        ++flags;
        EXPECT_TRUE(is_refused(command, {name, ""})) << command.name << " " << name;
        EXPECT_TRUE(is_refused(command, {name + "="})) << command.name << " " << name;
        if (flag.kind == FlagKind::List) {
          EXPECT_TRUE(is_refused(command, {name, "x", name, " , "})) << command.name << " " << name;
        }
      }
    }
  }
  EXPECT_GT(flags, 100U);
}

TEST(ArgumentsTest, AListWithAnEmptyPartIsTheRest) {
  const auto parsed = parse_arguments(all_commands(), {"check", "--only", "models,,docs"});
  ASSERT_TRUE(std::holds_alternative<Parsed>(parsed));
  EXPECT_EQ(std::get<Parsed>(parsed).arguments.list("--only"), (Words{"models", "docs"}));
}

TEST(ArgumentsTest, RollbackToTheBeginningIsEmpty) {
  const auto parsed = parse_arguments(all_commands(), {"migrate", "--rollback", ""});
  ASSERT_TRUE(std::holds_alternative<Parsed>(parsed));
  EXPECT_EQ(std::get<Parsed>(parsed).arguments.find("--rollback"), "");
}

}  // namespace
}  // namespace kedge::cli
