#include "query/aggregates.h"

#include <algorithm>
#include <array>

namespace kedge::query {
namespace {

bool is_sqlite(SqlDialect dialect) {
  return dialect == SqlDialect::Sqlite || dialect == SqlDialect::D1;
}

std::optional<std::string> percentile(SqlDialect dialect, const std::string& value,
                                      const std::string& p) {
  switch (dialect) {
    case SqlDialect::Sqlite:
    case SqlDialect::D1:
      return "percentile_cont(" + value + ", " + p + ")";
    case SqlDialect::Duckdb:
      return "quantile_cont(" + value + ", " + p + ")";
    case SqlDialect::Clickhouse:
      return "quantile(" + p + ")(" + value + ")";
    case SqlDialect::Postgres:
    case SqlDialect::Snowflake:
    case SqlDialect::Oracle:
      return "PERCENTILE_CONT(" + p + ") WITHIN GROUP (ORDER BY " + value + ")";
    case SqlDialect::Mysql:
    case SqlDialect::Sqlserver:
    case SqlDialect::Bigquery:
    case SqlDialect::Generic:
      break;
  }
  return std::nullopt;
}

std::string spread(SqlDialect dialect, const std::string& function) {
  static constexpr std::array<std::array<std::string_view, 3>, 4> kWords{{
      {"stddev_samp", "STDEV", "stddevSamp"},
      {"stddev_pop", "STDEVP", "stddevPop"},
      {"var_samp", "VAR", "varSamp"},
      {"var_pop", "VARP", "varPop"},
  }};
  for (const auto& [folded, sqlserver, clickhouse] : kWords) {
    if (folded == function) {
      return std::string(dialect == SqlDialect::Sqlserver    ? sqlserver
                         : dialect == SqlDialect::Clickhouse ? clickhouse
                                                             : folded);
    }
  }
  return {};
}

// sqlserver has no covariance: from means over the rows where both are there.
std::string covariance_from_means(const Aggregated& call) {
  const std::string both =
      "CASE WHEN " + call.value + " IS NOT NULL AND " + call.other + " IS NOT NULL THEN ";
  const std::string x = both + "CAST(" + call.value + " AS FLOAT) END";
  const std::string y = both + "CAST(" + call.other + " AS FLOAT) END";
  const std::string product = both + "CAST(" + call.value + " AS FLOAT) * " + call.other + " END";
  const std::string covariance = "(AVG(" + product + ") - AVG(" + x + ") * AVG(" + y + "))";
  if (call.function == "covar_pop") {
    return covariance;
  }
  if (call.function == "corr") {
    return covariance + " / NULLIF(STDEVP(" + x + ") * STDEVP(" + y + "), 0)";
  }
  return covariance + " * COUNT(" + x + ") / NULLIF(COUNT(" + x + ") - 1, 0)";
}

std::optional<std::string> covariance(SqlDialect dialect, const Aggregated& call) {
  const std::string arguments = "(" + call.value + ", " + call.other + ")";
  switch (dialect) {
    case SqlDialect::Mysql:
      return std::nullopt;
    case SqlDialect::Sqlserver:
      return covariance_from_means(call);
    case SqlDialect::Clickhouse:
      return (call.function == "corr"         ? "corr"
              : call.function == "covar_samp" ? "covarSamp"
                                              : "covarPop") +
             arguments;
    case SqlDialect::Sqlite:
    case SqlDialect::Duckdb:
    case SqlDialect::Postgres:
    case SqlDialect::Bigquery:
    case SqlDialect::Snowflake:
    case SqlDialect::Oracle:
    case SqlDialect::D1:
    case SqlDialect::Generic:
      break;
  }
  return call.function + arguments;
}

std::string distinct(SqlDialect dialect, const std::string& value, bool approximate) {
  if (approximate) {
    switch (dialect) {
      case SqlDialect::Duckdb:
        return "approx_count_distinct(" + value + ")";
      case SqlDialect::Sqlserver:
      case SqlDialect::Bigquery:
      case SqlDialect::Snowflake:
        return "APPROX_COUNT_DISTINCT(" + value + ")";
      case SqlDialect::Clickhouse:
        return "uniq(" + value + ")";
      case SqlDialect::Sqlite:
      case SqlDialect::Postgres:
      case SqlDialect::Mysql:
      case SqlDialect::Oracle:
      case SqlDialect::D1:
      case SqlDialect::Generic:
        break;
    }
  }
  return "COUNT(DISTINCT " + value + ")";
}

std::string average(SqlDialect dialect, const std::string& value) {
  // mysql keeps four digits of a mean of integers, sqlserver none.
  const bool cast = dialect == SqlDialect::Mysql || dialect == SqlDialect::Sqlserver;
  return "AVG(" + (cast ? as_double(dialect, value) : value) + ")";
}

}  // namespace

std::optional<std::string> aggregate(SqlDialect dialect, const Aggregated& call) {
  const std::string& function = call.function;
  if (function == "count") {
    return "COUNT(" + call.value + ")";
  }
  if (function == "count_distinct" || function == "count_distinct_approx") {
    return distinct(dialect, call.value, function == "count_distinct_approx");
  }
  if (function == "sum" && call.type == ColumnType::Boolean && dialect == SqlDialect::Sqlserver) {
    return "SUM(CAST(" + call.value + " AS INT))";
  }
  if (function == "sum" && call.type == ColumnType::Boolean && !is_sqlite(dialect)) {
    return "SUM(CASE WHEN " + call.value + " THEN 1 WHEN NOT " + call.value + " THEN 0 END)";
  }
  if (function == "avg") {
    return average(dialect, call.value);
  }
  if (function == "min" || function == "max") {
    // postgres has no order aggregate over booleans.
    if (call.type == ColumnType::Boolean && dialect == SqlDialect::Postgres) {
      return (function == "min" ? "BOOL_AND(" : "BOOL_OR(") + call.value + ")";
    }
    return (function == "min" ? "MIN(" : "MAX(") + call.value + ")";
  }
  if (function == "sum") {
    return "SUM(" + call.value + ")";
  }
  if (function == "median") {
    if (is_sqlite(dialect) || dialect == SqlDialect::Duckdb || dialect == SqlDialect::Clickhouse ||
        dialect == SqlDialect::Snowflake) {
      return "median(" + call.value + ")";
    }
    return percentile(dialect, call.value, "0.5");
  }
  if (function == "percentile") {
    return percentile(dialect, call.value, call.p);
  }
  if (function == "weighted_avg") {
    const std::string weights =
        "SUM(CASE WHEN " + call.value + " IS NOT NULL THEN " + call.other + " END)";
    return divide(dialect, "SUM(" + call.value + " * " + call.other + ")", weights);
  }
  if (function == "corr" || function == "covar_samp" || function == "covar_pop") {
    return covariance(dialect, call);
  }
  const std::string word = spread(dialect, function);
  return word.empty() ? std::nullopt : std::optional(word + "(" + call.value + ")");
}

ColumnType result_type(const std::string& function, ColumnType column) {
  if (function.starts_with("count")) {
    return ColumnType::Int;
  }
  if (function == "min" || function == "max" || function == "first" || function == "last") {
    return column;
  }
  if (function == "sum") {
    return column == ColumnType::Double ? ColumnType::Double : ColumnType::Int;
  }
  return ColumnType::Double;
}

}  // namespace kedge::query
