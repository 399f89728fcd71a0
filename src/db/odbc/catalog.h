// The shape of a database through ODBC's catalog functions.
#pragma once

#include "db/catalog.h"
#include "db/odbc/session.h"

namespace kedge::db::odbc {

schema::Schema read_catalog(Session& session, const CatalogScope& scope);

}  // namespace kedge::db::odbc
