// Which names lead to the database that changes, and how each of them sees the change. Names are
// connections of connections.yml; a database may have several, and none for a URL.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/impact.h"
#include "db/connection.h"

namespace kedge::app {

// Equal for settings that lead to one database, however they are written: another user, another
// default schema, a path through a link, a default port. Nothing is opened.
std::string database_identity(const Context& context, const db::ConnectionSettings& settings);

// The connections that lead to the database of `target` (a connection name or a URL): the one that
// was asked for first, then those that stand beside it. None for a URL that no connection leads to.
std::vector<std::string> names_of_target(const Context& context, const std::string& target);

// The one of `names` through which metadata is judged: what migrate.target and migrate.check say,
// or the first where they say nothing. Nothing when metadata describes other databases.
std::optional<std::string> metadata_name(const Context& context, const std::string& target,
                                         const std::vector<std::string>& names);

// The change for a connection: relations of its default schema have no schema in their names.
ShapeChange seen_through(const Context& context, const std::string& target, ShapeChange change,
                         const std::string& name);

}  // namespace kedge::app
