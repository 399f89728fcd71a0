#include "templates/render.h"

#include <algorithm>
#include <deque>
#include <map>

#include "base/text.h"
#include "kedge/codes.h"
#include "templates/escape.h"
#include "templates/parse_tree.h"

namespace kedge::templates {
namespace {

using document::Kind;
using document::Node;

[[noreturn]] void refuse(Code code, std::string message, std::optional<std::string> path = {}) {
  throw RenderError(Problem{code, std::move(message), std::nullopt, "", {}}, std::move(path));
}

struct Entry {
  const Node* value = nullptr;
  const PayloadObject* type = nullptr;  // null: unknown
};

// What a name stands for. `value` is null when there is no value.
struct Found {
  const Node* value = nullptr;
  const PayloadField* field = nullptr;
};

const Node& boolean_node(bool value) {
  static const auto make = [](const char* text) {
    Node node;
    node.kind = Kind::Boolean;
    node.text = text;
    return node;
  };
  static const Node yes = make("true");
  static const Node no = make("false");
  return value ? yes : no;
}

const Node& null_node() {
  static const Node node;
  return node;
}

bool is_true(const Node& value) {
  switch (value.kind) {
    case Kind::Null:
      return false;
    case Kind::Boolean:
      return value.text == "true";
    case Kind::Integer:
    case Kind::Float:
      return value.as_number().value_or(1) != 0;
    case Kind::String:
      return !value.text.empty();
    case Kind::Sequence:
      return !value.items.empty();
    case Kind::Mapping:
      return true;
  }
  return false;
}

bool is_present(const Node& value) {
  if (value.is_string()) {
    return !is_blank(value.text);
  }
  return value.is_sequence() ? !value.items.empty() : value.kind != Kind::Null;
}

class Renderer {
 public:
  Renderer(const Node& payload, const Provider* provider, const RenderOptions& options)
      : provider_(provider), options_(options) {
    stack_.push_back({&payload, options.type != nullptr && options.type->typed
                                    ? &options.type->root_object()
                                    : nullptr});
  }

  std::string run(const Template& text) {
    tree_ = &text.tree();
    render(tree_->nodes);
    return std::move(out_);
  }

 private:
  void append(std::string_view text) {
    if (out_.size() + text.size() > options_.limits.output_bytes) {
      refuse(codes::ERR_RENDER_LIMIT,
             "the rendered text has more than " + std::to_string(options_.limits.output_bytes) +
                 " bytes (limits: output_bytes)",
             "output_bytes");
    }
    out_ += text;
  }

  void step() {
    if (++steps_ > options_.limits.steps) {
      refuse(codes::ERR_RENDER_LIMIT,
             "the render takes more than " + std::to_string(options_.limits.steps) +
                 " steps (limits: steps)",
             "steps");
    }
  }

  void render(const std::vector<TagNode>& nodes) {
    if (++nested_ > kMostNested) {
      refuse(codes::ERR_PARTIAL_TOO_DEEP, "sections and partials are nested too deep");
    }
    for (const TagNode& node : nodes) {
      step();
      switch (node.kind) {
        case TagKind::Literal:
          append(tree_->slice(node));
          break;
        case TagKind::Value:
        case TagKind::Raw:
          value(node);
          break;
        case TagKind::Section:
          section(node);
          break;
        case TagKind::Inverted:
          if (const Node* found = resolve(tree_->slice(node)).value;
              found == nullptr || !is_true(*found)) {
            render(node.children);
          }
          break;
        case TagKind::Partial:
          partial(node);
          break;
      }
    }
    --nested_;
  }

  // --- names
  std::optional<Found> look_in(const Entry& entry, std::string_view name) const {
    const PayloadField* field = entry.type != nullptr ? entry.type->find(name) : nullptr;
    const Node* member = entry.value->is_mapping() ? entry.value->find(name) : nullptr;
    if (member != nullptr) {
      return Found{member, field};
    }
    if (field != nullptr) {
      return Found{&null_node(), field};
    }
    return options_.accessors == Accessors::On ? accessor(entry, name) : std::nullopt;
  }

  std::optional<Found> accessor(const Entry& entry, std::string_view name) const {
    if (!name.starts_with("has") || !entry.value->is_mapping()) {
      return std::nullopt;
    }
    for (const std::string& target : accessor_targets(name)) {
      const PayloadField* field = entry.type != nullptr ? entry.type->find(target) : nullptr;
      const Node* member = entry.value->find(target);
      const bool exists = entry.type != nullptr
                              ? field != nullptr && has_accessor(*field, *options_.type)
                              : member != nullptr;
      if (exists) {
        return Found{&boolean_node(member != nullptr && is_present(*member)), nullptr};
      }
    }
    return std::nullopt;
  }

  const PayloadObject* type_of(const Found& found) const {
    const bool object = found.field != nullptr && found.field->shape == FieldShape::Object;
    return object ? &options_.type->objects[found.field->object] : nullptr;
  }

  Found resolve(std::string_view name) const {
    if (name == ".") {
      return {stack_.back().value, nullptr};
    }
    Found found;
    bool head = true;
    bool missed = false;
    each_segment(name, [&](std::string_view segment) {
      if (missed) {
        return;
      }
      std::optional<Found> next;
      if (head) {
        for (std::size_t i = stack_.size(); i-- > 0 && !next;) {
          next = look_in(stack_[i], segment);
        }
      } else {
        next = look_in({found.value, type_of(found)}, segment);
      }
      head = false;
      missed = !next;
      found = next.value_or(Found{});
    });
    return found;
  }

  // --- tags
  void value(const TagNode& node) {
    const std::string_view name = tree_->slice(node);
    const Node* found = resolve(name).value;
    if (found == nullptr || found->kind == Kind::Null) {
      if (options_.missing_value == MissingValue::Error) {
        refuse(codes::ERR_VALUE_MISSING, "'" + std::string(name) + "' has no value",
               std::string(name));
      }
      return;
    }
    std::string text = value_text(*found);
    if (!is_allowed(text, options_.format)) {
      refuse(codes::ERR_PAYLOAD_INVALID,
             "'" + std::string(name) + "' holds a character that XML does not allow",
             std::string(name));
    }
    append(node.kind == TagKind::Raw ? std::move(text)
                                     : escape(std::move(text), *found, options_.format));
  }

  void section(const TagNode& node) {
    const std::string_view name = tree_->slice(node);
    const Found found = resolve(name);
    if (found.value == nullptr || !is_true(*found.value)) {
      return;
    }
    const PayloadObject* type = name == "." ? stack_.back().type : type_of(found);
    if (!found.value->is_sequence()) {
      push(*found.value, type, node);
      return;
    }
    for (const Node& item : found.value->items) {
      step();
      push(item, type, node);
    }
  }

  void push(const Node& value, const PayloadObject* type, const TagNode& node) {
    stack_.push_back({&value, type});
    render(node.children);
    stack_.pop_back();
  }

  const Template* load(const std::string& reference, std::string_view indent) {
    const std::string key = reference + "\n" + std::string(indent);
    const auto known = partials_.find(key);
    if (known != partials_.end()) {
      return known->second ? &*known->second : nullptr;
    }
    std::optional<ProvidedText> provided =
        provider_ != nullptr ? provider_->resolve(reference) : std::nullopt;
    std::optional<Template>& slot = partials_[key];
    if (!provided) {
      return nullptr;
    }
    Parsed parsed =
        parse(indented(std::move(provided->text), indent), provided->source, options_.limits);
    if (parsed.problem) {
      const TemplateFinding& problem = *parsed.problem;
      RenderError error(Problem{problem.code,
                                "partial '" + reference + "': " + problem.message,
                                Position{problem.source, problem.at.value_or(TextPosition{}).line,
                                         problem.at.value_or(TextPosition{}).column},
                                "",
                                {}},
                        problem.path);
      throw error;
    }
    slot = std::move(parsed.value);
    return &*slot;
  }

  static std::string indented(std::string text, std::string_view indent) {
    if (indent.empty()) {
      return text;
    }
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
      result += indent;
      result.append(text, at, end - at);
      at = end;
    }
    return result;
  }

  void partial(const TagNode& node) {
    const std::string reference(tree_->slice(node));
    if (!is_valid_reference(reference)) {
      refuse(codes::ERR_REF_INVALID, "'" + reference.substr(0, 200) + "' is not a reference",
             reference);
    }
    if (chain_.size() >= options_.limits.partial_depth) {
      refuse(codes::ERR_PARTIAL_TOO_DEEP,
             "partials are nested more than " + std::to_string(options_.limits.partial_depth) +
                 " deep: " + base::join(chain_, " > "),
             reference);
    }
    const std::string_view indent =
        std::string_view(tree_->text).substr(node.indent_at, node.indent);
    const Template* text = load(reference, indent);
    if (text == nullptr) {
      if (options_.missing_partial == MissingPartial::Error) {
        refuse(codes::ERR_PARTIAL_UNRESOLVED, "partial '" + reference + "' does not exist",
               reference);
      }
      return;
    }
    const ParseTree* outer = tree_;
    tree_ = &text->tree();
    chain_.push_back(reference);
    render(tree_->nodes);
    chain_.pop_back();
    tree_ = outer;
  }

  const Provider* provider_;
  const RenderOptions& options_;
  const ParseTree* tree_ = nullptr;
  std::vector<Entry> stack_;
  std::vector<std::string> chain_;
  std::map<std::string, std::optional<Template>> partials_;  // addresses stay
  std::string out_;
  std::size_t steps_ = 0;
  std::size_t nested_ = 0;
};

std::size_t depth_of(const Node& node) {
  std::size_t depth = 0;
  for (const Node& item : node.items) {
    depth = std::max(depth, depth_of(item));
  }
  for (const document::Entry& entry : node.entries) {
    depth = std::max(depth, depth_of(entry.value));
  }
  return depth + (node.is_scalar() ? 0 : 1);
}

void guard(const Template& text, const Provider* provider, const RenderOptions& options) {
  if (!options.verify_first || options.type == nullptr) {
    return;
  }
  VerifyOptions verify_options;
  verify_options.provider = provider;
  verify_options.required_tags = options.required_tags;
  verify_options.max_chars = options.max_chars;
  verify_options.limits = options.limits;
  Verified verified = verify(text, *options.type, verify_options);
  const auto errors =
      std::count_if(verified.findings.begin(), verified.findings.end(),
                    [](const TemplateFinding& f) { return f.severity == Severity::Error; });
  if (errors > 0) {
    RenderError error(Problem{codes::ERR_RENDER_VERIFY_FAILED,
                              "the template has " + std::to_string(errors) + " error(s)",
                              std::nullopt,
                              "",
                              {}},
                      std::nullopt);
    error.findings = std::move(verified.findings);
    throw error;
  }
}

[[noreturn]] void refuse_payload(std::vector<PayloadProblem> problems) {
  Problem problem{codes::ERR_PAYLOAD_INVALID, "the payload is not valid", std::nullopt, "", {}};
  for (const PayloadProblem& found : problems) {
    problem.notes.push_back({"'" + found.pointer + "': " + found.reason, std::nullopt});
  }
  const std::string pointer = problems.empty() ? "" : problems.front().pointer;
  RenderError error(std::move(problem), pointer);
  error.problems = std::move(problems);
  throw error;
}

void check_tags(const std::string& output, const RenderOptions& options) {
  for (const std::string& tag : options.required_tags) {
    bool opened = false;
    for (std::size_t at = output.find("<" + tag); at != std::string::npos;
         at = output.find("<" + tag, at + 1)) {
      const std::size_t after = at + tag.size() + 1;
      opened =
          opened || (after < output.size() &&
                     std::string_view("> \t\r\n").find(output[after]) != std::string_view::npos);
    }
    if (!opened || output.find("</" + tag + ">") == std::string::npos) {
      refuse(codes::ERR_OUTPUT_TAG_MISSING,
             "required tag '" + tag + "' is not in the rendered text", tag);
    }
  }
}

}  // namespace

bool is_blank(std::string_view text) {
  static constexpr std::string_view kSpaces[] = {
      "\xC2\x85",     "\xC2\xA0",     "\xE1\x9A\x80", "\xE2\x80\x80", "\xE2\x80\x81",
      "\xE2\x80\x82", "\xE2\x80\x83", "\xE2\x80\x84", "\xE2\x80\x85", "\xE2\x80\x86",
      "\xE2\x80\x87", "\xE2\x80\x88", "\xE2\x80\x89", "\xE2\x80\x8A", "\xE2\x80\xA8",
      "\xE2\x80\xA9", "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80"};
  while (!text.empty()) {
    if (text[0] == ' ' || (text[0] >= '\t' && text[0] <= '\r')) {
      text.remove_prefix(1);
      continue;
    }
    const auto space =
        std::find_if(std::begin(kSpaces), std::end(kSpaces),
                     [&](std::string_view candidate) { return text.starts_with(candidate); });
    if (space == std::end(kSpaces)) {
      return false;
    }
    text.remove_prefix(space->size());
  }
  return true;
}

Node read_payload(std::string_view json, const RenderOptions& options) {
  document::ReadOptions read_options;
  read_options.limits.depth = options.limits.payload_depth + 1;
  document::Document document =
      document::read_document("payload", std::string(json), document::Format::Json, read_options);
  for (const Problem& problem : document.problems) {
    if (problem.code == codes::ERR_LIMIT && problem.message.find("nested") != std::string::npos) {
      refuse(codes::ERR_RENDER_LIMIT, problem.message, "payload_depth");
    }
  }
  std::vector<PayloadProblem> problems;
  for (const Problem& problem : document.problems) {
    problems.push_back({"", problem.message + " at line " + std::to_string(problem.where->line) +
                                ", column " + std::to_string(problem.where->column)});
  }
  if (problems.empty() && !document.root.is_mapping()) {
    problems.push_back({"", "an object is expected"});
  }
  if (!problems.empty()) {
    refuse_payload(std::move(problems));
  }
  return std::move(document.root);
}

std::string render(const Template& text, const Node& payload, const Provider* provider,
                   const RenderOptions& options) {
  guard(text, provider, options);
  if (depth_of(payload) > options.limits.payload_depth) {
    refuse(codes::ERR_RENDER_LIMIT,
           "the payload is nested more than " + std::to_string(options.limits.payload_depth) +
               " deep (limits: payload_depth)",
           "payload_depth");
  }
  if (options.type != nullptr && options.type->typed && options.validate_payload) {
    std::vector<PayloadProblem> problems = check_payload(payload, *options.type, options);
    if (!problems.empty()) {
      refuse_payload(std::move(problems));
    }
  }
  std::string output = Renderer(payload, provider, options).run(text);
  if (options.enforce_tags) {
    check_tags(output, options);
  }
  if (options.max_chars &&
      base::count_code_points(output) > static_cast<std::size_t>(*options.max_chars)) {
    refuse(codes::ERR_OUTPUT_TOO_LONG,
           "the rendered text has " + std::to_string(base::count_code_points(output)) +
               " characters, at most " + std::to_string(*options.max_chars) + " are allowed",
           std::to_string(base::count_code_points(output)));
  }
  return output;
}

std::string render(const Template& text, std::string_view payload_json, const Provider* provider,
                   const RenderOptions& options) {
  return render(text, read_payload(payload_json, options), provider, options);
}

}  // namespace kedge::templates
