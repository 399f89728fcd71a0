// A source or target table of a database as contracts look at it (spec/contracts.md 5.3, 9, 12.3).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "contracts/fetched.h"
#include "contracts/write_policy.h"
#include "db/connection.h"
#include "dialect/dialect.h"
#include "pipeline/workspace.h"

namespace kedge::pipeline {

// "public.arrivals" -> (public, arrivals).
schema::Name entity_name(const std::string& entity);
// The table or view of that name; names fold as the database folds them.
const schema::Table* find_entity(const schema::Schema& schema, const schema::Name& wanted);
const schema::View* find_entity_view(const schema::Schema& schema, const schema::Name& wanted);
std::string quote_entity(const db::Connection& connection, const std::string& entity);
std::string quote_column(const db::Connection& connection, const std::string& column);

// What a SELECT of the whole entity gives: names, DuckDB types with facets, native spellings.
// Throws PZ0330 when it cannot be described (for instance because the table does not exist).
contracts::FetchedShape describe_entity(db::Connection& connection, const ReadSpec& read);
contracts::FetchedShape fetched_of(schema::Dialect dialect, const schema::Table& table);
contracts::FetchedShape fetched_of(schema::Dialect dialect, const schema::View& view);

// nullopt: there is no such table or view.
std::optional<contracts::Target> find_target(db::Connection& connection, const WriteSpec& write);
std::optional<contracts::Target> target_in(const schema::Schema& schema, const WriteSpec& write);
// postgres refuses to alter the type of a column that a view uses: those are marked as locked. One
// query for all targets, by the name of their entity.
void lock_viewed_columns(db::Connection& connection,
                         const std::map<std::string, contracts::Target*>& targets);

}  // namespace kedge::pipeline
