// What an operation was asked to look for: drift, warnings, broken references. Findings are
// returned, never thrown, and every report (text, JSON, SARIF, JUnit, annotations, HTML) is made
// from the same list.
#pragma once

#include <string>
#include <vector>

#include "kedge/error.h"

namespace kedge {

enum class Severity { Note, Warning, Error };

// What a finding is about. Empty parts do not apply.
struct Subject {
  std::string kind;        // "table", "column", "model", "measure", "entity", "template", ...
  std::string connection;  // data source or connection name
  std::string container;   // the model, table or entity that holds it
  std::string name;
  bool operator==(const Subject&) const = default;
  auto operator<=>(const Subject&) const = default;
};

struct Finding {
  Problem problem;
  Severity severity = Severity::Error;
  Subject subject;
  std::string guard;  // which check found it: "models", "metadata", "contracts", "templates", ...
  bool operator==(const Finding&) const = default;
};

// Sorts by file, line, column, then code, subject and message: the stated order of every report.
void sort_findings(std::vector<Finding>& findings);

}  // namespace kedge
