#include "metadata/check_text.h"

#include <charconv>
#include <vector>

#include "base/text.h"
#include "sql/analysis.h"

namespace kedge::metadata {
namespace {

using document::Json;

// The literals of a text: what bounds and patterns may be made of.
struct Literals {
  std::vector<std::string> numbers;
  std::vector<std::string> strings;
};

Literals literals_of(const std::string& expression, schema::Dialect dialect) {
  Literals out;
  std::string before;
  for (const sql::Token& token : sql::tokenize(expression, dialect)) {
    const std::string word = expression.substr(token.begin, token.end - token.begin);
    if (token.kind == sql::TokenKind::Number) {
      out.numbers.push_back((before == "-" ? "-" : "") + word);
    } else if (token.kind == sql::TokenKind::String && word.size() >= 2 && word[0] == '\'') {
      out.strings.push_back(base::replace_all(word.substr(1, word.size() - 2), "''", "'"));
      out.numbers.push_back(out.strings.back());  // postgres: '-1'::integer
    }
    before = word;
  }
  return out;
}

std::optional<Json> number_of(const std::string& text) {
  std::int64_t whole = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error == std::errc() && end == text.data() + text.size()) {
    return Json(whole);
  }
  double value = 0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool read = problem == std::errc() && stop == text.data() + text.size();
  return read && document::write_json(Json(value), -1) == text ? std::optional(Json(value))
                                                               : std::nullopt;
}

// Which bounds of these numbers give the text?
std::optional<Json> bounds_of(const std::string& what, const std::string& wanted,
                              const std::vector<std::string>& numbers, schema::Dialect dialect) {
  std::vector<std::pair<std::string, std::string>> tries;
  for (const std::string& number : numbers) {
    tries.emplace_back(number, "");
    tries.emplace_back("", number);
  }
  if (numbers.size() == 2) {
    tries.emplace_back(numbers[0], numbers[1]);
  }
  for (const auto& [minimum, maximum] : tries) {
    if (sql::normal_expression(range_text(what, minimum, maximum), dialect) != wanted) {
      continue;
    }
    Json bounds = Json::object();
    for (const auto& [key, text] : {std::pair("min", minimum), std::pair("max", maximum)}) {
      const auto number = text.empty() ? std::nullopt : number_of(text);
      if (number) {
        bounds.set(key, *number);
      } else if (!text.empty()) {
        return std::nullopt;
      }
    }
    return bounds;
  }
  return std::nullopt;
}

}  // namespace

std::string range_text(const std::string& what, const std::string& minimum,
                       const std::string& maximum) {
  std::string sql = minimum.empty() ? "" : what + " >= " + minimum;
  if (!maximum.empty()) {
    sql += (sql.empty() ? "" : " AND ") + what + " <= " + maximum;
  }
  return sql;
}

std::string length_text(const Writer& writer, const std::string& column) {
  return (writer.is_mysql() ? "char_length(" : "length(") + writer.quote(column) + ")";
}

std::string regex_text(const Writer& writer, const std::string& column,
                       const std::string& pattern) {
  if (writer.is_postgres()) {
    return writer.quote(column) + " ~ " + writer.text(pattern);
  }
  if (writer.is_mysql()) {
    return writer.quote(column) + " REGEXP " + writer.text(pattern);
  }
  if (writer.is_duckdb()) {
    return "regexp_matches(" + writer.quote(column) + ", " + writer.text(pattern) + ")";
  }
  return {};
}

bool checks_have_names(const Writer& writer) {
  return !writer.is_sqlite() && !writer.is_duckdb();
}

std::optional<DescribedRule> describe_check(const Writer& writer, const schema::Table& table,
                                            const schema::Column& column,
                                            const schema::Check& check) {
  const schema::Dialect dialect = writer.dialect();
  const std::string stem = table.name.name.text() + "_" + column.name.text();
  const auto fits = [&](const char* tail) {
    return !checks_have_names(writer) || check.name.text() == writer.fit(stem + tail);
  };
  const Literals literals = literals_of(check.expression, dialect);
  const std::string wanted = sql::normal_expression(check.expression, dialect);
  const std::string name = column.name.text();
  if (fits("_numeric_chk") && column.type.kind <= schema::TypeKind::Numeric) {
    if (auto bounds = bounds_of(writer.quote(name), wanted, literals.numbers, dialect)) {
      return DescribedRule{"validator.numeric", std::move(*bounds)};
    }
  }
  if (fits("_length_chk")) {
    if (auto bounds = bounds_of(length_text(writer, name), wanted, literals.numbers, dialect)) {
      return DescribedRule{"validator.length", std::move(*bounds)};
    }
  }
  if (fits("_regex_chk") && literals.strings.size() == 1) {
    const std::string text = regex_text(writer, name, literals.strings[0]);
    if (!text.empty() && sql::normal_expression(text, dialect) == wanted) {
      Json pattern = Json::object();
      pattern.set("pattern", literals.strings[0]);
      return DescribedRule{"validator.regex", std::move(pattern)};
    }
  }
  return std::nullopt;
}

}  // namespace kedge::metadata
