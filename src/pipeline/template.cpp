#include "pipeline/template.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "base/text.h"
#include "kedge/codes.h"

namespace kedge::pipeline {
namespace {

constexpr std::size_t kFaultsPerFile = 100;

using document::Kind;
using document::Node;
using document::Style;

constexpr int kMaxDepth = 50;

bool is_name_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_name_part(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Thrown and caught inside this file only: one fault ends the reading of one marker.
struct Fault {
  std::size_t offset;
  std::string text;
};

// Reads what stands between {{ and }}.
class MarkerReader {
 public:
  MarkerReader(std::string_view file, std::string_view source, std::size_t at)
      : file_(file), source_(source), at_(at) {}

  std::size_t at() const { return at_; }

  Segment read(std::size_t begin) {
    Segment segment;
    segment.marker = true;
    segment.begin = begin;
    skip_blanks();
    if (accept('[')) {
      segment.list = true;
      do {
        segment.calls.push_back(read_call());
      } while (accept(','));
      expect(']');
    } else {
      segment.calls.push_back(read_call());
    }
    skip_blanks();
    if (source_.substr(at_, 2) != "}}") {
      throw Fault{at_, "'}}' expected"};
    }
    at_ += 2;
    segment.end = at_;
    return segment;
  }

 private:
  void skip_blanks() {
    while (at_ < source_.size() && std::isspace(static_cast<unsigned char>(source_[at_])) != 0) {
      ++at_;
    }
  }
  char peek() {
    skip_blanks();
    return at_ < source_.size() ? source_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c || at_ >= source_.size()) {
      return false;
    }
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) {
      throw Fault{at_, std::string("'") + c + "' expected"};
    }
  }
  document::Range range_from(std::size_t begin) const {
    const Position place = place_of(file_, source_, begin);
    return {begin, at_, place.line, place.column};
  }

  std::string read_name() {
    skip_blanks();
    const std::size_t begin = at_;
    if (at_ < source_.size() && is_name_start(source_[at_])) {
      while (at_ < source_.size() && is_name_part(source_[at_])) {
        ++at_;
      }
    }
    if (begin == at_) {
      throw Fault{at_, "a name was expected"};
    }
    return std::string(source_.substr(begin, at_ - begin));
  }

  Call read_call() {
    skip_blanks();
    const std::size_t begin = at_;
    Call call;
    call.function = read_name();
    if (accept('(')) {
      if (!accept(')')) {
        do {
          call.arguments.push_back(read_argument());
        } while (accept(','));
        expect(')');
      }
    }
    call.range = range_from(begin);
    return call;
  }

  // `name: value` or a value; a quoted text followed by ':' is a name too.
  Argument read_argument() {
    Argument argument;
    skip_blanks();
    const std::size_t begin = at_;
    if (at_ < source_.size() && is_name_start(source_[at_])) {
      const std::string word = read_name();
      const std::size_t after = at_;
      argument.key = scalar(Kind::String, Style::Plain, word, begin);
      if (accept(':')) {
        argument.name = word;
        argument.value = read_value(0);
        return argument;
      }
      at_ = after;
      argument.value = word_value(word, begin);
      return argument;
    }
    argument.value = read_value(0);
    return argument;
  }

  Node scalar(Kind kind, Style style, std::string text, std::size_t begin) const {
    Node node;
    node.kind = kind;
    node.style = style;
    node.text = std::move(text);
    node.range = range_from(begin);
    return node;
  }

  Node word_value(const std::string& word, std::size_t begin) const {
    if (word == "true" || word == "false") {
      return scalar(Kind::Boolean, Style::Plain, word, begin);
    }
    throw Fault{begin, "'" + word + "' is no value: texts need quotes"};
  }

  Node read_value(int depth) {
    if (depth > kMaxDepth) {
      throw Fault{at_, "the value is nested too deeply"};
    }
    const char c = peek();
    const std::size_t begin = at_;
    if (c == '\'' || c == '"') {
      return read_text(c);
    }
    if (c == '[') {
      return read_list(depth);
    }
    if (c == '{') {
      return read_mapping(depth);
    }
    if (is_name_start(c)) {
      const std::string word = read_name();
      return word_value(word, begin);
    }
    return read_number();
  }

  Node read_text(char quote) {
    const std::size_t begin = at_++;
    std::string text;
    while (at_ < source_.size()) {
      const char c = source_[at_++];
      if (c != quote) {
        text += c;
      } else if (at_ < source_.size() && source_[at_] == quote) {
        text += source_[at_++];
      } else {
        return scalar(Kind::String, quote == '"' ? Style::DoubleQuoted : Style::SingleQuoted,
                      std::move(text), begin);
      }
    }
    throw Fault{begin, "the text is not closed"};
  }

  Node read_number() {
    const std::size_t begin = at_;
    bool fraction = false;
    if (at_ < source_.size() && (source_[at_] == '-' || source_[at_] == '+')) {
      ++at_;
    }
    const std::size_t digits = at_;
    while (at_ < source_.size() &&
           (std::isdigit(static_cast<unsigned char>(source_[at_])) != 0 || source_[at_] == '.')) {
      fraction = fraction || source_[at_] == '.';
      ++at_;
    }
    if (digits == at_) {
      at_ = begin;
      throw Fault{begin, "a value was expected"};
    }
    return scalar(fraction ? Kind::Float : Kind::Integer, Style::Plain,
                  std::string(source_.substr(begin, at_ - begin)), begin);
  }

  Node read_list(int depth) {
    const std::size_t begin = at_;
    Node node;
    node.kind = Kind::Sequence;
    node.style = Style::Flow;
    expect('[');
    if (!accept(']')) {
      do {
        node.items.push_back(read_value(depth + 1));
      } while (accept(','));
      expect(']');
    }
    node.range = range_from(begin);
    return node;
  }

  Node read_mapping(int depth) {
    const std::size_t begin = at_;
    Node node;
    node.kind = Kind::Mapping;
    node.style = Style::Flow;
    expect('{');
    if (!accept('}')) {
      do {
        node.entries.push_back(read_entry(node, depth));
      } while (accept(','));
      expect('}');
    }
    node.range = range_from(begin);
    return node;
  }

  document::Entry read_entry(const Node& mapping, int depth) {
    document::Entry entry;
    const char c = peek();
    const std::size_t begin = at_;
    if (c == '\'' || c == '"') {
      entry.key = read_text(c);
    } else {
      std::string name = read_name();
      entry.key = scalar(Kind::String, Style::Plain, std::move(name), begin);
    }
    if (mapping.find(entry.key.text) != nullptr) {
      throw Fault{begin, "'" + entry.key.text + "' is given twice"};
    }
    expect(':');
    entry.value = read_value(depth + 1);
    return entry;
  }

  std::string file_;
  std::string_view source_;
  std::size_t at_;
};

// Walks the SQL far enough to know what is a comment and what is quoted.
class Scanner {
 public:
  explicit Scanner(Template& result) : result_(result), source_(result.source) {}

  void run() {
    while (at_ < source_.size()) {
      step();
    }
    end_text(source_.size());
  }

 private:
  bool starts(std::string_view text) const { return source_.substr(at_, text.size()) == text; }

  void step() {
    if (starts("--")) {
      const std::size_t end = source_.find('\n', at_);
      at_ = end == std::string_view::npos ? source_.size() : end;
    } else if (starts("/*")) {
      skip_block_comment();
    } else if (starts("{{")) {
      read_marker();
    } else if (source_[at_] == '\'' || source_[at_] == '"') {
      quoted_ = quoted_ == source_[at_] ? '\0' : (quoted_ == '\0' ? source_[at_] : quoted_);
      ++at_;
      skip_quoted();
    } else {
      ++at_;
    }
  }

  // Inside quotes markers still count, comments do not start.
  void skip_quoted() {
    while (quoted_ != '\0' && at_ < source_.size()) {
      if (starts("{{")) {
        read_marker();
      } else {
        const char c = source_[at_++];
        quoted_ = c == quoted_ ? '\0' : quoted_;
      }
    }
  }

  void skip_block_comment() {
    int depth = 0;
    while (at_ < source_.size()) {
      if (starts("/*")) {
        ++depth;
        at_ += 2;
      } else if (starts("*/")) {
        at_ += 2;
        if (--depth == 0) {
          return;
        }
      } else {
        ++at_;
      }
    }
  }

  void end_text(std::size_t end) {
    if (end > text_begin_) {
      Segment text;
      text.begin = text_begin_;
      text.end = end;
      result_.segments.push_back(std::move(text));
    }
  }

  void read_marker() {
    const std::size_t begin = at_;
    MarkerReader reader(result_.file, source_, at_ + 2);
    try {
      Segment segment = reader.read(begin);
      end_text(begin);
      at_ = segment.end;
      text_begin_ = at_;
      result_.segments.push_back(std::move(segment));
    } catch (const Fault& fault) {
      result_.problems.push_back({codes::PZ0104,
                                  "template call: " + fault.text,
                                  place_of(result_.file, source_, fault.offset),
                                  "",
                                  {}});
      // Nobody reads more faults of one file, and finding a place takes longer the later it is.
      const bool enough = result_.problems.size() >= kFaultsPerFile;
      const std::size_t close = enough ? std::string_view::npos : source_.find("}}", begin);
      at_ = close == std::string_view::npos ? source_.size() : close + 2;
    }
  }

  Template& result_;
  std::string_view source_;
  std::size_t at_ = 0;
  std::size_t text_begin_ = 0;
  char quoted_ = '\0';
};

}  // namespace

std::vector<const Argument*> Call::positional() const {
  std::vector<const Argument*> found;
  for (const Argument& argument : arguments) {
    if (argument.name.empty()) {
      found.push_back(&argument);
    }
  }
  return found;
}

Position place_of(std::string_view file, std::string_view source, std::size_t offset) {
  const std::string_view before = source.substr(0, std::min(offset, source.size()));
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t newline = before.rfind('\n');
  const std::string_view line =
      newline == std::string_view::npos ? before : before.substr(newline + 1);
  return {std::string(file), static_cast<std::size_t>(lines) + 1,
          base::count_code_points(line) + 1};
}

Position Template::position_of(std::size_t offset) const {
  return place_of(file, source, offset);
}

Template parse_template(std::string file, std::string source) {
  Template result;
  result.file = std::move(file);
  result.source = std::move(source);
  if (const auto bad = base::find_invalid_utf8(result.source)) {
    result.problems.push_back(
        {codes::PZ0104,
         "the file is not valid UTF-8",
         place_of(result.file, std::string_view(result.source).substr(0, *bad), *bad),
         "",
         {}});
    return result;
  }
  Scanner(result).run();
  return result;
}

}  // namespace kedge::pipeline
