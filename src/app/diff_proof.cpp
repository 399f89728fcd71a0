#include "app/diff_proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "app/connections.h"
#include "base/overloaded.h"
#include "base/text.h"
#include "dialect/ddl.h"
#include "sql/analysis.h"

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

// ALTER DEFAULT PRIVILEGES FOR ROLE name ...
std::string owner_in(const std::string& grant) {
  constexpr std::string_view kHead = "ALTER DEFAULT PRIVILEGES FOR ROLE ";
  if (!grant.starts_with(kHead)) {
    return "";
  }
  std::size_t end = kHead.size();
  for (bool quoted = false; end < grant.size() && (quoted || grant[end] != ' '); ++end) {
    quoted = grant[end] == '"' ? !quoted : quoted;
  }
  return grant.substr(kHead.size(), end - kHead.size());
}

// "... ON t AS PERMISSIVE FOR ALL TO one, \"two\" USING (...)": the roles, as the server quotes
// them.
void add_roles_of_policy(std::string_view policy, std::set<std::string>& roles) {
  const std::vector<sql::Token> tokens = sql::tokenize(policy, schema::Dialect::Postgres);
  const auto text = [&](const sql::Token& token) {
    return std::string(policy.substr(token.begin, token.end - token.begin));
  };
  for (std::size_t at = 3; at + 1 < tokens.size(); ++at) {
    if (text(tokens[at]) == "TO" && text(tokens[at - 2]) == "FOR") {
      do {
        roles.insert(text(tokens[at + 1]));
        at += 2;
      } while (at + 1 < tokens.size() && text(tokens[at]) == ",");
      return;
    }
  }
}

class Prover {
 public:
  Prover(const Context& context, const DiffRequest& request, const diff::Options& options)
      : options_(options),
        ddl_(dialect::get_ddl(options.dialect)),
        scratch_(context.scratch.create(options.dialect, request.scratch)),
        connection_(context.registry.connect(scratch_->settings())) {}

  // Roles belong to the server, not to the database: grants and policies name some that a fresh one
  // has not.
  void make_roles(const schema::Schema& from, const schema::Schema& to) {
    std::set<std::string> roles;
    for (const schema::Schema* side : {&from, &to}) {
      for (const schema::DefinedObject& object : side->objects) {
        if (object.kind == schema::ObjectKind::Privilege) {
          roles.insert(object.signature);  // quoted where needed
          const std::string owner = owner_in(object.definition);
          roles.insert(owner.empty() ? object.signature : owner);
        } else if (object.kind == schema::ObjectKind::Policy) {
          add_roles_of_policy(object.definition, roles);
        }
      }
    }
    roles.erase("PUBLIC");
    for (const std::string& role : roles) {
      const db::ResultSet known = connection_->query(
          "SELECT 1 FROM pg_catalog.pg_roles WHERE pg_catalog.quote_ident(rolname) = " +
          ddl_.literal(role));
      if (known.rows.empty()) {
        connection_->execute("CREATE ROLE " + role);
      }
    }
  }
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
  // Every row of the named columns as one text, in an order that does not depend on the engine.
  std::vector<std::string> contents(const schema::Name& table,
                                    const std::vector<Identifier>& columns) {
    std::string list = columns.empty() ? "(1)" : ddl_.columns(columns);
    const db::ResultSet rows = connection_->query(
        fmt::format("SELECT {} FROM {}", list.substr(1, list.size() - 2), ddl_.name(table)));
    std::vector<std::string> texts;
    for (const db::Row& row : rows.rows) {
      std::string& text = texts.emplace_back();
      for (const db::Value& value : row) {
        const std::string shown = db::to_text(value);
        text += fmt::format("{}:{}:{},", value.index(), shown.size(), shown);
      }
    }
    std::sort(texts.begin(), texts.end());
    return texts;
  }

 private:
  const diff::Options& options_;
  const dialect::Ddl& ddl_;
  std::unique_ptr<db::ScratchDatabase> scratch_;
  std::unique_ptr<db::Connection> connection_;
};

// A table on both sides of the plan, with the columns whose values no change may alter.
struct Kept {
  schema::Name before;
  schema::Name after;
  std::vector<Identifier> columns_before;
  std::vector<Identifier> columns_after;
};

class KeptColumns {
 public:
  explicit KeptColumns(const migrate::Plan& plan) {
    for (const migrate::PlannedChange& planned : plan.changes) {
      if (const auto* table = std::get_if<change::RenameTable>(&planned.change)) {
        tables_[table->from] = table->to;
      } else if (const auto* column = std::get_if<change::RenameColumn>(&planned.change)) {
        columns_[{column->table, column->from}] = column->to;
      }
      moves_keys_ = moves_keys_ || std::holds_alternative<change::AddPrimaryKey>(planned.change) ||
                    std::holds_alternative<change::DropPrimaryKey>(planned.change);
    }
  }

  std::optional<Kept> find(const schema::Table& before, const schema::Schema& to) const {
    const auto renamed = tables_.find(before.name);
    Kept kept{before.name, renamed == tables_.end() ? before.name : renamed->second, {}, {}};
    const schema::Table* after = find_table(to, kept.after);
    if (after == nullptr) {
      return std::nullopt;
    }
    for (const schema::Column& column : before.columns) {
      const auto moved = columns_.find({kept.after, column.name});
      const Identifier& name = moved == columns_.end() ? column.name : moved->second;
      const auto is = std::find_if(after->columns.begin(), after->columns.end(),
                                   [&](const auto& one) { return one.name == name; });
      if (is != after->columns.end() && keeps_values(column, *is) && !follows_key(before, column)) {
        kept.columns_before.push_back(column.name);
        kept.columns_after.push_back(name);
      }
    }
    return kept;
  }

 private:
  // A column that loses its NULLs is filled; another expression computes other values.
  static bool keeps_values(const schema::Column& was, const schema::Column& is) {
    return was.type == is.type && (was.nullable == is.nullable || is.nullable) &&
           was.generated == is.generated;
  }
  // References follow a key that moves.
  bool follows_key(const schema::Table& table, const schema::Column& column) const {
    return moves_keys_ &&
           std::any_of(table.foreign_keys.begin(), table.foreign_keys.end(), [&](const auto& key) {
             return std::find(key.columns.begin(), key.columns.end(), column.name) !=
                    key.columns.end();
           });
  }

  std::map<schema::Name, schema::Name> tables_;
  std::map<std::pair<schema::Name, Identifier>, Identifier> columns_;
  bool moves_keys_ = false;
};

}  // namespace

Proof prove_plan(const Context& context, const DiffRequest& request, const Source& from,
                 const Source& to, const migrate::Plan& plan, const diff::Options& options) {
  Proof proof;
  diff::Options plain = options;
  plain.declared = {};  // pending between A and B only: neither in the making of the copy nor after
  Prover prover(context, request, plain);
  try {
    if (options.dialect == schema::Dialect::Postgres && request.scratch.url.empty()) {
      prover.make_roles(from.schema, to.schema);
    }
    const auto rows = prover.build(context, from);
    const KeptColumns columns(plan);
    std::vector<std::pair<Kept, std::vector<std::string>>> kept;
    for (const auto& [name, copied] : rows) {
      proof.rows_copied += copied;
      const auto found = columns.find(*find_table(from.schema, name), to.schema);
      if (found) {
        kept.emplace_back(*found, prover.contents(found->before, found->columns_before));
      }
    }
    prover.apply(plan);
    const schema::Schema after = prover.look();
    proof.left = diff::compare(after, to.schema, plain).changes;
    for (const auto& [table, before] : kept) {
      if (find_table(after, table.after) == nullptr) {
        continue;
      }
      const std::vector<std::string> now = prover.contents(table.after, table.columns_after);
      if (now.size() < before.size()) {
        proof.lost.push_back(to_string(table.after));
      } else if (now != before) {
        proof.altered.push_back(to_string(table.after));
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
