#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "contracts/odcs.h"
#include "contracts/type_name.h"

namespace kedge::contracts {
namespace {

using document::Json;
using schema::TypeKind;

constexpr std::string_view kApiVersion = "v3.1.0";

std::string logical_type(TypeKind kind) {
  if (is_integer(kind)) {
    return "integer";
  }
  switch (static_cast<int>(kind)) {
    case static_cast<int>(TypeKind::Real4):
    case static_cast<int>(TypeKind::Real8):
    case static_cast<int>(TypeKind::Numeric):
      return "number";
    case static_cast<int>(TypeKind::Boolean):
      return "boolean";
    case static_cast<int>(TypeKind::Date):
      return "date";
    case static_cast<int>(TypeKind::Timestamp):
    case static_cast<int>(TypeKind::TimestampTz):
      return "timestamp";
    case static_cast<int>(TypeKind::Time):
    case static_cast<int>(TypeKind::TimeTz):
      return "time";
    case static_cast<int>(TypeKind::Array):
      return "array";
    case static_cast<int>(TypeKind::Struct):
    case static_cast<int>(TypeKind::Map):
      return "object";
    default:
      return "string";
  }
}

Json number_json(const std::string& text) {
  std::int64_t whole = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error == std::errc() && end == text.data() + text.size()) {
    return Json(whole);
  }
  return Json(number_of(text).value_or(0));
}

// A number of the document says the same as the text: 0.1 and 100, not 20 digits.
bool keeps_number(const std::string& text) {
  const auto digits =
      std::count_if(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  return number_of(text) && (digits <= 15 || document::write_json(number_json(text), -1) == text);
}

void add_custom(Json& properties, const std::string& key, Json value) {
  Json item;
  item.set("property", "kedge." + key);
  item.set("value", std::move(value));
  properties.push(std::move(item));
}

class PropertyWriter {
 public:
  PropertyWriter(const EntityContract& entity, const ContractColumn& column)
      : entity_(entity), column_(column), logical_(logical_type(column.type.kind)) {}

  Json run() {
    property_.set("name", column_.name);
    if (column_.source != column_.name) {
      property_.set("physicalName", column_.source);
    }
    property_.set("logicalType", logical_);
    property_.set("physicalType", type_name(column_.type));
    if (!column_.description.empty()) {
      property_.set("description", column_.description);
    }
    if (!column_.classification.empty()) {
      property_.set("classification", column_.classification);
    }
    add_list("tags", column_.tags);
    add_key();
    if (column_.type.length && logical_ == "string") {
      options_.set("maxLength", *column_.type.length);
    }
    for (const Check& check : entity_.contract.facts) {
      if (check.columns.size() == 1 && check.columns[0] == column_.name) {
        add_fact(check);
      }
    }
    if (column_.optional) {
      add_custom(custom_, "optional", true);
    }
    finish("logicalTypeOptions", options_);
    finish("quality", quality_);
    finish("customProperties", custom_);
    return std::move(property_);
  }

 private:
  void finish(std::string_view key, Json& value) {
    if (!value.is_null()) {
      property_.set(key, std::move(value));
    }
  }
  void add_list(std::string_view key, const std::vector<std::string>& values) {
    if (!values.empty()) {
      property_.set(key, text_list(values));
    }
  }
  void add_key() {
    const auto key = std::find(entity_.keys.begin(), entity_.keys.end(), column_.name);
    if (key != entity_.keys.end()) {
      property_.set("primaryKey", true);
      property_.set("primaryKeyPosition", static_cast<int>(key - entity_.keys.begin()) + 1);
    }
  }

  // Bounds have a home where the logical type has one; else they are custom properties.
  void add_bound(const std::optional<std::string>& bound, std::string_view odcs,
                 const std::string& own) {
    if (!bound) {
      return;
    }
    const bool numeric = (logical_ == "integer" || logical_ == "number") && keeps_number(*bound);
    if (numeric) {
      options_.set(odcs, number_json(*bound));
    } else if (logical_ == "date" || logical_ == "timestamp" || logical_ == "time") {
      options_.set(odcs, *bound);
    } else {
      add_custom(custom_, own, *bound);
    }
  }

  void add_length(const std::optional<std::string>& bound, std::string_view odcs,
                  const std::string& own) {
    if (!bound) {
      return;
    }
    const bool taken = odcs == "maxLength" && column_.type.length;
    if (logical_ == "string" && !taken) {
      options_.set(odcs, number_json(*bound));
      if (odcs == "maxLength") {
        add_custom(custom_, own, *bound);  // tells it from the length of the type
      }
    } else {
      add_custom(custom_, own, *bound);
    }
  }

  void add_fact(const Check& check) {
    switch (check.type) {
      case CheckType::NotNull:
        property_.set("required", true);
        return;
      case CheckType::Unique:
        property_.set("unique", true);
        return;
      case CheckType::AcceptedValues:
        quality_.push(accepted(check));
        return;
      case CheckType::Range:
        add_bound(check.minimum, "minimum", "min");
        add_bound(check.maximum, "maximum", "max");
        return;
      case CheckType::Length:
        add_length(check.minimum, "minLength", "min_length");
        add_length(check.maximum, "maxLength", "max_length");
        return;
      case CheckType::Pattern:
        if (logical_ == "string") {
          options_.set("pattern", check.pattern);
        } else {
          add_custom(custom_, "pattern", check.pattern);
        }
        return;
      case CheckType::Freshness:
      case CheckType::RowCount:
      case CheckType::CustomSql:
        return;
    }
  }

  static Json accepted(const Check& check) {
    Json values = Json::array();
    for (const std::string& value : check.values) {
      values.push(value);
    }
    Json arguments;
    arguments.set("validValues", std::move(values));
    Json rule;
    rule.set("type", "library");
    rule.set("metric", "invalidValues");
    rule.set("arguments", std::move(arguments));
    rule.set("mustBe", 0);
    return rule;
  }

  const EntityContract& entity_;
  const ContractColumn& column_;
  std::string logical_;
  Json property_;
  Json options_;
  Json quality_;
  Json custom_;
};

Json row_count_rule(const Check& check) {
  Json rule;
  rule.set("type", "library");
  rule.set("metric", "rowCount");
  if (check.minimum && check.maximum) {
    Json between = Json::array();
    between.push(number_json(*check.minimum));
    between.push(number_json(*check.maximum));
    rule.set("mustBeBetween", std::move(between));
  } else if (check.minimum) {
    rule.set("mustBeGreaterOrEqualTo", number_json(*check.minimum));
  } else {
    rule.set("mustBeLessOrEqualTo", number_json(check.maximum.value_or("0")));
  }
  return rule;
}

Json unique_rule(const Check& check) {
  Json properties = Json::array();
  for (const std::string& column : check.columns) {
    properties.push(column);
  }
  Json arguments;
  arguments.set("properties", std::move(properties));
  Json rule;
  rule.set("type", "library");
  rule.set("metric", "duplicateValues");
  rule.set("arguments", std::move(arguments));
  rule.set("mustBe", 0);
  return rule;
}

Json custom_rule(const Check& check) {
  Json rule;
  rule.set("type", "sql");
  rule.set("name", check.name);
  rule.set("query", "SELECT count(*) FROM (" + check.sql + ")");
  rule.set("mustBe", 0);
  return rule;
}

Json quality_rules(const EntityContract& entity) {
  Json quality;
  for (const Check& check : entity.expectations) {
    Json rule;
    if (check.type == CheckType::RowCount) {
      rule = row_count_rule(check);
    } else if (check.type == CheckType::Unique) {
      rule = unique_rule(check);
    } else if (check.type == CheckType::CustomSql) {
      rule = custom_rule(check);
    } else {
      continue;
    }
    if (check.severity == CheckSeverity::Warn) {
      rule.set("severity", "warning");
    }
    quality.push(std::move(rule));
  }
  return quality;
}

Json schema_object(const EntityContract& entity) {
  Json object;
  object.set("name", entity.entity);
  object.set("physicalName", entity.entity);
  object.set("logicalType", "object");
  object.set("physicalType", entity.is_file ? "file" : "table");
  if (!entity.description.empty()) {
    object.set("description", entity.description);
  }
  if (!entity.tags.empty()) {
    object.set("tags", text_list(entity.tags));
  }
  Json properties = Json::array();
  for (const ContractColumn& column : entity.contract.columns) {
    properties.push(PropertyWriter(entity, column).run());
  }
  object.set("properties", std::move(properties));
  if (Json quality = quality_rules(entity); !quality.is_null()) {
    object.set("quality", std::move(quality));
  }
  Json custom;
  add_custom(custom, "connection", entity.connection);
  if (!entity.path.empty()) {
    add_custom(custom, "path", entity.path);
  }
  if (!entity.strategy.empty()) {
    add_custom(custom, "strategy", entity.strategy);
    add_custom(custom, "schema_policy", entity.policy);
  }
  if (entity.severity == CheckSeverity::Warn) {
    add_custom(custom, "severity", "warn");
  }
  if (entity.on_violation == OnViolation::Quarantine) {
    add_custom(custom, "on_violation", "quarantine");
  }
  if (!entity.max_violations.empty()) {
    add_custom(custom, "max_violations", entity.max_violations);
  }
  for (const auto& [key, value] : *entity.read_settings.as_object()) {
    add_custom(custom, "read." + key, value);
  }
  for (const auto& [key, value] : *entity.write_settings.as_object()) {
    add_custom(custom, "write." + key, value);
  }
  object.set("customProperties", std::move(custom));
  return object;
}

Json server_entry(const ServerEntry& server) {
  Json json;
  json.set("server", server.name);
  json.set("type", server.type);
  const auto set = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) {
      json.set(key, value);
    }
  };
  set("host", server.host);
  if (!server.port.empty()) {
    json.set("port", number_json(server.port));
  }
  set("database", server.database);
  set("schema", server.schema);
  set("path", server.path);
  if (server.type == "local") {
    json.set("format", "mixed");
  }
  return json;
}

}  // namespace

Json to_odcs(const ContractDocument& document) {
  Json json;
  json.set("apiVersion", kApiVersion);
  json.set("kind", "DataContract");
  json.set("id", document.name);
  json.set("name", document.name);
  json.set("version", document.version);
  json.set("status", "active");
  if (!document.servers.empty()) {
    Json servers = Json::array();
    for (const ServerEntry& server : document.servers) {
      servers.push(server_entry(server));
    }
    json.set("servers", std::move(servers));
  }
  Json schema = Json::array();
  Json sla = Json::array();
  for (const EntityContract& entity : document.entities) {
    schema.push(schema_object(entity));
    for (const Check& check : entity.expectations) {
      if (check.type == CheckType::Freshness) {
        Json property;
        property.set("property", "latency");
        property.set("value", static_cast<double>(check.max_age_seconds) / 3600.0);
        property.set("unit", "h");
        property.set("element", entity.entity + "." + check.columns.at(0));
        sla.push(std::move(property));
      }
    }
  }
  json.set("schema", std::move(schema));
  if (!sla.as_array()->empty()) {
    json.set("slaProperties", std::move(sla));
  }
  return json;
}

}  // namespace kedge::contracts
