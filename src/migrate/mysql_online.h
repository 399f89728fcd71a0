// The cheapest way in which MySQL and MariaDB should make a change (spec/migrate.md 10.2). Written
// into the statement, it makes the server refuse what it could only do by copying or locking the
// table.
#pragma once

#include <string>

#include "migrate/emission.h"

namespace kedge::migrate {

enum class Way {
  Instant,   // the catalog only
  InPlace,   // rows are read or written, applications go on
  Shared,    // the same, writers wait
  Copy,      // the table is copied, writers wait
  Unstated,  // left to the server
};

// FULLTEXT and SPATIAL: they give no order.
bool is_special(const schema::Index& index);
Way way_to_add(const schema::Column& column);
Way way_to_modify(const schema::Column& before, const schema::Column& after);
Way way_to_index(const schema::Index& index);
// ", ALGORITHM=..., LOCK=..." for ALTER TABLE; with `separator` " " for CREATE INDEX. MariaDB takes
// neither word in DROP INDEX, which copies nothing. Empty for tables of other engines and those
// with parts that the online forms exclude.
std::string way_clause(const Emission& emission, const schema::Name& table, Way way,
                       const char* separator = ", ");

}  // namespace kedge::migrate
