// What changed between two contracts, and whether those who rely on the first can live with the
// second (spec/contracts.md 18.3).
#include <algorithm>
#include <map>

#include "base/text.h"
#include "contracts/odcs.h"
#include "contracts/type_name.h"

namespace kedge::contracts {
namespace {

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
  const auto old_value = before ? number_of(*before) : std::nullopt;
  const auto new_value = number_of(*after);
  if (!old_value || !new_value) {
    return before != after;
  }
  return lower ? *new_value > *old_value : *new_value < *old_value;
}

bool threshold_tightened(const std::optional<Threshold>& before,
                         const std::optional<Threshold>& after) {
  if (!before || before == after) {
    return false;
  }
  return !after || after->percent != before->percent || after->amount < before->amount;
}

// Only what fails can break: a fact that warns stops nobody.
bool is_tightened(const Check& before, const Check& after) {
  if (after.severity == CheckSeverity::Warn) {
    return false;
  }
  const bool values =
      after.type == CheckType::AcceptedValues &&
      std::any_of(before.values.begin(), before.values.end(), [&](const std::string& value) {
        return std::find(after.values.begin(), after.values.end(), value) == after.values.end();
      });
  const bool age =
      after.type == CheckType::Freshness && after.max_age_seconds < before.max_age_seconds;
  const bool kept = before.on_violation == OnViolation::Quarantine &&
                    after.on_violation != OnViolation::Quarantine;
  return values || age || kept || before.severity == CheckSeverity::Warn ||
         bound_tightened(before.minimum, after.minimum, true) ||
         bound_tightened(before.maximum, after.maximum, false) || before.pattern != after.pattern ||
         before.sql != after.sql ||
         threshold_tightened(before.max_violations, after.max_violations);
}

bool is_same(const Check& a, const Check& b) {
  return a.same_as(b) && a.severity == b.severity && a.max_violations == b.max_violations &&
         a.on_violation == b.on_violation;
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
    part_ = ContractPart::Shape;
    compare_columns(before.contract, after.contract);
    compare_checks(all(before.contract, before.expectations),
                   all(after.contract, after.expectations));
    part_ = ContractPart::Read;
    compare_read(before, after);
    part_ = ContractPart::Write;
    if (before.strategy.empty() || after.strategy.empty()) {
      if (before.strategy != after.strategy) {
        const bool gone = after.strategy.empty();
        add(gone ? DiffKind::Breaking : DiffKind::Compatible,
            gone ? "write removed" : "write added");
      }
      return;
    }
    prefix_ = "write: ";
    compare_promise(before, after);
    compare_write(before, after);
    prefix_.clear();
  }

  void add(const EntityContract& entity, DiffKind kind, const std::string& text) {
    changes_.push_back({kind, ContractPart::Entity, entity.connection + "." + entity.entity, text});
  }

 private:
  void add(DiffKind kind, const std::string& text) {
    changes_.push_back({kind, part_, entity_, prefix_ + text});
  }

  static std::vector<Check> all(const Contract& contract, const std::vector<Check>& expectations) {
    std::vector<Check> checks = contract.facts;
    checks.insert(checks.end(), expectations.begin(), expectations.end());
    return checks;
  }

  void compare_columns(const Contract& before, const Contract& after) {
    for (const ContractColumn& column : before.columns) {
      const ContractColumn* now = find_column(after, column.name);
      if (now == nullptr) {
        add(DiffKind::Breaking, "column '" + column.name + "' removed");
      } else {
        compare_column(column, *now);
      }
    }
    for (const ContractColumn& column : after.columns) {
      if (find_column(before, column.name) == nullptr) {
        add(DiffKind::Compatible,
            "column '" + column.name + "' added (" + type_name(column.type) + ")");
      }
    }
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

  // What readers of the target were promised; without `columns:` nothing was.
  void compare_promise(const EntityContract& before, const EntityContract& after) {
    if (!before.promise.empty() && after.promise.empty()) {
      add(DiffKind::Breaking, "columns removed");
    } else if (before.promise.empty() && !after.promise.empty()) {
      add(DiffKind::Compatible, "columns added");
    } else {
      compare_columns(before.promise, after.promise);
    }
    compare_checks(all(before.promise, before.promise_expectations),
                   all(after.promise, after.promise_expectations));
  }

  using Settings = std::map<std::string, document::Json>;

  static void take(Settings& settings, const document::Json& rest,
                   const std::vector<std::string_view>& told) {
    for (const auto& [key, value] : *rest.as_object()) {
      if (std::find(told.begin(), told.end(), key) == told.end()) {
        settings[key] = sorted(value);
      }
    }
  }

  static Settings read_settings(const EntityContract& entity) {
    Settings settings{{"path", entity.path},
                      {"description", entity.description},
                      {"tags", base::join(entity.tags, ", ")},
                      {"extra_columns", "ignore"}};
    take(settings, entity.read_settings, {});
    return settings;
  }

  // With the defaults of what readers of the target rely on, so that saying one changes nothing.
  static Settings write_settings(const EntityContract& entity) {
    std::vector<std::string> keys = entity.keys;
    std::sort(keys.begin(), keys.end());
    Settings settings{{"strategy", entity.strategy},
                      {"schema_policy", entity.policy},
                      {"keys", base::join(keys, ", ")}};
    if (entity.is_file) {
      settings.insert(
          {{"format", "parquet"}, {"delimiter", ","}, {"header", true}, {"layout", "ndjson"}});
    }
    take(settings, entity.write_settings, {"keys", "columns", "expect"});
    if (entity.is_file) {
      const std::string* format = settings["format"].as_string();
      settings.insert({"path", entity.entity + "." + (format == nullptr ? "parquet" : *format)});
    }
    return settings;
  }

  // What is read stays what the columns promise, unless a read that passed fails now.
  void compare_read(const EntityContract& before, const EntityContract& after) {
    compare_settings("read: ", read_settings(before), read_settings(after),
                     [](const std::string& key, const document::Json* now) {
                       const bool gate = key == "extra_columns" || key == "on_source_drift";
                       const std::string* word = now == nullptr ? nullptr : now->as_string();
                       return gate && word != nullptr && *word == "fail";
                     });
  }

  // What is written, where and how is what others read.
  void compare_write(const EntityContract& before, const EntityContract& after) {
    static const std::vector<std::string_view> kHarmless = {"schema_policy", "retry", "duplicates"};
    compare_settings("", write_settings(before), write_settings(after),
                     [](const std::string& key, const document::Json*) {
                       return std::find(kHarmless.begin(), kHarmless.end(), key) == kHarmless.end();
                     });
  }

  template <class Breaks>
  void compare_settings(const std::string& block, const Settings& before, const Settings& after,
                        Breaks breaks) {
    const auto tell = [&](const std::string& key, const document::Json* now,
                          const std::string& how) {
      add(breaks(key, now) ? DiffKind::Breaking : DiffKind::Compatible, block + key + " " + how);
    };
    for (const auto& [key, value] : before) {
      const auto now = after.find(key);
      if (now == after.end()) {
        tell(key, nullptr, "removed");
      } else if (!(now->second == value)) {
        tell(key, &now->second, "changed");
      }
    }
    for (const auto& [key, value] : after) {
      if (before.count(key) == 0) {
        tell(key, &value, "added");
      }
    }
  }

  void compare_checks(const std::vector<Check>& before, const std::vector<Check>& after) {
    for (const Check& check : after) {
      const Check* old = find_same(before, check);
      if (old == nullptr) {
        const bool warns = check.severity == CheckSeverity::Warn;
        add(warns ? DiffKind::Compatible : DiffKind::Breaking,
            "new fact: " + describe_check(check));
      } else if (!is_same(*old, check)) {
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
  ContractPart part_ = ContractPart::Shape;
  std::string prefix_;
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
      differ.add(entity, DiffKind::Breaking, "entity removed");
    } else {
      differ.compare(entity, *now);
    }
  }
  for (const EntityContract& entity : after) {
    if (find_entity(before, entity) == nullptr) {
      differ.add(entity, DiffKind::Compatible, "entity added");
    }
  }
  return changes;
}

}  // namespace kedge::contracts
