// What `validate --connect` compares (spec/contracts.md 9): a declared contract with the schema
// that was just fetched, and remembered native types with the present ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contracts/baseline.h"
#include "contracts/contract.h"
#include "contracts/type_name.h"
#include "kedge/type.h"

namespace kedge::contracts {

struct FetchedColumn {
  std::string name;
  schema::Type type;   // DuckDB type with facets
  std::string native;  // as the source spells it; empty for files
  bool nullable = true;
};

struct FetchedShape {
  std::vector<FetchedColumn> columns;
  ActualSide side = ActualSide::Typed;  // IntegerAffinity for sqlite
};

// One difference of one column, with the words of 9.3 without the entity.
struct ColumnDrift {
  std::string column;
  std::string kind;  // "missing", "type"
  std::string declared;
  std::string found;  // empty when missing
  std::string text;
  std::string hint;
  Position where;
};

struct ContractComparison {
  std::vector<ColumnDrift> drift;      // in contract order
  std::vector<std::string> extra;      // source columns outside the contract, in source order
  std::vector<std::string> same_type;  // "code VARCHAR, the source has VARCHAR(500)"
  std::vector<std::string> absent;     // optional columns that are not there
};

ContractComparison compare_contract(const Contract& contract, const FetchedShape& fetched);

// As baselines keep it: DuckDB names without facets DuckDB drops, native spellings beside.
std::vector<ShapeColumn> shape_of(const FetchedShape& fetched);
// "column 'berth' changed from A to B at the source; same underlying type VARCHAR"
std::string native_change_text(const ShapeChange& change, const std::string& type);

}  // namespace kedge::contracts
