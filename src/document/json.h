// JSON on the way out: a small ordered value and its writer. Members keep the order in which they
// were set; the same value always gives the same bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "document/node.h"

namespace kedge::document {

class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;

  Json() = default;                                 // null
  Json(std::nullptr_t) {}                           // NOLINT(google-explicit-constructor)
  Json(bool value) : value_(value) {}               // NOLINT(google-explicit-constructor)
  Json(int value) : value_(std::int64_t{value}) {}  // NOLINT(google-explicit-constructor)
  Json(std::int64_t value) : value_(value) {}       // NOLINT(google-explicit-constructor)
  Json(std::size_t value) : value_(static_cast<std::int64_t>(value)) {}  // NOLINT
  Json(double value) : value_(value) {}                  // NOLINT(google-explicit-constructor)
  Json(std::string value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Json(std::string_view value) : value_(std::string(value)) {}  // NOLINT
  Json(const char* value) : value_(std::string(value)) {}       // NOLINT
  static Json array() { return Json(Array{}); }
  static Json object() { return Json(Object{}); }
  explicit Json(Array items) : value_(std::move(items)) {}
  explicit Json(Object members) : value_(std::move(members)) {}

  // Appends or replaces a member; a null value becomes an object first.
  Json& set(std::string_view key, Json value);
  Json& push(Json value);  // a null value becomes an array first
  const Json* find(std::string_view key) const;
  Json* find(std::string_view key);
  bool is_null() const { return value_.index() == 0; }
  const Array* as_array() const { return std::get_if<Array>(&value_); }
  const Object* as_object() const { return std::get_if<Object>(&value_); }
  const std::string* as_string() const { return std::get_if<std::string>(&value_); }
  bool operator==(const Json&) const = default;

  using Value =
      std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object>;
  const Value& value() const { return value_; }

 private:
  Value value_;
};

// `indent` < 0: one line without spaces. Invalid UTF-8 is replaced by U+FFFD. NaN and infinities
// are written as null.
std::string write_json(const Json& value, int indent = 2);
Json to_json(const Node& node);  // scalars by their kind

}  // namespace kedge::document
