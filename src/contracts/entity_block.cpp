// Contracts as connections.yml spells them.
#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "contracts/odcs.h"
#include "contracts/type_name.h"

namespace kedge::contracts {
namespace {

using document::Json;

// A number where the text is one that says it in the same words, so that it stays plain in YAML.
Json scalar(const std::string& text) {
  std::int64_t whole = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error == std::errc() && end == text.data() + text.size()) {
    return Json(whole);
  }
  double real = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), real);
  const bool number = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() &&
                      document::write_json(Json(real), -1) == text;
  return number ? Json(real) : Json(text);
}

// Lower case outside of quotes: names of fields and labels of enums stay.
std::string written_type(const schema::Type& type) {
  std::string text = type_name(type);
  char quote = 0;
  for (char& c : text) {
    if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else if (quote == 0 && c >= 'A' && c <= 'Z') {
      c = static_cast<char>(c - 'A' + 'a');
    }
  }
  return text;
}

void add_fact(Json& column, const Check& check) {
  switch (check.type) {
    case CheckType::NotNull:
      column.set("not_null", true);
      return;
    case CheckType::Unique:
      column.set("unique", true);
      return;
    case CheckType::AcceptedValues:
      column.set("accepted_values", text_list(check.values));
      return;
    case CheckType::Pattern:
      column.set("pattern", check.pattern);
      return;
    case CheckType::Range:
    case CheckType::Length: {
      const std::string suffix = check.type == CheckType::Length ? "_length" : "";
      if (check.minimum) {
        column.set("min" + suffix, scalar(*check.minimum));
      }
      if (check.maximum) {
        column.set("max" + suffix, scalar(*check.maximum));
      }
      return;
    }
    case CheckType::Freshness:
    case CheckType::RowCount:
    case CheckType::CustomSql:
      return;
  }
}

Json column_block(const Contract& contract, const ContractColumn& column) {
  Json block;
  block.set("type", written_type(column.type));
  if (column.source != column.name) {
    block.set("source", column.source);
  }
  if (column.optional) {
    block.set("optional", true);
  }
  if (!column.description.empty()) {
    block.set("description", column.description);
  }
  if (!column.tags.empty()) {
    block.set("tags", text_list(column.tags));
  }
  if (!column.classification.empty()) {
    block.set("classification", column.classification);
  }
  for (const Check& check : contract.facts) {
    if (check.columns.size() == 1 && check.columns[0] == column.name) {
      add_fact(block, check);
    }
  }
  return block.as_object()->size() == 1 ? *block.find("type") : block;
}

Json bounds(const Check& check) {
  Json json = Json::object();
  if (check.minimum) {
    json.set("min", scalar(*check.minimum));
  }
  if (check.maximum) {
    json.set("max", scalar(*check.maximum));
  }
  return json;
}

Json expect_block(const EntityContract& entity) {
  Json block = Json::object();
  Json unique = Json::array();
  Json custom = Json::array();
  for (const Check& check : entity.expectations) {
    if (check.type == CheckType::RowCount) {
      block.set("row_count", bounds(check));
    } else if (check.type == CheckType::Freshness) {
      Json freshness;
      freshness.set("column", check.columns.at(0));
      freshness.set("max_age", check.max_age);
      block.set("freshness", std::move(freshness));
    } else if (check.type == CheckType::Unique) {
      unique.push(text_list(check.columns));
    } else if (check.type == CheckType::CustomSql) {
      Json item;
      item.set("name", check.name);
      item.set("sql", check.sql);
      custom.push(std::move(item));
    }
  }
  if (!unique.as_array()->empty()) {
    block.set("unique", std::move(unique));
  }
  if (!custom.as_array()->empty()) {
    block.set("custom", std::move(custom));
  }
  if (entity.severity == CheckSeverity::Warn) {
    block.set("severity", "warn");
  }
  if (entity.on_violation == OnViolation::Quarantine) {
    block.set("on_violation", "quarantine");
  }
  if (!entity.max_violations.empty()) {
    block.set("max_violations", scalar(entity.max_violations));
  }
  return block;
}

}  // namespace

Json columns_block(const Contract& contract) {
  Json columns = Json::object();
  for (const ContractColumn& column : contract.columns) {
    columns.set(column.name, column_block(contract, column));
  }
  return columns;
}

Json entity_block(const EntityContract& entity) {
  Json block;
  if (!entity.description.empty()) {
    block.set("description", entity.description);
  }
  if (!entity.tags.empty()) {
    block.set("tags", text_list(entity.tags));
  }
  Json read = Json::object();
  if (!entity.path.empty()) {
    read.set("path", entity.path);
  }
  for (const auto& [key, value] : *entity.read_settings.as_object()) {
    read.set(key, value);
  }
  read.set("columns", columns_block(entity.contract));
  if (Json expect = expect_block(entity); !expect.as_object()->empty()) {
    read.set("expect", std::move(expect));
  }
  block.set("read", std::move(read));
  if (!entity.strategy.empty()) {
    Json write;
    write.set("strategy", entity.strategy);
    if (!entity.keys.empty()) {
      write.set("keys", text_list(entity.keys));
    }
    if (!entity.policy.empty() && entity.policy != "fail_on_change") {
      write.set("schema_policy", entity.policy);
    }
    for (const auto& [key, value] : *entity.write_settings.as_object()) {
      write.set(key, value);
    }
    block.set("write", std::move(write));
  }
  return block;
}

}  // namespace kedge::contracts
