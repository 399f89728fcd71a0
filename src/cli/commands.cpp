#include "cli/commands.h"

namespace kedge::cli {

std::vector<Command> all_commands() {
  std::vector<Command> commands;
  const auto add = [&](std::vector<Command> more) {
    commands.insert(commands.end(), std::make_move_iterator(more.begin()),
                    std::make_move_iterator(more.end()));
  };
  add(check_commands());
  add(general_commands());
  add(connection_commands());
  add(inspect_commands());
  add(history_commands());
  add(diff_commands());
  add(contract_commands());
  add(metadata_commands());
  add(migrate_commands());
  add(model_commands());
  add(query_commands());
  add(pipeline_commands());
  add(run_state_commands());
  add(template_commands());
  add(codegen_commands());
  add(verify_commands());
  add(schema_file_commands());
  add(server_commands());
  add(reference_commands());
  return commands;
}

}  // namespace kedge::cli
