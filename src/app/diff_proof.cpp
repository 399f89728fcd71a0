#include "app/diff_proof.h"

#include <fmt/format.h>

#include <cmath>

#include "app/connections.h"
#include "base/overloaded.h"
#include "base/text.h"
#include "dialect/ddl.h"

namespace kedge::app {
namespace {

// Rows taken along from each table of a live side.
constexpr std::size_t kRowsPerTable = 1000;

void run_plan(db::Connection& connection, const migrate::Plan& plan) {
  for (const migrate::PlanStatement& statement : plan.up) {
    const bool pragma = statement.sql.starts_with("PRAGMA foreign_key_check");
    if (pragma) {
      connection.query(statement.sql);
    } else if (statement.sql.starts_with("SELECT ")) {
      connection.query(std::string_view(statement.sql).substr(0, statement.sql.size() - 1));
    } else {
      connection.execute(statement.sql);
    }
  }
}

// Where infinity and NaN can be written at all, they are written as text; sqlite has a number too
// large instead, and no NaN.
std::string number_literal(const dialect::Ddl& ddl, double number) {
  if (std::isfinite(number)) {
    return fmt::format("{}", number);
  }
  if (ddl.id() == schema::Dialect::Postgres || ddl.id() == schema::Dialect::Duckdb) {
    return std::isnan(number) ? "'NaN'" : number > 0 ? "'Infinity'" : "'-Infinity'";
  }
  return std::isnan(number) ? "NULL" : number > 0 ? "9e999" : "-9e999";
}

std::string literal(const dialect::Ddl& ddl, const db::Value& value) {
  return std::visit(
      base::Overloaded{
          [](std::monostate) { return std::string("NULL"); },
          [](bool flag) { return std::string(flag ? "TRUE" : "FALSE"); },
          [](std::int64_t number) { return std::to_string(number); },
          [&](double number) { return number_literal(ddl, number); },
          [&](const std::string& text) { return ddl.literal(text); },
          [&](const db::Bytes& bytes) {
            const std::string raw(reinterpret_cast<const char*>(bytes.data()), bytes.size());
            return ddl.id() == schema::Dialect::Postgres ? "'\\x" + base::to_hex(raw) + "'"
                   : ddl.id() == schema::Dialect::Mysql  ? "0x" + base::to_hex(raw)
                   : ddl.id() == schema::Dialect::Duckdb ? "from_hex('" + base::to_hex(raw) + "')"
                                                         : "x'" + base::to_hex(raw) + "'";
          }},
      value);
}

class Copier {
 public:
  Copier(db::Connection& source, db::Connection& target, const dialect::Ddl& ddl)
      : source_(source), target_(target), ddl_(ddl) {}

  std::size_t copy(const schema::Table& table) {
    std::vector<Identifier> columns;
    for (const schema::Column& column : table.columns) {
      if (!column.generated) {
        columns.push_back(column.name);
      }
    }
    if (columns.empty()) {
      return 0;
    }
    std::string list = ddl_.columns(columns);
    const std::string names = list.substr(1, list.size() - 2);
    const db::ResultSet rows = source_.query(
        fmt::format("SELECT {} FROM {} LIMIT {}", names, ddl_.name(table.name), kRowsPerTable));
    const bool always = ddl_.id() == schema::Dialect::Postgres;
    for (const db::Row& row : rows.rows) {
      std::vector<std::string> values;
      for (const db::Value& value : row) {
        values.push_back(literal(ddl_, value));
      }
      target_.execute(fmt::format("INSERT INTO {} {}{} VALUES ({})", ddl_.name(table.name), list,
                                  always ? " OVERRIDING SYSTEM VALUE" : "",
                                  base::join(values, ", ")));
    }
    return rows.rows.size();
  }

 private:
  db::Connection& source_;
  db::Connection& target_;
  const dialect::Ddl& ddl_;
};

// The copy is made without triggers, foreign keys and checks that nobody validated, so that any
// part of the rows goes in.
schema::Schema bare(schema::Schema schema) {
  for (schema::Table& table : schema.tables) {
    table.foreign_keys.clear();
    std::erase_if(table.checks, [](const schema::Check& check) { return !check.validated; });
    table.definition.text.clear();
  }
  std::erase_if(schema.objects, [](const schema::DefinedObject& object) {
    return object.kind == schema::ObjectKind::Trigger || object.kind == schema::ObjectKind::Rule;
  });
  schema.views.clear();
  return schema;
}

migrate::Plan plan_between(const schema::Schema& from, const schema::Schema& to,
                           const diff::Options& options) {
  migrate::PlanOptions plan;
  plan.dialect = options.dialect;
  plan.gate = migrate::Gate::Marked;
  return migrate::make_plan(diff::compare(from, to, options), from, to, plan);
}

class Prover {
 public:
  Prover(const Context& context, const DiffRequest& request, const diff::Options& options)
      : options_(options),
        ddl_(dialect::get_ddl(options.dialect)),
        scratch_(context.scratch.create(options.dialect, request.scratch)),
        connection_(context.registry.connect(scratch_->settings())) {}

  std::map<schema::Name, std::size_t> build(const Context& context, const Source& from) {
    schema::Schema empty;
    empty.engine.dialect = options_.dialect;
    if (from.name.kind != SourceKind::Live) {
      run_plan(*connection_, plan_between(empty, from.schema, options_));
      return {};
    }
    const schema::Schema first = bare(from.schema);
    run_plan(*connection_, plan_between(empty, first, options_));
    const auto source = connect(context, from.name.argument, db::AccessMode::ReadOnly);
    Copier copier(*source, *connection_, ddl_);
    std::map<schema::Name, std::size_t> rows;
    for (const schema::Table& table : first.tables) {
      if (!table.partition || table.partition->by.empty()) {
        rows[table.name] = copier.copy(table);
      }
    }
    run_plan(*connection_, plan_between(first, from.schema, options_));
    return rows;
  }
  void apply(const migrate::Plan& plan) { run_plan(*connection_, plan); }
  schema::Schema look() {
    dialect::IntrospectScope scope;
    scope.privileges = options_.privileges == diff::Privileges::Compare;
    return dialect::get_dialect(options_.dialect).introspect(*connection_, scope);
  }
  std::size_t count(const schema::Name& table) {
    const db::ResultSet rows = connection_->query("SELECT count(*) FROM " + ddl_.name(table));
    return static_cast<std::size_t>(db::to_integer(rows.rows.at(0).at(0)).value_or(0));
  }

 private:
  const diff::Options& options_;
  const dialect::Ddl& ddl_;
  std::unique_ptr<db::ScratchDatabase> scratch_;
  std::unique_ptr<db::Connection> connection_;
};

}  // namespace

Proof prove_plan(const Context& context, const DiffRequest& request, const Source& from,
                 const Source& to, const migrate::Plan& plan, const diff::Options& options) {
  Proof proof;
  Prover prover(context, request, options);
  diff::Options plain = options;
  plain.declared = {};
  try {
    const auto rows = prover.build(context, from);
    prover.apply(plan);
    const schema::Schema after = prover.look();
    proof.left = diff::compare(after, to.schema, plain).changes;
    for (const auto& [table, before] : rows) {
      proof.rows_copied += before;
      if (find_table(after, table) != nullptr && prover.count(table) < before) {
        proof.lost.push_back(to_string(table));
      }
    }
  } catch (const db::DatabaseError& error) {
    proof.failure = error.problem().message;
    if (!error.problem().notes.empty()) {
      proof.failure += ": " + error.problem().notes.front().text;
    }
  }
  proof.ran = true;
  return proof;
}

}  // namespace kedge::app
