// The line of a csv file that keeps it from being read, found by reading it again under the
// header's fields: DuckDB's detection only says that it failed, or takes the whole line for one
// field.
#pragma once

#include <string>
#include <vector>

#include "db/connection.h"
#include "pipeline/workspace.h"

namespace kedge::pipeline {

// Throws PZ0804 with file and line for the first file at fault; returns when every line fits.
void refuse_csv_fault(db::Connection& duckdb, const ReadSpec& read,
                      const std::vector<std::string>& files, char delimiter);
// The fields of a header line; quotes and doubled quotes are undone.
std::vector<std::string> csv_fields(const std::string& line, char delimiter);

}  // namespace kedge::pipeline
