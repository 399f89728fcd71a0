// The command line: argv and the command table in, one command and its arguments out.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cli/command.h"

namespace kedge::cli {

struct Parsed {
  const Command* command = nullptr;
  Arguments arguments;
  std::string folder;  // -C, else "."
};
struct Help {
  std::string text;  // for stdout, exit 0
};
struct Misuse {
  std::string text;   // for stderr, exit 2
  bool json = false;  // --format json was asked for
};

std::variant<Parsed, Help, Misuse> parse_arguments(const std::vector<Command>& commands,
                                                   const std::vector<std::string>& argv);

// A word that a message repeats may be a URL with a password: shown masked, as db::redact_url does.
std::string mask_arguments(std::string text, const std::vector<std::string>& argv);

}  // namespace kedge::cli
