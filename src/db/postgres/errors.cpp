#include "db/postgres/errors.h"

#include <array>

namespace kedge::db::postgres {
namespace {

struct Line {
  std::string_view prefix;  // the first line that matches counts
  FailureClass failure;
};

constexpr std::array kTable = {
    Line{"42501", FailureClass::Permission},  // insufficient_privilege
    Line{"42", FailureClass::Schema},
    Line{"22", FailureClass::Data},
    Line{"23", FailureClass::Data},
    Line{"21", FailureClass::Data},  // cardinality violation
    Line{"08", FailureClass::Connection},
    Line{"28", FailureClass::Connection},     // login refused
    Line{"3D000", FailureClass::Connection},  // no such database
    Line{"57014", FailureClass::Cancelled},
    Line{"57P", FailureClass::Connection},    // shut down, crashed, starting, database dropped
    Line{"25P03", FailureClass::Connection},  // idle too long in a transaction
    Line{"40", FailureClass::Lock},           // serialization failure, deadlock
    Line{"55P03", FailureClass::Lock},
    Line{"55006", FailureClass::Lock},
    Line{"53", FailureClass::Resource},
    Line{"54", FailureClass::Resource},
    Line{"58", FailureClass::Resource},
};

}  // namespace

FailureClass classify(std::string_view sqlstate) {
  if (sqlstate.empty()) {
    return FailureClass::Connection;
  }
  for (const Line& line : kTable) {
    if (sqlstate.starts_with(line.prefix)) {
      return line.failure;
    }
  }
  return FailureClass::Other;
}

}  // namespace kedge::db::postgres
