// Reading fields of a document node with their mistakes: unknown keys, wrong kinds. Private to the
// readers of models and queries.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/reader.h"

namespace kedge::models {

enum class UnknownKeys { Refuse, Keep };

// Mistakes are collected, nothing is thrown: a reading function gives the best value it can.
class DocumentReader {
 public:
  explicit DocumentReader(const ReadContext& context) : context_(context) {}

  const ReadContext& context() const { return context_; }
  std::vector<Problem>& errors() { return errors_; }
  std::vector<Problem>& warnings() { return warnings_; }
  void set_unknown_keys(UnknownKeys unknown_keys) { unknown_keys_ = unknown_keys; }

  void error(Code code, std::string message, const document::Node& node, std::string hint = {});
  void error(Code code, std::string message, Place place, std::string hint = {});
  void warning(Code code, std::string message, Place place, std::string hint = {});

  // Is the node a mapping? If not, says so. Otherwise refuses keys outside `known`.
  bool mapping(const document::Node& node, std::span<const std::string_view> known,
               std::string_view what);
  // The value of a key; null and absent are the same.
  static const document::Node* value(const document::Node& mapping, std::string_view key);
  // A scalar as text; empty when absent.
  std::string text(const document::Node& mapping, std::string_view key, std::string_view what);
  std::optional<std::string> optional_text(const document::Node& mapping, std::string_view key,
                                           std::string_view what);
  std::optional<bool> flag(const document::Node& mapping, std::string_view key,
                           std::string_view what);
  std::optional<std::int64_t> count(const document::Node& mapping, std::string_view key,
                                    std::string_view what);
  // Calls for each item of a list; an absent list has none.
  void each(const document::Node& mapping, std::string_view key, std::string_view what,
            const std::function<void(const document::Node&)>& item);
  document::Json free_map(const document::Node& mapping, std::string_view key,
                          std::string_view what);
  std::map<std::string, document::Json> variables(const document::Node& mapping,
                                                  std::string_view key, std::string_view what);
  std::optional<ColumnType> type(const document::Node& mapping, std::string_view what);

 private:
  ReadContext context_;
  UnknownKeys unknown_keys_ = UnknownKeys::Refuse;
  std::vector<Problem> errors_;
  std::vector<Problem> warnings_;
};

Place place_of(const document::Node& node);
Place place_of(const document::Node& mapping, std::string_view key);  // of the value, else mapping
// The place of a byte of a scalar's text, as far as its style lets us tell.
Place place_in(const document::Node& scalar, std::string_view text, std::size_t offset);

Column read_column(DocumentReader& reader, const document::Node& node);
Measure read_measure(DocumentReader& reader, const document::Node& node);
Aggregation read_aggregation(DocumentReader& reader, const document::Node& node);
Join read_join(DocumentReader& reader, const document::Node& node);
Query read_query_object(DocumentReader& reader, const document::Node& node);
Model read_model_document(DocumentReader& reader, const document::Node& node);

}  // namespace kedge::models
