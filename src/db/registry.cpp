#include "base/text.h"
#include "db/connection.h"
#include "kedge/codes.h"

namespace kedge::db {

void Registry::add(std::string name, std::shared_ptr<Connector> connector) {
  connectors_.insert_or_assign(std::move(name), std::move(connector));
}

bool Registry::knows(std::string_view name) const {
  return connectors_.contains(name);
}

std::vector<std::string> Registry::names() const {
  std::vector<std::string> result;
  for (const auto& [name, connector] : connectors_) {
    result.push_back(name);
  }
  return result;
}

std::unique_ptr<Connection> Registry::connect(const ConnectionSettings& settings) const {
  const auto found = connectors_.find(settings.connector);
  if (found == connectors_.end()) {
    const std::vector<std::string> known = names();
    throw Error(codes::ERR_CONFIG, "connection '" + settings.name + "' has the connector '" +
                                       settings.connector + "', which is not in this build" +
                                       base::did_you_mean(settings.connector, known));
  }
  return found->second->connect(settings);
}

Transaction::~Transaction() {
  if (!done_ && connection_.in_transaction()) {
    try {
      connection_.rollback();
    } catch (const Error&) {
      // The connection is gone: the server has rolled back, and destructors do not throw.
    }
  }
}

void Transaction::commit() {
  connection_.commit();
  done_ = true;
}

}  // namespace kedge::db
