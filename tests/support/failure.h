// The DatabaseError that an action throws; a test failure when it throws none.
#pragma once

#include <gtest/gtest.h>

#include "db/connection.h"
#include "kedge/codes.h"

namespace kedge::test {

template <class Action>
db::DatabaseError failure_of(const Action& action) {
  try {
    action();
  } catch (const db::DatabaseError& error) {
    return error;
  }
  ADD_FAILURE() << "no DatabaseError was thrown";
  return db::DatabaseError({codes::ERR_INTERNAL, "", std::nullopt, "", {{"", std::nullopt}}},
                           db::FailureClass::Other, "");
}

}  // namespace kedge::test
