// `kedge validate`: broken declarations of every chapter, and with --connect the drift between
// declarations and what is really there. A list of checkers, one a chapter; each adds its items.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/context.h"
#include "kedge/finding.h"

namespace kedge::app {

enum class Reach { Offline, Connect };  // Connect: databases are opened
enum class Strictness { Normal, Strict };

struct ValidateRequest {
  Reach reach = Reach::Offline;
  Strictness strictness = Strictness::Normal;  // Strict: warnings of --connect count as errors
  std::vector<std::string> select;
  std::optional<std::string> vars;  // JSON
};

struct ValidationItem {
  Finding finding;       // a note may have no code; subject: connection, container = entity, name
  std::string kind;      // "missing", "type", "extra"; empty where it does not apply
  std::string declared;  // of drift: what was declared and what is there
  std::string found;
  std::string pointer = {};  // JSON pointer to the node, where there is one
  std::vector<std::string> suggestions = {};
};

struct Validation {
  std::vector<ValidationItem> items;  // in the order in which they are shown
  std::size_t pipelines = 0;
  std::size_t connections = 0;  // checked ones
  int exit() const;             // 0, 1 for drift, 2 for broken declarations or lost connections

  void add(Problem problem, Severity severity = Severity::Error);
};

struct Checker {
  std::string name;  // "settings", "metadata", "contracts", "models"
  std::function<void(Context&, const ValidateRequest&, Validation&)> run;
};
void check_settings(Context& context, const ValidateRequest& request, Validation& result);
// The one setting that no guard of `kedge check` reads on its way: its names are connections.
void check_data_source_priority(const Context& context, Validation& result);
std::vector<Checker> validation_checkers();  // in the order of the report

Validation validate(Context& context, const ValidateRequest& request);

}  // namespace kedge::app
