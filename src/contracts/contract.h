// A read contract (`columns:`) or a promised write shape (`write: columns:`) as values
// (spec/contracts.md 4, 12.2), and its reader. The facts of the long form become checks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/check.h"
#include "document/node.h"
#include "kedge/type.h"

namespace kedge::contracts {

struct ContractColumn {
  std::string name;
  std::string source;  // the remote name; equal to `name` unless declared
  schema::Type type;
  bool optional = false;
  std::string description;
  std::vector<std::string> tags;
  std::string classification;
  Position where;  // of the name
};

struct Contract {
  std::vector<ContractColumn> columns;  // in file order; empty = no contract
  std::vector<Check> facts;             // of the columns, in contract order
  bool empty() const { return columns.empty(); }
};

const ContractColumn* find_column(const Contract& contract, std::string_view name);

// Reads a `columns:` mapping; PZ0101 for the shape, PZ0801 for a type name, PZ0113 for a fact.
Contract read_contract(std::string_view file, const document::Node& columns,
                       std::vector<Problem>& problems);
// Facts of `expect:` that name a column the contract does not have: PZ0113.
void refuse_foreign_facts(const Contract& contract, const std::vector<Check>& expectations,
                          std::vector<Problem>& problems);

}  // namespace kedge::contracts
