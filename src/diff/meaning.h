// What two texts, types and defaults mean: equality as the engine would see it. Normal forms are
// asked from the options only when texts differ, and kept.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "kedge/diff.h"

namespace kedge::diff {

class Meaning {
 public:
  explicit Meaning(const Options& options) : options_(options) {}
  bool same_expression(std::string_view a, std::string_view b);
  bool same_query(std::string_view a, std::string_view b);
  bool same_default(const schema::Column& actual, const schema::Column& expected);
  bool same_default(const std::optional<schema::Default>& actual,
                    const std::optional<schema::Default>& expected, const schema::Type& type);
  bool same_type(const schema::Type& actual, const schema::Type& expected) const;
  const std::string& normal(std::string_view expression);
  const Options& options() const { return options_; }
  bool exact() const { return options_.equality == Equality::Exact; }
  bool is_sqlite() const;

 private:
  std::string default_key(const schema::Default& value, const schema::Type& type);
  const Options& options_;
  std::unordered_map<std::string, std::string> expressions_;
  std::unordered_map<std::string, std::string> queries_;
};

// Runs of white space outside quotes become one blank; trimmed, without a trailing ';'.
std::string collapse(std::string_view sql);

}  // namespace kedge::diff
