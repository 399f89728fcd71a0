#include "dialect/view_stamp.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "sql/analysis.h"

namespace kedge::dialect {
namespace {

bool is_hex(std::string_view text, std::size_t digits) {
  return text.size() == digits && std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isdigit(c) != 0 || (c >= 'a' && c <= 'f');
         });
}

}  // namespace

bool read_stamp(std::string_view text, schema::View& view) {
  const std::vector<std::string> parts = base::split(text, ':');
  const bool ours = parts.size() >= 4 && parts[0] == "kedge" && parts[2] == "sha256";
  const bool theirs = parts.size() >= 4 && parts[0] == "metaobjects" && parts[2] == "sha256";
  if ((!ours && !theirs) || !is_hex(parts[3], 64)) {
    return false;
  }
  view.stamp = std::string(text);
  if (ours && parts[1] == "v1") {
    view.fingerprint = parts[3];
    if (parts.size() >= 6 && parts[4] == "def" && is_hex(parts[5], 32)) {
      view.definition_hash = parts[5];
    }
  }
  return true;
}

void check_rendering(schema::View& view, std::string_view hash_now) {
  if (view.definition_hash && *view.definition_hash != hash_now) {
    view.definition_hash = std::string(kChangedUnderStamp);
  }
}

void read_comment_stamp(std::string_view comment, schema::View& view) {
  const std::size_t line = comment.rfind('\n');
  const std::string_view last = line == std::string_view::npos ? comment : comment.substr(line + 1);
  if (read_stamp(last, view)) {
    comment = line == std::string_view::npos ? std::string_view() : comment.substr(0, line);
  }
  view.comment = std::string(comment);
}

namespace {

constexpr std::string_view kStampedPart = " AS (SELECT 1)";

// Where the names of a WITH clause begin; 0 without such a clause.
std::size_t with_names(std::string_view body) {
  std::size_t begin = 0;
  for (const sql::Token& token : sql::tokenize(body, schema::Dialect::Sqlite)) {
    const std::string_view word = body.substr(token.begin, token.end - token.begin);
    const bool expected = base::equals_ignoring_case(word, begin == 0 ? "with" : "recursive");
    if (token.kind != sql::TokenKind::Comment && !expected) {
      break;
    }
    begin = expected ? token.end : begin;
  }
  return begin;
}

void read_query_stamp(schema::View& view) {
  const std::size_t begin = with_names(view.body);
  const std::size_t open = view.body.find_first_not_of(" \n", begin);
  if (begin == 0 || open == std::string::npos || view.body[open] != '"') {
    return;
  }
  const std::size_t close = view.body.find('"', open + 1);
  if (close == std::string::npos ||
      view.body.compare(close + 1, kStampedPart.size(), kStampedPart) != 0 ||
      !read_stamp(std::string_view(view.body).substr(open + 1, close - open - 1), view)) {
    return;
  }
  const std::string rest(
      base::trim(std::string_view(view.body).substr(close + 1 + kStampedPart.size())));
  view.body = rest.starts_with(",") ? view.body.substr(0, begin) + rest.substr(1) : rest;
}

}  // namespace

std::string stamp_query(const std::string& body, std::string_view stamp) {
  const std::string name = "\"" + std::string(stamp) + "\"" + std::string(kStampedPart);
  const std::size_t begin = with_names(body);
  return begin == 0 ? "WITH " + name + "\n" + body
                    : body.substr(0, begin) + " " + name + "," + body.substr(begin);
}

void read_body_stamp(schema::View& view) {
  read_query_stamp(view);
  static constexpr std::string_view kOpen = "/* ";
  const std::size_t close = view.body.find(" */");
  if (view.body.starts_with(kOpen) && close != std::string::npos &&
      read_stamp(std::string_view(view.body).substr(kOpen.size(), close - kOpen.size()), view)) {
    view.body = std::string(base::trim(std::string_view(view.body).substr(close + 3)));
  }
}

}  // namespace kedge::dialect
