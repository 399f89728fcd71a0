#include "contracts/contract.h"

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "contracts/node_reader.h"
#include "contracts/type_name.h"
#include "kedge/codes.h"

namespace kedge::contracts {
namespace {

using document::Node;

const std::vector<std::string>& long_keys() {
  static const std::vector<std::string> kKeys = {"type",
                                                 "source",
                                                 "optional",
                                                 "description",
                                                 "tags",
                                                 "classification",
                                                 "unique",
                                                 "not_null",
                                                 "min",
                                                 "max",
                                                 "accepted_values",
                                                 "min_length",
                                                 "max_length",
                                                 "pattern"};
  return kKeys;
}

class ContractReader {
 public:
  ContractReader(std::string_view file, std::vector<Problem>& problems)
      : file_(file),
        problems_(problems),
        reader_(file, codes::PZ0101, problems),
        facts_(file, codes::PZ0113, problems) {}

  Contract read(const Node& columns) {
    if (columns.kind == document::Kind::Null) {
      return {};
    }
    if (!columns.is_mapping()) {
      reader_.problem(columns, "columns must be a mapping from column names to types");
      return {};
    }
    for (const document::Entry& entry : columns.entries) {
      read_column(entry);
    }
    refuse_shared_sources();
    return std::move(contract_);
  }

 private:
  void read_column(const document::Entry& entry) {
    ContractColumn column;
    column.name = entry.key.text;
    column.source = column.name;
    column.where = reader_.place(entry.key);
    if (column.name.empty()) {
      reader_.problem(entry.key, "a column needs a name");
      return;
    }
    if (entry.value.is_mapping()) {
      read_long(entry.value, column);
    } else if (entry.value.is_sequence() || entry.value.kind == document::Kind::Null) {
      reader_.problem(entry.value.kind == document::Kind::Null ? entry.key : entry.value,
                      "column '" + column.name + "' needs a type name");
    } else {
      read_type(entry.value, column);
    }
    contract_.columns.push_back(std::move(column));
  }

  void read_type(const Node& node, ContractColumn& column) {
    ParsedType parsed = parse_type_name(node.text);
    if (parsed.type) {
      column.type = std::move(*parsed.type);
      return;
    }
    std::string message =
        "column '" + column.name + "': '" + node.text + "' is no DuckDB type: " + parsed.problem;
    if (!parsed.suggestion.empty()) {
      message += ", did you mean '" + parsed.suggestion + "'?";
    }
    reader_.with(codes::PZ0801).problem(node, message);
  }

  void read_long(const Node& node, ContractColumn& column) {
    reader_.refuse_unknown(node, long_keys(), "column '" + column.name + "'");
    if (const Node* type = node.find("type"); type != nullptr && type->is_scalar()) {
      read_type(*type, column);
    } else {
      reader_.problem(type == nullptr ? node : *type,
                      "column '" + column.name + "' needs a type name");
    }
    if (const Node* source = node.find("source")) {
      column.source = reader_.text(*source, "source").value_or(column.name);
    }
    if (const Node* optional = node.find("optional")) {
      column.optional = reader_.boolean(*optional, "optional").value_or(false);
    }
    if (const Node* description = node.find("description")) {
      column.description = reader_.text(*description, "description").value_or("");
    }
    if (const Node* tags = node.find("tags")) {
      column.tags = reader_.texts(*tags, "tags");
    }
    if (const Node* classification = node.find("classification")) {
      column.classification = reader_.text(*classification, "classification").value_or("");
    }
    read_facts(node, column);
  }

  void add_fact(CheckType type, const ContractColumn& column, const Node& at,
                const std::function<void(Check&)>& fill) {
    Check check;
    check.type = type;
    check.columns = {column.name};
    check.where = reader_.place(at);
    fill(check);
    contract_.facts.push_back(std::move(check));
  }

  void read_facts(const Node& node, const ContractColumn& column) {
    const auto nothing = [](Check&) {};
    if (const Node* fact = node.find("not_null");
        fact != nullptr && facts_.boolean(*fact, "not_null").value_or(false)) {
      add_fact(CheckType::NotNull, column, *fact, nothing);
    }
    if (const Node* fact = node.find("unique");
        fact != nullptr && facts_.boolean(*fact, "unique").value_or(false)) {
      add_fact(CheckType::Unique, column, *fact, nothing);
    }
    if (const Node* fact = node.find("accepted_values");
        fact != nullptr && fact->is_sequence() && fact->items.empty()) {
      facts_.problem(*fact, "accepted_values needs values");
    } else if (fact != nullptr) {
      add_fact(CheckType::AcceptedValues, column, *fact, [&](Check& check) {
        check.values = facts_.list(*fact, "accepted_values").value_or(std::vector<std::string>{});
      });
    }
    read_range(node, column, CheckType::Range, "min", "max");
    read_range(node, column, CheckType::Length, "min_length", "max_length");
    if (const Node* fact = node.find("pattern")) {
      add_fact(CheckType::Pattern, column, *fact,
               [&](Check& check) { check.pattern = facts_.text(*fact, "pattern").value_or(""); });
    }
  }

  void read_range(const Node& node, const ContractColumn& column, CheckType type,
                  std::string_view low, std::string_view high) {
    const Node* minimum = node.find(low);
    const Node* maximum = node.find(high);
    if (minimum == nullptr && maximum == nullptr) {
      return;
    }
    add_fact(type, column, minimum != nullptr ? *minimum : *maximum, [&](Check& check) {
      check.minimum = bound(minimum, type, low);
      check.maximum = bound(maximum, type, high);
      refuse_crossed(check, minimum, maximum);
    });
  }

  std::optional<std::string> bound(const Node* node, CheckType type, std::string_view what) {
    if (node == nullptr) {
      return std::nullopt;
    }
    if (type == CheckType::Length && (!node->as_integer() || *node->as_integer() < 0)) {
      facts_.problem(*node, std::string(what) + " must be a whole number of at least 0");
      return std::nullopt;
    }
    return facts_.text(*node, what);
  }

  void refuse_crossed(const Check& check, const Node* minimum, const Node* maximum) {
    if (minimum == nullptr || maximum == nullptr) {
      return;
    }
    if (minimum->as_number() && maximum->as_number() &&
        *minimum->as_number() > *maximum->as_number()) {
      facts_.problem(*minimum, describe_check(check) + ": the lower bound is above the upper one");
    }
  }

  void refuse_shared_sources() {
    for (std::size_t i = 0; i < contract_.columns.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (contract_.columns[i].source == contract_.columns[j].source) {
          problems_.push_back({codes::PZ0101,
                               "columns '" + contract_.columns[j].name + "' and '" +
                                   contract_.columns[i].name + "' both read '" +
                                   contract_.columns[i].source + "'",
                               contract_.columns[i].where,
                               "",
                               {}});
        }
      }
    }
  }

  std::string file_;
  std::vector<Problem>& problems_;
  NodeReader reader_;
  NodeReader facts_;
  Contract contract_;
};

}  // namespace

const ContractColumn* find_column(const Contract& contract, std::string_view name) {
  const auto found = std::find_if(contract.columns.begin(), contract.columns.end(),
                                  [&](const ContractColumn& c) { return c.name == name; });
  return found == contract.columns.end() ? nullptr : &*found;
}

Contract read_contract(std::string_view file, const Node& columns, std::vector<Problem>& problems) {
  return ContractReader(file, problems).read(columns);
}

void refuse_foreign_facts(const Contract& contract, const std::vector<Check>& expectations,
                          std::vector<Problem>& problems) {
  if (contract.empty()) {
    return;
  }
  std::vector<std::string> names;
  for (const ContractColumn& column : contract.columns) {
    names.push_back(column.name);
  }
  for (const Check& check : expectations) {
    for (const std::string& column : check.columns) {
      if (find_column(contract, column) == nullptr) {
        problems.push_back({codes::PZ0113,
                            describe_check(check) + ": column '" + column +
                                "' is not in the contract" + base::did_you_mean(column, names),
                            check.where,
                            "",
                            {}});
      }
    }
  }
}

}  // namespace kedge::contracts
