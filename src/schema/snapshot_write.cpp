#include <algorithm>

#include "base/text.h"
#include "schema/describe.h"
#include "schema/snapshot.h"

namespace kedge::schema {
namespace archive {

using document::Json;

class Writer;
Json encode_type(const Type& type);

// A type is its canonical text, with the server's spelling beside it, wherever that says it all.
Type without_spelling(Type type) {
  type.native.clear();
  return type;
}

bool says_it_all(const Type& type) {
  const std::optional<Type> read = parse_canonical(to_string(type));
  return read && *read == type;
}

class Writer {
 public:
  template <typename T>
  using Reference = const T&;

  template <typename T>
  void required(std::string_view key, const T& value) {
    members_.emplace_back(key, encode(value));
  }
  template <typename T>
  void optional(std::string_view key, const T& value, const T& fallback = T{}) {
    if (!(value == fallback)) {
      required(key, value);
    }
  }
  void name(std::string_view schema_key, std::string_view name_key, const Name& value) {
    optional(schema_key, value.schema);
    required(name_key, value.name);
  }
  void type(const Type& value) {
    if (says_it_all(value)) {
      required("type", to_string(value));
    } else if (says_it_all(without_spelling(value))) {
      required("type", to_string(without_spelling(value)));
      required("native", value.native);
    } else {
      members_.emplace_back("type", encode_type(value));
    }
  }
  Json take() { return Json(std::move(members_)); }

 private:
  static Json encode(const std::string& value) { return value; }
  static Json encode(bool value) { return value; }
  static Json encode(int value) { return value; }
  static Json encode(std::int64_t value) { return value; }
  static Json encode(const Identifier& value) { return value.text(); }
  static Json encode(const std::map<std::string, std::string>& values) {
    Json json = Json::object();
    for (const auto& [key, value] : values) {
      json.set(key, value);
    }
    return json;
  }
  template <typename T>
  static Json encode(const std::vector<T>& values) {
    Json::Array items;
    items.reserve(values.size());
    for (const T& value : values) {
      items.push_back(encode(value));
    }
    return Json(std::move(items));
  }
  template <typename T>
  static Json encode(const std::optional<T>& value) {
    return value ? encode(*value) : Json();
  }
  // A plain column of an index is its name.
  static Json encode(const IndexPart& part) {
    IndexPart plain;
    plain.column = part.column;
    return part == plain && !part.column.empty() ? encode(part.column) : encode_struct(part);
  }
  template <typename T>
  static Json encode_struct(const T& value) {
    Writer writer;
    describe(writer, value);
    return writer.take();
  }
  template <typename T>
  static Json encode(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      for (const auto& [known, name] : EnumNames<T>::kValues) {
        if (known == value) {
          return name;
        }
      }
      return Json();
    } else {
      return encode_struct(value);
    }
  }

  Json::Object members_;
};

Json encode_type(const Type& type) {
  Json json;
  json.set("kind", type.kind == TypeKind::TimeTz        ? "timetz"
                   : type.kind == TypeKind::TimestampTz ? "timestamptz"
                                                        : std::string(kind_name(type.kind)));
  const auto set_number = [&](std::string_view key, const std::optional<int>& value) {
    if (value) {
      json.set(key, *value);
    }
  };
  set_number("length", type.length);
  set_number("precision", type.precision);
  set_number("scale", type.scale);
  for (const Type& element : type.element) {
    Json list = json.find("element") != nullptr ? *json.find("element") : Json::array();
    list.push(encode_type(element));
    json.set("element", std::move(list));
  }
  if (!type.labels.empty()) {
    Json labels = Json::array();
    for (const std::string& label : type.labels) {
      labels.push(label);
    }
    json.set("labels", std::move(labels));
  }
  if (!type.native.empty()) {
    json.set("native", type.native);
  }
  return json;
}

template <typename T>
Json write(const T& value) {
  Writer writer;
  describe(writer, value);
  return writer.take();
}

}  // namespace archive

namespace {

document::Json sorted(const document::Json& json) {
  if (const auto* members = json.as_object()) {
    document::Json::Object copy;
    copy.reserve(members->size());
    for (const auto& [key, value] : *members) {
      copy.emplace_back(key, sorted(value));
    }
    std::sort(copy.begin(), copy.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    return document::Json(std::move(copy));
  }
  if (const auto* items = json.as_array()) {
    document::Json::Array copy;
    copy.reserve(items->size());
    for (const document::Json& item : *items) {
      copy.push_back(sorted(item));
    }
    return document::Json(std::move(copy));
  }
  return json;
}

}  // namespace

document::Json to_json(const Column& column) {
  return archive::write(column);
}
document::Json to_json(const PrimaryKey& key) {
  return archive::write(key);
}
document::Json to_json(const Index& index) {
  return archive::write(index);
}
document::Json to_json(const ForeignKey& key) {
  return archive::write(key);
}
document::Json to_json(const Check& check) {
  return archive::write(check);
}
document::Json to_json(const Table& table) {
  return archive::write(table);
}
document::Json to_json(const View& view) {
  return archive::write(view);
}
document::Json to_json(const Sequence& sequence) {
  return archive::write(sequence);
}
document::Json to_json(const EnumType& type) {
  return archive::write(type);
}
document::Json to_json(const DomainType& type) {
  return archive::write(type);
}
document::Json to_json(const CompositeType& type) {
  return archive::write(type);
}
document::Json to_json(const DefinedObject& object) {
  return archive::write(object);
}
document::Json to_json(const Schema& schema) {
  document::Json json = archive::write(schema);
  json.set("format", "kedge-schema/1");
  return json;
}

std::string write_snapshot(const Schema& schema) {
  return document::write_json(sorted(to_json(schema))) + "\n";
}

std::string fingerprint(const Schema& schema) {
  document::Json json = to_json(schema);
  json.set("engine", to_string(schema.engine.dialect));
  return base::sha256_hex(document::write_json(json, -1));
}

}  // namespace kedge::schema
