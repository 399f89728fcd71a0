#include "db/d1/errors.h"

#include <array>

namespace kedge::db::d1 {
namespace {

struct Line {
  std::string_view part;
  FailureClass failure;
};

// Wrangler hands on what sqlite says, with its own words around it.
constexpr std::array kTable = {
    Line{"no such table:", FailureClass::Schema},
    Line{"no such column:", FailureClass::Schema},
    Line{"no such function:", FailureClass::Schema},
    Line{"syntax error", FailureClass::Schema},
    Line{"incomplete input", FailureClass::Schema},
    Line{"unrecognized token:", FailureClass::Schema},
    Line{"constraint failed", FailureClass::Data},
    Line{"datatype mismatch", FailureClass::Data},
    Line{"not authorized", FailureClass::Permission},
    Line{"Authentication error", FailureClass::Permission},
    Line{"database is locked", FailureClass::Lock},
    Line{"SQLITE_BUSY", FailureClass::Lock},
    Line{"SQLITE_FULL", FailureClass::Resource},
    Line{"SQLITE_NOMEM", FailureClass::Resource},
    Line{"SQLITE_TOOBIG", FailureClass::Resource},
    Line{"Couldn't find", FailureClass::Connection},
    Line{"fetch failed", FailureClass::Connection},
    Line{"CLOUDFLARE_API_TOKEN", FailureClass::Connection},
};

}  // namespace

FailureClass classify(std::string_view message) {
  for (const Line& line : kTable) {
    if (message.find(line.part) != std::string_view::npos) {
      return line.failure;
    }
  }
  return FailureClass::Other;
}

}  // namespace kedge::db::d1
