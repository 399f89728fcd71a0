#include "dialect/failure.h"

#include "kedge/codes.h"

namespace kedge::dialect {

void throw_introspection_failure(const db::DatabaseError& error) {
  const bool catalog = error.failure() == db::FailureClass::Permission ||
                       error.failure() == db::FailureClass::Schema ||
                       error.failure() == db::FailureClass::Data ||
                       error.failure() == db::FailureClass::Other;
  if (!catalog) {
    throw error;
  }
  Problem problem = error.problem();
  problem.code = codes::ERR_INTROSPECT;
  problem.message = "the catalog cannot be read: " + problem.message;
  if (problem.hint.empty() && error.failure() == db::FailureClass::Permission) {
    problem.hint = "the user needs the right to read the catalog of this database";
  }
  throw db::DatabaseError(std::move(problem), error.failure(), error.native_code());
}

}  // namespace kedge::dialect
