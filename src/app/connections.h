// From what a person names (a connection of connections.yml, or a URL) to the settings a connector
// takes, and the answers of `kedge connections`. Relative paths are taken from the project folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/context.h"
#include "project/connections.h"

namespace kedge::app {

// Throws ERR_SOURCE when it is neither a known connection nor a URL, and the first problem of
// connections.yml when that has any.
db::ConnectionSettings settings_of(const Context& context, const std::string& name_or_url,
                                   db::AccessMode access);
// A declared connection. Reads have the declared or the default time limits, writes (a migration
// may build an index for an hour) only declared ones.
db::ConnectionSettings settings_of(const Context& context, const project::Connection& connection,
                                   db::AccessMode access);

// The same, connected.
std::unique_ptr<db::Connection> connect(const Context& context, const std::string& name_or_url,
                                        db::AccessMode access);

// A caller may give a URL with a password where a name is asked for: what repeats it, as it is or
// escaped for JSON, is shown without.
std::string without_passwords(std::string text, const std::vector<std::string>& given);
Problem without_passwords(Problem problem, const std::vector<std::string>& given);
// Those of the texts that hold one.
std::vector<std::string> with_passwords(const std::vector<std::string>& given);

struct ListedConnection {
  std::string name;
  std::string connector;
  std::string where;  // host:port/database or path, secrets hidden
  std::string description;
  std::size_t entities = 0;
};
// Where a connection of the project is declared; nothing for a URL and what is not there.
std::optional<Position> declared_at(const Context& context, const std::string& name);

std::vector<ListedConnection> list_connections(const Context& context);  // in file order

struct TestedConnection {
  std::string name;
  std::optional<schema::Engine> engine;  // of one that answers
  std::optional<Problem> problem;        // of one that does not
  std::int64_t milliseconds = 0;
};
// Opens each (none named: all of the project), reads only, asks for its engine. One that fails does
// not stop the others. Throws ERR_SOURCE for an unknown name before any is opened.
std::vector<TestedConnection> test_connections(const Context& context,
                                               const std::vector<std::string>& names_or_urls);

}  // namespace kedge::app
