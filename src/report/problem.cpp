#include "report/problem.h"

namespace kedge::report {

std::string to_string(Severity severity) {
  switch (severity) {
    case Severity::Note:
      return "note";
    case Severity::Warning:
      return "warning";
    case Severity::Error:
      return "error";
  }
  return "error";
}

std::string problem_text(const Problem& problem, Severity severity) {
  std::string text;
  if (problem.where) {
    text += kedge::to_string(*problem.where) + ": ";
  }
  const std::string code(problem.code.name());  // a note may have none
  text +=
      to_string(severity) + (code.empty() ? "" : "[" + code + "]") + ": " + problem.message + "\n";
  for (const Note& note : problem.notes) {
    text += "  note: ";
    if (note.where) {
      text += kedge::to_string(*note.where) + ": ";
    }
    text += note.text + "\n";
  }
  if (!problem.hint.empty()) {
    text += "  hint: " + problem.hint + "\n";
  }
  return text;
}

std::string finding_text(const Finding& finding) {
  return problem_text(finding.problem, finding.severity);
}

document::Json problem_json(const Problem& problem) {
  document::Json json;
  json.set("code", problem.code.name());
  json.set("message", problem.message);
  if (!problem.hint.empty()) {
    json.set("hint", problem.hint);
  }
  if (problem.where) {
    json.set("file", problem.where->file);
    json.set("line", problem.where->line);
    json.set("column", problem.where->column);
  }
  if (!problem.notes.empty()) {
    document::Json notes = document::Json::array();
    for (const Note& note : problem.notes) {
      document::Json item;
      item.set("text", note.text);
      if (note.where) {
        item.set("file", note.where->file);
        item.set("line", note.where->line);
        item.set("column", note.where->column);
      }
      notes.push(std::move(item));
    }
    json.set("notes", std::move(notes));
  }
  return json;
}

document::Json finding_json(const Finding& finding) {
  document::Json json = problem_json(finding.problem);
  json.set("severity", to_string(finding.severity));
  if (!finding.guard.empty()) {
    json.set("guard", finding.guard);
  }
  if (finding.subject != Subject{}) {
    document::Json subject;
    const auto set = [&](std::string_view key, const std::string& value) {
      if (!value.empty()) {
        subject.set(key, value);
      }
    };
    set("kind", finding.subject.kind);
    set("connection", finding.subject.connection);
    set("container", finding.subject.container);
    set("name", finding.subject.name);
    json.set("subject", std::move(subject));
  }
  return json;
}

document::Json error_document(const Problem& problem, int exit_code) {
  document::Json errors = document::Json::array();
  errors.push(problem_json(problem));
  document::Json json;
  json.set("errors", std::move(errors));
  json.set("exit_code", exit_code);
  return json;
}

}  // namespace kedge::report
