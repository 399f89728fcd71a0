#include "db/batch.h"

namespace kedge::db {

std::vector<ResultSet> query_batch(Connection& connection,
                                   std::span<const std::string> statements) {
  if (auto* batch = dynamic_cast<BatchConnection*>(&connection)) {
    return batch->query_all(statements);
  }
  std::vector<ResultSet> results;
  for (const std::string& statement : statements) {
    results.push_back(connection.query(statement));
  }
  return results;
}

}  // namespace kedge::db
