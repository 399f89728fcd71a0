#include "pipeline/lint.h"

#include "base/text.h"
#include "kedge/codes.h"
#include "pipeline/land.h"
#include "pipeline/render.h"

namespace kedge::pipeline {
namespace {

void lint_double(const Engine& engine, db::Connection& staging, const ReadSpec& read,
                 const std::string& column) {
  const std::string name = quote_name(column);
  const db::Row row =
      staging
          .query("SELECT coalesce(bool_and(NOT isfinite(" + name + ") OR " + name + " = trunc(" +
                 name + ")), false), coalesce(bool_or(abs(" + name +
                 ") > 9007199254740992), false) FROM " + staging_table(read.staging))
          .rows.at(0);
  if (db::to_boolean(row.at(0)) && db::to_boolean(row.at(1))) {
    engine.warn({codes::PZ0523,
                 "entity '" + read.label + "': column '" + column +
                     "' was inferred as DOUBLE, holds whole numbers only and some beyond 2^53: "
                     "digits may be lost",
                 read.where,
                 "declare bigint, hugeint or varchar in columns:",
                 {}});
  }
}

// "03/04/2027": two numbers in front of the year. Gives what stands between them, or nothing.
std::optional<std::string> separator_of(const std::string& text) {
  const auto digits = [&](std::size_t from) {
    std::size_t count = 0;
    while (from + count < text.size() && text[from + count] >= '0' && text[from + count] <= '9') {
      ++count;
    }
    return count;
  };
  const std::size_t first = digits(0);
  const std::size_t second = first == 0 ? 0 : digits(first + 1);
  const std::size_t third = second == 0 ? 0 : digits(first + second + 2);
  const bool year_last = (first == 1 || first == 2) && (second == 1 || second == 2) && third >= 2;
  return year_last ? std::optional(text.substr(first, 1)) : std::nullopt;
}

// The values were read with the day or the month first, and none of them tells which is right.
void lint_date(const Engine& engine, db::Connection& staging, const ReadSpec& read,
               const std::string& column) {
  const std::optional<std::string> text = first_text(engine, staging, read, column);
  const std::optional<std::string> separator = text ? separator_of(*text) : std::nullopt;
  if (!separator) {
    return;
  }
  const std::string name = quote_name(column);
  const db::Row row =
      staging
          .query("SELECT max(day(" + name + ")), day(first(" + name + " ORDER BY rowid)) FROM " +
                 staging_table(read.staging) + " WHERE isfinite(" + name + ")")
          .rows.at(0);
  if (db::is_null(row.at(0)) || db::to_integer(row.at(0)).value_or(31) > 12) {
    return;
  }
  const bool day_first = std::stoll(*text) == db::to_integer(row.at(1)).value_or(0);
  const std::string format =
      (day_first ? "%d" : "%m") + *separator + (day_first ? "%m" : "%d") + *separator + "%Y";
  engine.warn({codes::PZ0524,
               "entity '" + read.label + "': column '" + column + "' was read as " + format +
                   ", and no value has a day above 12: day and month may be swapped",
               read.where,
               "declare varchar in columns: and convert it in the pipeline",
               {}});
}

}  // namespace

void lint_inference(const Engine& engine, const ReadSpec& read) {
  const Engine::Held staging = engine.staging();
  for (const contracts::ShapeColumn& column : describe_staged(*staging, read.staging)) {
    if (column.type == "DOUBLE") {
      lint_double(engine, *staging, read, column.name);
    } else if (column.type == "DATE" || column.type == "TIMESTAMP") {
      lint_date(engine, *staging, read, column.name);
    }
  }
}

}  // namespace kedge::pipeline
