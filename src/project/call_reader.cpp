#include "project/connections.h"
#include "project/connector_options.h"
#include "project/entity_reader.h"

namespace kedge::project {

Entity read_call_entity(const Connection& connection, const CallEntity& call,
                        std::vector<Problem>& problems) {
  document::Node side;
  side.kind = document::Kind::Mapping;
  side.range = call.name.range;
  if (!call.options.entries.empty()) {
    document::Node key = call.name;
    key.kind = document::Kind::String;
    key.text = call.side == CallSide::Read ? "read" : "write";
    side.entries.push_back({std::move(key), call.options});
  }
  document::Node entities;
  entities.kind = document::Kind::Mapping;
  entities.range = call.name.range;
  entities.entries.push_back({call.name, std::move(side)});
  const Report report{call.file, problems};
  return read_entities(report, entities, connection.name, find_connector(connection.connector))
      .front();
}

}  // namespace kedge::project
