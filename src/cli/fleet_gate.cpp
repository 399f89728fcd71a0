#include <charconv>

#include "app/fleet.h"
#include "cli/gates.h"
#include "kedge/codes.h"
#include "report/fleet.h"

namespace kedge::cli {
namespace {

std::size_t concurrency_of(const Arguments& arguments) {
  const std::string text = arguments.get("--fleet-concurrency", "8");
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0 || value > 256) {
    throw Error(codes::ERR_USAGE, "--fleet-concurrency: '" + text + "' is no number from 1 to 256");
  }
  return value;
}

GateResult run_fleet(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  app::FleetFlags flags;
  flags.file = arguments.find("--fleet");
  flags.databases = arguments.find("--databases");
  flags.reference = arguments.get("--reference", "metadata:");
  flags.concurrency = concurrency_of(arguments);
  flags.state_file = arguments.find("--fleet-state");
  const app::FleetRequest request = app::prepare_fleet(invocation.context, flags);
  const app::FleetReport report = app::check_fleet(invocation.context, request);
  GateResult result;
  for (const app::FleetGroup& group : report.groups) {
    const int own = group.state == app::FleetState::InLine    ? 0
                    : group.state == app::FleetState::Drifted ? 1
                                                              : 2;
    result.exit = std::max(result.exit, own);
  }
  result.text = report::fleet_text(report);
  result.members = report::fleet_json(report);
  return result;
}

}  // namespace

std::vector<Gate> fleet_gates() {
  Gate gate;
  gate.name = "fleet";
  gate.help = "Many databases against one shape, grouped by what they lack";
  gate.flags = {
      {"--fleet", FlagKind::Value, "FILE", "Check the databases of this list, one a line", {}},
      {"--databases", FlagKind::Value, "GLOB", "Check these sqlite or duckdb files", {}},
      {"--reference", FlagKind::Value, "SRC", "The wanted shape of a fleet (metadata:)", {}},
      {"--fleet-concurrency", FlagKind::Value, "N", "Databases looked at at once (8)", {}},
      {"--fleet-state",
       FlagKind::Value,
       "FILE",
       "Remember what was done here, and go on from it next time",
       {}}};
  gate.run = run_fleet;
  gate.chosen = [](const Arguments& arguments) {
    return arguments.has("--fleet") || arguments.has("--databases");
  };
  return {gate};
}

}  // namespace kedge::cli
