// Landing a value under a declared type (spec/contracts.md 4.3): DuckDB expressions that convert
// without ever rounding or blanking, and conditions that find the values that cannot be converted.
#pragma once

#include <string>

#include "kedge/type.h"

namespace kedge::pipeline {

struct Conversion {
  std::string value;    // typed; raises an error for a value that cannot be converted
  std::string failure;  // true for such a value; empty: there are none
};

// `column` is a SQL expression of type `from`; Text means text as files and sqlite give it.
// How a text spells lists, structs and maps.
enum class TextForm { Any, Json, Duckdb };
Conversion convert(const std::string& column, const schema::Type& from, const schema::Type& to,
                   TextForm form = TextForm::Any);

}  // namespace kedge::pipeline
