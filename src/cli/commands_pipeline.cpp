#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>

#include "app/pipeline.h"
#include "cli/commands.h"
#include "cli/contract_outcome.h"
#include "kedge/codes.h"
#include "report/contracts.h"

namespace kedge::cli {
namespace {

int list(Invocation& invocation) {
  const app::ListResult result =
      app::list_nodes(invocation.context, invocation.arguments.all("--select"));
  report_warnings(invocation, result.warnings);
  if (!result.problems.empty()) {
    return report_problems(invocation, result.problems);
  }
  invocation.print(report::list_json(result), report::list_text(result));
  return 0;
}

using PlanFunction = app::PlanResult (*)(app::Context&, const std::vector<std::string>&,
                                         const std::optional<std::string>&);

int show_plan(Invocation& invocation, PlanFunction make) {
  const Arguments& arguments = invocation.arguments;
  const app::PlanResult result =
      make(invocation.context, arguments.all("--select"), arguments.find("--vars"));
  report_warnings(invocation, result.warnings);
  if (!result.problems.empty()) {
    return report_problems(invocation, result.problems);
  }
  invocation.print(report::plan_json(result), report::plan_text(result));
  return 0;
}

int compile(Invocation& invocation) {
  return show_plan(invocation, app::compile_sql);
}

int plan(Invocation& invocation) {
  return show_plan(invocation, app::plan_writes);
}

std::atomic<int>& signals() {
  static std::atomic<int> count = 0;
  return count;
}

// The first signal asks the run to end well; the second ends the program at once.
extern "C" void on_signal(int signal) {
  if (++signals() > 1) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

class SignalScope {
 public:
  SignalScope()
      : interrupt_(std::signal(SIGINT, on_signal)), end_(std::signal(SIGTERM, on_signal)) {}
  ~SignalScope() {
    std::signal(SIGINT, interrupt_);
    std::signal(SIGTERM, end_);
  }
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;

 private:
  void (*interrupt_)(int);
  void (*end_)(int);
};

// Where the lines of a run go: people, a file of events, or standard output.
class RunOutput {
 public:
  explicit RunOutput(Invocation& invocation) : invocation_(invocation) {
    const std::optional<std::string> target = invocation.arguments.find("--events");
    stream_ = target == "-";
    if (stream_ && invocation.json()) {
      throw Error(codes::ERR_USAGE, "--events - and --format json exclude each other");
    }
    if (target && !stream_) {
      file_.open(base::join_path(invocation.context.folder, *target),
                 std::ios::app | std::ios::binary);
      if (!file_) {
        throw Error(codes::PZ0531, "the file of --events cannot be written");
      }
    }
    events_ = target.has_value();
  }

  pipeline::RunListener listener() {
    pipeline::RunListener result;
    result.stop = &signals();
    result.on_warning = [this](const Finding& finding) {
      const std::lock_guard<std::mutex> guard(mutex_);
      invocation_.terminal.err.write(report::contract_line(finding.problem, finding.severity));
    };
    result.on_node = [this](const pipeline::NodeRecord& node) { show(node); };
    result.on_line = [this](const std::string& line) { print(line + "\n"); };
    if (events_) {
      result.on_event = [this](std::string_view line) { write_event(line); };
    }
    return result;
  }

  bool prints_text() const { return !stream_ && !invocation_.json(); }

 private:
  void print(const std::string& text) {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (prints_text()) {
      invocation_.terminal.out.write(text);
      std::fflush(stdout);
    }
  }

  void show(const pipeline::NodeRecord& node) {
    print(report::node_line(node));
    if (node.error) {
      const std::lock_guard<std::mutex> guard(mutex_);
      invocation_.terminal.err.write("error " + node.error->code + ": " + node.error->message +
                                     "\n");
    }
  }

  void write_event(std::string_view line) {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (stream_) {
      invocation_.terminal.out.write(line);
      std::fflush(stdout);  // who reads along sees it now
    } else {
      file_ << line << std::flush;
    }
  }

  Invocation& invocation_;
  std::ofstream file_;
  std::mutex mutex_;
  bool stream_ = false;
  bool events_ = false;
};

app::RunCommand run_command(const Arguments& arguments) {
  app::RunCommand command;
  command.selection.names = arguments.positionals();
  command.selection.select = arguments.all("--select");
  command.selection.scope =
      arguments.has("--all") ? pipeline::Scope::All : pipeline::Scope::Default;
  command.vars = arguments.find("--vars");
  command.refresh =
      arguments.has("--full-refresh") ? pipeline::Refresh::Full : pipeline::Refresh::Incremental;
  command.on_failure =
      arguments.has("--fail-fast") ? pipeline::OnFailure::Stop : pipeline::OnFailure::GoOn;
  return command;
}

using RunFunction = app::RunOutcome (*)(app::Context&, const app::RunCommand&,
                                        const pipeline::RunListener&);

int run_with(Invocation& invocation, const app::RunCommand& command, RunFunction run) {
  RunOutput output(invocation);
  const SignalScope signal_scope;
  const app::RunOutcome outcome = run(invocation.context, command, output.listener());
  if (!outcome.problems.empty()) {
    return report_problems(invocation, outcome.problems);
  }
  if (invocation.json()) {
    invocation.terminal.out.write(document::write_json(report::run_json(outcome)) + "\n");
  } else if (output.prints_text()) {
    invocation.terminal.out.write(outcome.record ? report::run_summary(*outcome.record)
                                                 : outcome.nothing + "\n");
  }
  if (outcome.record && outcome.record->abandoned) {
    // A thread of the run is still stuck: nothing may be taken down below it.
    std::fflush(nullptr);
    std::_Exit(outcome.exit());
  }
  return outcome.exit();
}

int run(Invocation& invocation) {
  return run_with(invocation, run_command(invocation.arguments), app::run_pipelines);
}

int test(Invocation& invocation) {
  app::RunCommand command = run_command(invocation.arguments);
  command.mode = pipeline::RunMode::Test;
  if (command.selection.select.empty()) {
    command.selection.scope = pipeline::Scope::All;
  }
  return run_with(invocation, command, app::run_pipelines);
}

int retry(Invocation& invocation) {
  return run_with(invocation, run_command(invocation.arguments), app::retry_run);
}

}  // namespace

std::vector<Command> pipeline_commands() {
  return {
      {"ls",
       "List the nodes of the project in topological order",
       {{"--select", FlagKind::List, "S", "Only what this selects", {}}},
       {},
       guarded(list),
       "",
       {"text", "json"}},
      {"compile",
       "Show the SQL of every pipeline as it would run, offline",
       {{"--select", FlagKind::List, "S", "Only what this selects", {}},
        {"--vars", FlagKind::Value, "JSON", "Values of variables", {}}},
       {},
       guarded(compile),
       "",
       {"text", "json"}},
      {"plan",
       "Show the SQL and what the writes would change in their targets",
       {{"--select", FlagKind::List, "S", "Only what this selects", {}},
        {"--vars", FlagKind::Value, "JSON", "Values of variables", {}}},
       {},
       guarded(plan),
       "Opens the targets, changes nothing.",
       {"text", "json"}},
      {"run",
       "Land, transform, check and write",
       {{"--all", FlagKind::Switch, "", "Run everything", {}},
        {"--select", FlagKind::List, "S", "Only what this selects, and what it needs", {}},
        {"--vars", FlagKind::Value, "JSON", "Values of variables", {}},
        {"--full-refresh", FlagKind::Switch, "", "Ignore stored cursors", {}},
        {"--fail-fast", FlagKind::Switch, "", "Stop at the first failed node", {}},
        {"--events", FlagKind::Value, "FILE", "Stream events to a file, or to stdout with -", {}}},
       {{"NAME", "A node, with all that is before and after it", false, true}},
       guarded(run),
       "Exit code: 0 all nodes succeeded, 1 a node failed, 2 nothing ran.",
       {"text", "json"}},
      {"test",
       "Land, transform and check; never write to a target",
       {{"--select", FlagKind::List, "S", "Only what this selects, and what it needs", {}},
        {"--vars", FlagKind::Value, "JSON", "Values of variables", {}},
        {"--events", FlagKind::Value, "FILE", "Stream events to a file, or to stdout with -", {}}},
       {},
       guarded(test),
       "",
       {"text", "json"}},
      {"retry",
       "Run the failed and skipped nodes of the latest run again",
       {{"--vars", FlagKind::Value, "JSON", "Values of variables", {}},
        {"--full-refresh", FlagKind::Switch, "", "Reuse nothing", {}},
        {"--fail-fast", FlagKind::Switch, "", "Stop at the first failed node", {}},
        {"--events", FlagKind::Value, "FILE", "Stream events to a file, or to stdout with -", {}}},
       {},
       guarded(retry),
       "",
       {"text", "json"}},
  };
}

}  // namespace kedge::cli
