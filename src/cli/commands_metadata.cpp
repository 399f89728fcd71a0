#include "app/metadata.h"
#include "cli/commands.h"

namespace kedge::cli {
namespace {

int model(Invocation& invocation) {
  const app::ModelResult result =
      app::write_model(invocation.context, invocation.arguments.get("--out", ""));
  if (result.written.empty()) {
    invocation.terminal.out.write(result.text);
  } else {
    invocation.terminal.err.write("wrote " + result.written + "\n");
  }
  return 0;
}

}  // namespace

std::vector<Command> metadata_commands() {
  return {{"model",
           "Print the loaded metadata as one document",
           {{"--out", FlagKind::Value, "FILE", "Write it there instead", {}}},
           {},
           model,
           "Generated code checks itself against this file when an application starts.",
           {"json"}}};
}

}  // namespace kedge::cli
