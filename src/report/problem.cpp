#include "report/problem.h"

#include <algorithm>

#include "base/text.h"

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

namespace {

// Bytes of the UTF-8 character that starts here; 0 when none does.
std::size_t character_at(std::string_view text) {
  for (const std::size_t length : {1U, 2U, 3U, 4U}) {
    if (length <= text.size() && base::is_valid_utf8(text.substr(0, length))) {
      return length;
    }
  }
  return 0;
}

std::string escaped_control(unsigned char byte) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  return std::string("\\x") + kDigits[byte >> 4U] + kDigits[byte & 15U];
}

// A name with a line end must not look like a line of the report.
std::string indented(std::string_view text) {
  return base::replace_all(printable(text), "\n", "\n    ");
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = character_at(text);
    const auto byte = static_cast<unsigned char>(text.front());
    const bool c1 = length == 2 && byte == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
    if (length == 0) {
      result += "\xEF\xBF\xBD";
    } else if (c1) {
      result += escaped_control(static_cast<unsigned char>(text[1]));
    } else if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F) {
      result += escaped_control(byte);
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string problem_text(const Problem& problem, Severity severity) {
  std::string text;
  if (problem.where) {
    text += indented(kedge::to_string(*problem.where)) + ": ";
  }
  const std::string code(problem.code.name());  // a note may have none
  text += to_string(severity) + (code.empty() ? "" : "[" + code + "]") + ": " +
          indented(problem.message) + "\n";
  for (const Note& note : problem.notes) {
    text += "  note: ";
    if (note.where) {
      text += indented(kedge::to_string(*note.where)) + ": ";
    }
    text += indented(note.text) + "\n";
  }
  if (!problem.hint.empty()) {
    text += "  hint: " + indented(problem.hint) + "\n";
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
