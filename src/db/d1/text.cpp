#include "db/d1/text.h"

#include <charconv>

#include "base/text.h"
#include "db/failure.h"
#include "db/sql_text.h"
#include "kedge/codes.h"

namespace kedge::db::d1 {

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
