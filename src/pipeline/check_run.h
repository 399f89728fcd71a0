// Evaluating checks and facts on staged tables (spec/contracts.md 16).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contracts/check.h"
#include "pipeline/engine.h"
#include "pipeline/record.h"

namespace kedge::pipeline {

struct CheckRequest {
  std::string name;   // of the node
  std::string on;     // "entity:yard.containers"
  std::string label;  // "entity 'yard.containers'": for messages
  std::string table;  // staging table, unquoted
  contracts::Check check;
  bool contracted = false;  // a column that is missing is told as drift of the contract
};

struct CheckOutcome {
  CheckRecord record;
  std::string message;           // of a violation; empty when it passed
  std::int64_t quarantined = 0;  // rows moved away
};

enum class CheckDialect { Duckdb, Postgres };
// What is looked at: a staged table, or a table of a database that a pipeline was pushed down to.
struct CheckTable {
  std::string sql;  // quoted
  std::vector<contracts::ShapeColumn> columns;
  CheckDialect dialect = CheckDialect::Duckdb;
};
CheckTable staged_check_table(db::Connection& staging, const std::string& name);

CheckOutcome run_check(const Engine& engine, db::Connection& connection,
                       const CheckRequest& request, const CheckTable& table);

}  // namespace kedge::pipeline
