// Options of tables and columns of PostgreSQL as clauses of ALTER TABLE: storage parameters and
// what looks like one in the shape but has a clause of its own.
#pragma once

#include <string>
#include <vector>

#include "dialect/ddl.h"
#include "kedge/schema.h"

namespace kedge::migrate {

std::vector<std::string> column_option_clauses(const dialect::Ddl& ddl,
                                               const schema::Column& before,
                                               const schema::Column& after);

using TableOptions = std::map<std::string, std::string>;
// SET (...) and RESET (...) of storage parameters.
std::vector<std::string> storage_clauses(const TableOptions& before, const TableOptions& after);
// Tablespace, access method, replica identity, clustering: indexes must be there already.
std::vector<std::string> own_clauses(const dialect::Ddl& ddl, const TableOptions& before,
                                     const TableOptions& after);

}  // namespace kedge::migrate
