// From what a person names (a connection of connections.yml, or a URL) to the settings a connector
// takes. Relative paths are taken from the project folder.
#pragma once

#include <string>

#include "app/context.h"

namespace kedge::app {

// Throws ERR_SOURCE when it is neither a known connection nor a URL, ERR_CONFIG when the
// connection's declaration is wrong.
db::ConnectionSettings settings_of(const Context& context, const std::string& name_or_url,
                                   db::AccessMode access);

// The same, connected.
std::unique_ptr<db::Connection> connect(const Context& context, const std::string& name_or_url,
                                        db::AccessMode access);

}  // namespace kedge::app
