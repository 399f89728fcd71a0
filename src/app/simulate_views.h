// What becomes of views when a relation under them changes, as far as their texts tell. Engines
// differ: postgres binds a view to columns, sqlite keeps its text (a star follows, a rename is
// written into it), duckdb keeps the text and the types that it had. For simulate() alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/simulate.h"

namespace kedge::app {

// Names are compared as the dialect compares them: exactly, or without regard to case.
bool same(const schema::Schema& shape, const std::string& live, const std::string& written);
// Without the schema where it is the default one.
bool contains(const std::vector<Identifier>& names, const Identifier& name);
schema::Name qualified(const schema::Schema& shape, const schema::Name& name);
const schema::Table* table_of(const schema::Schema& shape, const schema::Name& name);
// Of a table or a view, in their order.
std::vector<Identifier> column_names(const schema::Schema& shape, const schema::Name& relation);

// Is this output of the query that column of the relation as it stands? Nothing where the text does
// not tell: a star, an expression, a query that is not understood.
std::optional<bool> hands_on(const schema::Schema& shape, const std::string& query,
                             const std::string& output, const schema::Name& relation,
                             const Identifier& column);

struct Retyped {
  Identifier name;
  schema::Type from;
  schema::Type to;
};

// Each edits the views of `simulation.after`; `before` is the shape before this step. Views that no
// longer work go to `simulation.broken`, with those over them.
void break_views(Simulation& simulation, const schema::Name& relation, const Identifier& column,
                 const schema::Schema& before);
void drop_in_views(Simulation& simulation, const schema::Name& relation, const Identifier& column,
                   const schema::Schema& before);
void rename_in_views(Simulation& simulation, const RenameColumn& step,
                     const schema::Schema& before);
void retype_in_views(Simulation& simulation, const schema::Name& relation, const Retyped& change,
                     const schema::Schema& before);

}  // namespace kedge::app
