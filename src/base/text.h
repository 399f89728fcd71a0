// Small text functions that several modules need. Nothing here knows about SQL.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kedge::base {

std::string to_lower(std::string_view text);  // ASCII only
std::string to_upper(std::string_view text);  // ASCII only
bool equals_ignoring_case(std::string_view a, std::string_view b);
std::string_view trim(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);  // keeps empty parts
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string replace_all(std::string text, std::string_view from, std::string_view to);
bool is_valid_utf8(std::string_view text);
std::optional<std::size_t> find_invalid_utf8(std::string_view text);  // byte offset
std::size_t count_code_points(std::string_view text);
// Cuts to at most `bytes` bytes without splitting a code point.
std::string_view truncate_utf8(std::string_view text, std::size_t bytes);
// Milliseconds of "500ms", "5s", "30m", "2h", "7d", up to 10^9 of a unit; nothing for other texts.
std::optional<std::int64_t> parse_duration(std::string_view text);

std::size_t edit_distance(std::string_view a, std::string_view b);  // Levenshtein, bytes
// The nearest candidate within max(2, length / 3) edits or equal when lower-cased; first of equals.
std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> known);
// ", did you mean 'x'?" or an empty string.
std::string did_you_mean(std::string_view name, std::span<const std::string> known);

std::string to_hex(std::string_view bytes);
std::string sha256_hex(std::string_view bytes);
std::string md5_hex(std::string_view bytes);
std::uint64_t hash64(std::string_view bytes);  // xxHash, for fingerprints that are not security

}  // namespace kedge::base
