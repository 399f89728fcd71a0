// Which class an ODBC failure has (models.md 8.4): by the product's own number where its dialect
// is known, else by SQLSTATE; drivers that only know HY000 by sqlite's words.
#pragma once

#include <string_view>

#include "db/connection.h"

namespace kedge::db::odbc {

struct Diagnosis {
  std::string state;
  int number = 0;
  std::string message;
};

FailureClass classify(std::string_view dialect, const Diagnosis& diagnosis);

}  // namespace kedge::db::odbc
