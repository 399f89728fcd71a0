// What changed between two contracts, and whether those who rely on the first can live with the
// second (spec/contracts.md 18.3).
#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "contracts/odcs.h"
#include "contracts/type_name.h"

namespace kedge::contracts {
namespace {

std::optional<double> number_of(const std::optional<std::string>& text) {
  if (!text) {
    return std::nullopt;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  return error == std::errc() && end == text->data() + text->size() ? std::optional(value)
                                                                    : std::nullopt;
}

bool same_place(const Check& a, const Check& b) {
  return a.type == b.type && a.columns == b.columns && a.name == b.name;
}

const Check* find_same(const std::vector<Check>& checks, const Check& wanted) {
  const auto found = std::find_if(checks.begin(), checks.end(),
                                  [&](const Check& c) { return same_place(c, wanted); });
  return found == checks.end() ? nullptr : &*found;
}

bool bound_tightened(const std::optional<std::string>& before,
                     const std::optional<std::string>& after, bool lower) {
  if (!after) {
    return false;
  }
  const auto old_value = number_of(before);
  const auto new_value = number_of(after);
  if (!before || !old_value || !new_value) {
    return before != after;
  }
  return lower ? *new_value > *old_value : *new_value < *old_value;
}

bool is_tightened(const Check& before, const Check& after) {
  if (after.type == CheckType::AcceptedValues) {
    return std::any_of(before.values.begin(), before.values.end(), [&](const std::string& value) {
      return std::find(after.values.begin(), after.values.end(), value) == after.values.end();
    });
  }
  if (after.type == CheckType::Freshness) {
    return after.max_age_seconds < before.max_age_seconds;
  }
  return bound_tightened(before.minimum, after.minimum, true) ||
         bound_tightened(before.maximum, after.maximum, false) || before.pattern != after.pattern ||
         before.sql != after.sql ||
         (before.severity == CheckSeverity::Warn && after.severity == CheckSeverity::Fail);
}

// The same setting, whatever the order of its keys.
document::Json sorted(const document::Json& value) {
  if (const auto* items = value.as_array()) {
    document::Json list = document::Json::array();
    for (const document::Json& item : *items) {
      list.push(sorted(item));
    }
    return list;
  }
  if (const auto* members = value.as_object()) {
    document::Json::Object all;
    for (const auto& [key, member] : *members) {
      all.emplace_back(key, sorted(member));
    }
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    return document::Json(std::move(all));
  }
  return value;
}

class Differ {
 public:
  explicit Differ(std::vector<ContractChange>& changes) : changes_(changes) {}

  void compare(const EntityContract& before, const EntityContract& after) {
    entity_ = before.connection + "." + before.entity;
    for (const ContractColumn& column : before.contract.columns) {
      const ContractColumn* now = find_column(after.contract, column.name);
      if (now == nullptr) {
        add(DiffKind::Breaking, "column '" + column.name + "' removed");
      } else {
        compare_column(column, *now);
      }
    }
    for (const ContractColumn& column : after.contract.columns) {
      if (find_column(before.contract, column.name) == nullptr) {
        add(DiffKind::Compatible,
            "column '" + column.name + "' added (" + type_name(column.type) + ")");
      }
    }
    compare_checks(all(before), all(after));
    compare_settings(before, after);
  }

  void add(const std::string& entity, DiffKind kind, const std::string& text) {
    changes_.push_back({kind, entity, text});
  }

 private:
  void add(DiffKind kind, const std::string& text) { add(entity_, kind, text); }

  static std::vector<Check> all(const EntityContract& entity) {
    std::vector<Check> checks = entity.contract.facts;
    checks.insert(checks.end(), entity.expectations.begin(), entity.expectations.end());
    return checks;
  }

  void compare_column(const ContractColumn& before, const ContractColumn& now) {
    const WideningVerdict verdict = judge_widening(before.type, now.type);
    if (verdict.widening != Widening::None) {
      add(verdict.widening == Widening::Safe ? DiffKind::Compatible : DiffKind::Breaking,
          "column '" + before.name + "' retyped " + type_name(before.type) + " -> " +
              type_name(now.type));
    }
    if (before.optional != now.optional) {
      add(now.optional ? DiffKind::Breaking : DiffKind::Compatible,
          "column '" + before.name + "' is " + (now.optional ? "optional now" : "required now"));
    }
  }

  // What is read stays what the columns promise; what is written, and when, may not.
  void compare_settings(const EntityContract& before, const EntityContract& after) {
    compare_blocks("read", settings_of(before, before.read_settings, Block::Read),
                   settings_of(after, after.read_settings, Block::Read));
    compare_blocks("write", settings_of(before, before.write_settings, Block::Write),
                   settings_of(after, after.write_settings, Block::Write));
  }

  enum class Block { Read, Write };
  static document::Json settings_of(const EntityContract& entity, const document::Json& rest,
                                    Block block) {
    document::Json settings = document::Json::object();
    if (block == Block::Read) {
      settings.set("path", entity.path);
      settings.set("description", entity.description);
      settings.set("tags", base::join(entity.tags, ", "));
    } else if (!entity.strategy.empty()) {
      settings.set("strategy", entity.strategy);
      settings.set("schema_policy", entity.policy);
      settings.set("keys", base::join(entity.keys, ", "));
    }
    for (const auto& [key, value] : *rest.as_object()) {
      if (key != "keys") {  // told above
        settings.set(key, value);
      }
    }
    return settings;
  }

  void compare_blocks(const std::string& block, const document::Json& before,
                      const document::Json& after) {
    static const std::vector<std::string_view> kHarmless = {
        "schema_policy", "retry", "duplicates", "format", "path", "delimiter", "header", "layout"};
    const auto tell = [&](const std::string& key, const std::string& how) {
      const bool harmless =
          block == "read" || std::find(kHarmless.begin(), kHarmless.end(), key) != kHarmless.end();
      add(harmless ? DiffKind::Compatible : DiffKind::Breaking, block + ": " + key + " " + how);
    };
    for (const auto& [key, value] : *before.as_object()) {
      const document::Json* now = after.find(key);
      if (now == nullptr || !(sorted(*now) == sorted(value))) {
        tell(key, now == nullptr ? "removed" : "changed");
      }
    }
    for (const auto& [key, value] : *after.as_object()) {
      if (before.find(key) == nullptr) {
        tell(key, "added");
      }
    }
  }

  void compare_checks(const std::vector<Check>& before, const std::vector<Check>& after) {
    for (const Check& check : after) {
      const Check* old = find_same(before, check);
      if (old == nullptr) {
        add(DiffKind::Breaking, "new fact: " + describe_check(check));
      } else if (!old->same_as(check) || old->severity != check.severity) {
        const bool tight = is_tightened(*old, check);
        add(tight ? DiffKind::Breaking : DiffKind::Compatible,
            std::string(tight ? "tightened" : "loosened") + " fact: " + describe_check(*old) +
                " -> " + describe_check(check));
      }
    }
    for (const Check& check : before) {
      if (find_same(after, check) == nullptr) {
        add(DiffKind::Compatible, "fact dropped: " + describe_check(check));
      }
    }
  }

  std::vector<ContractChange>& changes_;
  std::string entity_;
};

const EntityContract* find_entity(const std::vector<EntityContract>& entities,
                                  const EntityContract& wanted) {
  const auto found = std::find_if(entities.begin(), entities.end(), [&](const EntityContract& e) {
    return e.entity == wanted.entity && e.connection == wanted.connection;
  });
  return found == entities.end() ? nullptr : &*found;
}

}  // namespace

std::vector<ContractChange> diff_contracts(const std::vector<EntityContract>& before,
                                           const std::vector<EntityContract>& after) {
  std::vector<ContractChange> changes;
  Differ differ(changes);
  for (const EntityContract& entity : before) {
    const EntityContract* now = find_entity(after, entity);
    if (now == nullptr) {
      differ.add(entity.connection + "." + entity.entity, DiffKind::Breaking, "entity removed");
    } else {
      differ.compare(entity, *now);
    }
  }
  for (const EntityContract& entity : after) {
    if (find_entity(before, entity) == nullptr) {
      differ.add(entity.connection + "." + entity.entity, DiffKind::Compatible, "entity added");
    }
  }
  return changes;
}

}  // namespace kedge::contracts
