#include <algorithm>
#include <limits>
#include <set>

#include "document/node.h"
#include "kedge/codes.h"
#include "schema/describe.h"
#include "schema/snapshot.h"

namespace kedge::schema {
namespace archive {

using document::Node;

constexpr document::Limits kLimits{std::size_t{1} << 30U, 64, 100'000'000};

class Reader {
 public:
  template <typename T>
  using Reference = T&;

  Reader(const std::string& file, const Node& node) : file_(file), node_(node) {
    if (!node.is_mapping()) {
      fail(node, "an object is expected here");
    }
  }

  template <typename T>
  void required(std::string_view key, T& value) {
    const Node* node = take(key);
    if (node == nullptr) {
      fail(node_, "'" + std::string(key) + "' is missing");
    }
    decode(*node, value);
  }
  template <typename T>
  void optional(std::string_view key, T& value, const T& fallback = T{}) {
    const Node* node = take(key);
    value = fallback;
    if (node != nullptr) {
      decode(*node, value);
    }
  }
  void name(std::string_view schema_key, std::string_view name_key, Name& value) {
    optional(schema_key, value.schema);
    required(name_key, value.name);
  }
  void type(Type& value) {
    const Node* node = take("type");
    if (node == nullptr) {
      fail(node_, "'type' is missing");
    }
    if (node->is_mapping()) {
      decode_type(*node, value);
    } else {
      value = canonical(*node);
    }
    if (const Node* native = take("native")) {
      decode(*native, value.native);
    }
  }
  void finish() const {
    for (const document::Entry& entry : node_.entries) {
      if (!taken_.contains(&entry.value)) {
        fail(entry.key, "'" + entry.key.text + "' is no member of a snapshot at this place");
      }
    }
  }
  [[noreturn]] void fail(const Node& node, const std::string& what) const {
    throw Error(Problem{codes::ERR_SNAPSHOT_CORRUPT,
                        "the snapshot cannot be read: " + what,
                        Position{file_, node.range.line, node.range.column},
                        "kedge migrate snapshot --rebuild writes it anew from the migrations",
                        {}});
  }

 private:
  const Node* take(std::string_view key) {
    const Node* node = node_.find(key);
    if (node != nullptr) {
      taken_.insert(node);
    }
    return node;
  }
  void decode(const Node& node, std::string& value) const {
    if (!node.is_string()) {
      fail(node, "a string is expected here");
    }
    value = node.text;
  }
  void decode(const Node& node, bool& value) const {
    const std::optional<bool> read = node.as_boolean();
    if (!read) {
      fail(node, "true or false is expected here");
    }
    value = *read;
  }
  void decode(const Node& node, std::int64_t& value) const {
    const std::optional<std::int64_t> read = node.as_integer();
    if (!read) {
      fail(node, "a whole number is expected here");
    }
    value = *read;
  }
  void decode(const Node& node, int& value) const {
    std::int64_t wide = 0;
    decode(node, wide);
    if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max()) {
      fail(node, "the number is out of range");
    }
    value = static_cast<int>(wide);
  }
  void decode(const Node& node, Identifier& value) const {
    std::string text;
    decode(node, text);
    value = Identifier(std::move(text));
  }
  void decode(const Node& node, std::map<std::string, std::string>& values) const {
    if (!node.is_mapping()) {
      fail(node, "an object is expected here");
    }
    for (const document::Entry& entry : node.entries) {
      decode(entry.value, values[entry.key.text]);
    }
  }
  template <typename T>
  void decode(const Node& node, std::vector<T>& values) const {
    if (!node.is_sequence()) {
      fail(node, "a list is expected here");
    }
    values.clear();
    values.reserve(node.items.size());
    for (const Node& item : node.items) {
      decode(item, values.emplace_back());
    }
  }
  template <typename T>
  void decode(const Node& node, std::optional<T>& value) const {
    decode(node, value.emplace());
  }
  void decode(const Node& node, IndexPart& part) const {
    if (node.is_string()) {
      part.column = Identifier(node.text);
    } else {
      decode_struct(node, part);
    }
  }
  template <typename T>
  void decode_struct(const Node& node, T& value) const {
    Reader reader(file_, node);
    describe(reader, value);
    reader.finish();
  }
  template <typename T>
  void decode(const Node& node, T& value) const {
    if constexpr (std::is_enum_v<T>) {
      decode_enum(node, value);
    } else {
      decode_struct(node, value);
    }
  }
  template <typename T>
  void decode_enum(const Node& node, T& value) const {
    for (const auto& [known, name] : EnumNames<T>::kValues) {
      if (node.is_string() && node.text == name) {
        value = known;
        return;
      }
    }
    fail(node, "'" + node.text + "' is none of the known words");
  }
  Type canonical(const Node& node) const {
    const std::optional<Type> read =
        node.is_string() ? parse_canonical(node.text) : std::optional<Type>();
    if (!read) {
      fail(node, "'" + node.text + "' is no canonical type");
    }
    return *read;
  }
  void decode_type(const Node& node, Type& value) const {
    Reader reader(file_, node);
    std::string kind;
    reader.required("kind", kind);
    const std::string text = kind == "timetz"        ? "time(tz)"
                             : kind == "timestamptz" ? "timestamp(tz)"
                                                     : kind;
    const std::optional<Type> read = parse_canonical(text);
    if (!read) {
      fail(node, "'" + kind + "' is no kind of type");
    }
    value.kind = read->kind;
    reader.optional("length", value.length);
    reader.optional("precision", value.precision);
    reader.optional("scale", value.scale);
    reader.optional("labels", value.labels);
    reader.optional("native", value.native);
    if (const Node* elements = reader.take("element")) {
      for (const Node& element : elements->items) {
        decode_type(element, value.element.emplace_back());
      }
    }
    reader.finish();
  }

  const std::string& file_;
  const Node& node_;
  std::set<const Node*> taken_;
};

[[noreturn]] void refuse(Problem problem) {
  problem.code = codes::ERR_SNAPSHOT_CORRUPT;
  problem.message = "the snapshot cannot be read: " + problem.message;
  problem.hint = "kedge migrate snapshot --rebuild writes it anew from the migrations";
  throw Error(std::move(problem));
}

}  // namespace archive

Schema read_snapshot(std::string file, std::string source) {
  document::ReadOptions options;
  options.limits = archive::kLimits;
  const document::Document document =
      document::read_document(std::move(file), std::move(source), document::Format::Json, options);
  if (!document.problems.empty()) {
    archive::refuse(document.problems.front());
  }
  archive::Reader reader(document.file, document.root);
  std::string format;
  reader.required("format", format);
  if (format != "kedge-schema/1") {
    reader.fail(*document.root.find("format"), "the format '" + format + "' is not known");
  }
  Schema schema;
  archive::describe(reader, schema);
  reader.finish();
  normalise(schema);
  return schema;
}

}  // namespace kedge::schema
