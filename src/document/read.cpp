// The entry of both readers: limits, byte order marks, and the bytes that no document may hold.
#include <algorithm>

#include "base/file_system.h"
#include "base/text.h"
#include "document/reader.h"
#include "kedge/codes.h"

namespace kedge::document {
namespace {

constexpr std::size_t kMostProblems = 100;
constexpr std::size_t kSmallMapping = 16;

std::string hex_of(unsigned value) {
  static constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string hex;
  for (unsigned rest = value; rest > 0 || hex.size() < 2; rest /= 16) {
    hex.insert(hex.begin(), kDigits[rest % 16]);
  }
  return hex;
}

struct BadByte {
  std::size_t at;
  std::string message;
};

// A code point that YAML does not allow in a file, or 0.
unsigned unprintable_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t offset) -> unsigned {
    return at + offset < text.size() ? static_cast<unsigned char>(text[at + offset]) : 0U;
  };
  if (byte(0) < 0x80) {
    const bool control = byte(0) < 0x20 && byte(0) != '\t' && byte(0) != '\n' && byte(0) != '\r';
    return control || byte(0) == 0x7F ? byte(0) : 0;
  }
  if (byte(0) == 0xC2 && byte(1) < 0xA0 && byte(1) != 0x85) {
    return byte(1);
  }
  if (byte(0) == 0xEF &&
      ((byte(1) == 0xBF && byte(2) >= 0xBE) || (byte(1) == 0xBB && byte(2) == 0xBF))) {
    return ((byte(0) & 15U) << 12U) | ((byte(1) & 63U) << 6U) | (byte(2) & 63U);
  }
  return 0;
}

// Replaces what no document may hold by characters of the same length, so that the rest can be read
// and all errors be reported at once.
class Cleaner {
 public:
  Cleaner(std::string& text, Format format) : text_(text), format_(format) {}

  std::vector<BadByte> clean() {
    std::size_t from = 0;
    while (const std::optional<std::size_t> bad =
               base::find_invalid_utf8(std::string_view(text_).substr(from))) {
      from += *bad;
      note(from, "byte 0x" + hex_of(static_cast<unsigned char>(text_[from])) +
                     " is not valid UTF-8 (byte offset " + std::to_string(from) + ")");
      text_[from++] = '?';
    }
    for (std::size_t at = text_.starts_with("\xEF\xBB\xBF") ? 3 : 0; at < text_.size(); ++at) {
      clean_at(at);
    }
    std::stable_sort(bad_.begin(), bad_.end(),
                     [](const BadByte& a, const BadByte& b) { return a.at < b.at; });
    return std::move(bad_);
  }

 private:
  void note(std::size_t at, std::string message) {
    if (bad_.size() < kMostProblems) {
      bad_.push_back({at, std::move(message)});
    }
  }
  void clean_at(std::size_t at) {
    if (text_[at] == '\0') {
      note(at, "NUL byte (byte offset " + std::to_string(at) + ")");
      text_[at] = '?';
    }
    if (format_ != Format::Yaml) {
      return;
    }
    const unsigned code_point = unprintable_at(text_, at);
    if (code_point == 0) {
      return;
    }
    note(at, "control character U+" + std::string(hex_of(code_point).size() < 4 ? "00" : "") +
                 hex_of(code_point) + " is not allowed in YAML");
    const std::string_view replacement = code_point < 0x80    ? "?"
                                         : code_point < 0x800 ? "\xC2\xBF"
                                                              : "\xEF\xBF\xBD";
    text_.replace(at, replacement.size(), replacement);
  }

  std::string& text_;
  Format format_;
  std::vector<BadByte> bad_;
};

bool has_utf16_mark(std::string_view text) {
  return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
}

void sort_problems(std::vector<Problem>& problems) {
  const auto place = [](const Problem& problem) {
    return problem.where ? std::pair(problem.where->line, problem.where->column)
                         : std::pair<std::size_t, std::size_t>(0, 0);
  };
  std::stable_sort(problems.begin(), problems.end(),
                   [&](const Problem& a, const Problem& b) { return place(a) < place(b); });
}

void read_clean(Document& document, const ReadOptions& options) {
  std::string text = document.source;
  const std::vector<BadByte> bad = Cleaner(text, document.format).clean();
  Reading reading(document, text, options);
  for (const BadByte& byte : bad) {
    reading.report(codes::ERR_DOCUMENT, byte.at, byte.message, "save the file as UTF-8 text");
  }
  if (document.format == Format::Json) {
    read_json(reading);
  } else {
    read_yaml(reading);
  }
  sort_problems(document.problems);
}

}  // namespace

Reading::Reading(Document& document_read, std::string_view clean_text,
                 const ReadOptions& read_options)
    : document(document_read), text(clean_text), options(read_options), index(clean_text) {}

void Reading::report(Code code, std::size_t byte, std::string message, std::string hint) {
  const Range place = index.range(byte, byte);
  document.problems.push_back({code,
                               std::move(message),
                               Position{document.file, place.line, place.column},
                               std::move(hint),
                               {}});
}

void Reading::report_duplicate(const Node& first, const Node& second) {
  const Position before = document.position(first);
  Problem problem{codes::ERR_DOCUMENT,
                  "duplicate key '" + std::string(base::truncate_utf8(second.text, 100)) +
                      "' (first at line " + std::to_string(before.line) + ", column " +
                      std::to_string(before.column) + ")",
                  document.position(second),
                  "remove one of the two",
                  {{"the first one is here", before}}};
  document.problems.push_back(std::move(problem));
}

bool Reading::full() const {
  return document.problems.size() >= kMostProblems;
}

std::optional<std::size_t> KeySet::find(const std::vector<Entry>& entries, const std::string& key) {
  if (entries.size() <= kSmallMapping) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].key.text == key) {
        return i;
      }
    }
    return std::nullopt;
  }
  for (; hashed_ < entries.size(); ++hashed_) {
    by_key_.emplace(entries[hashed_].key.text, hashed_);
  }
  const auto found = by_key_.find(key);
  return found != by_key_.end() ? std::optional(found->second) : std::nullopt;
}

Format format_of(std::string_view path) {
  return base::extension(path) == "json" ? Format::Json : Format::Yaml;
}

Document read_document(std::string file, std::string source, Format format,
                       const ReadOptions& options) {
  Document document;
  document.file = std::move(file);
  document.format = format;
  document.source = std::move(source);
  document.root.kind = Kind::Mapping;
  document.root.style = Style::Block;
  const auto refuse = [&](Code code, std::string message, std::string hint) {
    document.problems.push_back(
        {code, std::move(message), Position{document.file, 1, 1}, std::move(hint), {}});
  };
  if (document.source.size() > options.limits.bytes) {
    refuse(codes::ERR_LIMIT,
           "the file has " + std::to_string(document.source.size()) + " bytes, at most " +
               std::to_string(options.limits.bytes) + " are read",
           "split the file");
  } else if (has_utf16_mark(document.source)) {
    refuse(codes::ERR_DOCUMENT, "the file is UTF-16", "save the file as UTF-8");
  } else {
    read_clean(document, options);
  }
  return document;
}

}  // namespace kedge::document
