#include "contracts/fetched.h"

#include <algorithm>

#include "base/text.h"

namespace kedge::contracts {
namespace {

using schema::TypeKind;

const FetchedColumn* find(const FetchedShape& fetched, const std::string& name) {
  const auto found = std::find_if(fetched.columns.begin(), fetched.columns.end(),
                                  [&](const FetchedColumn& c) { return c.name == name; });
  return found == fetched.columns.end() ? nullptr : &*found;
}

std::string spelling_hint(const FetchedShape& fetched, const std::string& name) {
  for (const FetchedColumn& column : fetched.columns) {
    if (base::equals_ignoring_case(column.name, name)) {
      return "the source has '" + column.name + "'";
    }
  }
  return "";
}

std::string zone_hint(const schema::Type& declared, const schema::Type& actual) {
  const bool zones =
      (declared.kind == TypeKind::Timestamp && actual.kind == TypeKind::TimestampTz) ||
      (declared.kind == TypeKind::TimestampTz && actual.kind == TypeKind::Timestamp);
  return zones ? "declare " + type_name(underlying_type(actual)) + " if that is what is meant" : "";
}

void compare_column(const ContractColumn& column, const FetchedColumn& found, ActualSide side,
                    ContractComparison& result) {
  const std::string declared = type_name(column.type);
  const std::string actual = type_name(found.type);
  const TypeVerdict verdict = compare_types(column.type, found.type, side);
  if (verdict == TypeVerdict::Equal) {
    const bool hidden =
        column.type.kind == TypeKind::Text && !column.type.length && found.type.length.has_value();
    if (hidden) {
      result.same_type.push_back(column.name + " " + declared + ", the source has " + actual);
    }
    return;
  }
  ColumnDrift drift{column.name, "type", declared, actual, "", zone_hint(column.type, found.type),
                    column.where};
  drift.text = "declared column '" + column.name + "' is declared " + declared +
               " but the source has " + actual;
  if (!found.native.empty()) {
    drift.text += " (" + found.native + ")";
  }
  if (verdict == TypeVerdict::SameUnderlying) {
    drift.text += "; same underlying type, a run will not notice";
  }
  result.drift.push_back(std::move(drift));
}

}  // namespace

ContractComparison compare_contract(const Contract& contract, const FetchedShape& fetched) {
  ContractComparison result;
  for (const ContractColumn& column : contract.columns) {
    const FetchedColumn* found = find(fetched, column.source);
    if (found != nullptr) {
      compare_column(column, *found, fetched.side, result);
    } else if (column.optional) {
      result.absent.push_back(column.source);
    } else {
      result.drift.push_back(
          {column.name, "missing", type_name(column.type), "",
           "declared column '" + column.source + "' is missing from the fetched schema",
           spelling_hint(fetched, column.source), column.where});
    }
  }
  for (const FetchedColumn& column : fetched.columns) {
    const bool declared =
        std::any_of(contract.columns.begin(), contract.columns.end(),
                    [&](const ContractColumn& c) { return c.source == column.name; });
    if (!declared) {
      result.extra.push_back(column.name);
    }
  }
  return result;
}

std::vector<ShapeColumn> shape_of(const FetchedShape& fetched) {
  std::vector<ShapeColumn> columns;
  for (const FetchedColumn& column : fetched.columns) {
    columns.push_back({column.name, type_name(underlying_type(column.type)),
                       column.native.empty() ? std::nullopt : std::optional(column.native)});
  }
  return columns;
}

std::string native_change_text(const ShapeChange& change, const std::string& type) {
  return "column '" + change.column + "' changed from " + change.from.value_or("") + " to " +
         change.to.value_or("") + " at the source; same underlying type " + type;
}

}  // namespace kedge::contracts
