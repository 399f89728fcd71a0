// A small JSON reader that keeps positions and goes on after what it can step over (a comma too
// many, a bad escape, a comment), so that one run shows all errors. An explicit stack of open
// collections: the depth of the input never becomes depth of calls.
#include "document/reader.h"
#include "kedge/codes.h"

namespace kedge::document {
namespace {

struct JsonFrame {
  Node node;
  std::optional<Node> key;
  bool key_refused = false;
  KeySet keys;
};

void append_utf8(std::string& out, unsigned code_point) {
  const auto put = [&out](unsigned byte) { out += static_cast<char>(byte); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0U | (code_point >> 6U));
    put(0x80U | (code_point & 63U));
  } else if (code_point < 0x10000) {
    put(0xE0U | (code_point >> 12U));
    put(0x80U | ((code_point >> 6U) & 63U));
    put(0x80U | (code_point & 63U));
  } else {
    put(0xF0U | (code_point >> 18U));
    put(0x80U | ((code_point >> 12U) & 63U));
    put(0x80U | ((code_point >> 6U) & 63U));
    put(0x80U | (code_point & 63U));
  }
}

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '+' || c == '-' || c == '.' || static_cast<unsigned char>(c) >= 0x80;
}

std::size_t digits_end(std::string_view word, std::size_t at) {
  while (at < word.size() && word[at] >= '0' && word[at] <= '9') {
    ++at;
  }
  return at;
}

// The kind of a JSON number, or nothing when it is none.
std::optional<Kind> kind_of_number(std::string_view word) {
  std::size_t at = word.starts_with('-') ? 1 : 0;
  const std::size_t whole = digits_end(word, at);
  if (whole == at || (word[at] == '0' && whole > at + 1)) {
    return std::nullopt;
  }
  at = whole;
  if (at < word.size() && word[at] == '.') {
    const std::size_t end = digits_end(word, at + 1);
    if (end == at + 1) {
      return std::nullopt;
    }
    at = end;
  }
  if (at < word.size() && (word[at] == 'e' || word[at] == 'E')) {
    at += at + 1 < word.size() && (word[at + 1] == '-' || word[at + 1] == '+') ? 2 : 1;
    const std::size_t end = digits_end(word, at);
    if (end == at) {
      return std::nullopt;
    }
    at = end;
  }
  if (at != word.size()) {
    return std::nullopt;
  }
  return whole == word.size() ? Kind::Integer : Kind::Float;
}

class JsonReader {
 public:
  explicit JsonReader(Reading& reading) : reading_(reading), text_(reading.text) {
    at_ = text_.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  }

  void read() {
    skip_blanks();
    if (at_ == text_.size()) {
      report(at_, "the file is empty; a JSON document is expected");
      return;
    }
    while (!failed_ && (!root_ || !frames_.empty())) {
      step();
      failed_ = failed_ || reading_.full();
    }
    if (failed_) {
      return;
    }
    skip_blanks();
    if (at_ < text_.size()) {
      report(at_, "text after the end of the document");
    }
    reading_.document.root = std::move(*root_);
    reading_.document.usable = true;
  }

 private:
  void report(std::size_t at, std::string message, std::string hint = {}) {
    reading_.report(codes::ERR_DOCUMENT, at, "malformed JSON: " + std::move(message),
                    std::move(hint));
  }
  void fail(std::size_t at, std::string message) {
    report(at, std::move(message));
    failed_ = true;
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++at_;
      } else if (c == '/' && at_ + 1 < text_.size() &&
                 (text_[at_ + 1] == '/' || text_[at_ + 1] == '*')) {
        skip_comment();
      } else {
        return;
      }
    }
  }
  void skip_comment() {
    report(at_, "comments are not allowed in JSON", "use YAML for files with comments");
    const bool line = text_[at_ + 1] == '/';
    const std::size_t end = text_.find(line ? "\n" : "*/", at_ + 2);
    at_ = end == std::string_view::npos ? text_.size() : end + (line ? 1 : 2);
  }

  // One token in the place where the reader stands.
  void step() {
    skip_blanks();
    if (at_ >= text_.size()) {
      fail_at_end();
    } else if (frames_.empty()) {
      read_value();
    } else if (frames_.back().node.is_sequence()) {
      step_in_array();
    } else {
      step_in_object();
    }
  }
  void fail_at_end() {
    if (frames_.empty()) {
      fail(at_, "a value is expected");
      return;
    }
    const Range& begun = frames_.back().node.range;
    fail(at_, std::string("the file ends inside the ") +
                  (frames_.back().node.is_sequence() ? "array" : "object") + " begun at line " +
                  std::to_string(begun.line) + ", column " + std::to_string(begun.column));
  }

  void step_in_array() {
    const bool first = frames_.back().node.items.empty() && !after_comma_;
    if (text_[at_] == ']') {
      end_collection(first);
      return;
    }
    if (!first && !after_comma_ && !take_comma()) {
      return;
    }
    if (at_ < text_.size() && text_[at_] != ']') {
      after_comma_ = false;
      read_value();
    }
  }

  void step_in_object() {
    JsonFrame& frame = frames_.back();
    if (frame.key) {
      read_value();
      return;
    }
    const bool first = frame.node.entries.empty() && !frame.key_refused && !after_comma_;
    if (text_[at_] == '}') {
      end_collection(first);
      return;
    }
    if (!first && !after_comma_ && !take_comma()) {
      return;
    }
    if (at_ < text_.size() && text_[at_] != '}') {
      after_comma_ = false;
      read_key(frame);
    }
  }

  // True when a comma stood here, or is only missing before another value.
  bool take_comma() {
    if (text_[at_] == ',') {
      comma_ = at_++;
      after_comma_ = true;
      skip_blanks();
      return true;
    }
    const char c = text_[at_];
    if (c == '"' || c == '{' || c == '[' || is_word(c)) {
      report(at_, "a comma is missing before this");
      return true;
    }
    fail(at_, "',' or the end of the " +
                  std::string(frames_.back().node.is_sequence() ? "array" : "object") +
                  " is expected");
    return false;
  }

  void end_collection(bool empty) {
    if (after_comma_ && !empty) {
      report(comma_, "a comma before the closing bracket");
    }
    after_comma_ = false;
    ++at_;
    JsonFrame frame = std::move(frames_.back());
    frames_.pop_back();
    frame.node.range.end = at_;
    add(std::move(frame.node));
  }

  void read_key(JsonFrame& frame) {
    if (text_[at_] != '"') {
      fail(at_, "a key in double quotes is expected");
      return;
    }
    Node key = read_string();
    if (failed_) {
      return;
    }
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != ':') {
      fail(at_, "':' is expected after the key");
      return;
    }
    ++at_;
    const auto first = frame.keys.find(frame.node.entries, key.text);
    frame.key_refused = first.has_value();
    if (first) {
      reading_.report_duplicate(frame.node.entries[*first].key, key);
    }
    frame.key = std::move(key);
  }

  void read_value() {
    if (++nodes_ > reading_.options.limits.nodes) {
      limit("the file holds more than " + std::to_string(reading_.options.limits.nodes) +
            " values");
      return;
    }
    const char c = text_[at_];
    if (c == '{' || c == '[') {
      open(c == '{' ? Kind::Mapping : Kind::Sequence);
    } else if (c == '"') {
      Node node = read_string();
      add(std::move(node));
    } else if (is_word(c)) {
      read_word();
    } else {
      fail(at_, "a value is expected");
    }
  }

  void limit(std::string message) {
    reading_.report(codes::ERR_LIMIT, at_, std::move(message));
    failed_ = true;
  }

  void open(Kind kind) {
    if (frames_.size() >= reading_.options.limits.depth) {
      limit("values are nested more than " + std::to_string(reading_.options.limits.depth) +
            " deep");
      return;
    }
    JsonFrame frame;
    frame.node.kind = kind;
    frame.node.style = Style::Flow;
    frame.node.range = reading_.index.range(at_, at_ + 1);
    frames_.push_back(std::move(frame));
    ++at_;
  }

  void read_word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) {
      ++at_;
    }
    Node node;
    node.text = std::string(text_.substr(begin, at_ - begin));
    node.range = reading_.index.range(begin, at_);
    if (node.text == "true" || node.text == "false") {
      node.kind = Kind::Boolean;
    } else if (node.text == "null") {
      node.kind = Kind::Null;
    } else if (const std::optional<Kind> number = kind_of_number(node.text)) {
      node.kind = *number;
    } else {
      report(begin, "'" + node.text.substr(0, 40) + "' is not a JSON value", "quote text with \"");
      node.kind = Kind::String;
    }
    add(std::move(node));
  }

  Node read_string() {
    Node node;
    node.kind = Kind::String;
    node.style = Style::DoubleQuoted;
    const std::size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != '"') {
      read_character(node.text);
    }
    if (at_ >= text_.size()) {
      fail(begin, "the string that begins here does not end");
      return node;
    }
    ++at_;
    node.range = reading_.index.range(begin, at_);
    return node;
  }

  void read_character(std::string& out) {
    const char c = text_[at_];
    if (c == '\\') {
      read_escape(out);
      return;
    }
    if (static_cast<unsigned char>(c) < 0x20 && !reading_.full()) {
      report(at_, "a control character inside a string", "escape it, for instance \\n");
    }
    out += c;
    ++at_;
  }

  void read_escape(std::string& out) {
    static constexpr std::string_view kNames = "\"\\/bfnrt";
    static constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
    const char name = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (name == 'u') {
      read_unicode(out);
      return;
    }
    const std::size_t which = kNames.find(name);
    if (which == std::string_view::npos) {
      report(at_, "unknown escape in a string");
      out += '\\';
      ++at_;
      return;
    }
    out += kValues[which];
    at_ += 2;
  }

  std::optional<unsigned> read_hex(std::size_t at) const {
    if (at + 6 > text_.size() || text_[at] != '\\' || text_[at + 1] != 'u') {
      return std::nullopt;
    }
    unsigned value = 0;
    for (std::size_t i = at + 2; i < at + 6; ++i) {
      static constexpr std::string_view kDigits = "0123456789abcdef0123456789ABCDEF";
      const std::size_t digit = kDigits.find(text_[i]);
      if (digit == std::string_view::npos) {
        return std::nullopt;
      }
      value = value * 16 + static_cast<unsigned>(digit % 16);
    }
    return value;
  }

  void read_unicode(std::string& out) {
    const std::optional<unsigned> first = read_hex(at_);
    if (!first) {
      report(at_, "\\u needs four hexadecimal digits");
      out += "\\u";
      at_ += 2;
      return;
    }
    const std::size_t begin = at_;
    at_ += 6;
    if (*first < 0xD800 || *first > 0xDFFF) {
      append_utf8(out, *first);
      return;
    }
    const std::optional<unsigned> second = read_hex(at_);
    if (*first < 0xDC00 && second && *second >= 0xDC00 && *second <= 0xDFFF) {
      at_ += 6;
      append_utf8(out, 0x10000U + ((*first - 0xD800U) << 10U) + (*second - 0xDC00U));
      return;
    }
    report(begin, "half of a surrogate pair");
    append_utf8(out, 0xFFFD);
  }

  void add(Node node) {
    if (failed_) {
      return;
    }
    if (frames_.empty()) {
      root_ = std::move(node);
      return;
    }
    JsonFrame& frame = frames_.back();
    if (frame.node.is_sequence()) {
      frame.node.items.push_back(std::move(node));
      return;
    }
    if (!frame.key_refused) {
      frame.node.entries.push_back({std::move(*frame.key), std::move(node)});
    }
    frame.key.reset();
  }

  Reading& reading_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t comma_ = 0;
  std::size_t nodes_ = 0;
  bool after_comma_ = false;
  bool failed_ = false;
  std::vector<JsonFrame> frames_;
  std::optional<Node> root_;
};

}  // namespace

void read_json(Reading& reading) {
  JsonReader(reading).read();
}

}  // namespace kedge::document
