#include "table_cases.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace kedge::testing {

namespace {

std::string unescape(const std::string& line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == 'n') {
      out += '\n';
      ++i;
    } else {
      out += line[i];
    }
  }
  return out;
}

std::string escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out;
}

std::vector<std::string> read_lines(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

std::vector<TableCase> read_table(const std::string& path) {
  std::vector<TableCase> cases;
  const auto lines = read_lines(path);
  for (std::size_t i = 0; i < lines.size();) {
    if (lines[i].empty() || lines[i][0] == '#') {
      ++i;
      continue;
    }
    if (i + 2 >= lines.size()) {
      ADD_FAILURE() << path << ":" << i + 1 << ": a case has three lines";
      break;
    }
    cases.push_back({unescape(lines[i]), unescape(lines[i + 1]), lines[i + 2], i + 1});
    i += 3;
  }
  return cases;
}

std::size_t check_table(const std::string& path,
                        const std::function<std::string(const TableCase&)>& actual) {
  const auto cases = read_table(path);
  const char* update = std::getenv("KEDGE_UPDATE_GOLDENS");
  if (update == nullptr) {
    for (const auto& one : cases) {
      EXPECT_EQ(escape(actual(one)), one.expected) << path << ":" << one.line << ": " << one.input;
    }
    return cases.size();
  }
  EXPECT_EQ(std::getenv("CI"), nullptr);
  auto lines = read_lines(path);
  for (const auto& one : cases) {
    lines[one.line + 1] = escape(actual(one));
  }
  std::ofstream file(path);
  for (const auto& line : lines) {
    file << line << "\n";
  }
  return cases.size();
}

}  // namespace kedge::testing
