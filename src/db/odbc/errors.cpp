#include "db/odbc/errors.h"

#include <array>

namespace kedge::db::odbc {
namespace {

struct Number {
  std::string_view dialect;
  int number;
  FailureClass failure;
};

constexpr std::array kNumbers = {
    Number{"sqlserver", 207, FailureClass::Schema},
    Number{"sqlserver", 208, FailureClass::Schema},
    Number{"sqlserver", 102, FailureClass::Schema},
    Number{"sqlserver", 229, FailureClass::Permission},
    Number{"sqlserver", 230, FailureClass::Permission},
    Number{"sqlserver", 262, FailureClass::Permission},
    Number{"sqlserver", 916, FailureClass::Permission},
    Number{"sqlserver", 1205, FailureClass::Lock},
    Number{"sqlserver", 1222, FailureClass::Lock},
    Number{"clickhouse", 47, FailureClass::Schema},
    Number{"clickhouse", 60, FailureClass::Schema},
    Number{"clickhouse", 62, FailureClass::Schema},
    Number{"clickhouse", 497, FailureClass::Permission},
    Number{"clickhouse", 241, FailureClass::Resource},
    Number{"clickhouse", 159, FailureClass::Timeout},
};

struct State {
  std::string_view prefix;
  FailureClass failure;
};

constexpr std::array kStates = {
    State{"42501", FailureClass::Permission}, State{"42", FailureClass::Schema},
    State{"37000", FailureClass::Schema},     State{"S0002", FailureClass::Schema},
    State{"S0022", FailureClass::Schema},     State{"22", FailureClass::Data},
    State{"23", FailureClass::Data},          State{"21", FailureClass::Data},
    State{"08", FailureClass::Connection},    State{"28", FailureClass::Connection},
    State{"IM", FailureClass::Connection},    State{"01000", FailureClass::Other},
    State{"HYT", FailureClass::Timeout},      State{"S1T", FailureClass::Timeout},
    State{"HY008", FailureClass::Cancelled},  State{"57014", FailureClass::Cancelled},
    State{"40", FailureClass::Lock},          State{"55P03", FailureClass::Lock},
    State{"HY001", FailureClass::Resource},   State{"HY013", FailureClass::Resource},
    State{"HY014", FailureClass::Resource},   State{"53", FailureClass::Resource},
    State{"57P", FailureClass::Connection},
};

constexpr std::array<std::string_view, 5> kSchemaWords = {
    "no such table:", "no such column:", "no such function:", ": syntax error",
    "SQL compilation error"};

bool has_own_numbers(std::string_view dialect) {
  return dialect == "sqlserver" || dialect == "clickhouse";
}

}  // namespace

FailureClass classify(std::string_view dialect, const Diagnosis& diagnosis) {
  for (const Number& line : kNumbers) {
    if (line.dialect == dialect && line.number == diagnosis.number) {
      return line.failure;
    }
  }
  for (const State& line : kStates) {
    if (diagnosis.state.starts_with(line.prefix)) {
      // SQL Server says 42000 for everything it refuses: its numbers alone decide.
      const bool decided_by_number =
          line.failure == FailureClass::Schema && has_own_numbers(dialect);
      return decided_by_number ? FailureClass::Other : line.failure;
    }
  }
  for (const std::string_view words : kSchemaWords) {
    if (diagnosis.message.find(words) != std::string::npos) {
      return FailureClass::Schema;
    }
  }
  if (diagnosis.message.find("constraint failed") != std::string::npos) {
    return FailureClass::Data;
  }
  return FailureClass::Other;
}

}  // namespace kedge::db::odbc
