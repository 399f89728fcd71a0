// Which views read which relations, for the engines whose catalog does not say: from the view
// texts, through the analyser.
#pragma once

#include "kedge/schema.h"

namespace kedge::dialect {

// Fills depends_on of every view whose list is empty, then dependents of all views, transitively.
// Names are matched as the dialect compares them.
void link_views(schema::Schema& schema);

// The names that a CREATE VIEW gives its columns before AS, as written: they are no part of the
// body and become the option "columns".
void read_view_columns(std::string_view definition, schema::Dialect dialect, schema::View& view);

}  // namespace kedge::dialect
