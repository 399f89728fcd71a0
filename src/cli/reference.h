// What is generated from the command table and the code registry: reference pages, man pages, shell
// completions. Pure: values in, text out.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace kedge::cli {

struct GeneratedFile {
  std::string path;  // below the output folder
  std::string text;
};

// commands/<name>.md and an index; codes/<code>.md and an index.
std::vector<GeneratedFile> reference_pages(const std::vector<Command>& commands);
// kedge.1 and kedge-<command>.1
std::vector<GeneratedFile> man_pages(const std::vector<Command>& commands);

std::string bash_completion(const std::vector<Command>& commands);
std::string zsh_completion(const std::vector<Command>& commands);
std::string fish_completion(const std::vector<Command>& commands);

}  // namespace kedge::cli
