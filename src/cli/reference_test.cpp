#include "cli/reference.h"

#include <gtest/gtest.h>

#include <set>

#include "kedge/codes.h"

namespace kedge::cli {
namespace {

TEST(CommandTable, NamesAndFlagsAreUniqueAndSaid) {
  std::set<std::string> names;
  for (const Command& command : all_commands()) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_FALSE(command.summary.empty()) << command.name;
    EXPECT_FALSE(command.summary.ends_with('.')) << command.name;
    std::set<std::string> flags;
    for (const Flag& flag : command.flags) {
      EXPECT_TRUE(flags.insert(flag.name).second) << command.name << " " << flag.name;
      EXPECT_FALSE(flag.help.empty()) << command.name << " " << flag.name;
      EXPECT_EQ(flag.kind == FlagKind::Switch, flag.value.empty())
          << command.name << " " << flag.name;
    }
  }
}

TEST(Reference, HasAPageForEveryCommandAndCode) {
  const std::vector<Command> commands = all_commands();
  EXPECT_EQ(reference_pages(commands).size(), commands.size() + all_codes().size() + 2);
  EXPECT_EQ(man_pages(commands).size(), commands.size() + 1);
}

TEST(Completion, OffersSubcommandsAndChoices) {
  Command command;
  command.name = "migrate status";
  command.summary = "x";
  command.flags = {{"--to", FlagKind::Value, "a|b", "x", {"a", "b"}}};
  const std::string bash = bash_completion({command});
  EXPECT_NE(bash.find("'migrate') subs='status'"), std::string::npos);
  EXPECT_NE(bash.find("'migrate status --to') words='a b'"), std::string::npos);
}

}  // namespace
}  // namespace kedge::cli
