// Zero-row SELECTs that ask a database whether a text works (models.md 8.2, 8.5). Only what the
// database itself calls wrong is an answer; every other failure is thrown.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/connection.h"
#include "kedge/models.h"
#include "models/live.h"
#include "models/model.h"

namespace kedge::models {

class Prober {
 public:
  Prober(db::Connection& connection, SqlDialect dialect)
      : connection_(connection), dialect_(dialect) {}

  // The columns of a zero-row SELECT; nothing when the database says that it is wrong.
  std::optional<LiveColumns> columns_of(const std::string& sql);
  // The same for a text of a model, which may name anything at all: thrown is also what the
  // database calls wrong while a schema of its search path is hidden from the user (8.4).
  std::optional<LiveColumns> try_text(const std::string& sql);
  // The shape of a sql model's result.
  LiveShape shape_of(const Model& model);
  void set_hidden(std::string schema) { hidden_ = std::move(schema); }
  const std::string& hidden() const { return hidden_; }
  // The database's own words for the last refusal.
  const std::string& words() const { return words_; }

 private:
  db::Connection& connection_;
  SqlDialect dialect_;
  std::string hidden_;
  std::string words_;
};

LiveColumn live_column(const db::ResultColumn& column, schema::Dialect engine, SqlDialect dialect);
std::string driver_words(const Error& error);
bool is_schema_failure(const Error& error);  // what the database itself calls wrong

// One model's answer: opaque with a failure where it was impossible to ask.
struct Trial {
  LiveShape shape;
  std::optional<CheckFailure> failure;
};
// Tries every sql model, several at once over connections of their own where a server answers; each
// result stands at its model's place, so the order of answers does not show.
std::vector<Trial> try_sql_models(const std::vector<const Model*>& models, Prober& prober,
                                  const db::Registry& registry,
                                  const db::ConnectionSettings& settings, SqlDialect dialect);

}  // namespace kedge::models
