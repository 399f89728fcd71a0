#include "pipeline/capture_table.h"

#include <algorithm>
#include <span>

#include "kedge/codes.h"
#include "pipeline/engine.h"
#include "pipeline/source.h"

namespace kedge::pipeline {
namespace {

std::optional<Problem> look_at_server(db::Connection& source, const ReadSpec& read) {
  if (!read.query.empty()) {
    return capture_refusal(read, "a query: has no change capture", "read the table itself");
  }
  const std::string level =
      db::to_text(query_value(source, "SELECT pg_catalog.current_setting('wal_level')"));
  if (level != "logical") {
    return capture_refusal(read, "the server does not allow change capture: wal_level is " + level,
                           "set wal_level = logical and restart the server");
  }
  return std::nullopt;
}

std::optional<Problem> look_at_table(db::Connection& source, const ReadSpec& read,
                                     CapturedTable& table) {
  const db::Row name = {quote_entity(source, read.entity)};
  const db::ResultSet found =
      ask(source,
          "SELECT c.relkind::text, c.relreplident::text FROM pg_catalog.pg_class c "
          "WHERE c.oid = pg_catalog.to_regclass($1)",
          name);
  const std::string kind = found.rows.empty() ? "" : db::to_text(found.rows[0][0]);
  if (kind != "r" && kind != "p") {
    return capture_refusal(read, "only a table has change capture", "");
  }
  const std::string identity = db::to_text(found.rows[0][1]);
  if (identity == "n") {
    return capture_refusal(read, "the table's replica identity is nothing, so changes have no key",
                           "ALTER TABLE ... REPLICA IDENTITY DEFAULT");
  }
  for (const db::Row& row :
       ask(source,
           "SELECT pg_catalog.format('%I.%I', n.nspname, c.relname) FROM pg_catalog.pg_class c "
           "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
           "WHERE c.relkind = 'r' AND (c.oid = pg_catalog.to_regclass($1) OR c.oid IN (SELECT "
           "relid FROM pg_catalog.pg_partition_tree(pg_catalog.to_regclass($1)))) ORDER BY 1",
           name)
           .rows) {
    table.names.push_back(db::to_text(row[0]));
  }
  const std::string index = identity == "i" ? "i.indisreplident" : "i.indisprimary";
  for (const db::Row& row :
       ask(source,
           "SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod) "
           "FROM pg_catalog.pg_index i, pg_catalog.unnest(i.indkey) WITH ORDINALITY k(number, at) "
           "JOIN pg_catalog.pg_attribute a ON a.attnum = k.number "
           "WHERE i.indrelid = pg_catalog.to_regclass($1) AND a.attrelid = i.indrelid AND " +
               index + " AND k.at <= i.indnkeyatts ORDER BY k.at",
           name)
           .rows) {
    table.keys.push_back({db::to_text(row[0]), db::to_text(row[1])});
  }
  if (table.keys.empty()) {
    return capture_refusal(read,
                           "the table has no primary key, so its changes cannot be told apart",
                           "add one, or name a unique index with REPLICA IDENTITY USING INDEX");
  }
  for (const KeyColumn& key : table.keys) {
    const auto& columns = read.contract.columns;
    const bool declared =
        columns.empty() || std::any_of(columns.begin(), columns.end(), [&](const auto& column) {
          return column.source == key.name;
        });
    if (!declared) {
      return capture_refusal(
          read, "key column '" + key.name + "' is missing from columns:", "declare it");
    }
  }
  return std::nullopt;
}

}  // namespace

Problem capture_refusal(const ReadSpec& read, const std::string& why, const std::string& hint) {
  return {codes::PZ0338, "entity '" + read.label + "': " + why, read.where, hint, {}};
}

db::ResultSet ask(db::Connection& source, const std::string& sql, const db::Row& parameters) {
  return source.query(sql, std::span<const db::Value>(parameters));
}

std::optional<Problem> look_at_captured(db::Connection& source, const ReadSpec& read,
                                        CapturedTable& table) {
  std::optional<Problem> problem = look_at_server(source, read);
  return problem ? problem : look_at_table(source, read, table);
}

}  // namespace kedge::pipeline
