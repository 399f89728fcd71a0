// Patterns over qualified names: migrate.scope, and include/exclude of gen targets. "::" separates;
// '*' matches within a segment, a segment "**" stands for one or more segments.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kedge/error.h"

namespace kedge::metadata {

class ScopePattern {
 public:
  // Throws ERR_SCOPE_PATTERN_INVALID.
  explicit ScopePattern(const std::string& text, std::optional<Position> where = std::nullopt);
  bool matches(std::string_view qualified_name) const;

 private:
  std::vector<std::string> segments_;
};

}  // namespace kedge::metadata
