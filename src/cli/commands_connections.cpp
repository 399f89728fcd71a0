#include <algorithm>

#include "app/connections.h"
#include "cli/commands.h"
#include "report/connections.h"

namespace kedge::cli {
namespace {

int list(Invocation& invocation) {
  const auto connections = app::list_connections(invocation.context);
  invocation.print(report::connections_json(connections), report::connections_text(connections));
  return 0;
}

int test(Invocation& invocation) {
  const auto tested = app::test_connections(invocation.context, invocation.arguments.positionals());
  invocation.print(report::tested_json(tested), report::tested_text(tested));
  const bool good = std::all_of(tested.begin(), tested.end(), [](const app::TestedConnection& one) {
    return one.engine.has_value();
  });
  return good ? 0 : 2;
}

}  // namespace

std::vector<Command> connection_commands() {
  return {{"connections list",
           "List the connections of connections.yml",
           {},
           {},
           list,
           "Secrets are never shown.",
           {"text", "json"}},
          {"connections test",
           "Open connections for reading and say what answers",
           {},
           {{"CONNECTION", "A name of connections.yml or a URL (default: all)", false, true}},
           test,
           "Exit code 2 when one of them does not answer. Nothing is written.",
           {"text", "json"}}};
}

}  // namespace kedge::cli
