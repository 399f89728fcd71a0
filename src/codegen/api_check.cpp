// The facts of a committed API document against those of the fresh one, which is the model itself
// (spec/codegen.md 8). Descriptions, examples, order and extra x- keys are free.
#include <algorithm>
#include <set>

#include "codegen/run.h"
#include "document/json.h"
#include "kedge/codes.h"

namespace kedge::codegen {
namespace {

using document::Json;
using document::Node;

class ApiComparison {
 public:
  ApiComparison(const GeneratedFile& file, const TargetSettings& target)
      : file_(file), target_(target) {}

  std::vector<CodegenFinding> run(const std::string& disk) {
    const document::Document theirs =
        document::read_document(file_.path, disk, document::Format::Json);
    if (!theirs.usable || !theirs.problems.empty() || !theirs.root.is_mapping()) {
      const std::size_t line = theirs.problems.empty() ? 1 : theirs.problems.front().where->line;
      add(codes::ERR_API_DOC_UNREADABLE, "", line,
          theirs.problems.empty() ? "not an object" : theirs.problems.front().message);
      return std::move(findings_);
    }
    const document::Document ours =
        document::read_document(file_.path, file_.text, document::Format::Json);
    if (ours.root.find("openapi") != nullptr) {
      compare_openapi(ours.root, theirs.root);
    } else {
      compare_schema(ours.root, theirs.root, "");
      compare_definitions(find(ours.root, {"$defs"}), find(theirs.root, {"$defs"}), "/$defs");
    }
    return std::move(findings_);
  }

 private:
  void add(Code code, const std::string& pointer, std::size_t line, std::string message) {
    findings_.push_back(
        {Severity::Error, code, target_.name, file_.path, line, pointer, std::move(message)});
  }

  static const Node* find(const Node& node, std::initializer_list<std::string_view> keys) {
    const Node* found = &node;
    for (const std::string_view key : keys) {
      found = found != nullptr ? found->find(key) : nullptr;
    }
    return found;
  }

  void compare_openapi(const Node& ours, const Node& theirs) {
    compare_definitions(find(ours, {"components", "schemas"}),
                        find(theirs, {"components", "schemas"}), "/components/schemas");
    const Node* paths = ours.find("paths");
    const Node* committed = theirs.find("paths");
    if (paths == nullptr) {
      return;
    }
    for (const document::Entry& path : paths->entries) {
      const Node* other = committed != nullptr ? committed->find(path.key.text) : nullptr;
      for (const document::Entry& method : path.value.entries) {
        if (method.key.text != "parameters" &&
            (other == nullptr || other->find(method.key.text) == nullptr)) {
          add(codes::ERR_API_ROUTE, "/paths", committed != nullptr ? committed->range.line : 1,
              "route " + method.key.text + " " + path.key.text + " is missing");
        }
      }
    }
  }

  void compare_definitions(const Node* ours, const Node* theirs, const std::string& pointer) {
    if (ours == nullptr) {
      return;
    }
    for (const document::Entry& schema : ours->entries) {
      const Node* other = theirs != nullptr ? theirs->find(schema.key.text) : nullptr;
      const std::string at = pointer + "/" + schema.key.text;
      if (other == nullptr) {
        add(codes::ERR_API_SCHEMA_MISSING, at, theirs != nullptr ? theirs->range.line : 1,
            "the schema of " + schema.key.text + " is missing");
      } else {
        compare_schema(schema.value, *other, at);
      }
    }
  }

  void compare_schema(const Node& ours, const Node& theirs, const std::string& pointer) {
    const Node* properties = ours.find("properties");
    const Node* others = theirs.find("properties");
    if (properties == nullptr) {
      return;
    }
    for (const document::Entry& property : properties->entries) {
      const Node* other = others != nullptr ? others->find(property.key.text) : nullptr;
      const std::string at = pointer + "/properties/" + property.key.text;
      if (other == nullptr) {
        add(codes::ERR_API_PROPERTY, at, theirs.range.line,
            "property '" + property.key.text + "' is missing");
      } else {
        compare_property(property.value, *other, at);
      }
    }
    for (const document::Entry& property :
         others != nullptr ? others->entries : std::vector<document::Entry>{}) {
      const Node* extra = property.value.find("x-extra");
      if (properties->find(property.key.text) == nullptr &&
          (extra == nullptr || extra->text != "true")) {
        add(codes::ERR_API_PROPERTY, pointer + "/properties/" + property.key.text,
            property.key.range.line,
            "property '" + property.key.text +
                "' is not in the model; mark it \"x-extra\": true to keep it");
      }
    }
    if (names_of(ours.find("required")) != names_of(theirs.find("required"))) {
      add(codes::ERR_API_REQUIRED, pointer + "/required", theirs.range.line,
          "other properties are required than in the model");
    }
  }

  static std::set<std::string> names_of(const Node* list) {
    std::set<std::string> names;
    for (const Node& item : list != nullptr ? list->items : std::vector<Node>{}) {
      names.insert(item.kind == document::Kind::Null ? "null" : item.text);
    }
    return names;
  }

  static std::set<std::string> types_of(const Node& schema) {
    const Node* type = schema.find("type");
    if (type == nullptr) {
      return {};
    }
    return type->is_sequence() ? names_of(type) : std::set<std::string>{type->text};
  }

  static std::string text_of(const Node& schema, std::string_view key) {
    const Node* found = schema.find(key);
    return found != nullptr ? document::write_json(document::to_json(*found), -1) : "";
  }

  void compare_property(const Node& ours, const Node& theirs, const std::string& pointer) {
    bool same = types_of(ours) == types_of(theirs);
    for (const std::string_view key : {"format", "$ref", "pattern", "contentEncoding"}) {
      same = same && text_of(ours, key) == text_of(theirs, key);
    }
    const Node* inner = ours.find("items");
    const Node* other = theirs.find("items");
    same = same && (inner != nullptr) == (other != nullptr);
    const bool branches = text_of(ours, "anyOf") == text_of(theirs, "anyOf");
    if (!same || !branches) {
      add(codes::ERR_API_TYPE, pointer, theirs.range.line,
          "another type, format or nullability than in the model");
      return;
    }
    if (inner != nullptr) {
      compare_property(*inner, *other, pointer + "/items");
    }
    if (names_of(ours.find("enum")) != names_of(theirs.find("enum")) ||
        text_of(ours, "maxLength") != text_of(theirs, "maxLength")) {
      add(codes::ERR_API_CONSTRAINT, pointer, theirs.range.line,
          "other enum values or another maxLength than in the model");
    }
  }

  const GeneratedFile& file_;
  const TargetSettings& target_;
  std::vector<CodegenFinding> findings_;
};

}  // namespace

std::vector<CodegenFinding> check_api_document(const TargetSettings& target,
                                               const GeneratedFile& fresh,
                                               const std::string& disk) {
  return ApiComparison(fresh, target).run(disk);
}

}  // namespace kedge::codegen
