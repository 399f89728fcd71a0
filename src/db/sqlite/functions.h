// The SQL functions that models.md 6.3 wants on sqlite: median percentile_cont stddev_samp
// stddev_pop var_samp var_pop corr covar_samp covar_pop ln log10 log2 exp sqrt power log. NULL in
// gives NULL (aggregates skip it).
#pragma once

struct sqlite3;

namespace kedge::db::sqlite {

void register_functions(sqlite3* database);

}  // namespace kedge::db::sqlite
