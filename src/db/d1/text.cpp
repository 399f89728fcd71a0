#include "db/d1/text.h"

#include <charconv>

#include "base/text.h"
#include "db/failure.h"
#include "kedge/codes.h"

namespace kedge::db::d1 {
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

bool is_single(std::string_view sql) {
  bool ended = false;
  bool single = true;
  each_plain_byte(sql, [&](std::size_t at) {
    const char c = sql[at];
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
    single = single && (!ended || blank || c == ';');
    ended = ended || c == ';';
  });
  // A quote after the end is a second statement too.
  return single && (!ended || leading_word(sql.substr(sql.rfind(';') + 1)).empty());
}

std::string without_end(std::string_view sql) {
  sql = base::trim(sql);
  while (sql.ends_with(';')) {
    sql.remove_suffix(1);
    sql = base::trim(sql);
  }
  return std::string(sql);
}

std::string literal(const Value& value) {
  if (is_null(value)) {
    return "NULL";
  }
  if (const auto* truth = std::get_if<bool>(&value)) {
    return *truth ? "1" : "0";
  }
  if (const auto* bytes = std::get_if<Bytes>(&value)) {
    return "x'" + base::to_hex({reinterpret_cast<const char*>(bytes->data()), bytes->size()}) + "'";
  }
  if (const auto* text = std::get_if<std::string>(&value)) {
    return "'" + base::replace_all(*text, "'", "''") + "'";
  }
  return to_text(value);
}

std::string with_literals(std::string_view sql, std::span<const Value> parameters) {
  std::string result;
  std::size_t copied = 0;
  std::size_t used = 0;
  each_plain_byte(sql, [&](std::size_t at) {
    if (sql[at] == '?' && used < parameters.size()) {
      result += sql.substr(copied, at - copied);
      result += literal(parameters[used]);
      copied = at + 1;
      ++used;
    }
  });
  if (used != parameters.size()) {
    throw Error(codes::ERR_INTERNAL, "a statement has fewer places than parameters");
  }
  return result + std::string(sql.substr(copied));
}

Value unquoted(std::string_view text) {
  if (text == "NULL") {
    return std::monostate();
  }
  if (text.starts_with('\'') && text.size() >= 2) {
    return base::replace_all(std::string(text.substr(1, text.size() - 2)), "''", "'");
  }
  if (text.starts_with("X'") && text.size() >= 3) {
    Bytes bytes;
    for (std::size_t i = 2; i + 2 < text.size(); i += 2) {
      unsigned int byte = 0;
      std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
      bytes.push_back(static_cast<std::byte>(byte));
    }
    return bytes;
  }
  const char* last = text.data() + text.size();
  std::int64_t integer = 0;
  if (const auto [end, error] = std::from_chars(text.data(), last, integer);
      error == std::errc() && end == last) {
    return integer;
  }
  double real = 0;
  if (const auto [end, error] = std::from_chars(text.data(), last, real);
      error == std::errc() && end == last) {
    return real;
  }
  return std::string(text);
}

bool is_read(std::string_view sql) {
  const std::string word = leading_word(sql);
  if (word == "PRAGMA") {
    bool assigns = false;
    each_plain_byte(sql, [&](std::size_t at) { assigns = assigns || sql[at] == '='; });
    return !assigns;
  }
  return word == "SELECT" || word == "VALUES" || word == "EXPLAIN" || word == "WITH";
}

}  // namespace kedge::db::d1
