// References to a primary key that moves: which column must be filled again through which old
// values (spec/migrate.md 7.1).
#pragma once

#include <optional>
#include <vector>

#include "kedge/schema.h"

namespace kedge::migrate {

struct Emission;

// All names are those after the renames of the plan.
struct Remap {
  schema::Name child;
  Identifier old_column;  // holds the old key's value
  Identifier new_column;  // gets the new key's value; the same column when it is reused
  schema::Name parent;
  Identifier old_key;
  Identifier new_key;
};

// Single-column keys whose references can be matched; what cannot be is refused in the emission.
std::vector<Remap> find_remaps(Emission& emission);
// The remap that fills this column, or none.
const Remap* remap_into(const Emission& emission, const schema::Name& table,
                        const Identifier& column);
// Does a remap read this column, which keeps its type until then?
bool is_read_by_remap(const Emission& emission, const schema::Name& table,
                      const Identifier& column);

}  // namespace kedge::migrate
