#include "migrate/sqlite_rebuild.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "kedge/codes.h"
#include "sql/analysis.h"

namespace kedge::migrate {
namespace {

using schema::Column;
using schema::Name;
using schema::Table;

// The stored CREATE TABLE text with another table name in it; empty when it cannot be found.
std::string renamed_definition(const std::string& text, const std::string& quoted) {
  const std::vector<sql::Token> tokens = sql::tokenize(text, schema::Dialect::Sqlite);
  std::size_t words = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const sql::Token& token = tokens[i];
    if (token.kind == sql::TokenKind::Comment) {
      continue;
    }
    const std::string word = base::to_lower(text.substr(token.begin, token.end - token.begin));
    const bool expected = (words == 0 && word == "create") || (words > 0 && word == "table") ||
                          (words > 1 && (word == "if" || word == "not" || word == "exists"));
    if (!expected) {
      return words < 2 || token.kind == sql::TokenKind::End
                 ? std::string()
                 : text.substr(0, token.begin) + quoted + text.substr(token.end);
    }
    ++words;
  }
  return {};
}

const Column* source_of(const Rebuild& rebuild, const Emission& e, const Column& column) {
  return find_column(*rebuild.was, column_before(e, rebuild.is->name, column.name));
}

const change::ChangeColumnType* type_change(const Rebuild& rebuild, const Emission& e,
                                            const Column& column) {
  for (const std::size_t i : rebuild.changes) {
    const auto* changed = std::get_if<change::ChangeColumnType>(&e.changes[i]);
    if (changed != nullptr && changed->after.name == column.name) {
      return changed;
    }
  }
  return nullptr;
}

std::string copied(const Rebuild& rebuild, const Emission& e, const Column& column,
                   const Column& source) {
  std::string sql = e.ddl.quote(column.name);
  const change::ChangeColumnType* changed = type_change(rebuild, e, column);
  if (changed != nullptr && changed->widening == change::Widening::No) {
    sql = "CAST(" + sql + " AS " + e.ddl.type(column.type) + ")";
  }
  if (source.nullable && !column.nullable && column.default_value) {
    sql = "COALESCE(" + sql + ", " + e.ddl.default_value(*column.default_value, column.type) + ")";
  }
  return sql;
}

// The parent as it is has the new key already: its children are filled before it is rebuilt.
const Table* keyed_parent(const Emission& e, const Remap& remap) {
  const Table* was = table_before(e, remap.parent);
  return was != nullptr &&
                 find_column(*was, column_before(e, remap.parent, remap.new_key)) != nullptr
             ? was
             : nullptr;
}
// The rebuilt parent has old and new key; in a family it still has its temporary name.
std::string parent_name(const Emission& e, const Remap& remap, const std::string& target) {
  if (keyed_parent(e, remap) != nullptr) {
    return e.ddl.name(remap.parent);  // tables are renamed before
  }
  const bool family = target.find("__f_") != std::string::npos;
  return family ? e.ddl.name({{}, Identifier("__f_" + remap.parent.name.text())})
                : e.ddl.name(remap.parent);
}

// The new key of a table whose rows refer to one another: it must be known before they are copied.
const Remap* own_key(const Emission& e, const Rebuild& rebuild) {
  const auto found = std::find_if(e.remaps.begin(), e.remaps.end(), [&](const Remap& remap) {
    return remap.parent == rebuild.is->name && remap.child == remap.parent &&
           keyed_parent(e, remap) == nullptr;
  });
  return found == e.remaps.end() ? nullptr : &*found;
}
std::string key_list(const Emission& e, const Table& table) {
  return e.ddl.quote(Identifier("__kedge_" + table.name.name.text()));
}
std::string from_key_list(const Emission& e, const Table& table, const std::string& old) {
  return fmt::format("(SELECT k.\"new\" FROM {} AS k WHERE k.\"old\" = {})", key_list(e, table),
                     old);
}
std::string new_key_value(const Emission& e, const Column& key, const std::string& old) {
  if (key.identity && !is_counted(key)) {
    return "lower(hex(randomblob(16)))";
  }
  if (!key.identity && key.default_value) {
    return e.ddl.default_value(*key.default_value, key.type);
  }
  return key.identity ? "row_number() OVER (ORDER BY " + old + ")" : "NULL";
}

constexpr const char* kCopied = "\"__kedge_copied\"";

// Fails, and rolls back, unless every row has been copied: an error of a generated column or of a
// STRICT type does not roll back by itself.
std::string whole_copy_sql(const Emission& e, const std::string& target,
                           const std::string& source) {
  return fmt::format(
      "INSERT OR ROLLBACK INTO temp.{} SELECT CASE WHEN (SELECT count(*) FROM {}) = "
      "(SELECT count(*) FROM {}) THEN {} END",
      kCopied, target, source, e.ddl.literal(source));
}

// A constraint that says what becomes of a row that breaks it.
bool resolves_conflicts(const std::string& definition) {
  bool on = false;
  for (const sql::Token& token : sql::tokenize(definition, schema::Dialect::Sqlite)) {
    if (token.kind == sql::TokenKind::Comment) {
      continue;
    }
    const std::string word =
        base::to_lower(definition.substr(token.begin, token.end - token.begin));
    if (on && word == "conflict") {
      return true;
    }
    on = word == "on";
  }
  return false;
}

bool has_conflict_clause(const Table& table) {
  const auto says = [](const auto& part) { return part.options.contains("on_conflict"); };
  return table.options.contains("key_on_conflict") ||
         std::any_of(table.columns.begin(), table.columns.end(), says) ||
         std::any_of(table.indexes.begin(), table.indexes.end(), says);
}

}  // namespace

bool is_counted(const Table& table) {
  for (const Column& column : table.columns) {
    if (is_counted(column)) {
      return true;
    }
  }
  return false;
}

std::string table_sql(const Emission& e, const Table& table, const Name& name) {
  if (!table.definition.text.empty()) {
    if (table.name == name) {
      return table.definition.text;
    }
    std::string renamed = renamed_definition(table.definition.text, e.ddl.quote(name.name));
    if (!renamed.empty()) {
      return renamed;
    }
  }
  Table written = table;
  written.name = name;
  return e.ddl.create_table(written);
}

std::string copy_sql(const Emission& e, const Rebuild& rebuild, const std::string& target,
                     const std::string& source) {
  std::vector<std::string> names;
  std::vector<std::string> values;
  const Remap* own = own_key(e, rebuild);
  for (const Column& column : rebuild.is->columns) {
    const Column* was = source_of(rebuild, e, column);
    const Remap* remap = remap_into(e, rebuild.is->name, column.name);
    if (own != nullptr && (column.name == own->new_key || remap == own)) {
      names.push_back(e.ddl.quote(column.name));
      values.push_back(
          from_key_list(e, *rebuild.is,
                        source + "." + e.ddl.quote(remap == own ? own->old_column : own->old_key)));
    } else if (remap != nullptr) {
      names.push_back(e.ddl.quote(column.name));
      values.push_back(fmt::format("(SELECT p.{} FROM {} AS p WHERE p.{} = {}.{})",
                                   e.ddl.quote(remap->new_key), parent_name(e, *remap, target),
                                   e.ddl.quote(remap->old_key), source,
                                   e.ddl.quote(remap->old_column)));
    } else if (was != nullptr && !column.generated) {
      names.push_back(e.ddl.quote(column.name));
      values.push_back(copied(rebuild, e, column, *was));
    }
  }
  if (names.empty()) {
    return "";
  }
  // A clause of the new table must not swallow rows that are there.
  const char* verb = needs_stand_ins(e)                 ? "INSERT OR ROLLBACK INTO"
                     : has_conflict_clause(*rebuild.is) ? "INSERT OR ABORT INTO"
                                                        : "INSERT INTO";
  return fmt::format("{} {} ({}) SELECT {} FROM {}", verb, target, base::join(names, ", "),
                     base::join(values, ", "), source);
}

void list_own_keys(Emission& e, const Keys& keys, const Rebuild& rebuild,
                   std::optional<std::size_t> change) {
  const Remap* own = own_key(e, rebuild);
  const Column* key = own == nullptr ? nullptr : find_column(*rebuild.is, own->new_key);
  if (key == nullptr) {
    return;
  }
  const std::string old = e.ddl.quote(own->old_key);
  e.draft.add(
      keys, fmt::format("CREATE TABLE {} (\"old\" PRIMARY KEY, \"new\")", key_list(e, *rebuild.is)),
      change);
  e.draft.add(keys,
              fmt::format("INSERT INTO {} (\"old\", \"new\") SELECT {}, {} FROM {}",
                          key_list(e, *rebuild.is), old, new_key_value(e, *key, old),
                          e.ddl.name(rebuild.is->name)),
              change);
}
void drop_own_keys(Emission& e, const Keys& keys, const Rebuild& rebuild,
                   std::optional<std::size_t> change) {
  if (own_key(e, rebuild) != nullptr) {
    e.draft.add(keys, "DROP TABLE " + key_list(e, *rebuild.is), change);
  }
}

void refuse_losses(Emission& e, const Rebuild& rebuild, const std::string& written) {
  if (!e.up() || e.options.allow.contains("rebuild-loss") ||
      !resolves_conflicts(rebuild.was->definition.text) || resolves_conflicts(written)) {
    return;
  }
  e.refusals.push_back({State::Blocked,
                        {"rebuild-loss"},
                        "table " + to_string(rebuild.is->name) +
                            " must be rebuilt, and its ON CONFLICT clauses would be lost",
                        "write that migration by hand; or --allow rebuild-loss",
                        codes::ERR_REBUILD_LOSES});
}

void drop_old(Emission& e, const Keys& keys, const Rebuild& rebuild,
              std::optional<std::size_t> change) {
  const auto lost = std::find_if(
      rebuild.changes.begin(), rebuild.changes.end(),
      [&](std::size_t i) { return std::holds_alternative<change::DropColumn>(e.changes[i]); });
  const bool loses = lost != rebuild.changes.end();
  e.draft.add(keys, "DROP TABLE " + e.ddl.name(rebuild.is->name), loses ? *lost : change)
      .destructive = loses;
}

bool needs_stand_ins(const Emission& e) {
  return e.options.run_by == RunBy::Client && e.options.dialect == schema::Dialect::Sqlite;
}

void add_stand_ins(Emission& e, const std::set<Name>& rebuilt) {
  for (const Name& table : rebuilt) {
    const std::string name = e.ddl.quote(table.name);
    PlanStatement& made = e.draft.add({stage::kOpen, 1, table.name.text()},
                                      "CREATE TEMP TABLE " + name + " (\"rows\")");
    made.comments = {"stands in for the table in what follows a copy that fails"};
    e.draft.add({stage::kOpen, 3, table.name.text()}, "DROP TABLE temp." + name);
  }
  e.draft.add({stage::kOpen, 4, ""},
              fmt::format("CREATE TEMP TABLE {} (\"table\" NOT NULL)", kCopied));
  e.draft.add({stage::kClose, 1, ""}, fmt::format("DROP TABLE temp.{}", kCopied));
}

void emit_rebuild(Emission& e, const Rebuild& rebuild) {
  const Table& is = *rebuild.is;
  const Name fresh{{}, Identifier((e.up() ? "__new_" : "__old_") + is.name.name.text())};
  const bool early = std::any_of(e.remaps.begin(), e.remaps.end(), [&](const Remap& remap) {
    return remap.child == is.name && remap.parent != is.name && keyed_parent(e, remap) != nullptr;
  });
  const Keys keys{early ? stage::kColumn - 1 : stage::kColumn, e.rank_of(is.name),
                  is.name.name.text()};
  const std::optional<std::size_t> change = rebuild.changes.front();
  const std::string table = e.ddl.name(is.name);
  const std::string made = table_sql(e, is, fresh);
  refuse_losses(e, rebuild, made);
  PlanStatement& first = e.draft.add(keys, made, change);
  Hazard hazard;
  hazard.hazard = "table-rebuild";
  hazard.table = is.name;
  hazard.text = "the whole table is copied";
  first.hazards.push_back(hazard);
  list_own_keys(e, keys, rebuild, change);
  const std::string copy = copy_sql(e, rebuild, e.ddl.name(fresh), table);
  if (!copy.empty()) {
    e.draft.add(keys, copy, change);
    if (needs_stand_ins(e)) {
      e.draft.add(keys, whole_copy_sql(e, e.ddl.name(fresh), table), change);
    }
  }
  drop_own_keys(e, keys, rebuild, change);
  if (is_counted(is) && is_counted(*rebuild.was)) {
    const std::string counter = e.ddl.literal(fresh.name.text());
    e.draft.add(keys, "DELETE FROM \"sqlite_sequence\" WHERE \"name\" = " + counter, change);
    e.draft.add(
        keys,
        fmt::format("INSERT INTO \"sqlite_sequence\" (\"name\", \"seq\") SELECT {}, \"seq\" "
                    "FROM \"sqlite_sequence\" WHERE \"name\" = {}",
                    counter, e.ddl.literal(is.name.name.text())),
        change);
  }
  drop_old(e, keys, rebuild, change);
  // A view over what does not exist makes every RENAME fail, unless it is told to look at none.
  const bool has_broken_views =
      e.options.dialect == schema::Dialect::Sqlite &&
      std::any_of(e.from.unmodelled.begin(), e.from.unmodelled.end(),
                  [](const schema::Unmodelled& one) { return one.kind == schema::kBrokenView; });
  if (has_broken_views) {
    e.draft.add(keys, "PRAGMA legacy_alter_table = ON", change);
  }
  e.draft.add(keys, e.ddl.alter(fresh) + "RENAME TO " + e.ddl.quote(is.name.name), change);
  if (has_broken_views) {
    e.draft.add(keys, "PRAGMA legacy_alter_table = OFF", change);
  }
  for (const schema::Index& index : is.indexes) {
    if (index.constraint == schema::Index::Constraint::None) {
      e.draft.add(keys, index_sql(e, index, is.name), change);
    }
  }
}

}  // namespace kedge::migrate
