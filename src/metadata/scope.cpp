#include "metadata/scope.h"

#include <algorithm>
#include <span>

#include "base/glob.h"
#include "base/text.h"
#include "kedge/codes.h"

namespace kedge::metadata {
namespace {

std::vector<std::string> segments_of(std::string_view text) {
  return base::split(base::replace_all(std::string(text), "::", "\n"), '\n');
}

bool is_valid(const std::string& segment) {
  if (segment == "**") {
    return true;
  }
  return !segment.empty() && segment.find("**") == std::string::npos &&
         std::all_of(segment.begin(), segment.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '*';
         });
}

bool match(std::span<const std::string> pattern, std::span<const std::string> name) {
  if (pattern.empty()) {
    return name.empty();
  }
  if (name.empty()) {
    return false;
  }
  if (pattern.front() == "**") {
    return match(pattern.subspan(1), name.subspan(1)) || match(pattern, name.subspan(1));
  }
  return base::matches_glob(pattern.front(), name.front()) &&
         match(pattern.subspan(1), name.subspan(1));
}

}  // namespace

ScopePattern::ScopePattern(const std::string& text, std::optional<Position> where)
    : segments_(segments_of(text)) {
  if (!std::all_of(segments_.begin(), segments_.end(), is_valid)) {
    throw Error(Problem{codes::ERR_SCOPE_PATTERN_INVALID,
                        "'" + text + "' is no pattern over qualified names",
                        std::move(where),
                        "segments joined by '::', '*' within a segment, '**' for several",
                        {}});
  }
}

bool ScopePattern::matches(std::string_view qualified_name) const {
  const std::vector<std::string> name = segments_of(qualified_name);
  return match(segments_, name);
}

}  // namespace kedge::metadata
