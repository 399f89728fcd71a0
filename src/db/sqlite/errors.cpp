#include "db/sqlite/errors.h"

#include <sqlite3.h>

#include <array>

namespace kedge::db::sqlite {
namespace {

struct Line {
  int code;  // primary result code
  FailureClass failure;
};

constexpr std::array kByCode = {
    Line{SQLITE_PERM, FailureClass::Permission},
    Line{SQLITE_AUTH, FailureClass::Permission},
    Line{SQLITE_BUSY, FailureClass::Lock},
    Line{SQLITE_LOCKED, FailureClass::Lock},
    Line{SQLITE_PROTOCOL, FailureClass::Lock},
    Line{SQLITE_NOMEM, FailureClass::Resource},
    Line{SQLITE_FULL, FailureClass::Resource},
    Line{SQLITE_IOERR, FailureClass::Resource},
    Line{SQLITE_TOOBIG, FailureClass::Resource},
    Line{SQLITE_NOLFS, FailureClass::Resource},
    Line{SQLITE_INTERRUPT, FailureClass::Cancelled},
    Line{SQLITE_CANTOPEN, FailureClass::Connection},
    Line{SQLITE_NOTADB, FailureClass::Connection},
    Line{SQLITE_CORRUPT, FailureClass::Connection},
    Line{SQLITE_CONSTRAINT, FailureClass::Data},
    Line{SQLITE_MISMATCH, FailureClass::Data},
    Line{SQLITE_RANGE, FailureClass::Data},
    Line{SQLITE_SCHEMA, FailureClass::Schema},
};

// Exactly "no such table/column/function" and the messages of its tokenizer and parser.
constexpr std::array<std::string_view, 6> kSchemaMessages = {
    "no such table:", "no such column:",  "no such function:",
    "near \"",        "incomplete input", "unrecognized token:"};

constexpr std::array<std::string_view, 2> kDataMessages = {"integer overflow", "malformed JSON"};

}  // namespace

FailureClass classify(int code, std::string_view message) {
  const int primary = code & 0xff;
  if (primary != SQLITE_ERROR) {
    for (const Line& line : kByCode) {
      if (line.code == primary) {
        return line.failure;
      }
    }
    return FailureClass::Other;
  }
  for (const std::string_view start : kSchemaMessages) {
    if (message.starts_with(start)) {
      return FailureClass::Schema;
    }
  }
  for (const std::string_view start : kDataMessages) {
    if (message.starts_with(start)) {
      return FailureClass::Data;
    }
  }
  return FailureClass::Other;
}

}  // namespace kedge::db::sqlite
