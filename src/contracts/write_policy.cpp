#include "contracts/write_policy.h"

#include <algorithm>

#include "base/text.h"
#include "contracts/type_name.h"
#include "kedge/codes.h"

namespace kedge::contracts {
namespace {

using schema::Type;
using schema::TypeKind;

bool same_column(System system, const std::string& a, const std::string& b) {
  return system == System::Postgres ? a == b : base::equals_ignoring_case(a, b);
}

const TargetColumn* find(const Target& target, System system, const std::string& name) {
  const auto exact = std::find_if(target.columns.begin(), target.columns.end(),
                                  [&](const TargetColumn& c) { return c.name == name; });
  if (exact != target.columns.end()) {
    return &*exact;
  }
  const auto found =
      std::find_if(target.columns.begin(), target.columns.end(),
                   [&](const TargetColumn& c) { return same_column(system, c.name, name); });
  return found == target.columns.end() ? nullptr : &*found;
}

ColumnUse use_of(const WriteRequest& request, const std::string& column) {
  const bool key =
      request.strategy == Strategy::Merge &&
      std::find(request.keys.begin(), request.keys.end(), column) != request.keys.end();
  return key ? ColumnUse::Key : ColumnUse::Plain;
}

// Numeric affinities of sqlite: a widening inside one needs no statement.
enum class Affinity { Integer, Real, Numeric, Text, Other };
Affinity affinity_of(const Type& type) {
  if (is_integer(type.kind)) {
    return Affinity::Integer;
  }
  if (type.kind == TypeKind::Real4 || type.kind == TypeKind::Real8) {
    return Affinity::Real;
  }
  if (type.kind == TypeKind::Numeric) {
    return Affinity::Numeric;
  }
  return is_text(type.kind) ? Affinity::Text : Affinity::Other;
}

class Judge {
 public:
  Judge(const WriteRequest& request, const Target& target,
        const std::map<std::string, ValueFacts>& facts)
      : request_(request), target_(target), facts_(facts) {}

  WriteVerdict run() {
    verdict_.code = request_.policy == SchemaPolicy::Evolve ? codes::PZ0812 : codes::PZ0811;
    if (target_.is_view) {
      verdict_.code = codes::PZ0811;
      add("", "view", "", "view", "it is a view");
      return std::move(verdict_);
    }
    for (const WriteColumn& column : request_.columns) {
      judge_column(column);
    }
    judge_marker();
    judge_untouched();
    judge_keys();
    if (!verdict_.mismatches.empty()) {
      verdict_.alterations.clear();
    }
    return std::move(verdict_);
  }

 private:
  bool evolves() const { return request_.policy == SchemaPolicy::Evolve; }

  void add(const std::string& column, std::string kind, std::string declared, std::string found,
           std::string text) {
    verdict_.mismatches.push_back({column, std::move(kind), std::move(declared), std::move(found),
                                   column.empty() ? text : "column '" + column + "' " + text});
  }

  void judge_column(const WriteColumn& column) {
    const std::optional<TargetType> mapped =
        target_type(request_.system, column.type, use_of(request_, column.name));
    if (!mapped) {
      verdict_.code = codes::PZ0802;
      add(column.name, "type", type_name(column.type), "",
          "has type " + type_name(column.type) + ", which has no mapping on the target");
      return;
    }
    const TargetColumn* found = find(target_, request_.system, column.name);
    verdict_.target_names.push_back(found == nullptr ? column.name : found->name);
    if (found == nullptr) {
      judge_missing(column, *mapped);
      return;
    }
    if (found->generated) {
      add(column.name, "type", mapped->native, found->native,
          "is generated in the target and cannot be written");
      return;
    }
    judge_type(column, *mapped, *found);
    judge_values(column, *found, *mapped);
  }

  void judge_missing(const WriteColumn& column, const TargetType& mapped) {
    if (evolves()) {
      verdict_.alterations.push_back(
          {AlterationKind::Added, column.name, std::nullopt, mapped.native, true});
      return;
    }
    add(column.name, "missing", type_name(column.type), "",
        "is missing in the target (the write has " + mapped.native + ")");
  }

  // Behind ODBC a driver may know less of a type than the spelling of its column says.
  bool is_spelled_so(const TargetType& mapped, const TargetColumn& found) const {
    const bool odbc = request_.system == System::Generic || request_.system == System::SqlServer;
    return odbc &&
           base::equals_ignoring_case(mapped.native, base::replace_all(found.native, ", ", ","));
  }

  // A text without length against a limited one is equal; its values decide (judge_values).
  bool is_equal(const Type& incoming, const TargetColumn& found) const {
    const bool sqlite_integers = request_.system == System::Sqlite;
    return compare_types(incoming, found.type,
                         sqlite_integers ? ActualSide::IntegerAffinity : ActualSide::Typed) ==
           TypeVerdict::Equal;
  }

  void judge_type(const WriteColumn& column, const TargetType& mapped, const TargetColumn& found) {
    if (is_spelled_so(mapped, found) || is_equal(mapped.read_as, found)) {
      return;
    }
    if (!evolves()) {
      add(column.name, "type", type_name(column.type), type_name(found.type),
          "has type " + found.native + " in the target, the write has " + mapped.native);
      return;
    }
    const WideningVerdict widening = judge_widening(found.type, mapped.read_as);
    if (widening.widening == Widening::Safe) {
      widen(column, mapped.native, mapped.read_as, found);
    } else if (widening.widening == Widening::Refused) {
      refuse(column, found, mapped.native, reason(found.type, mapped.read_as, widening.reason));
    }
  }

  static std::string reason(const Type& target, const Type& incoming, const std::string& why) {
    const bool date =
        (target.kind == TypeKind::Timestamp || target.kind == TypeKind::TimestampTz) &&
        incoming.kind == TypeKind::Date;
    return date ? "narrowing" : why;
  }

  void refuse(const WriteColumn& column, const TargetColumn& found, const std::string& native,
              const std::string& why) {
    add(column.name, "type", type_name(column.type), type_name(found.type),
        found.native + " -> " + native + " (" + why + ")");
  }

  void widen(const WriteColumn& column, const std::string& native, const Type& incoming,
             const TargetColumn& found) {
    if (request_.system == System::Sqlite) {
      if (affinity_of(incoming) != affinity_of(found.type)) {
        refuse(column, found, native, "SQLite cannot alter the type of a column");
        return;
      }
      verdict_.alterations.push_back(
          {AlterationKind::Widened, found.name, found.native, native, false});
      return;
    }
    if (!found.locked_by.empty()) {
      add(column.name, "type", type_name(column.type), type_name(found.type),
          found.native + " -> " + native + ": it is in " + found.locked_by);
      return;
    }
    if (request_.system == System::Duckdb && target_.has_index) {
      add(column.name, "type", type_name(column.type), type_name(found.type),
          found.native + " -> " + native + ": the table has an index");
      return;
    }
    verdict_.alterations.push_back(
        {AlterationKind::Widened, found.name, found.native, native, true, found.clauses});
  }

  void judge_values(const WriteColumn& column, const TargetColumn& found,
                    const TargetType& mapped) {
    const auto measured = facts_.find(column.name);
    if (measured == facts_.end()) {
      return;
    }
    const ValueFacts& facts = measured->second;
    if (!found.nullable && facts.nulls > 0) {
      if (!evolves()) {
        verdict_.code = codes::PZ0811;
      }
      add(column.name, "null", "NOT NULL", "NULL",
          "is NOT NULL in the target, the write has NULL in " + std::to_string(facts.nulls) +
              " row(s)");
    }
    if (facts.out_of_range > 0) {
      add(column.name, "range", type_name(column.type), found.native,
          "has " + std::to_string(facts.out_of_range) + " value(s) outside the range of " +
              found.native);
    }
    judge_length(column, found, mapped, facts);
    judge_fraction(column, found, mapped, facts);
  }

  void judge_fraction(const WriteColumn& column, const TargetColumn& found,
                      const TargetType& mapped, const ValueFacts& facts) {
    if (!found.fraction || facts.fraction <= *found.fraction ||
        found.type.kind != mapped.read_as.kind || already_widened(found.name)) {
      return;
    }
    if (evolves()) {
      widen(column, mapped.native, mapped.read_as, found);
      return;
    }
    add(column.name, "fraction", std::to_string(facts.fraction), found.native,
        "keeps " + std::to_string(*found.fraction) +
            " digits of a second in the target, the write has a value of " +
            std::to_string(facts.fraction));
  }

  void judge_length(const WriteColumn& column, const TargetColumn& found, const TargetType& mapped,
                    const ValueFacts& facts) {
    if (!is_text(found.type.kind) || !found.type.length || !is_text(mapped.read_as.kind) ||
        facts.longest <= *found.type.length || already_widened(found.name)) {
      return;
    }
    if (evolves() && !mapped.read_as.length) {
      widen(column, mapped.native, mapped.read_as, found);
      return;
    }
    add(column.name, "length", std::to_string(facts.longest), found.native,
        "holds at most " + std::to_string(*found.type.length) +
            " characters in the target, the write has a text of " + std::to_string(facts.longest));
  }

  bool already_widened(const std::string& column) const {
    return std::any_of(verdict_.alterations.begin(), verdict_.alterations.end(),
                       [&](const Alteration& a) { return a.column == column; });
  }

  void judge_marker() {
    if (request_.on_delete != OnDelete::Soft) {
      return;
    }
    const std::string name(kMarkerColumn);
    const TargetColumn* found = find(target_, request_.system, name);
    const std::string native = marker_type(request_.system);
    if (found == nullptr) {
      if (request_.policy == SchemaPolicy::FailOnChange) {
        add(name, "missing", native, "", "is missing in the target (on_delete: soft needs it)");
      } else {
        verdict_.alterations.push_back({AlterationKind::Marker, name, std::nullopt, native, true});
      }
      return;
    }
    const bool plain = request_.system == System::Mysql || request_.system == System::SqlServer ||
                       request_.system == System::Generic;
    if (found->type.kind != (plain ? TypeKind::Timestamp : TypeKind::TimestampTz)) {
      add(name, "type", native, found->native,
          "has type " + found->native + " in the target, the marker is " + native);
    }
  }

  void judge_untouched() {
    for (const TargetColumn& column : target_.columns) {
      const bool written = std::any_of(
          request_.columns.begin(), request_.columns.end(),
          [&](const WriteColumn& c) { return same_column(request_.system, c.name, column.name); });
      if (!written && !column.nullable && !column.has_default &&
          column.name != std::string(kMarkerColumn)) {
        add(column.name, "extra", "", column.native,
            "is NOT NULL without a default in the target, and the write does not have it");
      }
    }
  }

  void judge_keys() {
    if (request_.strategy != Strategy::Merge) {
      return;
    }
    const auto folded = [&](std::vector<std::string> names) {
      for (std::string& name : names) {
        name = request_.system == System::Postgres ? name : base::to_lower(name);
      }
      std::sort(names.begin(), names.end());
      return names;
    };
    const std::vector<std::string> wanted = folded(request_.keys);
    const bool found =
        std::any_of(target_.unique_keys.begin(), target_.unique_keys.end(),
                    [&](const std::vector<std::string>& key) { return folded(key) == wanted; });
    if (!found) {
      add("", "key", base::join(request_.keys, ", "), "",
          "there is no unique key on exactly (" + base::join(request_.keys, ", ") + ")");
    }
  }

  const WriteRequest& request_;
  const Target& target_;
  const std::map<std::string, ValueFacts>& facts_;
  WriteVerdict verdict_;
};

}  // namespace

std::string to_string(Strategy strategy) {
  switch (strategy) {
    case Strategy::Append:
      return "append";
    case Strategy::Replace:
      return "replace";
    case Strategy::Merge:
      return "merge";
  }
  return "";
}

std::string to_string(SchemaPolicy policy) {
  switch (policy) {
    case SchemaPolicy::FailOnChange:
      return "fail_on_change";
    case SchemaPolicy::Additive:
      return "additive";
    case SchemaPolicy::Evolve:
      return "evolve";
  }
  return "";
}

std::string to_string(OnDelete action) {
  switch (action) {
    case OnDelete::None:
      return "none";
    case OnDelete::Delete:
      return "delete";
    case OnDelete::Soft:
      return "soft";
    case OnDelete::Ignore:
      return "ignore";
  }
  return "";
}

std::string to_string(AlterationKind kind) {
  switch (kind) {
    case AlterationKind::Added:
      return "added";
    case AlterationKind::Widened:
      return "widened";
    case AlterationKind::Marker:
      return "marker";
  }
  return "";
}

std::string alteration_text(const Alteration& alteration) {
  const std::string column = "column '" + alteration.column + "' ";
  if (alteration.kind == AlterationKind::Widened) {
    return column + "widened " + alteration.from.value_or("") + " -> " + alteration.to;
  }
  return column + "added (" + alteration.to + ")";
}

std::vector<std::string> columns_to_measure(const WriteRequest& request, const Target& target) {
  std::vector<std::string> names;
  for (const WriteColumn& column : request.columns) {
    const TargetColumn* found = find(target, request.system, column.name);
    const std::optional<TargetType> mapped =
        target_type(request.system, column.type, use_of(request, column.name));
    const bool ranged = mapped && mapped->range_checked;
    if (ranged ||
        (found != nullptr && (!found->nullable || found->type.length || found->fraction))) {
      names.push_back(column.name);
    }
  }
  return names;
}

WriteVerdict judge_write(const WriteRequest& request, const Target& target,
                         const std::map<std::string, ValueFacts>& facts) {
  return Judge(request, target, facts).run();
}

Problem refusal(const WriteRequest& request, const WriteVerdict& verdict) {
  Problem problem;
  problem.code = verdict.code;
  std::vector<std::string> texts;
  for (const Mismatch& mismatch : verdict.mismatches) {
    texts.push_back(mismatch.text);
  }
  const std::string all = base::join(texts, "; ");
  problem.message = verdict.code == codes::PZ0812
                        ? "target '" + request.target +
                              "': schema_policy evolve cannot apply: " + all +
                              ". Nothing was changed"
                        : "target '" + request.target + "': " + all;
  return problem;
}

std::vector<Mismatch> compare_promise(const std::vector<WriteColumn>& promised,
                                      const std::vector<WriteColumn>& staged) {
  const auto find_in = [](const std::vector<WriteColumn>& columns, const std::string& name) {
    return std::find_if(columns.begin(), columns.end(),
                        [&](const WriteColumn& c) { return c.name == name; });
  };
  std::vector<Mismatch> mismatches;
  for (const WriteColumn& column : promised) {
    const auto found = find_in(staged, column.name);
    const std::string declared = type_name(column.type);
    if (found == staged.end()) {
      mismatches.push_back({column.name, "missing", declared, "",
                            "column '" + column.name + "' (" + declared + ") is missing"});
    } else if (compare_types(underlying_type(column.type), underlying_type(found->type)) !=
               TypeVerdict::Equal) {
      const std::string actual = type_name(found->type);
      mismatches.push_back({column.name, "type", declared, actual,
                            "column '" + column.name + "' is promised as " + declared +
                                ", the result has " + actual});
    }
  }
  for (const WriteColumn& column : staged) {
    if (find_in(promised, column.name) == promised.end()) {
      mismatches.push_back(
          {column.name, "extra", "", type_name(column.type),
           "column '" + column.name + "' (" + type_name(column.type) + ") is not promised"});
    }
  }
  return mismatches;
}

}  // namespace kedge::contracts
