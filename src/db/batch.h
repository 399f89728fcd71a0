// Several statements in as few calls as the connection can: one for D1, where each call starts a
// program; one after the other elsewhere.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "db/connection.h"

namespace kedge::db {

// One result a statement, in their order.
std::vector<ResultSet> query_batch(Connection& connection, std::span<const std::string> statements);

// What a connector implements when it can do better.
class BatchConnection {
 public:
  virtual ~BatchConnection() = default;
  virtual std::vector<ResultSet> query_all(std::span<const std::string> statements) = 0;
};

}  // namespace kedge::db
