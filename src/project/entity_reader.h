// What stands under `entities:` of a connection (contracts.md 3.3, 3.4).
#pragma once

#include <string>
#include <vector>

#include "project/block_reader.h"
#include "project/connections.h"
#include "project/connector_options.h"

namespace kedge::project {

// `rule` is null when the connector is unknown: then only what does not depend on it is checked.
std::vector<Entity> read_entities(const Report& report, const document::Node& mapping,
                                  const std::string& connection, const ConnectorRule* rule);
std::optional<Retry> read_retry(const Report& report, BlockReader& reader, const std::string& name);

}  // namespace kedge::project
