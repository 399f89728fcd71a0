#include "base/secrets.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace kedge::base {
namespace {

bool is_unreserved(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '_' || c == '.' || c == '~';
}

// The closing brace of a value that begins with one.
std::size_t closing_brace(std::string_view text, std::size_t begin) {
  for (std::size_t at = text.find('}', begin); at != std::string_view::npos;
       at = text.find('}', at + 2)) {
    if (at + 1 >= text.size() || text[at + 1] != '}') {
      return at;
    }
  }
  return std::string_view::npos;
}

}  // namespace

bool is_secret_key(std::string_view key) {
  const std::string lower = to_lower(key);
  constexpr std::array<std::string_view, 6> kWords = {"password", "passwd", "pwd",
                                                      "secret",   "token",  "passphrase"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

void each_odbc_pair(std::string_view text, const OdbcVisitor& visit) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t equals = text.find('=', at);
    if (equals == std::string_view::npos) {
      return;
    }
    const std::size_t begin = equals + 1;
    std::size_t end = text.find(';', begin);
    if (begin < text.size() && text[begin] == '{') {
      const std::size_t close = closing_brace(text, begin);
      end = close == std::string_view::npos ? close : text.find(';', close);
    }
    end = std::min(end, text.size());
    visit(trim(text.substr(at, equals - at)), begin, end);
    at = end + 1;
  }
}

std::vector<std::string> odbc_secrets(std::string_view text) {
  std::vector<std::string> found;
  each_odbc_pair(text, [&](std::string_view key, std::size_t begin, std::size_t end) {
    const std::string_view value = text.substr(begin, end - begin);
    if (!is_secret_key(key) || value.empty()) {
      return;
    }
    found.emplace_back(value);
    if (value.size() > 2 && value.front() == '{' && value.back() == '}') {
      const std::string inner(value.substr(1, value.size() - 2));
      found.push_back(inner);
      if (inner.find("}}") != std::string::npos) {
        found.push_back(replace_all(inner, "}}", "}"));
      }
    }
  });
  return found;
}

std::string percent_encode(std::string_view text, std::string_view digits, std::string_view kept) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_unreserved(c) || kept.find(c) != std::string_view::npos) {
      result += c;
    } else {
      result += '%';
      result += digits[byte >> 4U];
      result += digits[byte & 15U];
    }
  }
  return result;
}

std::string hide_secrets(std::string text, std::span<const std::string> secrets) {
  std::vector<std::string> words;
  for (const std::string& secret : secrets) {
    if (secret.empty()) {
      continue;
    }
    words.push_back(secret);
    for (const std::string_view digits : {"0123456789ABCDEF", "0123456789abcdef"}) {
      words.push_back(percent_encode(secret, digits, ""));
      words.push_back(percent_encode(secret, digits, "!$&'()*+,;="));
    }
  }
  // Longest first: a secret that holds another one must not be broken up by it.
  std::sort(words.begin(), words.end(), [](const std::string& a, const std::string& b) {
    return std::pair(b.size(), std::string_view(a)) < std::pair(a.size(), std::string_view(b));
  });
  words.erase(std::unique(words.begin(), words.end()), words.end());
  for (const std::string& word : words) {
    text = replace_all(std::move(text), word, kMask);
  }
  return text;
}

}  // namespace kedge::base
