// What the YAML and the JSON reader share: the document under construction and its problems.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "document/node.h"
#include "document/text_index.h"

namespace kedge::document {

class Reading {
 public:
  // `text` is the source with bytes that no document may hold replaced by others of equal length.
  Reading(Document& document, std::string_view text, const ReadOptions& options);
  void report(Code code, std::size_t byte, std::string message, std::string hint = {});
  void report_duplicate(const Node& first, const Node& second);
  bool full() const;  // so many problems that reading on does not help anybody

  Document& document;
  std::string_view text;
  const ReadOptions& options;
  TextIndex index;
};

// The keys of one mapping that were seen so far: small mappings are searched, large ones hashed.
class KeySet {
 public:
  // The index of the entry that has this key already, or nothing.
  std::optional<std::size_t> find(const std::vector<Entry>& entries, const std::string& key);

 private:
  std::unordered_map<std::string, std::size_t> by_key_;
  std::size_t hashed_ = 0;
};

Kind kind_of_plain(std::string_view text);  // YAML 1.2 core schema; booleans are true and false

void read_yaml(Reading& reading);
void read_json(Reading& reading);

}  // namespace kedge::document
