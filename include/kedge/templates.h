// Logic-less templates (spec/templates.md): parse a Mustache text, check it against the shape of a
// payload, render it. Pure: no files, clock, locale or global; a Template is immutable and may be
// shared between threads. Check and render use one parse tree and one way to resolve names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kedge/error.h"
#include "kedge/finding.h"

namespace kedge::templates {

struct TextPosition {
  std::size_t line = 0;    // 1-based, LF counted
  std::size_t column = 0;  // 1-based, code points
  bool operator==(const TextPosition&) const = default;
  auto operator<=>(const TextPosition&) const = default;
};

// One inclusion on the way to a finding, outermost first.
struct Inclusion {
  std::string source;
  TextPosition at;
  std::string reference;
  bool operator==(const Inclusion&) const = default;
};

struct TemplateFinding {
  Severity severity = Severity::Error;
  Code code;
  std::optional<std::string> path;
  std::optional<std::string> detail;
  std::string source;                // the file of the text that the finding is in
  std::string reference;             // the partial's reference; empty in the body
  std::optional<TextPosition> at;    // slots, tags and budgets have none
  std::vector<std::string> context;  // object types on the stack, innermost first
  std::vector<Inclusion> via;
  std::optional<std::string> suggestion;
  std::string message;
  bool operator==(const TemplateFinding&) const = default;
};

struct Limits {
  std::size_t text_bytes = 1U << 20U;
  std::size_t section_depth = 64;
  std::size_t partial_depth = 32;
  std::size_t output_bytes = 16U << 20U;
  std::size_t steps = 10'000'000;
  std::size_t payload_depth = 128;
};

enum class Format { Text, Html, Xml, Csv, Json, Markdown, Spreadsheet };
std::optional<Format> find_format(std::string_view name);

// --- texts
struct ParseTree;

class Template {
 public:
  const std::string& source() const;  // the name given to parse()
  const ParseTree& tree() const { return *tree_; }
  explicit Template(std::shared_ptr<const ParseTree> tree) : tree_(std::move(tree)) {}

 private:
  std::shared_ptr<const ParseTree> tree_;
};

struct Parsed {
  std::optional<Template> value;
  std::optional<TemplateFinding> problem;  // ERR_TEMPLATE_*: set when value is not
};
Parsed parse(std::string text, std::string source_name, const Limits& limits = {});

struct ProvidedText {
  std::string text;
  std::string source;  // what findings name: the file
};

// Where the texts of partials come from. Must give the same text for the same reference.
class Provider {
 public:
  virtual ~Provider() = default;
  // Nothing when there is no such text. May throw ERR_REF_OUTSIDE_ROOT (becomes a finding) and
  // ERR_IO (goes through).
  virtual std::optional<ProvidedText> resolve(const std::string& reference) const = 0;
};

class MemoryProvider : public Provider {
 public:
  explicit MemoryProvider(std::map<std::string, std::string> texts) : texts_(std::move(texts)) {}
  std::optional<ProvidedText> resolve(const std::string& reference) const override;

 private:
  std::map<std::string, std::string> texts_;
};

// "group/source": 1 to 8 segments of [A-Za-z0-9_.-]+, none "." or "..", at most 200 characters.
bool is_valid_reference(std::string_view reference);

// --- payload shapes: a graph of named object types, so recursion is exact
enum class FieldShape { Text, Number, Boolean, Object, Map, Unknown };

struct PayloadField {
  std::string name;
  FieldShape shape = FieldShape::Unknown;
  bool is_list = false;
  bool required = false;
  std::size_t object = 0;           // Object: index into PayloadType::objects
  std::string subtype;              // "int", "uuid", ...: for the payload check
  std::vector<std::string> values;  // enum members
  std::optional<std::int64_t> max_length;
};

struct PayloadObject {
  std::string name;  // qualified
  std::vector<PayloadField> fields;
  const PayloadField* find(std::string_view field) const;
};

struct PayloadType {
  std::vector<PayloadObject> objects;
  std::size_t root = 0;
  bool typed = true;  // false: a plain tree; no typed warnings, accessors for every field
  const PayloadObject& root_object() const { return objects.at(root); }
};

// A plain tree: a JSON list of {"name", "fields"?}. Throws ERR_PAYLOAD_INVALID.
PayloadType payload_from_tree(std::string_view json);
// "hasX" of field x: the field's name with its first character as it may have been, or nothing.
std::vector<std::string> accessor_targets(std::string_view name);
bool has_accessor(const PayloadField& field, const PayloadType& type);

// --- check
struct VerifyOptions {
  const Provider* provider = nullptr;  // null: partials are not looked at
  std::vector<std::string> required_slots;
  std::vector<std::string> required_tags;
  std::optional<std::int64_t> max_chars;
  Limits limits;
};

struct Verified {
  std::vector<TemplateFinding> findings;  // in document order, then slots, tags, budget
  std::vector<std::string> used_paths;    // payload paths that tags resolved to; sorted, unique
};
Verified verify(const Template& text, const PayloadType& type, const VerifyOptions& options);

// --- render
enum class MissingPartial { Error, Empty };
enum class MissingValue { Empty, Error };
enum class Accessors { On, Off };

struct RenderOptions {
  Format format = Format::Text;
  const PayloadType* type = nullptr;  // known: absent fields are null; may be validated
  bool verify_first = false;          // needs a type
  bool validate_payload = true;       // when the type is known
  bool strict_payload = false;        // unknown keys are refused
  MissingPartial missing_partial = MissingPartial::Error;
  MissingValue missing_value = MissingValue::Empty;
  bool enforce_tags = false;
  std::vector<std::string> required_tags;
  std::optional<std::int64_t> max_chars;
  Accessors accessors = Accessors::On;
  Limits limits;
};

struct PayloadProblem {
  std::string pointer;  // JSON Pointer
  std::string reason;
  bool operator==(const PayloadProblem&) const = default;
};

// Why a render was refused; what() is one sentence, the code decides.
class RenderError : public Error {
 public:
  RenderError(Problem problem, std::optional<std::string> about)
      : Error(std::move(problem)), path(std::move(about)) {}
  std::optional<std::string> path;        // the reference, tag or limit
  std::vector<TemplateFinding> findings;  // ERR_RENDER_VERIFY_FAILED
  std::vector<PayloadProblem> problems;   // ERR_PAYLOAD_INVALID
};

// Renders with a payload given as JSON text. Throws RenderError; never a partial text.
std::string render(const Template& text, std::string_view payload_json, const Provider* provider,
                   const RenderOptions& options = {});

}  // namespace kedge::templates
