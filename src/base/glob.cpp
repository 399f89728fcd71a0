#include "base/glob.h"

namespace kedge::base {
namespace {

// The length of the "[...]" that begins at `begin`; 0 when it does not end. A ']' that comes first
// is one of its characters.
std::size_t set_length(std::string_view pattern, std::size_t begin) {
  const bool negated = begin + 1 < pattern.size() && pattern[begin + 1] == '!';
  const std::size_t end = pattern.find(']', begin + (negated ? 3 : 2));
  return end == std::string_view::npos ? 0 : end + 1 - begin;
}

bool in_set(std::string_view set, char wanted) {
  const auto byte = [](char character) { return static_cast<unsigned char>(character); };
  const bool negated = set.starts_with('!');
  bool found = false;
  for (std::size_t i = negated ? 1 : 0; i < set.size(); ++i) {
    const bool range = i + 2 < set.size() && set[i + 1] == '-';
    found = found || (range ? byte(set[i]) <= byte(wanted) && byte(wanted) <= byte(set[i + 2])
                            : set[i] == wanted);
    i += range ? 2 : 0;
  }
  return found != negated;
}

// How many characters of the pattern at `p` match this one; 0 for none.
std::size_t matched(std::string_view pattern, std::size_t p, char character) {
  const std::size_t length = pattern[p] == '[' ? set_length(pattern, p) : 0;
  if (length > 0) {
    return in_set(pattern.substr(p + 1, length - 2), character) ? length : 0;
  }
  return pattern[p] == '?' || pattern[p] == character ? 1 : 0;
}

// `matched_at(pattern, place, character)`: how many characters of the pattern at this place match
// it; 0 for none.
template <class Matched>
bool matches(std::string_view pattern, std::string_view text, const Matched& matched_at) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t retry = 0;
  while (t < text.size()) {
    const bool is_star = p < pattern.size() && pattern[p] == '*';
    const std::size_t taken = p < pattern.size() && !is_star ? matched_at(pattern, p, text[t]) : 0;
    if (is_star) {
      star = p++;
      retry = t;
    } else if (taken > 0) {
      p += taken;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view text) {
  return matches(pattern, text, [](std::string_view at, std::size_t p, char character) {
    return at[p] == character ? std::size_t{1} : std::size_t{0};
  });
}

bool matches_file_glob(std::string_view pattern, std::string_view text) {
  return matches(pattern, text, matched);
}

}  // namespace kedge::base
