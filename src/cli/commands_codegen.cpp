#include "cli/commands.h"
#include "cli/gates.h"

namespace kedge::cli {

std::vector<Gate> codegen_gates() {
  return {};
}

}  // namespace kedge::cli
