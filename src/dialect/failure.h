// A catalog that cannot be read is ERR_INTROSPECT; a lost connection, a time-out or a cancel keeps
// its own code.
#pragma once

#include "db/connection.h"
#include "kedge/schema.h"

namespace kedge::dialect {

[[noreturn]] void throw_introspection_failure(const db::DatabaseError& error);

template <typename Work>
schema::Schema with_introspection_errors(const Work& work) {
  try {
    return work();
  } catch (const db::DatabaseError& error) {
    throw_introspection_failure(error);
  }
}

}  // namespace kedge::dialect
