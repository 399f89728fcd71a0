// One catalog row, read by position. Catalog queries of this module give every column as a plain
// integer, boolean or text, so a value is never converted twice.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/connection.h"

namespace kedge::dialect {

class RowView {
 public:
  explicit RowView(const db::Row& row) : row_(row) {}
  bool is_null(std::size_t index) const { return row_[index].index() == 0; }
  // Valid as long as the row; empty for NULL.
  const std::string& text(std::size_t index) const {
    static const std::string kNone;
    const auto* value = std::get_if<std::string>(&row_[index]);
    return value == nullptr ? kNone : *value;
  }
  std::int64_t integer(std::size_t index) const {
    if (const auto* value = std::get_if<std::int64_t>(&row_[index])) {
      return *value;
    }
    return db::to_integer(row_[index]).value_or(0);
  }
  bool flag(std::size_t index) const {
    const auto* value = std::get_if<bool>(&row_[index]);
    return value == nullptr ? integer(index) != 0 : *value;
  }
  std::uint32_t oid(std::size_t index) const { return static_cast<std::uint32_t>(integer(index)); }

 private:
  const db::Row& row_;
};

// Runs a catalog query and hands on each row as it arrives.
template <typename Handler>
void read_rows(db::Connection& connection, std::string_view sql, const Handler& handle) {
  connection.stream(sql, [&](const db::Row& row) {
    handle(RowView(row));
    return true;
  });
}

// Lists that the catalog queries join into one text use this separator.
constexpr char kListSeparator = '\x1f';
std::vector<std::string> split_list(std::string_view text);  // empty text: no items
// "name=value" items.
std::pair<std::string, std::string> split_option(std::string_view item);

// Without the parentheses that surround all of it; quotes are minded.
std::string_view without_outer_parentheses(std::string_view expression);
// The content of a text that is one string literal and nothing else; '' is '.
bool read_string_literal(std::string_view text, std::string& content);
bool is_number(std::string_view text);

}  // namespace kedge::dialect
