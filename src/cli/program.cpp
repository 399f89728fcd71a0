#include "cli/program.h"

#include <unistd.h>

#include <algorithm>
#include <exception>

#include "base/file_system.h"
#include "cli/arguments.h"
#include "document/json.h"
#include "kedge/codes.h"
#include "report/problem.h"
#include "scratch/provider.h"

namespace kedge::cli {
namespace {

int report_failure(const Problem& problem, const Invocation& invocation, const Command& command) {
  const bool json = invocation.json();
  Terminal& terminal = invocation.terminal;
  const int exit_code = exit_code_of(problem.code);
  // 1 from gen is a file that waits for somebody; what stops it is 2, also a finding in a pack.
  const int failed = exit_code == 0 || command.name == "gen" ? 2 : exit_code;
  if (json) {
    terminal.out.write(document::write_json(report::error_document(problem, failed)) + "\n");
  }
  terminal.err.write(report::problem_text(problem, Severity::Error));
  return failed;
}

// A mistyped folder would look like a project without anything to guard, and pass.
void require_folder(const base::FileSystem& files, const Parsed& parsed) {
  if (parsed.command->name != "init" && files.kind(parsed.folder) != base::EntryKind::Folder) {
    throw Error(codes::ERR_USAGE, "there is no folder '" + parsed.folder + "'",
                "-C names the folder of the project");
  }
}

// Whatever a command says, a URL of the command line is shown without its password.
class MaskingSink final : public base::Sink {
 public:
  MaskingSink(base::Sink& target, const std::vector<std::string>& argv)
      : target_(target), argv_(argv) {}
  void write(std::string_view bytes) override {
    target_.write(mask_arguments(std::string(bytes), argv_));
  }

 private:
  base::Sink& target_;
  const std::vector<std::string>& argv_;
};

int run(const Parsed& parsed, Terminal& terminal, const db::Registry& registry) {
  const auto files = base::make_file_system();
  const auto clock = base::make_clock();
  const auto environment = base::make_environment();
  const auto processes = base::make_process_runner();
  const auto scratch = scratch::make_provider(registry, *environment);
  app::Context context{files->real_path(parsed.folder),
                       *files,
                       *clock,
                       *environment,
                       *processes,
                       registry,
                       *scratch};
  if (::isatty(STDERR_FILENO) != 0) {
    context.progress = [&terminal](std::string_view text) {
      terminal.err.write(std::string(text) + "\n");
    };
  }
  Invocation invocation{context, parsed.arguments, terminal};
  try {
    require_folder(*files, parsed);
    return parsed.command->run(invocation);
  } catch (const Error& error) {
    return report_failure(error.problem(), invocation, *parsed.command);
  } catch (const std::exception& error) {
    return report_failure(
        {codes::ERR_INTERNAL, error.what(), std::nullopt, "please report this", {}}, invocation,
        *parsed.command);
  }
}

}  // namespace

int run_program(const std::vector<std::string>& argv, Terminal& given,
                const db::Registry& registry) {
  MaskingSink out(given.out, argv);
  MaskingSink err(given.err, argv);
  const bool has_secret = std::any_of(argv.begin(), argv.end(), [&](const std::string& word) {
    return mask_arguments(word, argv) != word;
  });
  Terminal masked{out, err, given.read_line, given.interactive, given.color};
  Terminal& terminal = has_secret ? masked : given;
  const std::vector<Command> commands = all_commands();
  const auto parsed = parse_arguments(commands, argv);
  if (const auto* help = std::get_if<Help>(&parsed)) {
    terminal.out.write(help->text);
    return 0;
  }
  if (const auto* misuse = std::get_if<Misuse>(&parsed)) {
    if (misuse->json) {
      terminal.out.write(document::write_json(report::error_document(
                             {codes::ERR_USAGE, misuse->text, std::nullopt, "", {}}, 2)) +
                         "\n");
    }
    terminal.err.write(misuse->text + "\n");
    return 2;
  }
  return run(std::get<Parsed>(parsed), terminal, registry);
}

}  // namespace kedge::cli
