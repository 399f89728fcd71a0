// Which views read which relations, for the engines whose catalog does not say: from the view
// texts, through the analyser.
#pragma once

#include "kedge/schema.h"

namespace kedge::dialect {

// Fills depends_on of every view whose list is empty, then dependents of all views, transitively.
// Names are matched as the dialect compares them.
void link_views(schema::Schema& schema);

}  // namespace kedge::dialect
