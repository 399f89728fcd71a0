#include "pipeline/lint.h"

#include "kedge/codes.h"
#include "pipeline/land.h"
#include "pipeline/render.h"

namespace kedge::pipeline {

void lint_inference(const Engine& engine, const ReadSpec& read) {
  const std::unique_ptr<db::Connection> staging = engine.staging();
  for (const contracts::ShapeColumn& column : describe_staged(*staging, read.staging)) {
    if (column.type != "DOUBLE") {
      continue;
    }
    const std::string name = quote_name(column.name);
    const db::Row row =
        staging
            ->query("SELECT coalesce(bool_and(NOT isfinite(" + name + ") OR " + name + " = trunc(" +
                    name + ")), false), coalesce(bool_or(abs(" + name +
                    ") > 9007199254740992), false) FROM " + staging_table(read.staging))
            .rows.at(0);
    if (db::to_boolean(row.at(0)) && db::to_boolean(row.at(1))) {
      engine.warn({codes::PZ0523,
                   "entity '" + read.label + "': column '" + column.name +
                       "' was inferred as DOUBLE, holds whole numbers only and some beyond 2^53: "
                       "digits may be lost",
                   read.where,
                   "declare bigint, hugeint or varchar in columns:",
                   {}});
    }
  }
}

}  // namespace kedge::pipeline
