#include "query/words.h"

#include "base/text.h"

namespace kedge::query {
namespace {

std::string type_name(SqlDialect dialect, ColumnType type) {
  const auto pick = [&](std::string_view ansi, std::string_view sqlite, std::string_view mysql,
                        std::string_view sqlserver, std::string_view clickhouse,
                        std::string_view bigquery) {
    switch (dialect) {
      case SqlDialect::Sqlite:
      case SqlDialect::D1:
        return std::string(sqlite);
      case SqlDialect::Mysql:
        return std::string(mysql);
      case SqlDialect::Sqlserver:
        return std::string(sqlserver);
      case SqlDialect::Clickhouse:
        return "Nullable(" + std::string(clickhouse) + ")";
      case SqlDialect::Bigquery:
        return std::string(bigquery);
      case SqlDialect::Duckdb:
      case SqlDialect::Postgres:
      case SqlDialect::Snowflake:
      case SqlDialect::Oracle:
      case SqlDialect::Generic:
        break;
    }
    return std::string(ansi);
  };
  switch (type) {
    case ColumnType::Text:
      return pick("VARCHAR", "TEXT", "CHAR", "NVARCHAR(MAX)", "String", "STRING");
    case ColumnType::Int:
      return pick("BIGINT", "INTEGER", "SIGNED", "BIGINT", "Int64", "INT64");
    case ColumnType::Double:
      return dialect == SqlDialect::Postgres
                 ? "DOUBLE PRECISION"
                 : pick("DOUBLE", "REAL", "DOUBLE", "FLOAT", "Float64", "FLOAT64");
    case ColumnType::Boolean:
      return pick("BOOLEAN", "INTEGER", "SIGNED", "BIT", "Bool", "BOOL");
    case ColumnType::Date:
      return pick("DATE", "TEXT", "DATE", "DATE", "Date", "DATE");
    case ColumnType::Timestamp:
      return pick("TIMESTAMP", "TEXT", "DATETIME", "DATETIME2", "DateTime", "TIMESTAMP");
  }
  return "VARCHAR";
}

std::string unit_word(Granularity granularity) {
  return granularity == Granularity::WeekSunday ? "week" : models::to_string(granularity);
}

std::string sqlite_bucket(Granularity granularity, const std::string& c) {
  const auto format = [&](std::string_view pattern) {
    return "strftime('" + std::string(pattern) + "', " + c + ")";
  };
  switch (granularity) {
    case Granularity::Second:
      return format("%Y-%m-%d %H:%M:%S");
    case Granularity::Minute:
      return format("%Y-%m-%d %H:%M:00");
    case Granularity::Hour:
      return format("%Y-%m-%d %H:00:00");
    case Granularity::Day:
      return "date(" + c + ")";
    case Granularity::Week:
      return "date(" + c + ", 'weekday 0', '-6 days')";
    case Granularity::WeekSunday:
      return "date(" + c + ", 'weekday 6', '-6 days')";
    case Granularity::Month:
      return format("%Y-%m-01");
    case Granularity::Quarter:
      return format("%Y-") + " || printf('%02d', (CAST(" + format("%m") +
             " AS INTEGER) - 1) / 3 * 3 + 1) || '-01'";
    case Granularity::Year:
      return format("%Y-01-01");
  }
  return c;
}

std::string mysql_bucket(Granularity granularity, const std::string& c) {
  const auto format = [&](std::string_view pattern, std::string_view type) {
    return "CAST(DATE_FORMAT(" + c + ", '" + std::string(pattern) + "') AS " + std::string(type) +
           ")";
  };
  switch (granularity) {
    case Granularity::Second:
      return format("%Y-%m-%d %H:%i:%s", "DATETIME");
    case Granularity::Minute:
      return format("%Y-%m-%d %H:%i:00", "DATETIME");
    case Granularity::Hour:
      return format("%Y-%m-%d %H:00:00", "DATETIME");
    case Granularity::Day:
      return "DATE(" + c + ")";
    case Granularity::Week:
      return "DATE_SUB(DATE(" + c + "), INTERVAL WEEKDAY(" + c + ") DAY)";
    case Granularity::WeekSunday:
      return "DATE_SUB(DATE(" + c + "), INTERVAL DAYOFWEEK(" + c + ") - 1 DAY)";
    case Granularity::Month:
      return format("%Y-%m-01", "DATE");
    case Granularity::Quarter:
      return "DATE_ADD(MAKEDATE(YEAR(" + c + "), 1), INTERVAL QUARTER(" + c + ") - 1 QUARTER)";
    case Granularity::Year:
      return "MAKEDATE(YEAR(" + c + "), 1)";
  }
  return c;
}

std::string clickhouse_bucket(Granularity granularity, const std::string& c) {
  switch (granularity) {
    case Granularity::Week:
      return "toMonday(" + c + ")";
    case Granularity::WeekSunday:
      return "toStartOfWeek(" + c + ")";
    case Granularity::Day:
      return "toDate(" + c + ")";
    case Granularity::Second:
    case Granularity::Minute:
    case Granularity::Hour:
    case Granularity::Month:
    case Granularity::Quarter:
    case Granularity::Year:
      break;
  }
  std::string unit = models::to_string(granularity);
  unit[0] = static_cast<char>(unit[0] - 'a' + 'A');
  return "toStartOf" + unit + "(" + c + ")";
}

std::string bigquery_bucket(Granularity granularity, const std::string& c, ColumnType type) {
  std::string unit = base::to_upper(models::to_string(granularity));
  if (granularity == Granularity::Week) {
    unit = "WEEK(MONDAY)";
  } else if (granularity == Granularity::WeekSunday) {
    unit = "WEEK(SUNDAY)";
  }
  return (type == ColumnType::Date ? "DATE_TRUNC(" : "TIMESTAMP_TRUNC(") + c + ", " + unit + ")";
}

std::string snowflake_bucket(Granularity granularity, const std::string& c) {
  const std::string day = "DATE_TRUNC('day', " + c + ")";
  if (granularity == Granularity::Week) {
    return "DATEADD('day', 1 - DAYOFWEEKISO(" + c + "), " + day + ")";
  }
  if (granularity == Granularity::WeekSunday) {
    return "DATEADD('day', -MOD(DAYOFWEEKISO(" + c + "), 7), " + day + ")";
  }
  return "DATE_TRUNC('" + models::to_string(granularity) + "', " + c + ")";
}

std::string trunc_bucket(SqlDialect dialect, Granularity granularity, const std::string& c) {
  if (granularity == Granularity::WeekSunday) {
    const std::string day = dialect == SqlDialect::Postgres ? "INTERVAL '1 day'" : "INTERVAL 1 DAY";
    return "date_trunc('week', " + c + " + " + day + ") - " + day;
  }
  return "date_trunc('" + models::to_string(granularity) + "', " + c + ")";
}

struct Units {
  std::int64_t count;
  std::string word;  // day, month, ...
};

// Weeks in days, quarters in months: every dialect has those.
Units plain_units(std::int64_t count, Granularity granularity) {
  switch (granularity) {
    case Granularity::Week:
    case Granularity::WeekSunday:
      return {count * 7, "day"};
    case Granularity::Quarter:
      return {count * 3, "month"};
    case Granularity::Second:
    case Granularity::Minute:
    case Granularity::Hour:
    case Granularity::Day:
    case Granularity::Month:
    case Granularity::Year:
      break;
  }
  return {count, unit_word(granularity)};
}

std::string call(std::string_view function, const std::vector<std::string>& arguments) {
  return std::string(function) + "(" + base::join(arguments, ", ") + ")";
}

std::string logarithm(SqlDialect dialect, const std::string& function,
                      const std::vector<std::string>& arguments) {
  const bool sqlserver = dialect == SqlDialect::Sqlserver;
  const std::string natural = sqlserver ? "LOG" : "LN";
  const auto ln = [&](const std::string& value) {
    return natural + "(" + as_double(dialect, value) + ")";
  };
  if (function == "ln") {
    return ln(arguments[0]);
  }
  if (arguments.size() > 1) {
    return "(" + ln(arguments[1]) + " / " + ln(arguments[0]) + ")";
  }
  if (function == "log2") {
    return "(" + ln(arguments[0]) + " / " + ln("2") + ")";
  }
  return dialect == SqlDialect::Postgres ? "LOG(" + as_double(dialect, arguments[0]) + ")"
                                         : "LOG10(" + arguments[0] + ")";
}

std::string truncation(SqlDialect dialect, const std::vector<std::string>& arguments) {
  const std::string digits = arguments.size() > 1 ? arguments[1] : "0";
  switch (dialect) {
    case SqlDialect::Mysql:
      return call("TRUNCATE", {arguments[0], digits});
    case SqlDialect::Sqlserver:
      return call("ROUND", {arguments[0], digits, "1"});
    case SqlDialect::Postgres:
      return arguments.size() > 1 ? "TRUNC(CAST(" + arguments[0] + " AS NUMERIC), " + digits + ")"
                                  : call("TRUNC", arguments);
    case SqlDialect::Sqlite:
    case SqlDialect::D1:
      return arguments.size() > 1 ? "(CAST(" + arguments[0] + " * POWER(10, " + digits +
                                        ") AS INTEGER) / POWER(10, " + digits + "))"
                                  : "CAST(" + arguments[0] + " AS INTEGER)";
    case SqlDialect::Duckdb:
    case SqlDialect::Clickhouse:
    case SqlDialect::Bigquery:
    case SqlDialect::Snowflake:
    case SqlDialect::Oracle:
    case SqlDialect::Generic:
      break;
  }
  return call("TRUNC", arguments);
}

}  // namespace

std::string quote(SqlDialect dialect, std::string_view name) {
  return models::quote_name(dialect, name);
}

std::string name(SqlDialect dialect, std::string_view name) {
  return models::written_name(name, dialect);
}

std::string physical(SqlDialect dialect, const models::PhysicalName& written, bool from_sql) {
  if (written.quoted) {
    return quote(dialect, written.text);
  }
  // What a person wrote bare in SQL folds as SQL folds; a column's own name is meant exactly.
  return from_sql ? written.text : name(dialect, written.text);
}

std::string literal(SqlDialect dialect, std::string_view text) {
  std::string body = base::replace_all(std::string(text), "'", "''");
  switch (dialect) {
    case SqlDialect::Mysql:
    case SqlDialect::Clickhouse:
    case SqlDialect::Snowflake:
      body = base::replace_all(body, "\\", "\\\\");
      break;
    case SqlDialect::Bigquery:
      body = base::replace_all(base::replace_all(std::string(text), "\\", "\\\\"), "'", "\\'");
      body = base::replace_all(body, "\n", "\\n");
      break;
    case SqlDialect::Sqlite:
    case SqlDialect::Duckdb:
    case SqlDialect::Postgres:
    case SqlDialect::Sqlserver:
    case SqlDialect::Oracle:
    case SqlDialect::D1:
    case SqlDialect::Generic:
      break;
  }
  return "'" + body + "'";
}

std::string key_alias(SqlDialect dialect, std::string_view key) {
  return quote(dialect, dialect == SqlDialect::Bigquery
                            ? base::replace_all(std::string(key), ".", "___")
                            : std::string(key));
}

std::string as_double(SqlDialect dialect, const std::string& sql) {
  return cast_to(dialect, sql, ColumnType::Double);
}

std::string cast_to(SqlDialect dialect, const std::string& sql, ColumnType type) {
  return "CAST(" + sql + " AS " + type_name(dialect, type) + ")";
}

std::string divide(SqlDialect dialect, const std::string& left, const std::string& right) {
  return as_double(dialect, left) + " / NULLIF(" + right + ", 0)";
}

std::string same(SqlDialect dialect, const std::string& left, const std::string& right) {
  switch (dialect) {
    case SqlDialect::Sqlite:
    case SqlDialect::D1:
      return left + " IS " + right;
    case SqlDialect::Mysql:
      return left + " <=> " + right;
    case SqlDialect::Sqlserver:
      return "EXISTS (SELECT " + left + " INTERSECT SELECT " + right + ")";
    case SqlDialect::Clickhouse:
    case SqlDialect::Bigquery:
    case SqlDialect::Oracle:
    case SqlDialect::Generic:
      return "(" + left + " = " + right + " OR (" + left + " IS NULL AND " + right + " IS NULL))";
    case SqlDialect::Duckdb:
    case SqlDialect::Postgres:
    case SqlDialect::Snowflake:
      break;
  }
  return left + " IS NOT DISTINCT FROM " + right;
}

std::string bucket(SqlDialect dialect, Granularity granularity, const std::string& sql,
                   ColumnType type) {
  switch (dialect) {
    case SqlDialect::Sqlite:
    case SqlDialect::D1:
      return sqlite_bucket(granularity, sql);
    case SqlDialect::Mysql:
      return mysql_bucket(granularity, sql);
    case SqlDialect::Sqlserver:
      if (granularity == Granularity::WeekSunday) {
        return "DATEADD(day, -1, DATETRUNC(iso_week, DATEADD(day, 1, " + sql + ")))";
      }
      return "DATETRUNC(" +
             (granularity == Granularity::Week ? "iso_week" : models::to_string(granularity)) +
             ", " + sql + ")";
    case SqlDialect::Clickhouse:
      return clickhouse_bucket(granularity, sql);
    case SqlDialect::Bigquery:
      return bigquery_bucket(granularity, sql, type);
    case SqlDialect::Snowflake:
      return snowflake_bucket(granularity, sql);
    case SqlDialect::Duckdb:
    case SqlDialect::Postgres:
    case SqlDialect::Oracle:
    case SqlDialect::Generic:
      break;
  }
  const std::string cut = trunc_bucket(dialect, granularity, sql);
  const bool date = type == ColumnType::Date && is_day_or_more(granularity);
  return date ? "CAST(" + cut + " AS DATE)" : cut;
}

std::string add_units(SqlDialect dialect, const std::string& sql, std::int64_t count,
                      Granularity granularity, ColumnType type) {
  const Units units = plain_units(count, granularity);
  const std::string number = std::to_string(units.count);
  const std::string upper = base::to_upper(units.word);
  switch (dialect) {
    case SqlDialect::Sqlite:
    case SqlDialect::D1:
      return (is_day_or_more(granularity) ? "date(" : "datetime(") + sql + ", '" +
             (units.count < 0 ? "" : "+") + number + " " + units.word + "s')";
    case SqlDialect::Duckdb:
      return is_day_or_more(granularity) && type == ColumnType::Date
                 ? "CAST(" + sql + " + INTERVAL (" + number + ") " + upper + " AS DATE)"
                 : sql + " + INTERVAL (" + number + ") " + upper;
    case SqlDialect::Postgres:
      return is_day_or_more(granularity) && type == ColumnType::Date
                 ? "CAST(" + sql + " + INTERVAL '" + number + " " + units.word + "' AS DATE)"
                 : sql + " + INTERVAL '" + number + " " + units.word + "'";
    case SqlDialect::Mysql:
      return "DATE_ADD(" + sql + ", INTERVAL " + number + " " + upper + ")";
    case SqlDialect::Sqlserver:
      return "DATEADD(" + units.word + ", " + number + ", " + sql + ")";
    case SqlDialect::Clickhouse: {
      std::string word = units.word;
      word[0] = static_cast<char>(word[0] - 'a' + 'A');
      return "add" + word + "s(" + sql + ", " + number + ")";
    }
    case SqlDialect::Bigquery:
      // TIMESTAMP_ADD knows no months.
      if (type != ColumnType::Date && (units.word == "month" || units.word == "year")) {
        return "TIMESTAMP(DATETIME_ADD(DATETIME(" + sql + "), INTERVAL " + number + " " + upper +
               "))";
      }
      return (type == ColumnType::Date ? "DATE_ADD(" : "TIMESTAMP_ADD(") + sql + ", INTERVAL " +
             number + " " + upper + ")";
    case SqlDialect::Snowflake:
      return "DATEADD('" + units.word + "', " + number + ", " + sql + ")";
    case SqlDialect::Oracle:
    case SqlDialect::Generic:
      break;
  }
  return sql + " + INTERVAL '" + number + "' " + upper;
}

std::string moment(SqlDialect dialect, std::string_view text, ColumnType type) {
  const std::string value = literal(dialect, text);
  if (dialect == SqlDialect::Bigquery) {
    return (type == ColumnType::Date ? "DATE " : "TIMESTAMP ") + value;
  }
  return value;
}

std::string concatenate(SqlDialect dialect, const std::vector<std::string>& parts) {
  switch (dialect) {
    case SqlDialect::Mysql:
      return call("CONCAT", parts);
    case SqlDialect::Sqlserver: {  // "+" adds numbers, and CONCAT takes NULL for a text
      std::vector<std::string> texts;
      for (const std::string& part : parts) {
        texts.push_back(cast_to(dialect, part, ColumnType::Text));
      }
      return base::join(texts, " + ");
    }
    case SqlDialect::Sqlite:
    case SqlDialect::Duckdb:
    case SqlDialect::Postgres:
    case SqlDialect::Clickhouse:
    case SqlDialect::Bigquery:
    case SqlDialect::Snowflake:
    case SqlDialect::Oracle:
    case SqlDialect::D1:
    case SqlDialect::Generic:
      break;
  }
  return base::join(parts, " || ");
}

std::string scalar(SqlDialect dialect, const std::string& function,
                   const std::vector<std::string>& arguments) {
  const bool sqlite = dialect == SqlDialect::Sqlite || dialect == SqlDialect::D1;
  const bool sqlserver = dialect == SqlDialect::Sqlserver;
  if (function == "ln" || function == "log" || function == "log10" || function == "log2") {
    return logarithm(dialect, function, arguments);
  }
  if (function == "trunc") {
    return truncation(dialect, arguments);
  }
  if (function == "concat") {
    return sqlite ? "(" + base::join(arguments, " || ") + ")" : call("CONCAT", arguments);
  }
  if (function == "ifnull") {
    return call("COALESCE", arguments);
  }
  if (function == "round" && dialect == SqlDialect::Postgres && arguments.size() > 1) {
    return "ROUND(CAST(" + arguments[0] + " AS NUMERIC), " + arguments[1] + ")";
  }
  if (function == "round" && sqlserver && arguments.size() == 1) {
    return "ROUND(" + arguments[0] + ", 0)";
  }
  if (function == "mod") {
    return arguments.size() == 2 && (sqlite || sqlserver)
               ? "(" + arguments[0] + " % " + arguments[1] + ")"
               : call("MOD", arguments);
  }
  if ((function == "greatest" || function == "least") && sqlite) {
    return call(function == "greatest" ? "MAX" : "MIN", arguments);
  }
  if (function == "instr" && arguments.size() == 2) {
    if (dialect == SqlDialect::Postgres) {
      return call("STRPOS", arguments);
    }
    if (sqlserver) {
      return call("CHARINDEX", {arguments[1], arguments[0]});
    }
    if (dialect == SqlDialect::Clickhouse) {
      return call("positionUTF8", arguments);
    }
  }
  if (function == "length") {
    return call(sqlserver                           ? "LEN"
                : dialect == SqlDialect::Mysql      ? "CHAR_LENGTH"
                : dialect == SqlDialect::Clickhouse ? "lengthUTF8"
                                                    : "LENGTH",
                arguments);
  }
  if (function == "substr" || function == "substring") {
    return call(sqlserver || dialect == SqlDialect::Clickhouse ? "SUBSTRING" : "SUBSTR", arguments);
  }
  if (function == "ceil" && sqlserver) {
    return call("CEILING", arguments);
  }
  return call(base::to_upper(function), arguments);
}

std::string tail(SqlDialect dialect, const std::string& order, const Page& page) {
  std::string out = order.empty() ? "" : "\nORDER BY " + order;
  if (!page.limit && !page.offset) {
    return out;
  }
  const std::string offset = std::to_string(page.offset.value_or(0));
  switch (dialect) {
    case SqlDialect::Sqlserver:
      out += order.empty() ? "\nORDER BY (SELECT NULL)" : "";
      out += "\nOFFSET " + offset + " ROWS";
      out += page.limit ? " FETCH NEXT " + std::to_string(*page.limit) + " ROWS ONLY" : "";
      return out;
    case SqlDialect::Mysql:
      return out + "\nLIMIT " + (page.offset ? offset + ", " : "") +
             (page.limit ? std::to_string(*page.limit) : "18446744073709551615");
    case SqlDialect::Sqlite:
    case SqlDialect::D1:
      out += "\nLIMIT " + std::to_string(page.limit.value_or(-1));
      return out + (page.offset ? " OFFSET " + offset : "");
    case SqlDialect::Duckdb:
    case SqlDialect::Postgres:
    case SqlDialect::Clickhouse:
    case SqlDialect::Bigquery:
    case SqlDialect::Snowflake:
    case SqlDialect::Oracle:
    case SqlDialect::Generic:
      break;
  }
  const bool needs_limit = dialect == SqlDialect::Bigquery || dialect == SqlDialect::Snowflake;
  if (page.limit) {
    out += "\nLIMIT " + std::to_string(*page.limit);
  } else if (needs_limit) {
    out += dialect == SqlDialect::Snowflake ? "\nLIMIT NULL" : "\nLIMIT 9223372036854775807";
  }
  return out + (page.offset ? " OFFSET " + offset : "");
}

std::string explain(SqlDialect dialect, const std::string& sql) {
  switch (dialect) {
    case SqlDialect::Sqlite:
    case SqlDialect::D1:
      return "EXPLAIN QUERY PLAN " + sql;
    case SqlDialect::Sqlserver:
      return "SET SHOWPLAN_TEXT ON; " + sql;
    case SqlDialect::Bigquery:
      return {};
    case SqlDialect::Duckdb:
    case SqlDialect::Postgres:
    case SqlDialect::Mysql:
    case SqlDialect::Clickhouse:
    case SqlDialect::Snowflake:
    case SqlDialect::Oracle:
    case SqlDialect::Generic:
      break;
  }
  return "EXPLAIN " + sql;
}

}  // namespace kedge::query
