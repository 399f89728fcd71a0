// Every code that a user can see, as constants (kedge::codes::ERR_CONNECT, codes::PZ0331,
// codes::column_missing) and as a registry. The list itself is src/base/codes.def.
#pragma once

#include <span>
#include <string_view>

#include "kedge/error.h"
#include "kedge/finding.h"

namespace kedge {

// What kind of failure a code stands for. One table maps it to exit code and HTTP status.
enum class CodeClass {
  Drift,       // found what was looked for, or a refusal with its own rule: exit 1
  Usage,       // bad command line or request: exit 2, HTTP 400
  Config,      // a file of the project is wrong: exit 2, HTTP 422
  Connection,  // a database cannot be reached or read: exit 2, HTTP 502
  Database,    // a database refused a statement: exit 1 or 2 by the chapter
  NotFound,    // a named thing does not exist: exit 2, HTTP 404
  Timeout,     // exit 2, HTTP 504
  Locked,      // somebody else holds the lock: exit 2, HTTP 409
  Warning,     // never changes an exit code
  Internal     // an impossible state: exit 2, HTTP 500
};

struct CodeEntry {
  Code code;
  CodeClass code_class;
  Severity severity;
  int exit;  // the exit code of a command that stops with it (0 for warnings)
  std::string_view purpose;
  std::string_view since;
};

std::span<const CodeEntry> all_codes();  // in the order of codes.def
const CodeEntry* find_code(std::string_view name);
int exit_code_of(Code code);  // 2 for a code that is not registered
int http_status_of(Code code);

namespace codes {
#define KEDGE_CODE(name, code_class, severity, exit, purpose, since) \
  inline constexpr Code name{#name};
#include "base/codes.def"
#undef KEDGE_CODE
}  // namespace codes

}  // namespace kedge
