#include "sql/keywords.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/text.h"

namespace kedge::sql {

namespace {

using Words = std::span<const std::string_view>;

bool contains(Words sorted, std::string_view word) {
  return std::binary_search(sorted.begin(), sorted.end(), word);
}

constexpr auto kNiladic = std::to_array<std::string_view>(
    {"current_catalog", "current_date", "current_role", "current_schema", "current_time",
     "current_timestamp", "current_user", "localtime", "localtimestamp", "session_user",
     "system_user"});
constexpr auto kMysqlNiladic = std::to_array<std::string_view>(
    {"current_date", "current_role", "current_time", "current_timestamp", "current_user",
     "localtime", "localtimestamp", "utc_date", "utc_time", "utc_timestamp"});
constexpr auto kSqliteNiladic =
    std::to_array<std::string_view>({"current_date", "current_time", "current_timestamp"});

constexpr auto kStructural = std::to_array<std::string_view>(
    {"and",    "as",    "between", "by",     "case",  "distinct",  "else",  "end",
     "except", "from",  "group",   "having", "in",    "intersect", "into",  "is",
     "join",   "like",  "limit",   "not",    "on",    "or",        "order", "select",
     "then",   "union", "using",   "when",   "where", "with"});

constexpr auto kAliasEnds =
    std::to_array<std::string_view>({"and",         "anti",       "as",
                                     "asc",         "asof",       "at",
                                     "between",     "by",         "collate",
                                     "cross",       "desc",       "div",
                                     "else",        "end",        "escape",
                                     "except",      "fetch",      "final",
                                     "for",         "force",      "from",
                                     "full",        "global",     "glob",
                                     "group",       "having",     "ignore",
                                     "ilike",       "in",         "indexed",
                                     "inner",       "intersect",  "into",
                                     "is",          "isnull",     "join",
                                     "lateral",     "left",       "like",
                                     "limit",       "lock",       "minus",
                                     "natural",     "not",        "notnull",
                                     "nulls",       "offset",     "on",
                                     "option",      "or",         "order",
                                     "outer",       "over",       "partition",
                                     "pivot",       "positional", "prewhere",
                                     "qualify",     "regexp",     "returning",
                                     "right",       "rlike",      "sample",
                                     "select",      "semi",       "set",
                                     "settings",    "similar",    "straight_join",
                                     "tablesample", "then",       "union",
                                     "unpivot",     "use",        "using",
                                     "values",      "when",       "where",
                                     "window",      "with",       "xor"});

constexpr auto kUnits = std::to_array<std::string_view>({"century",
                                                         "centuries",
                                                         "d",
                                                         "day",
                                                         "day_hour",
                                                         "day_microsecond",
                                                         "day_minute",
                                                         "day_second",
                                                         "dayofweek",
                                                         "dayofyear",
                                                         "days",
                                                         "dd",
                                                         "decade",
                                                         "decades",
                                                         "dow",
                                                         "doy",
                                                         "epoch",
                                                         "h",
                                                         "hh",
                                                         "hour",
                                                         "hour_microsecond",
                                                         "hour_minute",
                                                         "hour_second",
                                                         "hours",
                                                         "iso_week",
                                                         "isodow",
                                                         "isoweek",
                                                         "isoyear",
                                                         "m",
                                                         "mi",
                                                         "microsecond",
                                                         "microseconds",
                                                         "millennium",
                                                         "millisecond",
                                                         "milliseconds",
                                                         "minute",
                                                         "minute_second",
                                                         "minutes",
                                                         "mm",
                                                         "month",
                                                         "months",
                                                         "ms",
                                                         "nanosecond",
                                                         "ns",
                                                         "qq",
                                                         "quarter",
                                                         "quarters",
                                                         "s",
                                                         "second",
                                                         "second_microsecond",
                                                         "seconds",
                                                         "ss",
                                                         "us",
                                                         "week",
                                                         "weekday",
                                                         "weeks",
                                                         "ww",
                                                         "year",
                                                         "year_month",
                                                         "years",
                                                         "yy",
                                                         "yyyy"});

constexpr auto kUnitFirst = std::to_array<std::string_view>(
    {"date_diff", "date_part", "date_trunc", "dateadd", "datediff", "datename", "datepart",
     "datetrunc", "timeadd", "timediff", "timestampadd", "timestampdiff"});
constexpr auto kUnitLast = std::to_array<std::string_view>(
    {"date_add", "date_diff", "date_sub", "date_trunc", "datetime_diff", "datetime_trunc",
     "last_day", "time_diff", "time_trunc", "timestamp_diff", "timestamp_trunc", "trunc"});

constexpr auto kLambdaFunctions = std::to_array<std::string_view>(
    {"all_match", "any_match", "apply", "array_apply", "array_filter", "array_reduce",
     "array_transform", "filter", "list_apply", "list_filter", "list_reduce", "list_transform",
     "map_filter", "reduce", "transform", "transform_keys", "transform_values"});

constexpr auto kAggregates = std::to_array<std::string_view>({"any_value",
                                                              "approx_count_distinct",
                                                              "approx_quantile",
                                                              "arg_max",
                                                              "arg_min",
                                                              "array_agg",
                                                              "avg",
                                                              "bit_and",
                                                              "bit_or",
                                                              "bit_xor",
                                                              "bool_and",
                                                              "bool_or",
                                                              "corr",
                                                              "count",
                                                              "count_if",
                                                              "countif",
                                                              "covar_pop",
                                                              "covar_samp",
                                                              "entropy",
                                                              "every",
                                                              "favg",
                                                              "fsum",
                                                              "group_concat",
                                                              "json_agg",
                                                              "json_arrayagg",
                                                              "json_group_array",
                                                              "json_group_object",
                                                              "json_object_agg",
                                                              "json_objectagg",
                                                              "jsonb_agg",
                                                              "jsonb_object_agg",
                                                              "kurtosis",
                                                              "list",
                                                              "listagg",
                                                              "mad",
                                                              "median",
                                                              "mode",
                                                              "percentile_cont",
                                                              "percentile_disc",
                                                              "product",
                                                              "quantile",
                                                              "quantile_cont",
                                                              "quantile_disc",
                                                              "regr_avgx",
                                                              "regr_avgy",
                                                              "regr_count",
                                                              "regr_intercept",
                                                              "regr_r2",
                                                              "regr_slope",
                                                              "regr_sxx",
                                                              "regr_sxy",
                                                              "regr_syy",
                                                              "skewness",
                                                              "std",
                                                              "stddev",
                                                              "stddev_pop",
                                                              "stddev_samp",
                                                              "stdev",
                                                              "stdevp",
                                                              "string_agg",
                                                              "sum",
                                                              "sum0",
                                                              "total",
                                                              "uniq",
                                                              "uniqexact",
                                                              "var",
                                                              "var_pop",
                                                              "var_samp",
                                                              "variance",
                                                              "varp",
                                                              "xmlagg"});

// Words that each dialect does not take as a bare column name.
constexpr auto kReservedEverywhere = std::to_array<std::string_view>(
    {"all",        "alter",  "and",          "as",           "between",
     "case",       "check",  "collate",      "column",       "constraint",
     "create",     "cross",  "current_date", "current_time", "current_timestamp",
     "default",    "delete", "desc",         "distinct",     "drop",
     "else",       "exists", "for",          "foreign",      "from",
     "group",      "having", "in",           "index",        "inner",
     "insert",     "into",   "is",           "join",         "left",
     "like",       "limit",  "natural",      "not",          "null",
     "on",         "or",     "order",        "outer",        "primary",
     "references", "right",  "select",       "set",          "table",
     "then",       "to",     "union",        "unique",       "update",
     "using",      "values", "when",         "where",        "with"});
constexpr auto kReservedSqlite = std::to_array<std::string_view>(
    {"add", "autoincrement", "commit", "deferrable", "end", "escape", "except", "intersect",
     "isnull", "notnull", "nothing", "returning", "transaction"});
constexpr auto kReservedPostgres = std::to_array<std::string_view>({"analyse",
                                                                    "analyze",
                                                                    "any",
                                                                    "array",
                                                                    "asc",
                                                                    "asymmetric",
                                                                    "authorization",
                                                                    "binary",
                                                                    "both",
                                                                    "cast",
                                                                    "collation",
                                                                    "concurrently",
                                                                    "current_catalog",
                                                                    "current_role",
                                                                    "current_schema",
                                                                    "current_user",
                                                                    "deferrable",
                                                                    "do",
                                                                    "end",
                                                                    "except",
                                                                    "false",
                                                                    "fetch",
                                                                    "freeze",
                                                                    "full",
                                                                    "grant",
                                                                    "ilike",
                                                                    "initially",
                                                                    "intersect",
                                                                    "isnull",
                                                                    "lateral",
                                                                    "leading",
                                                                    "localtime",
                                                                    "localtimestamp",
                                                                    "notnull",
                                                                    "offset",
                                                                    "only",
                                                                    "overlaps",
                                                                    "placing",
                                                                    "returning",
                                                                    "session_user",
                                                                    "similar",
                                                                    "some",
                                                                    "symmetric",
                                                                    "tablesample",
                                                                    "trailing",
                                                                    "true",
                                                                    "user",
                                                                    "variadic",
                                                                    "verbose",
                                                                    "window"});
constexpr auto kReservedDuckdb = std::to_array<std::string_view>(
    {"analyse", "analyze",    "any",      "array",     "asc",          "asymmetric",  "both",
     "cast",    "deferrable", "describe", "do",        "end",          "except",      "false",
     "fetch",   "full",       "grant",    "initially", "intersect",    "lambda",      "lateral",
     "leading", "offset",     "only",     "pivot",     "pivot_longer", "pivot_wider", "placing",
     "qualify", "returning",  "show",     "some",      "summarize",    "symmetric",   "trailing",
     "true",    "unpivot",    "variadic", "window"});
constexpr auto kReservedMysql = std::to_array<std::string_view>({"accessible",
                                                                 "add",
                                                                 "analyze",
                                                                 "asc",
                                                                 "asensitive",
                                                                 "before",
                                                                 "bigint",
                                                                 "binary",
                                                                 "blob",
                                                                 "both",
                                                                 "by",
                                                                 "call",
                                                                 "cascade",
                                                                 "change",
                                                                 "char",
                                                                 "character",
                                                                 "condition",
                                                                 "continue",
                                                                 "convert",
                                                                 "cube",
                                                                 "cume_dist",
                                                                 "current_user",
                                                                 "cursor",
                                                                 "database",
                                                                 "databases",
                                                                 "day_hour",
                                                                 "day_microsecond",
                                                                 "day_minute",
                                                                 "day_second",
                                                                 "dec",
                                                                 "decimal",
                                                                 "declare",
                                                                 "delayed",
                                                                 "dense_rank",
                                                                 "describe",
                                                                 "deterministic",
                                                                 "distinctrow",
                                                                 "div",
                                                                 "double",
                                                                 "dual",
                                                                 "each",
                                                                 "elseif",
                                                                 "empty",
                                                                 "enclosed",
                                                                 "escaped",
                                                                 "except",
                                                                 "exit",
                                                                 "explain",
                                                                 "false",
                                                                 "fetch",
                                                                 "first_value",
                                                                 "float",
                                                                 "float4",
                                                                 "float8",
                                                                 "force",
                                                                 "fulltext",
                                                                 "function",
                                                                 "generated",
                                                                 "get",
                                                                 "grant",
                                                                 "grouping",
                                                                 "groups",
                                                                 "high_priority",
                                                                 "hour_microsecond",
                                                                 "hour_minute",
                                                                 "hour_second",
                                                                 "if",
                                                                 "ignore",
                                                                 "infile",
                                                                 "inout",
                                                                 "insensitive",
                                                                 "int",
                                                                 "int1",
                                                                 "int2",
                                                                 "int3",
                                                                 "int4",
                                                                 "int8",
                                                                 "integer",
                                                                 "intersect",
                                                                 "interval",
                                                                 "io_after_gtids",
                                                                 "io_before_gtids",
                                                                 "iterate",
                                                                 "json_table",
                                                                 "key",
                                                                 "keys",
                                                                 "kill",
                                                                 "lag",
                                                                 "last_value",
                                                                 "lateral",
                                                                 "lead",
                                                                 "leading",
                                                                 "leave",
                                                                 "linear",
                                                                 "lines",
                                                                 "load",
                                                                 "localtime",
                                                                 "localtimestamp",
                                                                 "lock",
                                                                 "long",
                                                                 "longblob",
                                                                 "longtext",
                                                                 "loop",
                                                                 "low_priority",
                                                                 "master_bind",
                                                                 "match",
                                                                 "maxvalue",
                                                                 "mediumblob",
                                                                 "mediumint",
                                                                 "mediumtext",
                                                                 "middleint",
                                                                 "minute_microsecond",
                                                                 "minute_second",
                                                                 "mod",
                                                                 "modifies",
                                                                 "no_write_to_binlog",
                                                                 "nth_value",
                                                                 "ntile",
                                                                 "numeric",
                                                                 "of",
                                                                 "offset",
                                                                 "optimize",
                                                                 "optimizer_costs",
                                                                 "option",
                                                                 "optionally",
                                                                 "out",
                                                                 "outfile",
                                                                 "over",
                                                                 "partition",
                                                                 "percent_rank",
                                                                 "precision",
                                                                 "procedure",
                                                                 "purge",
                                                                 "range",
                                                                 "rank",
                                                                 "read",
                                                                 "reads",
                                                                 "read_write",
                                                                 "real",
                                                                 "recursive",
                                                                 "regexp",
                                                                 "release",
                                                                 "rename",
                                                                 "repeat",
                                                                 "replace",
                                                                 "require",
                                                                 "resignal",
                                                                 "restrict",
                                                                 "return",
                                                                 "returning",
                                                                 "revoke",
                                                                 "rlike",
                                                                 "row",
                                                                 "row_number",
                                                                 "rows",
                                                                 "schema",
                                                                 "schemas",
                                                                 "second_microsecond",
                                                                 "sensitive",
                                                                 "separator",
                                                                 "show",
                                                                 "signal",
                                                                 "smallint",
                                                                 "spatial",
                                                                 "specific",
                                                                 "sql",
                                                                 "sqlexception",
                                                                 "sqlstate",
                                                                 "sqlwarning",
                                                                 "sql_big_result",
                                                                 "sql_calc_found_rows",
                                                                 "sql_small_result",
                                                                 "ssl",
                                                                 "starting",
                                                                 "stored",
                                                                 "straight_join",
                                                                 "system",
                                                                 "terminated",
                                                                 "tinyblob",
                                                                 "tinyint",
                                                                 "tinytext",
                                                                 "trailing",
                                                                 "trigger",
                                                                 "true",
                                                                 "undo",
                                                                 "unlock",
                                                                 "unsigned",
                                                                 "usage",
                                                                 "use",
                                                                 "utc_date",
                                                                 "utc_time",
                                                                 "utc_timestamp",
                                                                 "varbinary",
                                                                 "varchar",
                                                                 "varcharacter",
                                                                 "varying",
                                                                 "virtual",
                                                                 "while",
                                                                 "window",
                                                                 "write",
                                                                 "xor",
                                                                 "year_month",
                                                                 "zerofill"});
constexpr auto kReservedSqlserver = std::to_array<std::string_view>(
    {"add",          "any",          "asc",         "authorization", "backup",
     "begin",        "break",        "browse",      "bulk",          "by",
     "cascade",      "checkpoint",   "close",       "clustered",     "coalesce",
     "commit",       "compute",      "contains",    "continue",      "convert",
     "current",      "current_user", "cursor",      "database",      "deallocate",
     "declare",      "deny",         "disk",        "distributed",   "double",
     "dump",         "end",          "errlvl",      "escape",        "except",
     "exec",         "execute",      "exit",        "external",      "fetch",
     "file",         "fillfactor",   "freetext",    "full",          "function",
     "goto",         "grant",        "holdlock",    "identity",      "if",
     "intersect",    "key",          "kill",        "lineno",        "load",
     "merge",        "national",     "nocheck",     "nonclustered",  "nullif",
     "of",           "off",          "offsets",     "open",          "option",
     "over",         "percent",      "pivot",       "plan",          "precision",
     "print",        "proc",         "procedure",   "public",        "raiserror",
     "read",         "readtext",     "reconfigure", "replication",   "restore",
     "restrict",     "return",       "revert",      "revoke",        "rollback",
     "rowcount",     "rowguidcol",   "rule",        "save",          "schema",
     "session_user", "setuser",      "shutdown",    "some",          "statistics",
     "system_user",  "tablesample",  "textsize",    "top",           "tran",
     "transaction",  "trigger",      "truncate",    "unpivot",       "use",
     "user",         "varying",      "view",        "waitfor",       "while"});
constexpr auto kReservedBigquery = std::to_array<std::string_view>(
    {"any",       "array",     "asc",    "at",      "by",          "cast",      "contains",
     "cube",      "current",   "define", "end",     "enum",        "escape",    "except",
     "exclude",   "extract",   "false",  "fetch",   "following",   "full",      "grouping",
     "groups",    "hash",      "if",     "ignore",  "intersect",   "interval",  "lateral",
     "lookup",    "merge",     "new",    "no",      "nulls",       "of",        "over",
     "partition", "preceding", "proto",  "qualify", "range",       "recursive", "respect",
     "rollup",    "rows",      "some",   "struct",  "tablesample", "treat",     "true",
     "unbounded", "unnest",    "window", "within"});
constexpr auto kReservedSnowflake = std::to_array<std::string_view>(
    {"account",        "any",          "by",          "cast",         "connect", "connection",
     "current",        "current_user", "database",    "false",        "full",    "grant",
     "ilike",          "increment",    "intersect",   "issue",        "lateral", "localtime",
     "localtimestamp", "minus",        "of",          "organization", "qualify", "regexp",
     "revoke",         "rlike",        "row",         "rows",         "sample",  "schema",
     "some",           "start",        "tablesample", "trigger",      "true",    "try_cast",
     "view",           "whenever"});

// The tables are written for people; a binary search needs them sorted.
bool has(Words words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Words reserved_of(Flavour flavour) {
  switch (flavour) {
    case Flavour::Sqlite:
      return kReservedSqlite;
    case Flavour::Postgres:
    case Flavour::Ansi:
      return kReservedPostgres;
    case Flavour::Duckdb:
      return kReservedDuckdb;
    case Flavour::Mysql:
      return kReservedMysql;
    case Flavour::Sqlserver:
      return kReservedSqlserver;
    case Flavour::Bigquery:
      return kReservedBigquery;
    case Flavour::Snowflake:
      return kReservedSnowflake;
    case Flavour::Clickhouse:
      break;
  }
  return {};
}

}  // namespace

bool is_niladic(std::string_view word, Flavour flavour) {
  if (flavour == Flavour::Mysql) {
    return contains(kMysqlNiladic, word);
  }
  return flavour == Flavour::Sqlite ? contains(kSqliteNiladic, word) : contains(kNiladic, word);
}

bool is_structural(std::string_view word) {
  return has(kStructural, word);
}
bool ends_alias(std::string_view word) {
  return has(kAliasEnds, word);
}
bool is_unit(std::string_view word) {
  return !word.empty() && has(kUnits, word);
}

bool takes_unit(std::string_view function, std::size_t index, Flavour flavour) {
  if (index == 0) {
    return flavour != Flavour::Bigquery && has(kUnitFirst, function);
  }
  return (flavour == Flavour::Bigquery || flavour == Flavour::Snowflake) &&
         has(kUnitLast, function);
}

bool takes_lambda(std::string_view function, Flavour flavour) {
  return flavour == Flavour::Clickhouse || has(kLambdaFunctions, function);
}

bool is_aggregate(std::string_view function) {
  return has(kAggregates, function);
}

bool is_reserved(std::string_view word, const Syntax& syntax) {
  const std::string lower = base::to_lower(word);
  return has(kReservedEverywhere, lower) || has(reserved_of(syntax.flavour()), lower);
}

}  // namespace kedge::sql
