// JSON as it stands in a text: members and nested values with every digit that was written, where a
// reader of JSON would make each number a DOUBLE first.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kedge::db::duckdb {

// The first member of an object by that name, without the blanks between its parts; nullopt where
// there is none, it is null, or the text is no object.
std::optional<std::string> member_value(std::string_view json, std::string_view name);
// The same, a string without its quotes and escapes.
std::optional<std::string> member_text(std::string_view json, std::string_view name);

// A JSON value as DuckDB spells lists, structs and maps of texts, so that a CAST reads it. Members
// that the shape does not know are left out. nullopt where the value has another shape.
//   shape: 't' text | 'j' JSON | 'l' shape | 'm' shape (keys are texts)
//          | 's' ( length ':' name shape )* ';'
std::optional<std::string> nested_text(std::string_view json, std::string_view shape);

// Does a number have more decimal places than that, blanks and exponents understood?
bool has_more_places(std::string_view number, int places);

}  // namespace kedge::db::duckdb
