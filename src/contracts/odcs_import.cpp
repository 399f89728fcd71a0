#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "contracts/odcs.h"
#include "contracts/type_name.h"
#include "kedge/codes.h"

namespace kedge::contracts {
namespace {

using document::Json;
using document::Node;

std::vector<std::string> texts_of(const Node& node, std::string_view key) {
  std::vector<std::string> texts;
  if (const Node* list = node.find(key)) {
    for (const Node& item : list->items) {
      texts.push_back(item.text);
    }
  }
  return texts;
}

// kedge.<key> of customProperties.
const Node* custom_property(const Node& node, const std::string& key) {
  const Node* list = node.find("customProperties");
  if (list == nullptr) {
    return nullptr;
  }
  for (const Node& item : list->items) {
    if (item.scalar_at("property") == "kedge." + key) {
      return item.find("value");
    }
  }
  return nullptr;
}

std::string custom_text(const Node& node, const std::string& key) {
  const Node* value = custom_property(node, key);
  return value != nullptr && value->is_scalar() ? value->text : "";
}

Check make_check(CheckType type, std::vector<std::string> columns) {
  Check check;
  check.type = type;
  check.columns = std::move(columns);
  return check;
}

class OdcsReader {
 public:
  OdcsReader(const std::string& file, const std::string& text)
      : document_(document::read_document(file, text, document::format_of(file))) {}

  OdcsImport run() {
    if (!document_.problems.empty()) {
      refuse(document_.problems[0].where, document_.problems[0].message);
    } else if (check_kind()) {
      read();
    }
    return std::move(result_);
  }

 private:
  void refuse(std::optional<Position> where, const std::string& message) {
    result_.problems.push_back({codes::PZ0820, message, std::move(where), "", {}});
  }
  void refuse(const Node& at, const std::string& message) {
    refuse(document_.position(at), message);
  }

  bool check_kind() {
    const Node& root = document_.root;
    if (!root.is_mapping()) {
      refuse(root, "a contract document must be a mapping");
    } else if (const document::Entry* old = root.find_entry("dataContractSpecification")) {
      refuse(old->key,
             "this is a document of the older Data Contract Specification, which is not imported; "
             "convert it to ODCS first");
    } else if (root.scalar_at("kind") != "DataContract") {
      const Node* kind = root.find("kind");
      refuse(kind == nullptr ? root : *kind, "kind: is not DataContract");
    } else if (root.find("apiVersion") == nullptr) {
      refuse(root, "apiVersion: is missing");
    } else if (!root.scalar_at("apiVersion").starts_with("v3.")) {
      refuse(*root.find("apiVersion"),
             "apiVersion: '" + root.scalar_at("apiVersion") + "' is not supported; version 3 is");
    } else {
      return true;
    }
    return false;
  }

  void warn(const std::string& path, const std::string& what) {
    result_.warnings.push_back(path + ": " + what);
  }

  void read() {
    const Node* schema = document_.root.find("schema");
    if (schema == nullptr || !schema->is_sequence()) {
      warn("schema", "there is none");
      return;
    }
    for (std::size_t i = 0; i < schema->items.size(); ++i) {
      read_object(schema->items[i], "schema[" + std::to_string(i) + "]");
    }
    for (const document::Entry& entry : document_.root.entries) {
      static const std::vector<std::string> kKnown = {
          "apiVersion",      "kind",   "id",      "name",          "version",
          "status",          "schema", "servers", "slaProperties", "description",
          "customProperties"};
      if (std::find(kKnown.begin(), kKnown.end(), entry.key.text) == kKnown.end()) {
        warn(entry.key.text, "not imported");
      }
    }
  }

  void read_object(const Node& object, const std::string& path) {
    EntityContract entity;
    entity.entity = object.scalar_at("physicalName");
    if (entity.entity.empty()) {
      entity.entity = object.scalar_at("name");
    }
    static const std::vector<std::string> kKnown = {
        "name",        "physicalName", "logicalType", "physicalType",    "properties",
        "description", "tags",         "quality",     "customProperties"};
    warn_unknown(object, kKnown, path);
    entity.description = object.scalar_at("description");
    entity.tags = texts_of(object, "tags");
    entity.path = custom_text(object, "path");
    entity.strategy = custom_text(object, "strategy");
    entity.policy = custom_text(object, "schema_policy");
    entity.severity =
        custom_text(object, "severity") == "warn" ? CheckSeverity::Warn : CheckSeverity::Fail;
    entity.max_violations = custom_text(object, "max_violations");
    entity.on_violation = custom_text(object, "on_violation") == "quarantine"
                              ? OnViolation::Quarantine
                              : OnViolation::Keep;
    read_settings(object, path, entity);
    std::vector<std::pair<std::int64_t, std::string>> keys;
    if (const Node* properties = object.find("properties")) {
      for (std::size_t i = 0; i < properties->items.size(); ++i) {
        read_property(properties->items[i], path + ".properties[" + std::to_string(i) + "]", entity,
                      keys);
      }
    }
    std::sort(keys.begin(), keys.end());
    for (const auto& [position, name] : keys) {
      entity.keys.push_back(name);
    }
    if (!entity.keys.empty() && entity.strategy.empty()) {
      entity.strategy = "merge";
    }
    if (!entity.write_settings.as_object()->empty() && entity.strategy.empty()) {
      entity.strategy = "append";
    }
    read_quality(object, path, entity);
    read_latency(entity);
    const bool again =
        std::any_of(result_.entities.begin(), result_.entities.end(),
                    [&](const ImportedEntity& e) { return e.entity == entity.entity; });
    if (again) {
      warn(path, "'" + entity.entity + "' is there twice; the first one is taken");
      return;
    }
    result_.entities.push_back({entity.entity, entity_block(entity)});
  }

  void warn_unknown(const Node& node, const std::vector<std::string>& known,
                    const std::string& path) {
    for (const document::Entry& entry : node.entries) {
      if (std::find(known.begin(), known.end(), entry.key.text) == known.end()) {
        warn(path + "." + entry.key.text, "not imported");
      }
    }
  }

  // kedge.<key> of those keys; kedge.read.<key> and kedge.write.<key> where there are blocks.
  void warn_custom(const Node& node, const std::vector<std::string>& known,
                   const std::string& path) {
    const Node* list = node.find("customProperties");
    for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
      const std::string property = list->items[i].scalar_at("property");
      const bool ours = property.starts_with("kedge.") &&
                        std::find(known.begin(), known.end(), property.substr(6)) != known.end();
      if (!ours) {
        warn(path + ".customProperties[" + std::to_string(i) + "]",
             "'" + property + "' is not imported");
      }
    }
  }

  // What the blocks of the entity say beside columns and facts.
  void read_settings(const Node& object, const std::string& path, EntityContract& entity) {
    std::vector<std::string> known = {"connection",    "path",     "strategy",
                                      "schema_policy", "severity", "on_violation",
                                      "max_violations"};
    const Node* list = object.find("customProperties");
    for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
      const std::string property = list->items[i].scalar_at("property");
      const Node* value = list->items[i].find("value");
      for (const auto& [prefix, settings] :
           {std::pair{std::string_view("kedge.read."), &entity.read_settings},
            std::pair{std::string_view("kedge.write."), &entity.write_settings}}) {
        if (property.starts_with(prefix) && value != nullptr) {
          settings->set(property.substr(prefix.size()), kept_setting(*value));
          known.push_back(property.substr(6));
        }
      }
    }
    warn_custom(object, known, path);
  }

  schema::Type type_of(const Node& property, const std::string& path) {
    const std::string spelled = property.scalar_at("physicalType");
    const ParsedType physical = parse_type_name(spelled);
    if (physical.type) {
      return *physical.type;
    }
    const schema::Type type = logical_type_of(property, path);
    if (!spelled.empty()) {
      warn(path + ".physicalType",
           "'" + spelled + "' is no DuckDB type; taken as " + type_name(type));
    }
    return type;
  }

  schema::Type logical_type_of(const Node& property, const std::string& path) {
    const std::string logical = property.scalar_at("logicalType");
    const Node* options = property.find("logicalTypeOptions");
    std::string name = logical == "integer"                        ? "bigint"
                       : logical == "number"                       ? "decimal"
                       : logical == "array" || logical == "object" ? "json"
                                                                   : logical;
    if (logical == "string") {
      const std::string length = options == nullptr ? "" : options->scalar_at("maxLength");
      name = length.empty() ? "varchar" : "varchar(" + length + ")";
    }
    const ParsedType parsed = parse_type_name(name);
    if (!parsed.type) {
      warn(path, "no type is understood; taken as varchar");
      return duckdb_type("VARCHAR");
    }
    return *parsed.type;
  }

  void read_property(const Node& property, const std::string& path, EntityContract& entity,
                     std::vector<std::pair<std::int64_t, std::string>>& keys) {
    ContractColumn column;
    column.name = property.scalar_at("name");
    column.source = property.scalar_at("physicalName");
    if (column.name.empty()) {
      column.name = column.source;
    }
    if (column.name.empty()) {
      warn(path, "it has no name and is left out");
      return;
    }
    if (column.source.empty()) {
      column.source = column.name;
    }
    warn_unhandled(property, path);
    column.type = type_of(property, path);
    column.description = property.scalar_at("description");
    column.classification = property.scalar_at("classification");
    column.optional = custom_text(property, "optional") == "true";
    column.tags = texts_of(property, "tags");
    if (property.scalar_at("primaryKey") == "true") {
      const Node* position = property.find("primaryKeyPosition");
      keys.emplace_back(position == nullptr ? 0 : position->as_integer().value_or(0), column.name);
    }
    read_facts(property, path, column, entity.contract.facts);
    entity.contract.columns.push_back(std::move(column));
  }

  void warn_unhandled(const Node& property, const std::string& path) {
    static const std::vector<std::string> kKnown = {
        "name",         "physicalName",       "logicalType",
        "physicalType", "description",        "classification",
        "tags",         "primaryKey",         "required",
        "unique",       "primaryKeyPosition", "logicalTypeOptions",
        "quality",      "customProperties"};
    warn_unknown(property, kKnown, path);
    warn_custom(property, {"optional", "min", "max", "min_length", "max_length", "pattern"}, path);
    if (const Node* options = property.find("logicalTypeOptions")) {
      warn_unknown(*options, {"minLength", "maxLength", "minimum", "maximum", "pattern"},
                   path + ".logicalTypeOptions");
    }
  }

  void read_facts(const Node& property, const std::string& path, const ContractColumn& column,
                  std::vector<Check>& facts) {
    if (property.scalar_at("required") == "true") {
      facts.push_back(make_check(CheckType::NotNull, {column.name}));
    }
    if (property.scalar_at("unique") == "true") {
      facts.push_back(make_check(CheckType::Unique, {column.name}));
    }
    read_accepted(property, path, column, facts);
    const Node none;
    const Node* found = property.find("logicalTypeOptions");
    const Node& options = found == nullptr ? none : *found;
    const auto bound = [&](std::string_view odcs, const std::string& own) {
      const std::string text = options.scalar_at(odcs);
      const std::string custom = custom_text(property, own);
      return custom.empty() ? (text.empty() ? std::nullopt : std::optional(text))
                            : std::optional(custom);
    };
    add_range(facts, CheckType::Range, column, bound("minimum", "min"), bound("maximum", "max"));
    std::optional<std::string> longest = bound("maxLength", "max_length");
    if (column.type.length && custom_text(property, "max_length").empty()) {
      longest.reset();  // the length of the type itself
    }
    add_range(facts, CheckType::Length, column, bound("minLength", "min_length"), longest);
    if (const auto pattern = bound("pattern", "pattern")) {
      Check check = make_check(CheckType::Pattern, {column.name});
      check.pattern = *pattern;
      facts.push_back(std::move(check));
    }
  }

  static void add_range(std::vector<Check>& facts, CheckType type, const ContractColumn& column,
                        std::optional<std::string> low, std::optional<std::string> high) {
    if (low || high) {
      Check check = make_check(type, {column.name});
      check.minimum = std::move(low);
      check.maximum = std::move(high);
      facts.push_back(std::move(check));
    }
  }

  void read_accepted(const Node& property, const std::string& path, const ContractColumn& column,
                     std::vector<Check>& facts) {
    const Node* quality = property.find("quality");
    if (quality == nullptr) {
      return;
    }
    for (std::size_t i = 0; i < quality->items.size(); ++i) {
      const Node& rule = quality->items[i];
      const Node* arguments = rule.find("arguments");
      const Node* values = arguments == nullptr ? nullptr : arguments->find("validValues");
      if (rule.scalar_at("metric") != "invalidValues" || values == nullptr) {
        warn(path + ".quality[" + std::to_string(i) + "]", "not understood");
        continue;
      }
      Check check = make_check(CheckType::AcceptedValues, {column.name});
      for (const Node& value : values->items) {
        check.values.push_back(value.text);
      }
      facts.push_back(std::move(check));
    }
  }

  void read_quality(const Node& object, const std::string& path, EntityContract& entity) {
    const Node* quality = object.find("quality");
    if (quality == nullptr) {
      return;
    }
    for (std::size_t i = 0; i < quality->items.size(); ++i) {
      const Node& rule = quality->items[i];
      if (std::optional<Check> check = read_rule(rule)) {
        entity.expectations.push_back(std::move(*check));
      } else {
        warn(path + ".quality[" + std::to_string(i) + "]", "not understood");
      }
    }
  }

  static std::optional<Check> read_rule(const Node& rule) {
    const std::string metric = rule.scalar_at("metric");
    if (metric == "rowCount") {
      Check check = make_check(CheckType::RowCount, {});
      if (const Node* between = rule.find("mustBeBetween");
          between != nullptr && between->items.size() == 2) {
        check.minimum = between->items[0].text;
        check.maximum = between->items[1].text;
      }
      if (const std::string low = rule.scalar_at("mustBeGreaterOrEqualTo"); !low.empty()) {
        check.minimum = low;
      }
      if (const std::string high = rule.scalar_at("mustBeLessOrEqualTo"); !high.empty()) {
        check.maximum = high;
      }
      return check.minimum || check.maximum ? std::optional(check) : std::nullopt;
    }
    const Node* arguments = rule.find("arguments");
    const Node* properties = arguments == nullptr ? nullptr : arguments->find("properties");
    if (metric == "duplicateValues" && properties != nullptr) {
      Check check = make_check(CheckType::Unique, {});
      for (const Node& property : properties->items) {
        check.columns.push_back(property.text);
      }
      return check;
    }
    return read_sql(rule);
  }

  static std::optional<Check> read_sql(const Node& rule) {
    static constexpr std::string_view kHead = "SELECT count(*) FROM (";
    std::string query = rule.scalar_at("query");
    const bool own = query.starts_with(kHead) && query.ends_with(")");
    if (rule.scalar_at("type") != "sql" || !own || rule.scalar_at("name").empty()) {
      return std::nullopt;
    }
    Check check = make_check(CheckType::CustomSql, {});
    check.name = rule.scalar_at("name");
    check.sql = query.substr(kHead.size(), query.size() - kHead.size() - 1);
    return check;
  }

  void read_latency(EntityContract& entity) {
    const Node* sla = document_.root.find("slaProperties");
    if (sla == nullptr) {
      return;
    }
    for (const Node& item : sla->items) {
      const std::string element = item.scalar_at("element");
      const Node* value = item.find("value");
      const bool mine = item.scalar_at("property") == "latency" && item.scalar_at("unit") == "h" &&
                        element.starts_with(entity.entity + ".");
      if (!mine || value == nullptr || !value->as_number()) {
        continue;
      }
      Check check = make_check(CheckType::Freshness, {element.substr(entity.entity.size() + 1)});
      const auto seconds = static_cast<std::int64_t>(std::llround(*value->as_number() * 3600));
      check.max_age_seconds = seconds;
      check.max_age = seconds % 3600 == 0 ? std::to_string(seconds / 3600) + "h"
                      : seconds % 60 == 0 ? std::to_string(seconds / 60) + "m"
                                          : std::to_string(seconds) + "s";
      entity.expectations.push_back(std::move(check));
    }
  }

  document::Document document_;
  OdcsImport result_;
};

}  // namespace

OdcsImport from_odcs(const std::string& file, const std::string& text) {
  return OdcsReader(file, text).run();
}

}  // namespace kedge::contracts
