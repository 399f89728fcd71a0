#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "cli/program.h"
#include "engine/connectors.h"
#include "kedge/codes.h"
#include "report/problem.h"

namespace {

using namespace kedge;  // NOLINT(google-build-using-namespace): the program's own file

class FileSink final : public base::Sink {
 public:
  explicit FileSink(std::FILE* file) : file_(file) {}
  void write(std::string_view bytes) override { std::fwrite(bytes.data(), 1, bytes.size(), file_); }

 private:
  std::FILE* file_;
};

std::optional<std::string> read_line(std::size_t most) {
  std::string line;
  std::streambuf& input = *std::cin.rdbuf();
  int next = input.sbumpc();
  if (next == EOF) {
    return std::nullopt;
  }
  for (; next != EOF && next != '\n'; next = input.sbumpc()) {
    if (line.size() < most) {
      line += static_cast<char>(next);
    }
  }
  return line;
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
  cli::Terminal terminal{out, err, read_line, ::isatty(STDIN_FILENO) != 0,
                         ::isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr};
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1 && arguments[0] == "--version") {
    out.write(std::string("kedge ") + KEDGE_VERSION + "\n");
    return 0;
  }
  return delivered(cli::run_program(arguments, terminal, engine::make_registry()), terminal);
}
