#include "app/check.h"

#include <algorithm>
#include <future>
#include <set>

#include "app/project_folder.h"
#include "base/problem_list.h"
#include "base/text.h"
#include "document/node.h"
#include "kedge/codes.h"
#include "project/project.h"

namespace kedge::app {
namespace {

std::vector<std::string> names_of(const std::vector<Guard>& guards) {
  std::vector<std::string> names;
  for (const Guard& guard : guards) {
    names.push_back(guard.name);
  }
  return names;
}

void require_known(const std::vector<Guard>& guards, const std::vector<std::string>& asked) {
  const std::vector<std::string> known = names_of(guards);
  for (const std::string& name : asked) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw Error(codes::ERR_USAGE,
                  "there is no guard '" + name + "'" + base::did_you_mean(name, known),
                  "the guards are " + base::join(known, ", "));
    }
  }
}

bool is_asked(const Guard& guard, const CheckRequest& request) {
  const auto listed = [&](const std::vector<std::string>& list) {
    return std::find(list.begin(), list.end(), guard.name) != list.end();
  };
  return (request.only.empty() || listed(request.only)) && !listed(request.skip);
}

// A check that looks at nothing would pass.
void require_choice(const std::vector<Guard>& guards, const CheckRequest& request) {
  if (std::none_of(guards.begin(), guards.end(),
                   [&](const Guard& guard) { return is_asked(guard, request); })) {
    throw Error(codes::ERR_USAGE, "--only and --skip together leave no guard to run");
  }
}

std::set<std::string> guards_to_run(Context& context, const std::vector<Guard>& guards,
                                    const CheckRequest& request) {
  std::optional<RevisionChanges> changes;
  if (request.changed_since) {
    changes.emplace(context, *request.changed_since);
  }
  std::set<std::string> chosen;
  for (const Guard& guard : guards) {
    if (is_asked(guard, request) && (!changes || changes->touch(guard.inputs(context)))) {
      chosen.insert(guard.name);
    }
  }
  return chosen;
}

GuardReport run_guard(Context& context, const Guard& guard) {
  GuardReport report;
  report.guard = guard.name;
  const std::int64_t begin = context.clock.monotonic_milliseconds();
  try {
    report.present = guard.present(context);
    if (report.present) {
      guard.run(context, report);
    }
  } catch (const base::ProblemList& error) {
    report.failures = error.problems();
  } catch (const Error& error) {
    report.failures.push_back(error.problem());
  } catch (const std::exception& error) {
    report.failures.push_back({codes::ERR_INTERNAL, error.what(), std::nullopt, "", {}});
  }
  for (Finding& finding : report.findings) {
    finding.guard = guard.name;
  }
  sort_findings(report.findings);
  report.seconds = static_cast<double>(context.clock.monotonic_milliseconds() - begin) / 1000.0;
  return report;
}

// Guards that load one file, or open one connection, fail for one reason. Each chapter has its own
// code for a database that cannot be reached, and its own words.
bool is_same_cause(const Problem& a, const Problem& b) {
  const auto is_connection = [](const Problem& problem) {
    const CodeEntry* entry = find_code(problem.code.name());
    return entry != nullptr && entry->code_class == CodeClass::Connection && problem.where;
  };
  return (a.code == b.code && a.message == b.message && a.where == b.where) ||
         (is_connection(a) && is_connection(b) && a.where == b.where);
}

void collect_errors(CheckResult& result) {
  for (const GuardReport& report : result.guards) {
    for (const Problem& failure : report.failures) {
      const auto known = std::find_if(
          result.errors.begin(), result.errors.end(),
          [&](const Unchecked& other) { return is_same_cause(other.problem, failure); });
      if (known == result.errors.end()) {
        result.errors.push_back({failure, {report.guard}});
      } else if (known->guards.back() != report.guard) {
        known->guards.push_back(report.guard);
      }
    }
  }
}

void collect(CheckResult& result, const std::vector<std::string>& known) {
  const std::set<std::string> baseline(known.begin(), known.end());
  for (const GuardReport& report : result.guards) {
    for (const Finding& finding : report.findings) {
      if (baseline.contains(finding_key(finding))) {
        ++result.known;
        continue;
      }
      result.findings.push_back(finding);
      if (finding.severity == Severity::Error) {
        result.exit_code = std::max(result.exit_code, 1);
      }
    }
    if (!report.failures.empty()) {
      result.exit_code = 2;
    }
  }
  sort_findings(result.findings);
  collect_errors(result);
}

}  // namespace

bool folder_has_files(const Context& context, const std::string& folder) {
  return !base::list_files(context.files, base::join_path(context.folder, folder)).empty();
}

std::vector<Guard> all_guards() {
  return {models_guard(),    metadata_guard(), replay_guard(), contracts_guard(),
          templates_guard(), code_guard(),     docs_guard()};
}

std::string finding_key(const Finding& finding) {
  const Subject& subject = finding.subject;
  std::string key =
      std::string(finding.problem.code.name()) + "\n" + finding.guard + "\n" + subject.kind + "\n" +
      subject.connection + "\n" + subject.container + "\n" + subject.name + "\n" +
      (finding.problem.where ? finding.problem.where->file : "") + "\n" + finding.problem.message;
  for (const Note& note : finding.problem.notes) {
    key += "\n" + note.text;
  }
  return key;
}

namespace {

// What is no finding of kedge would leave out nothing, without a word.
class BaselineReader {
 public:
  BaselineReader(const std::string& path, const std::string& text)
      : path_(path), read_(document::read_document(path, text, document::Format::Json)) {}

  std::vector<std::string> keys() const {
    if (!read_.problems.empty()) {
      refuse(read_.problems.front().where.value_or(Position{path_, 1, 1}),
             read_.problems.front().message);
    }
    const document::Node* list = read_.root.find("findings");
    if (list == nullptr || !list->is_sequence()) {
      refuse(list == nullptr ? read_.root : *list, "it has no list of findings");
    }
    std::vector<std::string> keys;
    for (const document::Node& item : list->items) {
      keys.push_back(finding_key(finding(item)));
    }
    return keys;
  }

 private:
  [[noreturn]] void refuse(const Position& where, const std::string& what) const {
    throw Error(Problem{codes::ERR_IO,
                        "'" + path_ + "' is not the JSON document of kedge check: " + what,
                        where,
                        "write one with: kedge check --format json",
                        {}});
  }
  [[noreturn]] void refuse(const document::Node& node, const std::string& what) const {
    refuse(read_.position(node), what);
  }

  const document::Node* member(const document::Node& node, std::string_view key) const {
    if (!node.is_mapping()) {
      refuse(node, "this is no object");
    }
    return node.find(key);
  }
  std::string text(const document::Node& node, std::string_view key) const {
    const document::Node* value = member(node, key);
    if (value != nullptr && !value->is_string()) {
      refuse(*value, "'" + std::string(key) + "' is no text");
    }
    return value == nullptr ? "" : value->text;
  }
  std::string needed(const document::Node& node, std::string_view key) const {
    if (member(node, key) == nullptr) {
      refuse(node, "a finding has no '" + std::string(key) + "'");
    }
    return text(node, key);
  }

  // Notes may have no code.
  Code code(const document::Node& item) const {
    const std::string name = needed(item, "code");
    const CodeEntry* entry = find_code(name);
    if (entry == nullptr && !name.empty()) {
      refuse(*item.find("code"), "there is no code '" + name + "'");
    }
    return entry == nullptr ? Code() : entry->code;
  }

  Finding finding(const document::Node& item) const {
    Finding finding;
    finding.problem.code = code(item);
    finding.problem.message = needed(item, "message");
    finding.guard = needed(item, "guard");
    if (item.find("file") != nullptr) {
      finding.problem.where = Position{text(item, "file"), 0, 0};
    }
    if (const document::Node* subject = item.find("subject")) {
      finding.subject = {text(*subject, "kind"), text(*subject, "connection"),
                         text(*subject, "container"), text(*subject, "name")};
    }
    if (const document::Node* notes = item.find("notes")) {
      if (!notes->is_sequence()) {
        refuse(*notes, "'notes' is no list");
      }
      for (const document::Node& note : notes->items) {
        finding.problem.notes.push_back({text(note, "text"), std::nullopt});
      }
    }
    return finding;
  }

  const std::string& path_;
  document::Document read_;
};

}  // namespace

std::vector<std::string> read_baseline(const Context& context, const std::string& path) {
  const std::optional<std::string> text = context.files.read(base::join_path(context.folder, path));
  if (!text) {
    throw Error(codes::ERR_IO, "there is no baseline '" + path + "'",
                "write one with: kedge check --format json > " + path);
  }
  return BaselineReader(path, *text).keys();
}

CheckResult check(Context& context, const CheckRequest& request) {
  const std::vector<Guard> guards = all_guards();
  require_known(guards, request.only);
  require_known(guards, request.skip);
  require_project_folder(context);
  std::vector<std::string> known;
  if (request.baseline) {
    known = read_baseline(context, *request.baseline);
  }
  require_choice(guards, request);
  const std::set<std::string> chosen = guards_to_run(context, guards, request);
  CheckResult result;
  result.time = context.clock.now_milliseconds();
  const project::ProjectLoad project =
      project::load_project(context.files, context.environment, context.folder);
  result.project_name = project.project.name;
  result.project_version = project.project.version;
  // Metadata compares definitions too; without it the shapes are enough for the others.
  dialect::Catalogs catalogs(chosen.contains("metadata") ? dialect::Detail::Definitions
                                                         : dialect::Detail::Shapes);
  Context shared = context;
  if (std::count_if(guards.begin(), guards.end(), [&](const Guard& guard) {
        return guard.reads_databases && chosen.contains(guard.name);
      }) > 1) {
    shared.catalogs = &catalogs;
  }
  std::vector<std::future<GuardReport>> running;
  for (const Guard& guard : guards) {
    running.push_back(std::async(std::launch::async, [&context = shared, &guard, &chosen] {
      if (!chosen.contains(guard.name)) {
        GuardReport report;
        report.guard = guard.name;
        report.skipped = true;
        return report;
      }
      return run_guard(context, guard);
    }));
  }
  for (std::future<GuardReport>& report : running) {
    result.guards.push_back(report.get());
  }
  collect(result, known);
  return result;
}

}  // namespace kedge::app
