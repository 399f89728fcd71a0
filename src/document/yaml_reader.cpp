// libyaml's events become nodes with byte ranges. Events, not libyaml's own document tree, because
// that keeps no end marks of block collections, knows no limits and copies nothing of aliases.
// An explicit stack of open collections: depth is bounded by the limits, not by the call stack.
#include <yaml.h>

#include <map>
#include <memory>

#include "document/reader.h"
#include "kedge/codes.h"

namespace kedge::document {
namespace {

constexpr std::size_t kMostDirectives = 64;
constexpr std::string_view kCoreTag = "tag:yaml.org,2002:";

struct Size {
  std::size_t nodes = 1;
  std::size_t bytes = 0;
  std::size_t height = 1;
};

struct Anchor {
  Node node;
  Size size;
};

struct Frame {
  Node node;
  std::string anchor;
  std::optional<Node> key;   // of a mapping: read, its value not yet
  bool key_refused = false;  // the value that follows belongs to a key that was reported
  KeySet keys;
  std::vector<Node> merged;  // values of "<<"
};

struct Event {
  yaml_event_t value{};
  Event() = default;
  ~Event() { yaml_event_delete(&value); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
};

std::string text_of(const yaml_char_t* text) {
  return text != nullptr ? std::string(reinterpret_cast<const char*>(text)) : std::string();
}

// Iterative in effect: the depth of a finished node is within the limits.
Size size_of(const Node& node) {
  Size size{1, node.text.size(), 1};
  const auto add = [&size](const Node& child) {
    const Size inner = size_of(child);
    size.nodes += inner.nodes;
    size.bytes += inner.bytes;
    size.height = std::max(size.height, inner.height + 1);
  };
  for (const Node& item : node.items) {
    add(item);
  }
  for (const Entry& entry : node.entries) {
    size.bytes += entry.key.text.size();
    add(entry.value);
  }
  return size;
}

Style style_of(yaml_scalar_style_t style) {
  switch (style) {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE:
      return Style::SingleQuoted;
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE:
      return Style::DoubleQuoted;
    case YAML_LITERAL_SCALAR_STYLE:
      return Style::Literal;
    case YAML_FOLDED_SCALAR_STYLE:
      return Style::Folded;
    case YAML_ANY_SCALAR_STYLE:
    case YAML_PLAIN_SCALAR_STYLE:
      break;
  }
  return Style::Plain;
}

class YamlReader {
 public:
  explicit YamlReader(Reading& reading) : reading_(reading) {
    if (yaml_parser_initialize(&parser_) == 0) {
      throw Error(codes::ERR_LIMIT, "not enough memory to read '" + reading.document.file + "'");
    }
    const bool mark = reading.text.starts_with("\xEF\xBB\xBF");
    first_code_point_ = mark ? 1 : 0;
    const std::string_view text = reading.text.substr(mark ? 3 : 0);
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  ~YamlReader() { yaml_parser_delete(&parser_); }
  YamlReader(const YamlReader&) = delete;
  YamlReader& operator=(const YamlReader&) = delete;

  void read() {
    if (too_many_directives()) {
      return;
    }
    while (!done_) {
      Event event;
      if (yaml_parser_parse(&parser_, &event.value) == 0) {
        report_syntax();
        return;
      }
      handle(event.value);
      done_ = done_ || reading_.full();
    }
    finish();
  }

 private:
  void finish() {
    Document& document = reading_.document;
    const bool nothing =
        root_ && root_->kind == Kind::Null && root_->range.begin == root_->range.end;
    if (root_ && !nothing) {
      document.root = std::move(*root_);
    }
    document.usable = complete_;
  }

  bool too_many_directives() {
    std::size_t count = reading_.text.starts_with('%') ? 1 : 0;
    for (std::size_t at = reading_.text.find("\n%"); at != std::string_view::npos;
         at = reading_.text.find("\n%", at + 1)) {
      if (++count > kMostDirectives) {
        reading_.report(codes::ERR_LIMIT, at + 1, "too many lines that start with '%'");
        return true;
      }
    }
    return false;
  }

  std::size_t byte(const yaml_mark_t& mark) const {
    return reading_.index.byte_of_code_point(mark.index + first_code_point_);
  }

  void report_syntax() {
    const std::size_t at =
        parser_.error == YAML_READER_ERROR ? parser_.problem_offset : byte(parser_.problem_mark);
    const std::string_view text = reading_.text;
    if (at < text.size() && text[at] == '\t') {
      reading_.report(codes::ERR_DOCUMENT, at, "a tab cannot be used for indentation",
                      "indent with spaces");
      return;
    }
    std::string message = parser_.problem != nullptr ? parser_.problem : "malformed YAML";
    if (parser_.context != nullptr) {
      message = std::string(parser_.context) + ": " + message;
      const Range where =
          reading_.index.range(byte(parser_.context_mark), byte(parser_.context_mark));
      if (where.line != 0 && byte(parser_.context_mark) != at) {
        message += " (begun at line " + std::to_string(where.line) + ", column " +
                   std::to_string(where.column) + ")";
      }
    }
    reading_.report(codes::ERR_DOCUMENT, at, "malformed YAML: " + message);
  }

  void handle(const yaml_event_t& event) {
    switch (event.type) {
      case YAML_STREAM_END_EVENT:
        complete_ = true;
        done_ = true;
        break;
      case YAML_DOCUMENT_START_EVENT:
        start_document(event);
        break;
      case YAML_ALIAS_EVENT:
        add_alias(event);
        break;
      case YAML_SCALAR_EVENT:
        add_scalar(event);
        break;
      case YAML_SEQUENCE_START_EVENT:
        open(event, Kind::Sequence, text_of(event.data.sequence_start.anchor),
             text_of(event.data.sequence_start.tag),
             event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE);
        break;
      case YAML_MAPPING_START_EVENT:
        open(event, Kind::Mapping, text_of(event.data.mapping_start.anchor),
             text_of(event.data.mapping_start.tag),
             event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE);
        break;
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        close(event);
        break;
      case YAML_NO_EVENT:
      case YAML_STREAM_START_EVENT:
      case YAML_DOCUMENT_END_EVENT:
        break;
    }
  }

  void start_document(const yaml_event_t& event) {
    if (++documents_ > 1) {
      reading_.report(codes::ERR_DOCUMENT, byte(event.start_mark),
                      "a second document starts here; a file holds exactly one");
      complete_ = true;
      done_ = true;
    }
  }

  void stop(Code code, std::size_t at, std::string message, std::string hint = {}) {
    reading_.report(code, at, std::move(message), std::move(hint));
    done_ = true;
    complete_ = false;
  }

  // Past anchors, tags and the blanks and comments after them: where the value itself begins.
  std::size_t skip_properties(std::size_t at, std::size_t end) const {
    const std::string_view text = reading_.text;
    while (at < end && (text[at] == '&' || text[at] == '!')) {
      while (at < end && text[at] != ' ' && text[at] != '\t' && text[at] != '\n' &&
             text[at] != '\r') {
        ++at;
      }
      at = skip_blanks(at, end);
    }
    return at;
  }
  std::size_t skip_blanks(std::size_t at, std::size_t end) const {
    const std::string_view text = reading_.text;
    while (at < end) {
      if (text[at] == '#') {
        while (at < end && text[at] != '\n') {
          ++at;
        }
      } else if (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r') {
        ++at;
      } else {
        break;
      }
    }
    return at;
  }

  void open(const yaml_event_t& event, Kind kind, std::string anchor, const std::string& tag,
            bool flow) {
    const std::size_t start = byte(event.start_mark);
    const std::size_t end = byte(event.end_mark);
    std::size_t begin = skip_properties(start, end);
    const bool bracket =
        flow && end > 0 && (reading_.text[end - 1] == '[' || reading_.text[end - 1] == '{');
    begin = bracket ? end - 1 : begin;
    if (frames_.size() >= reading_.options.limits.depth) {
      stop(
          codes::ERR_LIMIT, begin,
          "values are nested more than " + std::to_string(reading_.options.limits.depth) + " deep");
      return;
    }
    const std::string_view expected = kind == Kind::Mapping ? "map" : "seq";
    if (!tag.empty() && tag != std::string(kCoreTag) + std::string(expected)) {
      reading_.report(codes::ERR_DOCUMENT, start, "tag '" + tag + "' is not supported");
    }
    Frame frame;
    frame.node.kind = kind;
    frame.node.style = flow ? Style::Flow : Style::Block;
    frame.node.range = reading_.index.range(begin, std::max(begin, end));
    frame.anchor = std::move(anchor);
    frames_.push_back(std::move(frame));
  }

  void close(const yaml_event_t& event) {
    if (frames_.empty()) {
      return;
    }
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    Node& node = frame.node;
    if (node.style == Style::Flow && is_bracket(node.range.begin)) {
      node.range.end = byte(event.end_mark);
    } else if (!node.items.empty()) {
      node.range.end = std::max(node.range.end, node.items.back().range.end);
    } else if (!node.entries.empty()) {
      node.range.end = std::max(node.range.end, node.entries.back().value.range.end);
    }
    for (const Node& merged : frame.merged) {
      merge(frame, merged);
    }
    if (!frame.anchor.empty()) {
      remember(frame.anchor, node);
    }
    add(std::move(node));
  }

  // A single pair in a flow list, `[a: 1]`, is a mapping without brackets.
  bool is_bracket(std::size_t at) const {
    return at < reading_.text.size() && (reading_.text[at] == '[' || reading_.text[at] == '{');
  }

  void merge(Frame& frame, const Node& from) {
    for (const Node& item : from.items) {
      merge(frame, item);
    }
    if (from.is_scalar()) {
      reading_.report(codes::ERR_DOCUMENT, from.range.begin, "'<<' needs a mapping");
    }
    for (const Entry& entry : from.entries) {
      if (!frame.keys.find(frame.node.entries, entry.key.text)) {
        frame.node.entries.push_back(entry);
      }
    }
  }

  void remember(const std::string& name, const Node& node) {
    const Size size = size_of(node);
    if (spend(size, node.range.begin)) {
      anchors_[name] = {node, size};
    }
  }

  // Counts what aliases make of the file against the limits.
  bool spend(const Size& size, std::size_t at) {
    expanded_nodes_ += size.nodes;
    expanded_bytes_ += size.bytes;
    const Limits& limits = reading_.options.limits;
    if (expanded_nodes_ > limits.nodes || expanded_bytes_ > limits.bytes) {
      stop(
          codes::ERR_LIMIT, at,
          "the aliases of the file expand to more than " + std::to_string(limits.nodes) + " values",
          "write fewer or smaller aliases");
      return false;
    }
    return true;
  }

  bool is_open(const std::string& anchor) const {
    for (const Frame& frame : frames_) {
      if (frame.anchor == anchor) {
        return true;
      }
    }
    return false;
  }

  void add_alias(const yaml_event_t& event) {
    const std::string name = text_of(event.data.alias.anchor);
    const std::size_t begin = byte(event.start_mark);
    Node node;
    const auto found = anchors_.find(name);
    if (is_open(name)) {
      reading_.report(codes::ERR_DOCUMENT, begin,
                      "alias '*" + name + "' stands inside the value it names: a cycle");
    } else if (found == anchors_.end()) {
      reading_.report(codes::ERR_DOCUMENT, begin, "alias '*" + name + "' names no anchor");
    } else if (frames_.size() + found->second.size.height > reading_.options.limits.depth) {
      stop(
          codes::ERR_LIMIT, begin,
          "values are nested more than " + std::to_string(reading_.options.limits.depth) + " deep");
      return;
    } else if (spend(found->second.size, begin)) {
      node = found->second.node;
    }
    node.range = reading_.index.range(begin, byte(event.end_mark));
    add(std::move(node));
  }

  void add_scalar(const yaml_event_t& event) {
    const auto& scalar = event.data.scalar;
    Node node;
    node.style = style_of(scalar.style);
    node.text.assign(reinterpret_cast<const char*>(scalar.value), scalar.length);
    const std::size_t start = byte(event.start_mark);
    std::size_t end = byte(event.end_mark);
    const std::size_t begin = skip_properties(start, end);
    if (node.style == Style::Literal || node.style == Style::Folded) {
      end = end_of_block_scalar(begin, end);
    }
    node.range = reading_.index.range(begin, end);
    node.kind = node.style == Style::Plain && scalar.plain_implicit != 0 ? kind_of_plain(node.text)
                                                                         : Kind::String;
    if (scalar.tag != nullptr) {
      apply_tag(node, text_of(scalar.tag), start);
    }
    if (scalar.anchor != nullptr) {
      remember(text_of(scalar.anchor), node);
    }
    add(std::move(node));
  }

  // Without the blank lines after it, which belong to what follows.
  std::size_t end_of_block_scalar(std::size_t begin, std::size_t end) const {
    const std::size_t last = reading_.text.substr(0, end).find_last_not_of(" \t\r\n");
    if (last == std::string_view::npos || last < begin) {
      return end;
    }
    const std::size_t line_end = reading_.text.find_first_of("\r\n", last);
    return std::min(end, line_end);
  }

  void apply_tag(Node& node, const std::string& tag, std::size_t at) {
    const std::string core = tag.starts_with(kCoreTag) ? tag.substr(kCoreTag.size()) : "";
    const Kind plain = kind_of_plain(node.text);
    if (core == "str") {
      node.kind = Kind::String;
    } else if ((core == "int" && plain == Kind::Integer) ||
               (core == "bool" && plain == Kind::Boolean) ||
               (core == "null" && plain == Kind::Null)) {
      node.kind = plain;
    } else if (core == "float" && (plain == Kind::Float || plain == Kind::Integer)) {
      node.kind = Kind::Float;
    } else if (core == "int" || core == "bool" || core == "null" || core == "float") {
      reading_.report(codes::ERR_DOCUMENT, at,
                      "the value is not of its tag's type '!!" + core + "'");
    } else {
      reading_.report(codes::ERR_DOCUMENT, at, "tag '" + tag + "' is not supported");
    }
  }

  void add(Node node) {
    if (done_) {
      return;
    }
    if (frames_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& frame = frames_.back();
    if (frame.node.is_sequence()) {
      count(node);
      frame.node.items.push_back(std::move(node));
    } else if (frame.key) {
      count(node);
      add_value(frame, std::move(node));
    } else {
      add_key(frame, std::move(node));
    }
  }

  void count(const Node& node) {
    if (++nodes_ > reading_.options.limits.nodes) {
      stop(codes::ERR_LIMIT, node.range.begin,
           "the file holds more than " + std::to_string(reading_.options.limits.nodes) + " values");
    }
  }

  void add_key(Frame& frame, Node key) {
    frame.key_refused = false;
    if (!key.is_scalar()) {
      reading_.report(codes::ERR_DOCUMENT, key.range.begin, "a key must be a scalar");
      frame.key_refused = true;
    } else if (key.is_plain() && key.text == "<<" && !reading_.options.allow_merge_keys) {
      reading_.report(codes::ERR_DOCUMENT, key.range.begin, "merge keys ('<<') are not supported",
                      "write the keys out");
      frame.key_refused = true;
    } else if (const auto first = frame.keys.find(frame.node.entries, key.text)) {
      reading_.report_duplicate(frame.node.entries[*first].key, key);
      frame.key_refused = true;
    }
    frame.key = std::move(key);
  }

  void add_value(Frame& frame, Node value) {
    Node key = std::move(*frame.key);
    frame.key.reset();
    if (frame.key_refused) {
      frame.node.range.end = std::max(frame.node.range.end, value.range.end);
    } else if (key.is_plain() && key.text == "<<") {
      frame.merged.push_back(std::move(value));
    } else {
      frame.node.entries.push_back({std::move(key), std::move(value)});
    }
  }

  Reading& reading_;
  yaml_parser_t parser_{};
  std::size_t first_code_point_ = 0;
  std::vector<Frame> frames_;
  std::map<std::string, Anchor> anchors_;
  std::optional<Node> root_;
  std::size_t documents_ = 0;
  std::size_t nodes_ = 0;
  std::size_t expanded_nodes_ = 0;
  std::size_t expanded_bytes_ = 0;
  bool complete_ = false;
  bool done_ = false;
};

}  // namespace

void read_yaml(Reading& reading) {
  YamlReader(reading).read();
}

}  // namespace kedge::document
