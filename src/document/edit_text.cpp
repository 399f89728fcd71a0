// Where the bytes of an item begin and end, and what to put in their place. Block items own whole
// lines; flow items own their text and one comma. What belongs to nobody (comments on lines of
// their own, blank lines) is never touched.
#include <algorithm>
#include <optional>

#include "document/edit_plan.h"

namespace kedge::document {
namespace {

class TextEditor {
 public:
  explicit TextEditor(const Document& document)
      : document_(document),
        text_(document.source),
        eol_(document.source.find("\r\n") != std::string::npos ? "\r\n" : "\n") {}

  std::vector<Splice> run(const EditPlan& plan) {
    edit(document_.root, plan, nullptr);
    return std::move(splices_);
  }

 private:
  // --- places in the text
  std::size_t skip_blank(std::size_t at) const {
    while (at < text_.size()) {
      if (is_space(text_[at])) {
        ++at;
      } else if (text_[at] == '#' && document_.format == Format::Yaml) {
        at = line_end(at);
      } else {
        break;
      }
    }
    return at;
  }
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
  std::size_t line_start(std::size_t at) const {
    while (at > 0 && text_[at - 1] != '\n') {
      --at;
    }
    return at == 0 && text_.starts_with("\xEF\xBB\xBF") ? 3 : at;
  }
  std::size_t line_end(std::size_t at) const {  // before the line end
    while (at < text_.size() && text_[at] != '\n' && text_[at] != '\r') {
      ++at;
    }
    return at;
  }
  std::size_t next_line(std::size_t at) const {
    at = line_end(at);
    at += at < text_.size() && text_[at] == '\r' ? 1 : 0;
    return at + (at < text_.size() && text_[at] == '\n' ? 1 : 0);
  }
  bool starts_line(std::size_t at) const {
    for (std::size_t i = line_start(at); i < at; ++i) {
      if (text_[i] != ' ' && text_[i] != '\t') {
        return false;
      }
    }
    return true;
  }
  std::size_t column(std::size_t at) const { return at - line_start(at); }

  static std::size_t child_end(const Node& node, std::size_t index) {
    if (node.is_sequence()) {
      return node.items[index].range.end;
    }
    const Entry& entry = node.entries[index];
    return std::max(entry.key.range.end, entry.value.range.end);
  }
  static std::size_t child_count(const Node& node) {
    return node.is_sequence() ? node.items.size() : node.entries.size();
  }
  static const Node& child(const Node& node, std::size_t index) {
    return node.is_sequence() ? node.items[index] : node.entries[index].value;
  }
  // Where item or entry begins: its dash, its key, or what stands before those.
  std::size_t child_start(const Node& node, std::size_t index) const {
    if (node.style == Style::Flow) {
      std::size_t at = index == 0 ? node.range.begin : child_end(node, index - 1);
      const bool bracket = index > 0 || text_[at] == '[' || text_[at] == '{';
      at = index == 0 ? at : text_.find(',', at);
      return bracket && at != std::string::npos ? skip_blank(at + 1) : node.range.begin;
    }
    return index == 0 ? skip_blank(node.range.begin) : skip_blank(child_end(node, index - 1));
  }
  std::size_t colon_end(const Entry& entry) const {
    const std::size_t colon = text_.find(':', skip_blank(entry.key.range.end));
    return colon == std::string::npos ? entry.key.range.end : colon + 1;
  }
  // After the last line of a block item; a scalar that keeps its blank lines keeps them.
  std::size_t block_end(const Node& node, std::size_t index) const {
    std::size_t at = next_line(child_end(node, index));
    if (keeps_blank_lines(child(node, index))) {
      while (at < text_.size() && line_end(at) == at && next_line(at) > at) {
        at = next_line(at);
      }
    }
    return at;
  }
  bool keeps_blank_lines(const Node& node) const {
    if (node.is_scalar()) {
      const bool block = node.style == Style::Literal || node.style == Style::Folded;
      return block && text_.substr(node.range.begin, 4).find('+') != std::string::npos;
    }
    return child_count(node) > 0 && keeps_blank_lines(child(node, child_count(node) - 1));
  }

  void splice(std::size_t begin, std::size_t end, std::string text) {
    splices_.push_back({begin, std::max(begin, end), std::move(text)});
  }

  // --- one node
  void edit(const Node& node, const EditPlan& plan, const Entry* entry) {
    if (plan.replacement) {
      replace(node, *plan.replacement, entry);
      return;
    }
    if (plan.emptied && node.style == Style::Flow) {
      const bool list = node.is_sequence();
      splice(node.range.begin, node.range.end, list ? "[]" : "{}");
      return;
    }
    // What is added inside the last item comes before what is added behind it.
    for (const auto& [index, child_plan] : plan.children) {
      if (!child_plan.removed) {
        edit(child(node, index), child_plan, node.is_mapping() ? &node.entries[index] : nullptr);
      }
    }
    if (node.style == Style::Flow) {
      edit_flow(node, plan);
    } else {
      edit_block(node, plan, entry);
    }
  }

  // --- block style
  void edit_block(const Node& node, const EditPlan& plan, const Entry* entry) {
    if (plan.emptied && &node != &document_.root) {
      empty_block(node, entry);
      return;
    }
    for (std::size_t i = 0; i < child_count(node); ++i) {
      if (plan.removes(i)) {
        remove_block_item(node, plan, i);
      }
    }
    if (!plan.appended.empty() || !plan.added.empty()) {
      append_block(node, plan);
    }
  }

  // `key:` with a list below becomes `key: []`.
  void empty_block(const Node& node, const Entry* entry) {
    const std::string empty = node.is_sequence() ? "[]" : "{}";
    const std::size_t begin = child_start(node, 0);
    if (entry == nullptr || !starts_line(begin)) {
      splice(begin, node.range.end, empty);
      return;
    }
    const std::size_t colon = colon_end(*entry);
    splice(colon, colon, " " + empty);
    for (std::size_t i = 0; i < child_count(node); ++i) {
      splice(line_start(child_start(node, i)), block_end(node, i), "");
    }
  }

  void remove_block_item(const Node& node, const EditPlan& plan, std::size_t index) {
    const std::size_t begin = child_start(node, index);
    if (starts_line(begin)) {
      splice(line_start(begin), block_end(node, index), "");
      return;
    }
    // The first item stands behind the dash of its parent: the next one that stays moves up, unless
    // comments stand between.
    std::size_t next = index + 1;
    while (next < child_count(node) && plan.removes(next)) {
      ++next;
    }
    const std::size_t line = line_end(child_end(node, index));
    if (next < child_count(node) && next_line(line) == line_start(child_start(node, next))) {
      splice(begin, child_start(node, next), "");
    } else {
      splice(begin, line, "");
    }
  }

  void append_block(const Node& node, const EditPlan& plan) {
    const std::size_t count = child_count(node);
    const std::size_t indent = count > 0 ? column(child_start(node, 0)) : 0;
    const std::size_t at = count > 0 ? block_end(node, count - 1) : text_.size();
    std::string lines;
    const auto add = [&](const std::string& block) {
      lines += std::string(indent, ' ') + block + std::string(eol_);
    };
    for (const Json& item : plan.appended) {
      add("- " + write_block(item, indent + 2, eol_));
    }
    for (const auto& [key, value] : plan.added) {
      add(entry_text(key, value, indent));
    }
    const bool open_line = at > 0 && text_[at - 1] != '\n' && !(at == 3 && text_[0] == '\xEF');
    if (open_line) {
      lines = std::string(eol_) + lines.substr(0, lines.size() - eol_.size());
    }
    splice(at, at, lines);
  }

  std::string entry_text(const std::string& key, const Json& value, std::size_t indent) const {
    return write_scalar(key, Place::Block, Style::Plain) + ":" + value_after_colon(value, indent);
  }
  std::string value_after_colon(const Json& value, std::size_t indent) const {
    if (!is_container_with_items(value)) {
      return " " + write_block(value, indent + 2, eol_);
    }
    const std::size_t inner = indent + (value.as_array() != nullptr ? list_indent() : 2);
    return std::string(eol_) + std::string(inner, ' ') + write_block(value, inner, eol_);
  }

  // How far the file indents lists below their key: as its first one does, else 2.
  std::size_t list_indent() const { return find_list_indent(document_.root, 0).value_or(2); }
  std::optional<std::size_t> find_list_indent(const Node& node, int depth) const {
    if (node.style == Style::Flow || depth > 20) {
      return std::nullopt;
    }
    for (const Entry& entry : node.entries) {
      if (entry.value.is_sequence() && entry.value.style == Style::Block &&
          starts_line(entry.value.range.begin)) {
        const std::size_t key = column(entry.key.range.begin);
        const std::size_t dash = column(entry.value.range.begin);
        return dash >= key ? dash - key : 0;
      }
    }
    for (std::size_t i = 0; i < child_count(node); ++i) {
      if (const auto found = find_list_indent(child(node, i), depth + 1)) {
        return found;
      }
    }
    return std::nullopt;
  }

  // --- flow style
  std::size_t comma_after(std::size_t at) const {  // npos when the closing bracket comes first
    at = skip_blank(at);
    return at < text_.size() && text_[at] == ',' ? at : std::string::npos;
  }
  bool owns_lines(const Node& node, std::size_t index) const {
    const std::size_t begin = child_start(node, index);
    std::size_t at = child_end(node, index);
    const std::size_t comma = comma_after(at);
    at = comma != std::string::npos ? comma + 1 : at;
    while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t')) {
      ++at;
    }
    return starts_line(begin) &&
           (line_end(at) == at || (text_[at] == '#' && document_.format == Format::Yaml));
  }

  void edit_flow(const Node& node, const EditPlan& plan) {
    const std::size_t count = child_count(node);
    std::size_t last_kept = count;
    for (std::size_t i = 0; i < count; ++i) {
      last_kept = plan.removes(i) ? last_kept : i;
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (plan.removes(i)) {
        remove_flow_item(node, i, last_kept);
      }
    }
    const bool more = !plan.appended.empty() || !plan.added.empty();
    if (more) {
      append_flow(node, plan, last_kept);
    } else if (last_kept + 1 < count && owns_lines(node, last_kept + 1) &&
               comma_after(child_end(node, count - 1)) == std::string::npos) {
      const std::size_t comma = comma_after(child_end(node, last_kept));
      splice(comma, comma + 1, "");
    }
  }

  void remove_flow_item(const Node& node, std::size_t index, std::size_t last_kept) {
    const std::size_t count = child_count(node);
    if (owns_lines(node, index)) {
      const std::size_t comma = comma_after(child_end(node, index));
      const std::size_t end = comma != std::string::npos ? comma : child_end(node, index);
      splice(line_start(child_start(node, index)), next_line(end), "");
    } else if (last_kept < count && index > last_kept) {
      // Behind the last one that stays: with the comma before it.
      const std::size_t from = child_end(node, index - 1);
      splice(from, child_end(node, index), "");
    } else {
      const bool last = index + 1 == count;
      splice(child_start(node, index), last ? child_end(node, index) : child_start(node, index + 1),
             "");
    }
  }

  std::string flow_entry(const std::string& key, const Json& value) const {
    const std::string name = document_.format == Format::Json
                                 ? write_json(Json(key), -1)
                                 : write_scalar(key, Place::Flow, Style::Plain);
    return name + ": " + write_inline(value, document_.format, Place::Flow);
  }

  void append_flow(const Node& node, const EditPlan& plan, std::size_t last_kept) {
    std::vector<std::string> texts;
    for (const Json& item : plan.appended) {
      texts.push_back(write_inline(item, document_.format, Place::Flow));
    }
    for (const auto& [key, value] : plan.added) {
      texts.push_back(flow_entry(key, value));
    }
    const std::size_t count = child_count(node);
    if (last_kept == count) {
      std::string all;
      for (const std::string& text : texts) {
        all += (all.empty() ? "" : ", ") + text;
      }
      splice(node.range.begin + 1, node.range.begin + 1, all);
      return;
    }
    const std::size_t end = child_end(node, last_kept);
    const bool lines = owns_lines(node, last_kept);
    const std::string separator =
        lines ? std::string(eol_) + std::string(column(child_start(node, last_kept)), ' ') : " ";
    std::size_t at = comma_after(end);
    const bool has_comma = at != std::string::npos && last_kept + 1 == count;
    std::string added;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      added += (i == 0 ? "" : ",") + separator + texts[i];
    }
    if (has_comma) {
      at = lines ? line_end(at) : at + 1;
      splice(at, at, added + (lines ? "," : ""));
    } else {
      splice(end, end, ",");
      at = lines ? line_end(end) : end;
      splice(at, at, added);
    }
  }

  // --- replacement
  void replace(const Node& node, const Json& value, const Entry* entry) {
    const bool in_flow = document_.format == Format::Json || stands_in_flow(node);
    const bool scalar = !is_container_with_items(value);
    const Range& range = node.range;
    if (node.is_scalar() && range.end > range.begin && scalar) {
      splice(range.begin, range.end, scalar_like(node, value, in_flow));
    } else if (in_flow) {
      const std::string text = write_inline(value, document_.format, Place::Flow);
      splice(range.begin, range.end, (range.begin == range.end ? " " : "") + text);
    } else if (value.as_array() != nullptr && holds_comments_only(node)) {
      fill_brackets(node, *value.as_array());
    } else if (entry != nullptr) {
      replace_lines(node, colon_end(*entry),
                    value_after_colon(value, column(entry->key.range.begin)));
    } else {
      const std::string gap = range.begin == range.end ? " " : "";
      replace_lines(node, range.begin,
                    gap + write_block(value, column(range.begin) + gap.size(), eol_));
    }
  }

  // A comment at the end of the line stays on it: what follows the first line goes below.
  void replace_lines(const Node& node, std::size_t begin, const std::string& text) {
    const std::size_t end = std::max(begin, node.range.end);
    const bool block = node.style == Style::Block && child_count(node) > 0;
    const std::size_t first = block ? text.size() : std::min(text.find(eol_), text.size());
    splice(begin, end, text.substr(0, first));
    splice(line_end(end), line_end(end), text.substr(first));
  }

  // "[", a comment or more, "]".
  bool holds_comments_only(const Node& node) const {
    return node.is_sequence() && node.style == Style::Flow && node.items.empty() &&
           text_.substr(node.range.begin, node.range.end - node.range.begin).find('#') !=
               std::string_view::npos;
  }

  void fill_brackets(const Node& node, const Json::Array& items) {
    const std::size_t last_line = line_start(node.range.end - 1);
    const std::string indent(column(line_text_start(last_line)) + 2, ' ');
    std::string lines;
    for (const Json& item : items) {
      lines += indent + write_inline(item, document_.format, Place::Flow) +
               (&item == &items.back() ? "" : ",") + std::string(eol_);
    }
    splice(last_line, last_line, lines);
  }

  std::size_t line_text_start(std::size_t at) const {
    while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t')) {
      ++at;
    }
    return at;
  }

  std::string scalar_like(const Node& node, const Json& value, bool in_flow) const {
    const std::string* text = value.as_string();
    if (document_.format == Format::Json || text == nullptr) {
      return write_inline(value, document_.format, Place::Flow);
    }
    return write_scalar(*text, in_flow ? Place::Flow : Place::Block, node.style);
  }

  bool stands_in_flow(const Node& node) const { return find_flow(document_.root, node); }
  static bool find_flow(const Node& outer, const Node& node) {
    const bool inside = outer.range.begin <= node.range.begin && node.range.end <= outer.range.end;
    if (&outer == &node || outer.is_scalar() || (!inside && outer.range.end > 0)) {
      return false;
    }
    if (outer.style == Style::Flow) {
      return true;
    }
    for (std::size_t i = 0; i < child_count(outer); ++i) {
      if (find_flow(child(outer, i), node)) {
        return true;
      }
    }
    return false;
  }

  const Document& document_;
  std::string_view text_;
  std::string_view eol_;
  std::vector<Splice> splices_;
};

}  // namespace

std::vector<Splice> make_splices(const Document& document, const EditPlan& plan) {
  return TextEditor(document).run(plan);
}

}  // namespace kedge::document
