// One pass over the text: find the next opening delimiter, read the tag, cut away the line of a tag
// that stands alone, push and pop sections. The first syntax error ends the text.
#include <algorithm>

#include "base/text.h"
#include "kedge/codes.h"
#include "templates/parse_tree.h"

namespace kedge::templates {
namespace {

bool is_white(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_white(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_white(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

bool is_valid_name(std::string_view name) {
  if (name == ".") {
    return true;
  }
  bool valid = true;
  each_segment(name, [&](std::string_view segment) { valid = valid && !segment.empty(); });
  return valid && std::none_of(name.begin(), name.end(), is_white);
}

struct Failure {
  TemplateFinding finding;
};

struct Tag {
  std::size_t begin = 0;  // of the opening delimiter
  std::size_t end = 0;    // after the closing one
  char sigil = '\0';      // one of # ^ / ! > = & { or none
  std::string_view content;
  TextPosition at;
};

struct OpenSection {
  TagNode node;
  std::string_view name;
};

class Parser {
 public:
  Parser(const std::string& text, const std::string& source, const Limits& limits)
      : text_(text), source_(source), limits_(limits) {}

  std::vector<TagNode> run() {
    while (true) {
      const std::size_t begin = text_.find(open_, at_);
      if (begin == std::string_view::npos) {
        break;
      }
      take(read_tag(begin));
    }
    add_literal(literal_, text_.size());
    if (!sections_.empty()) {
      const OpenSection& open = sections_.back();
      fail("unclosed_section", open.node.at, std::string(open.name),
           "section '" + std::string(open.name) + "' is not closed");
    }
    return std::move(root_);
  }

 private:
  [[noreturn]] void fail(std::string detail, TextPosition at, std::optional<std::string> path,
                         std::string message) const {
    throw Failure{{Severity::Error,
                   codes::ERR_TEMPLATE_SYNTAX,
                   std::move(path),
                   std::move(detail),
                   source_,
                   "",
                   at,
                   {},
                   {},
                   {},
                   std::move(message)}};
  }

  // Positions are asked for in ascending order, so each byte is looked at once.
  TextPosition position(std::size_t byte) {
    for (; seen_ < byte; ++seen_) {
      const auto c = static_cast<unsigned char>(text_[seen_]);
      if (c == '\n') {
        ++place_.line;
        place_.column = 1;
      } else if ((c & 0xC0U) != 0x80U) {
        ++place_.column;
      }
    }
    return place_;
  }

  Tag read_tag(std::size_t begin) {
    Tag tag;
    tag.begin = begin;
    tag.at = position(begin);
    std::size_t inner = begin + open_.size();
    while (inner < text_.size() && is_white(text_[inner])) {
      ++inner;
    }
    static constexpr std::string_view kSigils = "#^/!>=&{";
    if (inner < text_.size() && kSigils.find(text_[inner]) != std::string_view::npos &&
        !text_.substr(inner).starts_with(close_)) {
      tag.sigil = text_[inner++];
    }
    const std::string ending = (tag.sigil == '{'   ? "}"
                                : tag.sigil == '=' ? "="
                                                   : "") +
                               std::string(close_);
    const std::size_t end = text_.find(ending, inner);
    if (end == std::string_view::npos) {
      fail_unclosed(tag, inner);
    }
    tag.content = tag.sigil == '!' || tag.sigil == '=' ? text_.substr(inner, end - inner)
                                                       : trimmed(text_.substr(inner, end - inner));
    tag.end = end + ending.size();
    return tag;
  }

  [[noreturn]] void fail_unclosed(const Tag& tag, std::size_t inner) const {
    const std::size_t end = text_.find(close_, inner);
    if (tag.sigil == '=' && end != std::string_view::npos) {
      fail("bad_delimiters", tag.at, std::string(trimmed(text_.substr(inner, end - inner))),
           "a change of delimiters ends with '='");
    }
    fail("unclosed_tag", tag.at, std::nullopt, "the tag that begins here is not closed");
  }

  void take(const Tag& tag) {
    check(tag);
    std::size_t literal_end = tag.begin;
    std::size_t next = tag.end;
    std::size_t indent_at = tag.begin;
    if (tag.sigil != '\0' && tag.sigil != '&' && tag.sigil != '{') {
      if (const auto line = standalone_line(tag)) {
        literal_end = line->first;
        indent_at = line->first;
        next = line->second;
      }
    }
    add_literal(literal_, literal_end);
    literal_ = next;
    at_ = tag.end;
    apply(tag, indent_at);
  }

  void check(const Tag& tag) const {
    if (tag.sigil == '!' || tag.sigil == '=') {
      return;
    }
    const std::string content(tag.content);
    if (content.empty()) {
      fail("empty_tag", tag.at, std::nullopt, "the tag is empty");
    }
    const bool odd =
        content[0] == '<' || content[0] == '$' || content[0] == '*' || content[0] == '%';
    if (odd && (tag.sigil == '\0' || (tag.sigil == '>' && content[0] == '*'))) {
      fail("unsupported_tag", tag.at, (tag.sigil == '>' ? ">" : "") + content,
           "tags of this kind are not supported");
    }
    if (tag.sigil != '>' && !is_valid_name(tag.content)) {
      fail("bad_name", tag.at, content, "'" + content + "' is not a name");
    }
  }

  // Begin and end of the line when nothing else stands on it.
  std::optional<std::pair<std::size_t, std::size_t>> standalone_line(const Tag& tag) const {
    std::size_t begin = tag.begin;
    while (begin > 0 && (text_[begin - 1] == ' ' || text_[begin - 1] == '\t')) {
      --begin;
    }
    if (begin > 0 && text_[begin - 1] != '\n') {
      return std::nullopt;
    }
    std::size_t end = tag.end;
    while (end < text_.size() && (text_[end] == ' ' || text_[end] == '\t')) {
      ++end;
    }
    if (end == text_.size()) {
      return std::pair(begin, end);
    }
    end += text_[end] == '\r' && end + 1 < text_.size() && text_[end + 1] == '\n' ? 1 : 0;
    return text_[end] == '\n' ? std::optional(std::pair(begin, end + 1)) : std::nullopt;
  }

  std::vector<TagNode>& siblings() {
    return sections_.empty() ? root_ : sections_.back().node.children;
  }

  void add_literal(std::size_t begin, std::size_t end) {
    if (begin < end) {
      TagNode node;
      node.begin = begin;
      node.end = end;
      siblings().push_back(std::move(node));
    }
  }

  TagNode node_of(const Tag& tag, TagKind kind) const {
    TagNode node;
    node.kind = kind;
    node.begin = static_cast<std::size_t>(tag.content.data() - text_.data());
    node.end = node.begin + tag.content.size();
    node.at = tag.at;
    return node;
  }

  void apply(const Tag& tag, std::size_t indent_at) {
    switch (tag.sigil) {
      case '!':
        break;
      case '=':
        change_delimiters(tag);
        break;
      case '#':
      case '^':
        open_section(tag);
        break;
      case '/':
        close_section(tag);
        break;
      case '>': {
        TagNode node = node_of(tag, TagKind::Partial);
        node.indent_at = indent_at;
        node.indent = tag.begin - indent_at;
        siblings().push_back(std::move(node));
        break;
      }
      default:
        siblings().push_back(node_of(tag, tag.sigil == '\0' ? TagKind::Value : TagKind::Raw));
    }
  }

  void open_section(const Tag& tag) {
    if (sections_.size() >= limits_.section_depth) {
      throw Failure{
          {Severity::Error,
           codes::ERR_TEMPLATE_TOO_DEEP,
           std::nullopt,
           std::nullopt,
           source_,
           "",
           tag.at,
           {},
           {},
           {},
           "sections are nested more than " + std::to_string(limits_.section_depth) + " deep"}};
    }
    sections_.push_back(
        {node_of(tag, tag.sigil == '#' ? TagKind::Section : TagKind::Inverted), tag.content});
  }

  void close_section(const Tag& tag) {
    const std::string name(tag.content);
    if (sections_.empty()) {
      fail("unopened_section", tag.at, name, "section '" + name + "' is closed but not open");
    }
    if (sections_.back().name != tag.content) {
      fail("section_mismatch", tag.at, name,
           "section '" + std::string(sections_.back().name) + "' is closed as '" + name + "'");
    }
    TagNode node = std::move(sections_.back().node);
    sections_.pop_back();
    siblings().push_back(std::move(node));
  }

  void change_delimiters(const Tag& tag) {
    std::vector<std::string_view> words;
    std::string_view rest = trimmed(tag.content);
    const std::string path(rest);
    while (!rest.empty()) {
      const auto end =
          static_cast<std::size_t>(std::find_if(rest.begin(), rest.end(), is_white) - rest.begin());
      words.push_back(rest.substr(0, end));
      rest = trimmed(rest.substr(end));
    }
    if (words.size() != 2 || path.find('=') != std::string::npos) {
      fail("bad_delimiters", tag.at, path,
           "a change of delimiters needs exactly two words without '='");
    }
    open_ = words[0];
    close_ = words[1];
  }

  std::string_view text_;
  const std::string& source_;
  const Limits& limits_;
  std::string_view open_ = "{{";
  std::string_view close_ = "}}";
  std::size_t at_ = 0;       // where to look for the next tag
  std::size_t literal_ = 0;  // where the next literal begins
  std::size_t seen_ = 0;
  TextPosition place_{1, 1};
  std::vector<TagNode> root_;
  std::vector<OpenSection> sections_;
};

TemplateFinding refused_text(Code code, const std::string& source, std::string message) {
  return {Severity::Error,   code, std::nullopt, std::nullopt, source, "", std::nullopt, {}, {}, {},
          std::move(message)};
}

}  // namespace

const std::string& Template::source() const {
  return tree_->source;
}

Parsed parse(std::string text, std::string source_name, const Limits& limits) {
  if (text.size() > limits.text_bytes) {
    return {std::nullopt,
            refused_text(codes::ERR_TEMPLATE_TOO_LARGE, source_name,
                         "the text has " + std::to_string(text.size()) + " bytes, at most " +
                             std::to_string(limits.text_bytes) + " are read")};
  }
  if (const std::optional<std::size_t> bad = base::find_invalid_utf8(text)) {
    return {std::nullopt,
            refused_text(codes::ERR_TEMPLATE_ENCODING, source_name,
                         "the text is not valid UTF-8 at byte offset " + std::to_string(*bad))};
  }
  if (text.starts_with("\xEF\xBB\xBF")) {
    text.erase(0, 3);
  }
  auto tree = std::make_shared<ParseTree>();
  tree->text = std::move(text);
  tree->source = std::move(source_name);
  try {
    tree->nodes = Parser(tree->text, tree->source, limits).run();
  } catch (Failure& failure) {
    return {std::nullopt, std::move(failure.finding)};
  }
  return {Template(std::move(tree)), std::nullopt};
}

bool is_valid_reference(std::string_view reference) {
  static constexpr std::string_view kCharacters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  if (reference.empty() || reference.size() > 200) {
    return false;
  }
  const std::vector<std::string> segments = base::split(reference, '/');
  return segments.size() <= 8 &&
         std::all_of(segments.begin(), segments.end(), [](const std::string& segment) {
           return !segment.empty() && segment != "." && segment != ".." &&
                  segment.find_first_not_of(kCharacters) == std::string::npos;
         });
}

}  // namespace kedge::templates
