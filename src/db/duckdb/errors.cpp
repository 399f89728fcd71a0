#include "db/duckdb/errors.h"

#include <array>

namespace kedge::db::duckdb {
namespace {

struct Line {
  std::string_view start;
  FailureClass failure;
};

constexpr std::array kTable = {
    Line{"Catalog Error", FailureClass::Schema},
    Line{"Binder Error", FailureClass::Schema},
    Line{"Parser Error", FailureClass::Schema},
    Line{"Syntax Error", FailureClass::Schema},
    Line{"Permission Error", FailureClass::Permission},
    Line{"INTERRUPT Error", FailureClass::Cancelled},
    Line{"IO Error: Could not set lock", FailureClass::Lock},
    Line{"TransactionContext Error: Conflict", FailureClass::Lock},
    Line{"TransactionContext Error: Catalog write-write conflict", FailureClass::Lock},
    Line{"Out of Memory Error", FailureClass::Resource},
    Line{"IO Error", FailureClass::Resource},
    Line{"Connection Error", FailureClass::Connection},
    Line{"Network Error", FailureClass::Connection},
    Line{"HTTP Error", FailureClass::Connection},
    Line{"Conversion Error", FailureClass::Data},
    Line{"Constraint Error", FailureClass::Data},
    Line{"Out of Range Error", FailureClass::Data},
    Line{"Invalid Input Error", FailureClass::Data},
    Line{"Mismatch Type Error", FailureClass::Data},
    Line{"Divide by Zero Error", FailureClass::Data},
    Line{"Decimal Error", FailureClass::Data},
};

// Rows that are appended, and commits, tell of constraints without the kind of the error.
constexpr std::array<std::string_view, 4> kConstraint = {
    "violates primary key constraint", "violates unique constraint",
    "violates foreign key constraint", "constraint failed"};

}  // namespace

FailureClass classify(std::string_view message) {
  const std::string_view first = message.substr(0, message.find('\n'));
  for (const std::string_view words : kConstraint) {
    if (first.find(words) != std::string_view::npos) {
      return FailureClass::Data;
    }
  }
  for (const Line& line : kTable) {
    if (message.starts_with(line.start)) {
      return line.failure;
    }
  }
  return FailureClass::Other;
}

std::string kind_of(std::string_view message) {
  const std::size_t colon = message.find(": ");
  const std::string_view head = message.substr(0, colon == std::string_view::npos ? 0 : colon);
  return head.ends_with("Error") ? std::string(head) : std::string();
}

bool is_read_only_refusal(std::string_view message) {
  return message.find("read-only mode") != std::string_view::npos ||
         message.find("attached in read-only") != std::string_view::npos;
}

}  // namespace kedge::db::duckdb
