// Statements of one change on postgres: the small writers that tables, identities and the online
// forms share. It keeps which change it writes for.
#pragma once

#include <string>

#include "migrate/postgres_emission.h"

namespace kedge::migrate {

class PostgresStatements {
 public:
  explicit PostgresStatements(Emission& emission) : e_(emission) {}
  void write_for(std::size_t change) { change_ = change; }

  PlanStatement& add(int at, const schema::Name& table, std::string sql);
  PlanStatement& alter(int at, const schema::Name& table, const std::string& clause);
  PlanStatement& drop_constraint(int at, const schema::Name& table, const Identifier& name);
  void column_comment(const schema::Name& table, const schema::Column& column);
  // --online counts for what is there already, and for the way up.
  bool online() const;
  bool is_live(const schema::Name& table) const;
  Emission& emission() { return e_; }
  const dialect::Ddl& ddl() const { return e_.ddl; }

 private:
  Emission& e_;
  std::size_t change_ = 0;
};

// For a change of which no statement may run before it: the script's first one says why.
void refuse_script(Emission& emission, std::size_t change, const schema::Name& subject,
                   const std::string& reason, const std::string& hint);
bool is_serial(const schema::Column& column);
bool is_identity(const schema::Column& column);
bool is_uuid(const schema::Column& column);  // DEFAULT gen_random_uuid()

// Sequences, serial and identity columns (postgres_identity.cpp).
class PostgresIdentity {
 public:
  explicit PostgresIdentity(PostgresStatements& statements) : s_(statements) {}
  bool takes_over(const schema::Name& table, const schema::Column& column) const;
  void make_sequence(const schema::Name& table, const schema::Column& column, int at);
  void own_sequence(const schema::Name& table, const schema::Column& column,
                    int at = stage::kAddColumn + 1);
  void change(const change::ChangeColumnIdentity& c);
  // "ADD GENERATED ..." for a column that is there and NOT NULL.
  std::string add_clause(const schema::Column& column) const;

 private:
  void set_next(const schema::Name& table, const schema::Column& column, int at);
  void leave(const change::ChangeColumnIdentity& c);
  void enter(const change::ChangeColumnIdentity& c);
  void options(const change::ChangeColumnIdentity& c);
  PostgresStatements& s_;
};

// Forms that take no long lock (spec/migrate.md 10.2; postgres_online.cpp).
class PostgresOnline {
 public:
  explicit PostgresOnline(PostgresStatements& statements) : s_(statements) {}
  void build_index(int at, const schema::Name& table, std::string sql);
  // A constraint, checked against the rows later where --online asks for it.
  void add_constraint(const schema::Name& table, const Identifier& name, bool validated,
                      const std::string& sql);
  void add_key(const change::AddPrimaryKey& c);
  void set_not_null(const schema::Name& table, const schema::Column& column);
  // Without its default first, so that no row is written; then filled.
  void add_and_fill(const change::AddColumn& c);
  // A counted column: filled from a sequence, which it then takes over.
  void add_counted(const change::AddColumn& c, PostgresIdentity& identity);

 private:
  void fill_in_batches(const schema::Name& table, const schema::Column& column);
  PostgresStatements& s_;
};

}  // namespace kedge::migrate
