// Lines of PostgreSQL's output plugin test_decoding as values: which table a change belongs to and
// the texts of its columns. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kedge::pipeline {

using DecodedRow = std::map<std::string, std::optional<std::string>>;  // nullopt: NULL

struct DecodedChange {
  enum class Kind { Insert, Update, Delete, Truncate } kind = Kind::Insert;
  std::vector<std::string> tables;  // quoted as the server quotes them; one but for Truncate
  DecodedRow old_key;               // Update that changed its key, and Delete
  DecodedRow row;                   // Insert and Update
};

// nullopt: no change of a row (BEGIN, COMMIT, a message), or a text that is not understood.
std::optional<DecodedChange> parse_decoded_change(std::string_view line);
// The transaction that a "BEGIN 742" opens.
std::optional<std::string> parse_decoded_begin(std::string_view line);

}  // namespace kedge::pipeline
