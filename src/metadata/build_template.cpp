// template.* nodes (spec/templates.md 2): attributes, defaults and the rules of one node. What
// needs the payload's fields is in check_template.cpp.
#include <algorithm>

#include "base/text.h"
#include "metadata/build.h"

namespace kedge::metadata {
namespace {

bool is_text_reference(std::string_view text) {
  const std::vector<std::string> segments = base::split(text, '/');
  if (text.size() > 200 || segments.size() > 8) {
    return false;
  }
  return std::all_of(segments.begin(), segments.end(), [](const std::string& segment) {
    return !segment.empty() && segment != "." && segment != ".." &&
           std::all_of(segment.begin(), segment.end(), [](char c) {
             return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    c == '_' || c == '.' || c == '-';
           });
  });
}

bool is_xml_name(std::string_view text) {
  const auto start = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && start(text.front()) && std::all_of(text.begin(), text.end(), [&](char c) {
    return start(c) || (c >= '0' && c <= '9') || c == '.' || c == ':' || c == '-';
  });
}

class TemplateBuilder {
 public:
  TemplateBuilder(const TreeNode& node, BuildContext& context)
      : node_(node), context_(context), attributes_(node, context) {}

  Template run() {
    head();
    texts();
    numbers();
    if (!out_.is_abstract) {
      attributes_.check_required();
      rules();
    }
    return std::move(out_);
  }

 private:
  void invalid(const std::string& message, std::string_view attribute) {
    context_.diagnostics.error(codes::ERR_INVALID_TEMPLATE,
                               node_.kind() + " '" + node_.name + "': " + message,
                               attributes_.place(attribute));
  }

  void head() {
    out_.kind = node_.subtype == "prompt"   ? Template::Kind::Prompt
                : node_.subtype == "output" ? Template::Kind::Output
                                            : Template::Kind::Toolcall;
    out_.name = node_.name;
    out_.package = node_.package;
    out_.qualified_name = qualified_name(node_.package, node_.name);
    out_.is_abstract = node_.is_abstract;
    out_.extends = node_.extends;
    out_.place = node_.place;
    out_.documentation = build_documentation(attributes_);
    for (const Attribute& attribute : node_.attributes) {
      out_.attributes.emplace(attribute.name, node_.place_of(attribute));
    }
    out_.payload_ref = attributes_.object("payloadRef", codes::ERR_INVALID_TEMPLATE);
    out_.response_ref = attributes_.object("responseRef", codes::ERR_INVALID_TEMPLATE);
  }

  std::string text_reference(std::string_view name) {
    const std::string text = attributes_.text(name);
    if (attributes_.value(name) != nullptr && !is_text_reference(text)) {
      context_.diagnostics.error(
          codes::ERR_REF_INVALID,
          node_.kind() + " '" + node_.name + "': '" + text + "' is no reference to a text",
          attributes_.place(name), "segments of letters, digits, '_', '.', '-' joined by '/'");
    }
    return text;
  }

  void texts() {
    out_.text_ref = text_reference("textRef");
    out_.subject_ref = text_reference("subjectRef");
    out_.html_body_ref = text_reference("htmlBodyRef");
    out_.text_body_ref = text_reference("textBodyRef");
    out_.format = attributes_.text("format", "text");
    out_.required_tags = attributes_.texts("requiredTags");
    out_.required_slots = attributes_.texts("requiredSlots");
    out_.owner = attributes_.text("owner");
    out_.since = attributes_.text("since");
    out_.model = attributes_.text("model");
    out_.response_format = attributes_.text("responseFormat", "json");
    out_.prompt_style = attributes_.text("promptStyle", "guide");
    out_.output_kind = attributes_.text("kind", "document");
    out_.tool_name = attributes_.text("toolName");
    for (const std::string& tag : out_.required_tags) {
      if (!is_xml_name(tag)) {
        invalid("'" + tag + "' is no name of a tag", "requiredTags");
      }
    }
  }

  void numbers() {
    out_.max_chars = attributes_.integer("maxChars");
    out_.max_tokens = attributes_.integer("maxTokens");
    for (const char* name : {"maxChars", "maxTokens"}) {
      const auto number = attributes_.integer(name);
      if (number && *number < 1) {
        context_.diagnostics.error(codes::ERR_BAD_ATTR_VALUE,
                                   "'@" + std::string(name) + "' is a positive number",
                                   attributes_.place(name));
      }
    }
  }

  bool has(std::string_view name) const { return attributes_.value(name) != nullptr; }

  void rules() {
    if (out_.kind == Template::Kind::Prompt && !has("textRef")) {
      invalid("a prompt needs '@textRef'", "");
    }
    if (out_.kind != Template::Kind::Output) {
      return;
    }
    for (const char* name : {"promptStyle", "responseFormat", "requiredSlots", "responseRef"}) {
      if (has(name)) {
        invalid("'@" + std::string(name) + "' is for prompts only", name);
      }
    }
    if (out_.output_kind == "document") {
      if (!has("textRef")) {
        invalid("a document needs '@textRef'", "");
      }
      for (const char* name : {"subjectRef", "htmlBodyRef", "textBodyRef"}) {
        if (has(name)) {
          invalid("'@" + std::string(name) + "' is for kind email only", name);
        }
      }
      return;
    }
    if (!has("subjectRef") || !has("htmlBodyRef")) {
      invalid("an email needs '@subjectRef' and '@htmlBodyRef'", "");
    }
    if (has("textRef")) {
      invalid("an email has no '@textRef'", "textRef");
    }
  }

  const TreeNode& node_;
  BuildContext& context_;
  Attributes attributes_;
  Template out_;
};

}  // namespace

Template build_template(const TreeNode& node, BuildContext& context) {
  return TemplateBuilder(node, context).run();
}

}  // namespace kedge::metadata
