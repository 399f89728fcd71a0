#include "contracts/check.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "contracts/node_reader.h"
#include "kedge/codes.h"

namespace kedge::contracts {
namespace {

using document::Node;

struct TypeWord {
  std::string_view word;
  CheckType type;
};
constexpr std::array kTypes = {
    TypeWord{"not_null", CheckType::NotNull},
    TypeWord{"unique", CheckType::Unique},
    TypeWord{"row_count", CheckType::RowCount},
    TypeWord{"freshness", CheckType::Freshness},
    TypeWord{"accepted_values", CheckType::AcceptedValues},
    TypeWord{"range", CheckType::Range},
    TypeWord{"pattern", CheckType::Pattern},
    TypeWord{"length", CheckType::Length},
    TypeWord{"custom_sql", CheckType::CustomSql},
};

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (const TypeWord& word : kTypes) {
    names.emplace_back(word.word);
  }
  return names;
}

std::vector<std::string> keys_of(CheckType type) {
  std::vector<std::string> keys = {"severity", "sample_values", "max_violations"};
  const auto add = [&](std::initializer_list<const char*> more) {
    keys.insert(keys.end(), more.begin(), more.end());
  };
  switch (type) {
    case CheckType::NotNull:
    case CheckType::Unique:
      add({"columns"});
      break;
    case CheckType::AcceptedValues:
      add({"column", "values"});
      break;
    case CheckType::Range:
    case CheckType::Length:
      add({"column", "min", "max"});
      break;
    case CheckType::Pattern:
      add({"column", "regex"});
      break;
    case CheckType::Freshness:
      add({"column", "max_age"});
      break;
    case CheckType::RowCount:
      add({"min", "max"});
      break;
    case CheckType::CustomSql:
      add({"name", "sql"});
      break;
  }
  return keys;
}

class CheckReader {
 public:
  CheckReader(std::string_view file, std::vector<Problem>& problems)
      : reader_(file, codes::PZ0113, problems), problems_(problems) {}

  const NodeReader& reader() const { return reader_; }

  // `- not_null: [a]`, or the same with options beside the type.
  void read_item(const Node& item, std::vector<Check>& out) {
    if (!item.is_mapping() || item.entries.empty()) {
      reader_.problem(item, "a check must be a mapping from its type to its settings");
      return;
    }
    const document::Entry& first = item.entries.front();
    const auto found = std::find_if(kTypes.begin(), kTypes.end(),
                                    [&](const TypeWord& w) { return w.word == first.key.text; });
    if (found == kTypes.end()) {
      reader_.problem(first.key, "unknown check '" + first.key.text + "'" +
                                     base::did_you_mean(first.key.text, type_names()));
      return;
    }
    Check check;
    check.type = found->type;
    check.where = reader_.place(first.key);
    const std::size_t before = problems_.size();
    for (std::size_t i = 1; i < item.entries.size(); ++i) {
      read_option(item.entries[i], check);
    }
    read_settings(first.value, check);
    if (problems_.size() == before) {
      out.push_back(std::move(check));
    }
  }

  void read_bounds(const Node& node, Check& check) {
    if (const Node* minimum = node.find("min")) {
      check.minimum = bound(*minimum, check.type, "min");
    }
    if (const Node* maximum = node.find("max")) {
      check.maximum = bound(*maximum, check.type, "max");
    }
    if (!check.minimum && !check.maximum) {
      reader_.problem(node, to_string(check.type) + " needs min or max");
    }
    refuse_crossed(node, check);
  }

  void refuse_crossed(const Node& node, const Check& check) {
    if (!check.minimum || !check.maximum) {
      return;
    }
    const auto low = as_double(*check.minimum);
    const auto high = as_double(*check.maximum);
    if (low && high && *low > *high) {
      reader_.problem(node, to_string(check.type) + ": min " + *check.minimum + " is above max " +
                                *check.maximum);
    }
  }

  void read_freshness(const Node& node, Check& check) {
    read_column(node, check);
    const Node* age = node.find("max_age");
    if (age == nullptr) {
      reader_.problem(node, "freshness needs max_age, for instance 36h");
      return;
    }
    const std::optional<std::int64_t> milliseconds =
        age->is_scalar() ? base::parse_duration(age->text) : std::nullopt;
    if (!milliseconds) {
      reader_.problem(*age, "max_age must be a duration such as 90m, 36h or 2d");
      return;
    }
    check.max_age = age->text;
    check.max_age_seconds = *milliseconds / 1000;
  }

  void read_custom(const Node& node, Check& check) {
    const Node* name = node.find("name");
    const Node* sql = node.find("sql");
    if (name == nullptr || sql == nullptr) {
      reader_.problem(node, "custom_sql needs name and sql");
      return;
    }
    check.name = reader_.text(*name, "name").value_or("");
    check.sql = reader_.text(*sql, "sql").value_or("");
  }

  void read_severity(const Node& node, CheckSeverity& severity) {
    if (node.text == "warn" && node.is_scalar()) {
      severity = CheckSeverity::Warn;
    } else if (node.text == "fail" && node.is_scalar()) {
      severity = CheckSeverity::Fail;
    } else {
      reader_.problem(node, "severity must be fail or warn");
    }
  }

  void read_threshold(const Node& node, Check& check) {
    std::string_view text = node.is_scalar() ? std::string_view(node.text) : std::string_view();
    Threshold threshold;
    if (!text.empty() && text.back() == '%') {
      threshold.percent = true;
      text.remove_suffix(1);
    }
    const std::optional<double> amount = as_double(text);
    if (!amount || *amount < 0 || (threshold.percent && *amount > 100)) {
      reader_.problem(node, "max_violations must be a number or a share such as \"2%\"");
      return;
    }
    threshold.amount = *amount;
    check.max_violations = threshold;
  }

 private:
  static std::optional<double> as_double(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      return std::nullopt;
    }
    return value;
  }

  std::optional<std::string> bound(const Node& node, CheckType type, std::string_view what) {
    const bool whole = type == CheckType::RowCount || type == CheckType::Length;
    if (whole && (!node.as_integer() || *node.as_integer() < 0)) {
      reader_.problem(node, std::string(what) + " must be a whole number of at least 0");
      return std::nullopt;
    }
    if (!node.is_scalar() || node.kind == document::Kind::Null) {
      reader_.problem(node, std::string(what) + " must be a single value");
      return std::nullopt;
    }
    return node.text;
  }

  void read_column(const Node& node, Check& check) {
    const Node* column = node.find("column");
    if (column == nullptr) {
      reader_.problem(node, to_string(check.type) + " needs a column");
      return;
    }
    if (const auto name = reader_.text(*column, "column")) {
      check.columns = {*name};
    }
  }

  void read_option(const document::Entry& entry, Check& check) {
    if (entry.key.text == "severity") {
      read_severity(entry.value, check.severity);
    } else if (entry.key.text == "sample_values") {
      check.sample_values = reader_.boolean(entry.value, "sample_values");
    } else if (entry.key.text == "max_violations") {
      read_threshold(entry.value, check);
    } else {
      reader_.problem(entry.key, "unknown option '" + entry.key.text + "' of check " +
                                     to_string(check.type) +
                                     base::did_you_mean(entry.key.text, keys_of(check.type)));
    }
  }

  void read_columns(const Node& node, Check& check) {
    check.columns = reader_.texts(node, to_string(check.type));
    if (check.columns.empty()) {
      reader_.problem(node, to_string(check.type) + " needs at least one column");
    }
  }

  void read_settings(const Node& node, Check& check) {
    const bool column_list = check.type == CheckType::NotNull || check.type == CheckType::Unique;
    if (column_list && !node.is_mapping()) {
      read_columns(node, check);
      return;
    }
    if (!node.is_mapping()) {
      reader_.problem(node, "the settings of " + to_string(check.type) + " must be a mapping");
      return;
    }
    reader_.refuse_unknown(node, keys_of(check.type), "check " + to_string(check.type));
    for (const document::Entry& entry : node.entries) {
      if (entry.key.text == "severity" || entry.key.text == "sample_values" ||
          entry.key.text == "max_violations") {
        read_option(entry, check);
      }
    }
    read_by_type(node, check);
  }

  void read_by_type(const Node& node, Check& check) {
    switch (check.type) {
      case CheckType::NotNull:
      case CheckType::Unique:
        if (const Node* columns = node.find("columns")) {
          read_columns(*columns, check);
        } else {
          reader_.problem(node, to_string(check.type) + " needs columns");
        }
        return;
      case CheckType::AcceptedValues:
        read_column(node, check);
        if (const Node* values = node.find("values");
            values != nullptr && !(values->is_sequence() && values->items.empty())) {
          check.values = reader_.list(*values, "values").value_or(std::vector<std::string>{});
        } else {
          reader_.problem(node, "accepted_values needs values");
        }
        return;
      case CheckType::Range:
      case CheckType::Length:
        read_column(node, check);
        read_bounds(node, check);
        return;
      case CheckType::Pattern:
        read_column(node, check);
        if (const Node* regex = node.find("regex")) {
          check.pattern = reader_.text(*regex, "regex").value_or("");
        } else {
          reader_.problem(node, "pattern needs regex");
        }
        return;
      case CheckType::Freshness:
        read_freshness(node, check);
        return;
      case CheckType::RowCount:
        read_bounds(node, check);
        return;
      case CheckType::CustomSql:
        read_custom(node, check);
        return;
    }
  }

  NodeReader reader_;
  std::vector<Problem>& problems_;
};

void refuse_twins(const std::vector<Check>& checks, std::vector<Problem>& problems) {
  for (std::size_t i = 0; i < checks.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (checks[i].same_as(checks[j])) {
        problems.push_back({codes::PZ0113,
                            "check " + describe_check(checks[i]) + " is given twice",
                            checks[i].where,
                            "",
                            {{"the first one", checks[j].where}}});
        break;
      }
    }
  }
}

std::string range_text(const Check& check) {
  return check.minimum.value_or("") + ".." + check.maximum.value_or("");
}

}  // namespace

std::string to_string(CheckType type) {
  for (const TypeWord& word : kTypes) {
    if (word.type == type) {
      return std::string(word.word);
    }
  }
  return "";
}

bool Check::same_as(const Check& other) const {
  return type == other.type && columns == other.columns && minimum == other.minimum &&
         maximum == other.maximum && values == other.values && pattern == other.pattern &&
         max_age == other.max_age && sql == other.sql && name == other.name;
}

std::string check_label(const Check& check) {
  std::string label = to_string(check.type);
  if (check.type == CheckType::CustomSql) {
    return label + "_" + check.name;
  }
  for (const std::string& column : check.columns) {
    label += "_" + column;
  }
  return label;
}

std::string describe_check(const Check& check) {
  const std::string columns = base::join(check.columns, ", ");
  switch (check.type) {
    case CheckType::NotNull:
      return columns + " not_null";
    case CheckType::Unique:
      return columns + " unique";
    case CheckType::AcceptedValues:
      return columns + " accepted_values [" + base::join(check.values, ", ") + "]";
    case CheckType::Range:
      return columns + " range " + range_text(check);
    case CheckType::Length:
      return columns + " length " + range_text(check);
    case CheckType::Pattern:
      return columns + " pattern " + check.pattern;
    case CheckType::Freshness:
      return columns + " freshness " + check.max_age;
    case CheckType::RowCount:
      return "row_count " + range_text(check);
    case CheckType::CustomSql:
      return "custom_sql " + check.name;
  }
  return "";
}

std::vector<Check> read_checks(std::string_view file, const Node& list,
                               std::vector<Problem>& problems) {
  CheckReader reader(file, problems);
  std::vector<Check> checks;
  if (!list.is_sequence()) {
    reader.reader().problem(list, "checks must be a list");
    return checks;
  }
  for (const Node& item : list.items) {
    reader.read_item(item, checks);
  }
  refuse_twins(checks, problems);
  return checks;
}

std::vector<Check> read_expectations(std::string_view file, const Node& mapping,
                                     std::vector<Problem>& problems) {
  CheckReader reader(file, problems);
  const NodeReader& nodes = reader.reader();
  std::vector<Check> checks;
  if (mapping.kind == document::Kind::Null) {
    return checks;
  }
  if (!mapping.is_mapping()) {
    nodes.problem(mapping, "expect must be a mapping");
    return checks;
  }
  nodes.refuse_unknown(
      mapping,
      {"row_count", "freshness", "unique", "custom", "severity", "on_violation", "max_violations"},
      "expect");
  Check common;
  if (const Node* severity = mapping.find("severity")) {
    reader.read_severity(*severity, common.severity);
  }
  if (const Node* threshold = mapping.find("max_violations")) {
    reader.read_threshold(*threshold, common);
  }
  if (const Node* action = mapping.find("on_violation")) {
    if (action->is_scalar() && action->text == "quarantine") {
      common.on_violation = OnViolation::Quarantine;
    } else if (!action->is_scalar() || action->text != "fail") {
      nodes.problem(*action, "on_violation must be fail or quarantine");
    }
  }
  const auto start = [&](CheckType type, const Node& at) {
    Check check = common;
    check.type = type;
    check.where = nodes.place(at);
    return check;
  };
  if (const Node* unique = mapping.find("unique")) {
    if (!unique->is_sequence()) {
      nodes.problem(*unique, "unique must be a list of keys");
    }
    for (const Node& key : unique->items) {
      Check check = start(CheckType::Unique, key);
      check.columns = nodes.texts(key, "a key of unique");
      checks.push_back(std::move(check));
    }
  }
  if (const Node* rows = mapping.find("row_count")) {
    Check check = start(CheckType::RowCount, *rows);
    reader.read_bounds(*rows, check);
    checks.push_back(std::move(check));
  }
  if (const Node* freshness = mapping.find("freshness")) {
    Check check = start(CheckType::Freshness, *freshness);
    reader.read_freshness(*freshness, check);
    checks.push_back(std::move(check));
  }
  if (const Node* custom = mapping.find("custom")) {
    for (const Node& item : custom->items) {
      Check check = start(CheckType::CustomSql, item);
      reader.read_custom(item, check);
      checks.push_back(std::move(check));
    }
  }
  if (const Node* kept = mapping.find("on_violation"); kept == nullptr && checks.empty()) {
    return checks;
  }
  refuse_twins(checks, problems);
  return checks;
}

}  // namespace kedge::contracts
