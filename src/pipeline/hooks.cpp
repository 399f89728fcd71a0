#include "pipeline/hooks.h"

#include <algorithm>

#include "kedge/codes.h"

namespace kedge::pipeline {
namespace {

constexpr double kSeconds = 30;

void run_hook(const Engine& engine, const std::string& event, const std::string& line) {
  const project::EventHooks& hooks = engine.workspace().project.events;
  base::ProcessRequest request;
  request.arguments = hooks.command;
  request.working_folder = engine.world().folder;
  request.standard_input = line;
  request.timeout_seconds = kSeconds;
  std::string failure;
  try {
    const base::ProcessResult result = engine.world().processes.run(request);
    if (result.timed_out) {
      failure = "took longer than 30 s";
    } else if (result.exit_code != 0) {
      failure = "exited with " + std::to_string(result.exit_code);
    }
  } catch (const Error& error) {
    failure = error.problem().message;
  }
  if (!failure.empty()) {
    Problem problem;
    problem.code = codes::PZ0501;
    problem.message =
        "the hook for event " + event + " failed: " + engine.workspace().hide(failure);
    engine.warn(std::move(problem));
  }
}

}  // namespace

void install_hooks(EventLog& events, const Engine& engine) {
  const project::EventHooks& hooks = engine.workspace().project.events;
  if (hooks.command.empty()) {
    return;
  }
  events.on_publish([&engine, on = hooks.on](const std::string& event, const std::string& line) {
    if (std::find(on.begin(), on.end(), event) != on.end()) {
      run_hook(engine, event, line);
    }
  });
}

}  // namespace kedge::pipeline
