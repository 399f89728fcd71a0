// The statements of a write as text, by system (spec/contracts.md 6.4, 12, 13). Pure: names in,
// SQL out; identifiers are always quoted for the system they go to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contracts/write_policy.h"
#include "kedge/type.h"

namespace kedge::pipeline {

using contracts::System;

std::string quote_for(System system, std::string_view name);
std::string quote_entity_for(System system, const std::string& entity);

struct TableSql {
  System system = System::Postgres;
  std::string table;                 // quoted
  std::vector<std::string> columns;  // as the target spells them, in write order
  std::vector<std::string> keys;     // likewise
  // What the side table is indexed by: without it a merge compares every row with every other.
  std::vector<std::string> indexed = {};
  bool temporary = true;  // its side table: D1 keeps no session from call to call
};

struct NewColumn {
  std::string name;
  std::string type;
  bool required = false;
};
std::string create_table_sql(System system, const std::string& table,
                             const std::vector<NewColumn>& columns,
                             const std::vector<std::string>& keys);
// nullopt: nothing needs to be executed.
std::optional<std::string> alter_sql(System system, const std::string& table,
                                     const contracts::Alteration& alteration);

std::string side_name(System system);  // unquoted
// A side table with the shape of these columns of the target, and its end.
std::string create_side_sql(const TableSql& target, const std::string& side);
// After its rows were loaded; nothing where the system needs no index or has it from the start.
std::optional<std::string> index_side_sql(const TableSql& target, const std::string& side);
std::string drop_side_sql(System system, const std::string& side);

// Statements that upsert the side table's rows; run in order.
std::vector<std::string> merge_sql(const TableSql& target, const std::string& side,
                                   const std::string& marker);
std::string insert_side_sql(const TableSql& target, const std::string& side);
// Rows whose key is not in the side table (`present` false) or is in it.
enum class DeleteWhere { KeyAbsent, KeyPresent };
std::string count_sql(const TableSql& target, const std::string& side, DeleteWhere where);
std::string count_unmarked_sql(const TableSql& target, const std::string& side, DeleteWhere where);
std::string delete_sql(const TableSql& target, const std::string& side, DeleteWhere where);
std::string mark_sql(const TableSql& target, const std::string& side, DeleteWhere where,
                     const std::string& stamp);

// How a staged column is handed over: texts where the target takes texts.
std::string export_expression(System system, const std::string& column, const schema::Type& type);
// Values that go into DuckDB as its own text and become themselves again there.
bool is_carried_as_text(const schema::Type& type);
// True for staged values that the target cannot hold; empty when it holds all.
std::string range_condition(System system, const std::string& column, const schema::Type& type);

}  // namespace kedge::pipeline
