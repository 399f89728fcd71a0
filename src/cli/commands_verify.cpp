#include <algorithm>

#include "cli/commands.h"
#include "cli/gates.h"
#include "kedge/codes.h"
#include "report/problem.h"

namespace kedge::cli {
namespace {

using document::Json;

GateResult run_gate(const Gate& gate, Invocation& invocation) {
  try {
    return gate.run(invocation);
  } catch (const Error& error) {
    GateResult result;
    result.ran = false;
    result.exit = std::max(2, exit_code_of(error.code()));
    result.errors = {error.problem()};
    return result;
  }
}

Json gate_json(const Gate& gate, const GateResult& result) {
  Json json;
  json.set("gate", gate.name);
  json.set("ran", result.ran);
  json.set("ok", result.ran && result.exit == 0);
  if (const Json::Object* members = result.members.as_object()) {
    for (const auto& [key, value] : *members) {
      json.set(key, value);
    }
  }
  return json;
}

struct Outcome {
  Json gates = Json::array();
  Json errors = Json::array();
  Json::Object more;
  int exit = 0;
};

void print_text(const GateResult& result, Terminal& terminal) {
  terminal.out.write(result.text);
}

void take(const Gate& gate, GateResult result, Invocation& invocation, Outcome& outcome) {
  outcome.exit = std::max(outcome.exit, result.exit);
  outcome.gates.push(gate_json(gate, result));
  for (const Problem& problem : result.errors) {
    outcome.errors.push(report::problem_json(problem));
    invocation.terminal.err.write(report::problem_text(problem, Severity::Error));
  }
  outcome.more.insert(outcome.more.end(), result.more.begin(), result.more.end());
  if (!invocation.json()) {
    print_text(result, invocation.terminal);
  }
}

int verify(Invocation& invocation) {
  std::vector<std::string> names;
  std::string others;
  for (const Gate& gate : all_gates()) {
    const bool chosen = gate.chosen ? gate.chosen(invocation.arguments)
                                    : invocation.arguments.has("--" + gate.name);
    if (chosen) {
      names.push_back(gate.name);
    }
    others += gate.name == "templates" ? "" : (others.empty() ? "--" : ", --") + gate.name;
  }
  if (names.empty()) {
    invocation.terminal.err.write("only --templates was checked; other gates: " + others + "\n");
    names = {"templates"};
  }
  return run_gates(invocation, names);
}

}  // namespace

int run_gates(Invocation& invocation, const std::vector<std::string>& names) {
  Outcome outcome;
  for (const Gate& gate : all_gates()) {
    if (std::find(names.begin(), names.end(), gate.name) != names.end()) {
      take(gate, run_gate(gate, invocation), invocation, outcome);
    }
  }
  if (invocation.json()) {
    Json document;
    document.set("command", "verify");
    document.set("exit_code", outcome.exit);
    document.set("gates", std::move(outcome.gates));
    for (auto& [key, value] : outcome.more) {
      document.set(key, std::move(value));
    }
    document.set("errors", std::move(outcome.errors));
    invocation.terminal.out.write(document::write_json(document) + "\n");
  }
  return outcome.exit;
}

std::vector<Gate> all_gates() {
  std::vector<Gate> gates;
  for (const auto& list : {migrate_gates(), template_gates(), codegen_gates(), fleet_gates()}) {
    gates.insert(gates.end(), list.begin(), list.end());
  }
  return gates;
}

std::vector<Command> verify_commands() {
  std::vector<Flag> flags;
  const auto add = [&](const Flag& flag) {
    const bool known = std::any_of(flags.begin(), flags.end(),
                                   [&](const Flag& other) { return other.name == flag.name; });
    if (!known) {
      flags.push_back(flag);
    }
  };
  for (const Gate& gate : all_gates()) {
    const auto own = std::find_if(gate.flags.begin(), gate.flags.end(),
                                  [&](const Flag& flag) { return flag.name == "--" + gate.name; });
    add(own == gate.flags.end() ? Flag{"--" + gate.name, FlagKind::Switch, "", gate.help, {}}
                                : *own);
  }
  for (const Gate& gate : all_gates()) {
    std::for_each(gate.flags.begin(), gate.flags.end(), add);
  }
  return {{"verify",
           "Check what is committed against what it was made from",
           flags,
           {},
           verify,
           "Every gate that is named runs; the exit code is the highest: 0 clean, 1 drift, 2 could "
           "not check.\n"
           "Without a gate --templates runs.",
           {"text", "json"}}};
}

}  // namespace kedge::cli
