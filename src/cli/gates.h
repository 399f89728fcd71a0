// `kedge verify` is one command with several gates. Each chapter gives its gates as data; the
// command runs those asked for, prints one report and exits with the highest of their codes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "document/json.h"

namespace kedge::cli {

struct GateResult {
  bool ran = true;
  int exit = 0;
  std::string text;             // for people, to stdout
  document::Json members;       // of the gate's JSON object, after gate, ran and ok
  std::vector<Problem> errors;  // why it could not run; ran is false then
  document::Json::Object more;  // members of the whole document, for instance "drift"
};

struct Gate {
  std::string name;  // "templates"; its flag is --templates
  std::string help;
  std::vector<Flag> flags;  // of its own; a flag that two gates share is listed by both
  std::function<GateResult(Invocation&)> run;  // an Error thrown becomes `errors`
  std::function<bool(const Arguments&)> chosen = {};  // absent: its flag was given
};

std::vector<Gate> migrate_gates();  // db, replay, replay-snapshot
std::vector<Gate> template_gates();
std::vector<Gate> codegen_gates();
std::vector<Gate> fleet_gates();
// Runs the named gates and prints their one report; the exit code.
int run_gates(Invocation& invocation, const std::vector<std::string>& names);
std::vector<Gate> all_gates();  // in the order of the report

}  // namespace kedge::cli
