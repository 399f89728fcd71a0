// What change capture needs to know of a PostgreSQL table: the names under which its changes are
// logged and its key; or why there is no change capture (PZ0338).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/connection.h"
#include "pipeline/workspace.h"

namespace kedge::pipeline {

struct KeyColumn {
  std::string name;
  std::string type;  // as the server spells it
};

// The table as the server knows it.
struct CapturedTable {
  std::vector<std::string> names;  // as the plugin spells them: its own, or those of its partitions
  std::vector<KeyColumn> keys;
};

Problem capture_refusal(const ReadSpec& read, const std::string& why, const std::string& hint);
// Fills the table; a problem when its changes cannot be captured.
std::optional<Problem> look_at_captured(db::Connection& source, const ReadSpec& read,
                                        CapturedTable& table);
db::ResultSet ask(db::Connection& source, const std::string& sql, const db::Row& parameters);

}  // namespace kedge::pipeline
