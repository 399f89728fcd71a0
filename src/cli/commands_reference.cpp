#include "base/file_system.h"
#include "cli/commands.h"
#include "cli/reference.h"

namespace kedge::cli {
namespace {

int completion(Invocation& invocation) {
  const std::string& shell = invocation.arguments.positionals().front();
  const std::vector<Command> commands = all_commands();
  std::string text;
  if (shell == "bash") {
    text = bash_completion(commands);
  } else if (shell == "zsh") {
    text = zsh_completion(commands);
  } else if (shell == "fish") {
    text = fish_completion(commands);
  } else {
    invocation.terminal.err.write("completion: the shell is one of bash, zsh, fish\n");
    return 2;
  }
  invocation.terminal.out.write(text);
  return 0;
}

int reference(Invocation& invocation) {
  const std::vector<Command> commands = all_commands();
  const bool man = invocation.arguments.has("--man");
  const std::string folder = invocation.arguments.positionals().front();
  for (const GeneratedFile& file : man ? man_pages(commands) : reference_pages(commands)) {
    const std::string path = base::join_path(folder, file.path);
    invocation.context.files.write(base::join_path(invocation.context.folder, path), file.text);
  }
  return 0;
}

}  // namespace

std::vector<Command> reference_commands() {
  return {{"completion",
           "Print a shell completion script",
           {},
           {{"SHELL", "bash, zsh or fish"}},
           completion,
           "For instance: source <(kedge completion bash)",
           {}},
          {"reference",
           "Write the reference pages of commands and codes",
           {{"--man", FlagKind::Switch, "", "Man pages instead of Markdown", {}}},
           {{"DIR", "Where to"}},
           reference,
           "",
           {}}};
}

}  // namespace kedge::cli
