#include "codegen/names.h"

#include "base/glob.h"
#include "base/text.h"

namespace kedge::codegen {
namespace {

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string capitalised(std::string word) {
  if (!word.empty() && is_lower(word[0])) {
    word[0] = static_cast<char>(word[0] - 'a' + 'A');
  }
  return word;
}

// "a::b" -> segments.
std::vector<std::string> segments_of(std::string_view name) {
  std::vector<std::string> segments;
  while (true) {
    const std::size_t at = name.find("::");
    segments.emplace_back(name.substr(0, at));
    if (at == std::string_view::npos) {
      return segments;
    }
    name.remove_prefix(at + 2);
  }
}

bool matches_from(const std::vector<std::string>& pattern, std::size_t p,
                  const std::vector<std::string>& name, std::size_t n) {
  if (p == pattern.size()) {
    return n == name.size();
  }
  if (pattern[p] == "**") {
    for (std::size_t next = n + 1; next <= name.size(); ++next) {
      if (matches_from(pattern, p + 1, name, next)) {
        return true;
      }
    }
    return false;
  }
  return n < name.size() && base::matches_glob(pattern[p], name[n]) &&
         matches_from(pattern, p + 1, name, n + 1);
}

}  // namespace

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) {
      words.push_back(base::to_lower(word));
      word.clear();
    }
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '_' || c == '-' || c == ' ' || c == ':' || c == '.') {
      end_word();
      continue;
    }
    const bool after_lower = !word.empty() && (is_lower(word.back()) || is_digit(word.back()));
    const bool last_of_run = !word.empty() && i + 1 < name.size() && is_lower(name[i + 1]);
    if (is_upper(c) && (after_lower || (last_of_run && is_upper(word.back())))) {
      end_word();
    }
    word += c;
  }
  end_word();
  if (words.empty() && !name.empty()) {
    words.emplace_back("underscore");  // a name of separators only has to be called something
  }
  return words;
}

std::string pascal_case(std::string_view name) {
  std::string result;
  for (const std::string& word : words_of(name)) {
    result += capitalised(word);
  }
  return result;
}

std::string camel_case(std::string_view name) {
  std::string result;
  for (const std::string& word : words_of(name)) {
    result += result.empty() ? word : capitalised(word);
  }
  return result;
}

std::string snake_case(std::string_view name) {
  return base::join(words_of(name), "_");
}
std::string upper_case(std::string_view name) {
  return base::to_upper(snake_case(name));
}
std::string kebab_case(std::string_view name) {
  return base::join(words_of(name), "-");
}

std::string identifier(std::string name, const std::set<std::string>& reserved) {
  if (reserved.contains(name)) {
    name += "_";
  }
  if (!name.empty() && is_digit(name[0])) {
    name = "_" + name;
  }
  return name;
}

std::string rest_segment(std::string_view name) {
  std::string segment = snake_case(name);
  const auto ends = [&](std::string_view end) { return segment.ends_with(end); };
  const bool vowel_before =
      segment.size() > 1 &&
      std::string_view("aeiou").find(segment[segment.size() - 2]) != std::string_view::npos;
  if (ends("y") && segment.size() > 1 && !vowel_before) {
    return segment.substr(0, segment.size() - 1) + "ies";
  }
  return segment + (ends("s") || ends("x") || ends("z") || ends("ch") || ends("sh") ? "es" : "s");
}

std::string package_path(std::string_view package) {
  return base::replace_all(std::string(package), "::", "/");
}

bool is_valid_pattern(std::string_view pattern) {
  for (const std::string& segment : segments_of(pattern)) {
    const bool stars = segment.find("**") != std::string::npos && segment != "**";
    const bool odd = segment.find_first_of(": \t\n/") != std::string::npos;
    if (segment.empty() || stars || odd) {
      return false;
    }
  }
  return true;
}

bool matches_pattern(std::string_view pattern, std::string_view qualified_name) {
  return matches_from(segments_of(pattern), 0, segments_of(qualified_name), 0);
}

}  // namespace kedge::codegen
