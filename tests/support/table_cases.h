// Three-line cases of tests/tables: input, context, expected. '#' starts a comment line between
// cases, a blank line ends a case, "\n" in a line stands for a line break. With
// KEDGE_UPDATE_GOLDENS=1 (never in CI) the expected lines are rewritten.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace kedge::testing {

struct TableCase {
  std::string input;
  std::string context;
  std::string expected;
  std::size_t line = 0;
};

std::vector<TableCase> read_table(const std::string& path);
// Calls `actual` for each case and compares it with the expected line (EXPECT_EQ with file:line).
// Gives the number of cases.
std::size_t check_table(const std::string& path,
                        const std::function<std::string(const TableCase&)>& actual);

}  // namespace kedge::testing
