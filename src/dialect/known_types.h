// Whether a type name means something to a database (spec/metadata.md 3.1): what `kedge impact
// --retype` may ask about.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kedge/schema.h"

namespace kedge::dialect {

// The name, or the part of it, that neither the dialect nor `shape` knows; nullopt when all is
// known. SQLite takes any name, and what stands behind ODBC is not known: there nothing is refused.
// On PostgreSQL a type of an extension is known where that extension is installed; one that kedge
// has no list of may bring any.
std::optional<std::string> find_unknown_type(const schema::Schema& shape, std::string_view native);

}  // namespace kedge::dialect
