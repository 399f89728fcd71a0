#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

#include "base/file_system.h"
#include "cli/arguments.h"
#include "engine/connectors.h"
#include "kedge/codes.h"
#include "report/problem.h"
#include "scratch/provider.h"

namespace {

using namespace kedge;  // NOLINT(google-build-using-namespace): the program's own file

class FileSink final : public base::Sink {
 public:
  explicit FileSink(std::FILE* file) : file_(file) {}
  void write(std::string_view bytes) override { std::fwrite(bytes.data(), 1, bytes.size(), file_); }

 private:
  std::FILE* file_;
};

int report_failure(const Problem& problem, const cli::Invocation& invocation,
                   const cli::Command& command) {
  const bool json = invocation.json();
  cli::Terminal& terminal = invocation.terminal;
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
void require_folder(const base::FileSystem& files, const cli::Parsed& parsed) {
  if (parsed.command->name != "init" && files.kind(parsed.folder) != base::EntryKind::Folder) {
    throw Error(codes::ERR_USAGE, "there is no folder '" + parsed.folder + "'",
                "-C names the folder of the project");
  }
}

Problem masked(Problem problem, const std::vector<std::string>& argv) {
  problem.message = cli::mask_arguments(std::move(problem.message), argv);
  problem.hint = cli::mask_arguments(std::move(problem.hint), argv);
  for (Note& note : problem.notes) {
    note.text = cli::mask_arguments(std::move(note.text), argv);
  }
  if (problem.where) {
    problem.where->file = cli::mask_arguments(std::move(problem.where->file), argv);
  }
  return problem;
}

int run(const cli::Parsed& parsed, const std::vector<std::string>& argv, cli::Terminal& terminal) {
  const auto files = base::make_file_system();
  const auto clock = base::make_clock();
  const auto environment = base::make_environment();
  const auto processes = base::make_process_runner();
  const db::Registry registry = engine::make_registry();
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
  cli::Invocation invocation{context, parsed.arguments, terminal};
  try {
    require_folder(*files, parsed);
    return parsed.command->run(invocation);
  } catch (const Error& error) {
    return report_failure(masked(error.problem(), argv), invocation, *parsed.command);
  } catch (const std::exception& error) {
    return report_failure({codes::ERR_INTERNAL,
                           cli::mask_arguments(error.what(), argv),
                           std::nullopt,
                           "please report this",
                           {}},
                          invocation, *parsed.command);
  }
}

// A result that a full disk swallowed must not look like one that was delivered.
int delivered(int exit_code, cli::Terminal& terminal) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
    return exit_code;
  }
  terminal.err.write(report::problem_text(
      {codes::ERR_IO, "cannot write the result to standard output", std::nullopt, "", {}},
      Severity::Error));
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  FileSink out(stdout);
  FileSink err(stderr);
  cli::Terminal terminal{out, err,
                         []() -> std::optional<std::string> {
                           std::string line;
                           return std::getline(std::cin, line) ? std::optional(line) : std::nullopt;
                         },
                         ::isatty(STDIN_FILENO) != 0,
                         ::isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr};
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1 && arguments[0] == "--version") {
    out.write(std::string("kedge ") + KEDGE_VERSION + "\n");
    return 0;
  }
  const std::vector<cli::Command> commands = cli::all_commands();
  const auto parsed = cli::parse_arguments(commands, arguments);
  if (const auto* help = std::get_if<cli::Help>(&parsed)) {
    out.write(help->text);
    return delivered(0, terminal);
  }
  if (const auto* misuse = std::get_if<cli::Misuse>(&parsed)) {
    if (misuse->json) {
      out.write(document::write_json(report::error_document(
                    {codes::ERR_USAGE, misuse->text, std::nullopt, "", {}}, 2)) +
                "\n");
    }
    err.write(misuse->text + "\n");
    return 2;
  }
  return delivered(run(std::get<cli::Parsed>(parsed), arguments, terminal), terminal);
}
