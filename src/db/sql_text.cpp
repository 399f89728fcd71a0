#include "db/sql_text.h"

#include <algorithm>

#include "base/text.h"

namespace kedge::db {
namespace {

// The end of the quote or comment that begins at `at`, or `at` when none does.
std::size_t skip_quoted(std::string_view sql, std::size_t at) {
  const std::string_view rest = sql.substr(at);
  const auto after = [&](std::string_view close, std::size_t from) {
    const std::size_t end = sql.find(close, from);
    return end == std::string_view::npos ? sql.size() : end + close.size();
  };
  if (rest.starts_with("--")) {
    return after("\n", at);
  }
  if (rest.starts_with("/*")) {
    return after("*/", at + 2);
  }
  const char first = rest.empty() ? '\0' : rest[0];
  if (first == '[') {
    return after("]", at + 1);
  }
  // A doubled quote ends one string and begins the next: the same bytes are skipped.
  return first == '\'' || first == '"' || first == '`' ? after(rest.substr(0, 1), at + 1) : at;
}

}  // namespace

void each_plain_byte(std::string_view sql, const std::function<void(std::size_t)>& visit) {
  std::size_t at = 0;
  while (at < sql.size()) {
    const std::size_t end = skip_quoted(sql, at);
    if (end != at) {
      at = end;
    } else {
      visit(at++);
    }
  }
}

bool is_single_statement(std::string_view sql) {
  std::size_t end = sql.size();
  each_plain_byte(sql, [&](std::size_t at) { end = sql[at] == ';' ? std::min(end, at) : end; });
  constexpr std::string_view kNothing = " \t\r\n\f;";
  while (end < sql.size()) {
    const std::string_view rest = sql.substr(end);
    if (kNothing.find(rest[0]) != std::string_view::npos) {
      ++end;
    } else if (rest.starts_with("--") || rest.starts_with("/*")) {
      end = skip_quoted(sql, end);
    } else {
      return false;
    }
  }
  return true;
}

std::string without_semicolon(std::string_view sql) {
  sql = base::trim(sql);
  while (sql.ends_with(';')) {
    sql.remove_suffix(1);
    sql = base::trim(sql);
  }
  return std::string(sql);
}

}  // namespace kedge::db
