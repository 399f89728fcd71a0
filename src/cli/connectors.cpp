#include "cli/connectors.h"

namespace kedge::cli {

db::Registry make_registry() {
  db::Registry registry;
  return registry;
}

}  // namespace kedge::cli
