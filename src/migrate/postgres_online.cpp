// Forms that take no long lock on postgres, and the statements that everything is written with.
#include <fmt/format.h>

#include "migrate/postgres_statements.h"

namespace kedge::migrate {

using schema::Column;
using schema::Name;

PlanStatement& PostgresStatements::add(int at, const Name& table, std::string sql) {
  return e_.draft.add({at, e_.rank_of(table), table.name.text()}, std::move(sql), change_);
}

PlanStatement& PostgresStatements::alter(int at, const Name& table, const std::string& clause) {
  return add(at, table, e_.ddl.alter(table) + clause);
}

PlanStatement& PostgresStatements::drop_constraint(int at, const Name& table,
                                                   const Identifier& name) {
  return add(at, table,
             "ALTER TABLE " + e_.if_exists() + e_.ddl.name(table) + " DROP CONSTRAINT " +
                 e_.if_exists() + e_.ddl.quote(name));
}

void PostgresStatements::column_comment(const Name& table, const Column& column) {
  if (!column.comment.empty()) {
    add(stage::kComment, table,
        comment_sql(e_, {"column", table, column.name, ""}, column.comment));
  }
}

void refuse_script(Emission& e, std::size_t change, const Name& subject, const std::string& reason,
                   const std::string& hint) {
  e.refuse(change, reason, hint);
  const std::string text = reason + ": " + hint;
  e.draft.add({stage::kOpen, e.rank_of(subject), subject.name.text()},
              "DO $kedge$\nBEGIN\n  RAISE EXCEPTION USING MESSAGE = " + e.ddl.literal(text) +
                  ";\nEND\n$kedge$",
              change);
}

bool PostgresStatements::online() const {
  return e_.options.online == Online::Yes && e_.up();
}

bool PostgresStatements::is_live(const Name& table) const {
  return table_before(e_, table) != nullptr;
}

void PostgresOnline::build_index(int at, const Name& table, std::string sql) {
  static constexpr std::string_view kIndex = "INDEX ";
  sql.insert(sql.find(kIndex) + kIndex.size(), "CONCURRENTLY ");
  PlanStatement& statement = s_.add(at, table, std::move(sql));
  statement.phase = Phase::Online;
  statement.transactional = Transactional::Alone;
}

void PostgresOnline::add_constraint(const Name& table, const Identifier& name, bool validated,
                                    const std::string& sql) {
  if (!s_.online() || !s_.is_live(table) || !validated) {
    s_.alter(stage::kConstraint, table, "ADD " + sql);
    return;
  }
  s_.alter(stage::kConstraint, table, "ADD " + sql + " NOT VALID");
  s_.alter(stage::kConstraint + 1, table, "VALIDATE CONSTRAINT " + s_.ddl().quote(name)).phase =
      Phase::Finish;
}

// Its columns are NOT NULL by then, so that no row is read.
void PostgresOnline::add_key(const change::AddPrimaryKey& c) {
  schema::Index index;
  index.name = Identifier("__kedge_" + c.part.name.text());
  index.unique = true;
  for (const Identifier& column : c.part.columns) {
    index.parts.emplace_back().column = column;
  }
  index.include = c.part.include;
  build_index(stage::kIndex, c.table, s_.ddl().index(index, c.table));
  s_.emission().leftovers.push_back(s_.ddl().drop_index(index, c.table, "IF EXISTS "));
  s_.alter(stage::kConstraint + 4, c.table,
           "ADD CONSTRAINT " + s_.ddl().quote(c.part.name) + " PRIMARY KEY USING INDEX " +
               s_.ddl().quote(index.name))
      .phase = Phase::Finish;
}

// A check proves the absence of NULL without a long lock, then it has done its work.
void PostgresOnline::set_not_null(const Name& table, const Column& column) {
  const Identifier check(table.name.text() + "_" + column.name.text() + "_kedge_nn");
  const std::string quoted = s_.ddl().quote(column.name);
  if (column.default_value) {
    fill_in_batches(table, column);
  }
  s_.alter(
      stage::kConstraint, table,
      "ADD CONSTRAINT " + s_.ddl().quote(check) + " CHECK (" + quoted + " IS NOT NULL) NOT VALID");
  s_.emission().leftovers.push_back(s_.ddl().alter(table) + "DROP CONSTRAINT IF EXISTS " +
                                    s_.ddl().quote(check));
  for (const std::string& clause :
       {"VALIDATE CONSTRAINT " + s_.ddl().quote(check), "ALTER COLUMN " + quoted + " SET NOT NULL",
        "DROP CONSTRAINT " + s_.ddl().quote(check)}) {
    s_.alter(stage::kConstraint + 2, table, clause).phase = Phase::Finish;
  }
}

// Ends when nothing is left to fill, or when the default gives nothing but NULL.
void PostgresOnline::fill_in_batches(const Name& table, const Column& column) {
  PlanStatement& statement = s_.add(
      stage::kColumn, table,
      fmt::format("DO $kedge$\nDECLARE\n  filled boolean;\nBEGIN\n  LOOP\n    WITH batch AS ("
                  "UPDATE {0} SET {1} = {2} WHERE ctid IN (SELECT ctid FROM {0} WHERE {1} IS NULL "
                  "LIMIT 10000) RETURNING {1} IS NOT NULL AS yes)\n    SELECT bool_or(yes) INTO "
                  "filled FROM batch;\n    EXIT WHEN filled IS NOT TRUE;\n    COMMIT;\n  END LOOP;"
                  "\nEND\n$kedge$",
                  s_.ddl().name(table), s_.ddl().quote(column.name),
                  s_.ddl().default_value(*column.default_value, column.type)));
  statement.phase = Phase::Online;
  statement.transactional = Transactional::Alone;
}

void PostgresOnline::add_and_fill(const change::AddColumn& c) {
  Column open = c.part;
  open.nullable = true;
  open.default_value.reset();
  const std::string column = "ALTER COLUMN " + s_.ddl().quote(c.part.name) + " ";
  s_.alter(stage::kAddColumn, c.table, "ADD COLUMN " + s_.ddl().column(open, {}));
  if (c.part.default_value) {
    s_.alter(stage::kAddColumn, c.table,
             column + "SET DEFAULT " + s_.ddl().default_value(*c.part.default_value, c.part.type));
  }
  s_.column_comment(c.table, c.part);
  if (s_.online() && c.part.nullable) {
    fill_in_batches(c.table, c.part);
  } else if (s_.online()) {
    set_not_null(c.table, c.part);
  } else {
    s_.alter(stage::kNotNull, c.table, column + "SET NOT NULL");
  }
}

void PostgresOnline::add_counted(const change::AddColumn& c, PostgresIdentity& identity) {
  change::AddColumn filled = c;
  filled.part.identity.reset();
  schema::Default& value = filled.part.default_value.emplace();
  value.kind = schema::Default::Kind::Expression;
  if (c.part.identity->kind == schema::Identity::Kind::Uuid) {
    value.value = "gen_random_uuid()";
    add_and_fill(filled);
    return;
  }
  Column counter = c.part;
  if (!is_serial(c.part)) {
    counter.identity->sequence = "__kedge_" + c.table.name.text() + "_" + c.part.name.text();
  }
  const std::string sequence = sequence_name(s_.emission(), c.table, counter);
  identity.make_sequence(c.table, counter, stage::kSequence);
  value.value = "nextval(" + s_.ddl().literal(sequence) + "::regclass)";
  add_and_fill(filled);
  if (is_serial(c.part)) {
    identity.own_sequence(c.table, c.part);
    return;
  }
  const std::string column = "ALTER COLUMN " + s_.ddl().quote(c.part.name) + " ";
  const auto finish = [&](PlanStatement& statement) { statement.phase = Phase::Finish; };
  constexpr int kAt = stage::kConstraint + 3;  // it is NOT NULL by then
  finish(s_.alter(kAt, c.table, column + "DROP DEFAULT"));
  finish(s_.alter(kAt, c.table, column + identity.add_clause(c.part)));
  finish(s_.add(kAt, c.table,
                fmt::format("SELECT setval(pg_get_serial_sequence({}, {}), nextval({}::regclass), "
                            "false)",
                            s_.ddl().literal(s_.ddl().name(c.table)),
                            s_.ddl().literal(c.part.name.text()), s_.ddl().literal(sequence))));
  finish(s_.add(kAt, c.table, "DROP SEQUENCE " + sequence));
  s_.emission().leftover_sequences.push_back("DROP SEQUENCE IF EXISTS " + sequence);
}

}  // namespace kedge::migrate
