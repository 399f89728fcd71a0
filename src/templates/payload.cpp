// Payload shapes: derived accessors, plain trees, paths.
#include <algorithm>

#include "document/json.h"
#include "document/node.h"
#include "kedge/codes.h"
#include "templates/parse_tree.h"

namespace kedge::templates {
namespace {

[[noreturn]] void refuse_tree(const std::string& message) {
  throw Error(codes::ERR_PAYLOAD_INVALID, "payload tree: " + message);
}

std::size_t add_tree(PayloadType& type, const document::Node& list, const std::string& name) {
  if (!list.is_sequence()) {
    refuse_tree("a list of fields is expected");
  }
  const std::size_t index = type.objects.size();
  type.objects.push_back({name, {}});
  for (const document::Node& item : list.items) {
    const document::Node* field_name = item.find("name");
    if (field_name == nullptr || !field_name->is_string()) {
      refuse_tree("each field needs a name");
    }
    PayloadField field;
    field.name = field_name->text;
    if (const document::Node* fields = item.find("fields")) {
      field.shape = FieldShape::Object;
      field.object = add_tree(type, *fields, name.empty() ? field.name : name + "." + field.name);
    }
    type.objects[index].fields.push_back(std::move(field));
  }
  return index;
}

}  // namespace

std::optional<Format> find_format(std::string_view name) {
  static constexpr std::pair<std::string_view, Format> kFormats[] = {
      {"text", Format::Text},
      {"html", Format::Html},
      {"xml", Format::Xml},
      {"csv", Format::Csv},
      {"json", Format::Json},
      {"markdown", Format::Markdown},
      {"spreadsheet", Format::Spreadsheet}};
  for (const auto& [known, format] : kFormats) {
    if (known == name) {
      return format;
    }
  }
  return std::nullopt;
}

const PayloadField* PayloadObject::find(std::string_view field) const {
  for (const PayloadField& candidate : fields) {
    if (candidate.name == field) {
      return &candidate;
    }
  }
  return nullptr;
}

PayloadType payload_from_tree(std::string_view json) {
  const document::Document document =
      document::read_document("", std::string(json), document::Format::Json);
  if (!document.usable || !document.problems.empty()) {
    refuse_tree(document.problems.empty() ? "malformed" : document.problems.front().message);
  }
  PayloadType type;
  type.typed = false;
  type.root = add_tree(type, document.root, "");
  return type;
}

std::vector<std::string> accessor_targets(std::string_view name) {
  if (!name.starts_with("has") || name.size() < 4) {
    return {};
  }
  std::string field(name.substr(3));
  const char first = field[0];
  if (first >= 'a' && first <= 'z') {
    return {};  // the accessor of `x` is hasX, never hasx
  }
  std::vector<std::string> targets;
  if (first >= 'A' && first <= 'Z') {
    std::string lower = field;
    lower[0] = static_cast<char>(first - 'A' + 'a');
    targets.push_back(std::move(lower));
  }
  targets.push_back(std::move(field));
  return targets;
}

bool has_accessor(const PayloadField& field, const PayloadType& type) {
  if (!type.typed || field.is_list) {
    return true;
  }
  return field.shape != FieldShape::Number && field.shape != FieldShape::Boolean;
}

std::optional<ProvidedText> MemoryProvider::resolve(const std::string& reference) const {
  const auto found = texts_.find(reference);
  return found != texts_.end() ? std::optional(ProvidedText{found->second, reference})
                               : std::nullopt;
}

}  // namespace kedge::templates
