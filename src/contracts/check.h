// Checks and facts (spec/contracts.md 16) as values: what a sidecar's `checks:`, the long form of
// `columns:` and an `expect:` block say about data. Reading them collects every problem; nothing
// here looks at data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/node.h"
#include "kedge/error.h"

namespace kedge::contracts {

enum class CheckType {
  NotNull,
  Unique,
  AcceptedValues,
  Range,
  Length,
  Pattern,
  Freshness,
  RowCount,
  CustomSql
};
std::string to_string(CheckType type);  // "not_null", "unique", ...

enum class CheckSeverity { Fail, Warn };
enum class OnViolation { Keep, Quarantine };

struct Threshold {
  double amount = 0;
  bool percent = false;
  bool operator==(const Threshold&) const = default;
};

struct Check {
  CheckType type = CheckType::NotNull;
  std::vector<std::string> columns;
  std::optional<std::string> minimum;  // numbers, dates, lengths and counts as written
  std::optional<std::string> maximum;
  std::vector<std::string> values;
  std::string pattern;
  std::string max_age;  // as written: "36h"
  std::int64_t max_age_seconds = 0;
  std::string name;  // custom_sql
  std::string sql;   // custom_sql
  CheckSeverity severity = CheckSeverity::Fail;
  std::optional<bool> sample_values;
  std::optional<Threshold> max_violations;
  OnViolation on_violation = OnViolation::Keep;
  Position where;
  // Equal when they check the same thing; places and options do not matter.
  bool same_as(const Check& other) const;
};

// "unique_box_seen_at": the part of the node name after check_<thing>_.
std::string check_label(const Check& check);
// "gross_kg range 0..40000": for messages.
std::string describe_check(const Check& check);

// The `checks:` list of a sidecar.
std::vector<Check> read_checks(std::string_view file, const document::Node& list,
                               std::vector<Problem>& problems);
// An `expect:` mapping.
std::vector<Check> read_expectations(std::string_view file, const document::Node& mapping,
                                     std::vector<Problem>& problems);

}  // namespace kedge::contracts
