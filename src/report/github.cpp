// Workflow commands of GitHub Actions: one line a finding, shown at the line of the file.
#include "base/text.h"
#include "report/findings.h"
#include "report/problem.h"

namespace kedge::report {
namespace {

std::string command_of(Severity severity) {
  switch (severity) {
    case Severity::Note:
      return "notice";
    case Severity::Warning:
      return "warning";
    case Severity::Error:
      return "error";
  }
  return "error";
}

std::string escaped(const std::string& given) {
  std::string text = base::replace_all(printable(given), "%", "%25");
  return base::replace_all(std::move(text), "\n", "%0A");
}

std::string property(const std::string& text) {
  return base::replace_all(base::replace_all(escaped(text), ":", "%3A"), ",", "%2C");
}

std::string place(const Position& where, const std::string& folder) {
  std::string text = "file=" + property(relative_file(where.file, folder));
  if (where.line > 0) {
    text += ",line=" + std::to_string(where.line);
  }
  if (where.column > 0) {
    text += ",col=" + std::to_string(where.column);
  }
  return text + ",";
}

}  // namespace

std::string findings_github(const std::vector<Finding>& findings, const std::string& folder) {
  std::string text;
  for (const Finding& finding : findings) {
    const Problem& problem = finding.problem;
    std::string message = problem.message;
    for (const Note& note : problem.notes) {
      message += "\n" + note.text;
    }
    if (!problem.hint.empty()) {
      message += "\n" + problem.hint;
    }
    text += "::" + command_of(finding.severity) + " " +
            (problem.where ? place(*problem.where, folder) : "") +
            "title=" + property(std::string(problem.code.name())) + "::" + escaped(message) + "\n";
  }
  return text;
}

}  // namespace kedge::report
