#include "migrate/hazards.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "dialect/ddl.h"
#include "migrate/emission.h"
#include "migrate/mysql_online.h"
#include "sql/analysis.h"

namespace kedge::migrate {
namespace {

using namespace change;  // NOLINT(google-build-using-namespace): fifty kinds of one namespace
using schema::Dialect;
using schema::Name;
using schema::Table;

// Functions of the server that give one value for a whole statement.
bool is_stable_function(const std::string& name) {
  static constexpr std::string_view kStable[] = {"now",
                                                 "transaction_timestamp",
                                                 "statement_timestamp",
                                                 "current_setting",
                                                 "date_trunc",
                                                 "timezone",
                                                 "make_interval",
                                                 "make_date",
                                                 "lower",
                                                 "upper",
                                                 "concat",
                                                 "coalesce",
                                                 "nullif",
                                                 "greatest",
                                                 "least",
                                                 "abs",
                                                 "round",
                                                 "floor",
                                                 "ceil",
                                                 "length",
                                                 "substr",
                                                 "substring",
                                                 "trim",
                                                 "btrim",
                                                 "replace",
                                                 "md5",
                                                 "to_char",
                                                 "to_date",
                                                 "to_timestamp",
                                                 "extract",
                                                 "date_part",
                                                 "jsonb_build_object",
                                                 "json_build_object",
                                                 "jsonb_build_array",
                                                 "json_build_array",
                                                 "cast",
                                                 "array",
                                                 "row",
                                                 "varchar",
                                                 "numeric",
                                                 "char",
                                                 "character",
                                                 "varying",
                                                 "timestamp",
                                                 "time",
                                                 "current_timestamp",
                                                 "current_time",
                                                 "localtime",
                                                 "localtimestamp",
                                                 "interval",
                                                 "bit",
                                                 "decimal"};
  return std::find(std::begin(kStable), std::end(kStable), name) != std::end(kStable);
}

// Adding it writes every row.
bool is_volatile(const schema::Column& column) {
  return column.identity || has_volatile_default(column);
}

class Assessor {
 public:
  Assessor(const std::vector<Change>& all, const schema::Schema& actual, const PlanOptions& options)
      : all_(all), actual_(actual), options_(options), ddl_(dialect::get_ddl(options.dialect)) {
    for (const Change& change : all) {
      if (const auto* rename = std::get_if<RenameTable>(&change)) {
        old_names_.emplace(rename->to, rename->from);
      }
    }
  }

  std::vector<Hazard> run(const Change& change) {
    std::visit(*this, change);
    return std::exchange(found_, {});
  }

  void operator()(const AddColumn& c) {
    const schema::Column& column = c.part;
    if (!column.nullable && !column.default_value && !column.identity && !column.generated) {
      Hazard& h = add("add-required-column", c.table, "fails where the table has rows");
      h.column = column.name;
      h.lock = lock("ACCESS EXCLUSIVE");
      h.probe_sql = fmt::format("SELECT 1 FROM {} LIMIT 1", live(c.table));
    } else if (is_postgres() && (is_volatile(column) || is_stored(column))) {
      Hazard& h = add("volatile-default", c.table, "every row is written");
      h.column = column.name;
      h.lock = "ACCESS EXCLUSIVE";
      h.rewrite = "rewrite";
      if (has_online_form(c)) {
        h.online_form = "add nullable, set default, fill in batches, set NOT NULL";
      }
    } else if (is_mysql() && way_to_add(column) != Way::Instant) {
      Hazard& h = add("volatile-default", c.table, "every row is written");
      h.column = column.name;
      mysql_lock(h, way_to_add(column) == Way::Unstated ? Way::Copy : way_to_add(column));
    }
  }
  void operator()(const ChangeColumnNullable& c) {
    if (c.after.nullable) {
      return;
    }
    Hazard& h = add("set-not-null", c.table, "fails where the column holds NULL");
    h.column = c.after.name;
    h.lock = lock("ACCESS EXCLUSIVE");
    h.rewrite = is_postgres() ? "scan" : "";
    h.online_form = is_postgres() ? "check NOT VALID, validate, set NOT NULL, drop the check" : "";
    mysql_lock(h, Way::InPlace);
    if (!c.after.default_value) {
      h.probe_sql = fmt::format("SELECT {} FROM {} WHERE {} IS NULL LIMIT 1", key_of(c.table),
                                live(c.table), live_column(c.table, c.after.name));
    }
  }
  void operator()(const ChangeColumnType& c) {
    if (!rewrites(c)) {
      return;
    }
    Hazard& h = add("type-rewrite", c.table, "the table is rewritten under a long exclusive lock");
    h.column = c.after.name;
    h.lock = lock("ACCESS EXCLUSIVE");
    h.rewrite = "rewrite";
    mysql_lock(h, Way::Copy);
    const schema::Type& was = c.before.type;
    const schema::Type& is = c.after.type;
    if ((is_postgres() || is_mysql()) && was.kind == schema::TypeKind::Text &&
        is.kind == schema::TypeKind::Text && is.length) {
      h.probe_sql =
          fmt::format("SELECT {} FROM {} WHERE char_length({}) > {} LIMIT 1", key_of(c.table),
                      live(c.table), live_column(c.table, c.after.name), *is.length);
    }
  }
  void operator()(const AddCheck& c) {
    if (is_new(c.table)) {
      return;
    }
    Hazard& h = add("add-check", c.table, "fails where a row violates it");
    h.object = c.part.name.text();
    h.column = c.part.column;
    h.lock = lock("ACCESS EXCLUSIVE");
    h.rewrite = is_postgres() ? "scan" : "";
    h.online_form = is_postgres() ? "add NOT VALID, validate" : "";
    mysql_lock(h, Way::Copy);
    if (!is_superset(c)) {
      check_probe(h, c);
    }
  }
  void operator()(const AddForeignKey& c) {
    if (is_new(c.table)) {
      return;
    }
    Hazard& h = add("add-fk", c.table, "fails where a row has no parent");
    h.object = c.part.name.text();
    h.column = c.part.columns.empty() ? Identifier() : c.part.columns.front();
    h.lock = lock("SHARE ROW EXCLUSIVE");
    h.rewrite = is_postgres() ? "scan" : "";
    h.online_form = is_postgres() ? "add NOT VALID, validate in a later transaction" : "";
    mysql_lock(h, Way::Copy);
    h.probe_sql = orphan_probe(c);
  }
  void operator()(const AddIndex& c) {
    if (is_new(c.table)) {
      return;
    }
    if (c.part.unique) {
      Hazard& h = add("add-unique", c.table, "fails where values repeat");
      h.object = c.part.name.text();
      const bool constraint = c.part.constraint != schema::Index::Constraint::None;
      h.lock = lock(constraint ? "ACCESS EXCLUSIVE" : "SHARE");
      h.rewrite = is_postgres() ? "scan" : "";
      if (is_postgres() && !(constraint && c.part.deferrable)) {
        h.online_form = constraint ? "CREATE UNIQUE INDEX CONCURRENTLY, ADD CONSTRAINT USING INDEX"
                                   : "CREATE UNIQUE INDEX CONCURRENTLY";
      }
      mysql_lock(h, way_to_index(c.part));
      h.probe_sql = duplicate_probe(c);
      return;
    }
    if (is_postgres()) {
      Hazard& h = add("index-build", c.table, "writes wait while the index is built");
      h.object = c.part.name.text();
      h.lock = "SHARE";
      h.rewrite = "scan";
      h.online_form = "CREATE INDEX CONCURRENTLY";
    }
  }
  void operator()(const ChangeColumnGenerated& c) {
    if (is_postgres() && is_stored(c.after)) {
      Hazard& h = add("volatile-default", c.table, "every row is written");
      h.column = c.after.name;
      h.lock = "ACCESS EXCLUSIVE";
      h.rewrite = "rewrite";
    }
  }
  void operator()(const ChangeTableOptions& c) {
    const auto changed = [&](const char* key) {
      const auto before = c.before.options.find(key);
      const auto after = c.after.options.find(key);
      return (before == c.before.options.end() ? std::string() : before->second) !=
             (after == c.after.options.end() ? std::string() : after->second);
    };
    const bool moves = is_postgres() && (c.before.unlogged != c.after.unlogged ||
                                         changed("access_method") || changed("tablespace"));
    if (moves || (is_mysql() && (changed("engine") || changed("row_format") || changed("charset") ||
                                 changed("collation")))) {
      Hazard& h = add("table-rebuild", c.after.name, "the whole table is copied");
      h.lock = lock("ACCESS EXCLUSIVE");
      h.rewrite = "rewrite";
    }
  }
  void operator()(const AddPrimaryKey& c) {
    if (is_new(c.table)) {
      return;
    }
    Hazard& h = add("add-unique", c.table, "fails where values repeat or are NULL");
    h.object = c.part.name.text();
    h.lock = lock("ACCESS EXCLUSIVE");
    h.rewrite = is_postgres() ? "scan" : "";
    if (is_postgres() && !c.part.deferrable && !is_referenced(c.table)) {
      h.online_form = "CREATE UNIQUE INDEX CONCURRENTLY, ADD CONSTRAINT USING INDEX";
    }
    mysql_lock(h, Way::InPlace);
  }
  void operator()(const RenameTable& c) {
    add("rename-breaks-readers", c.to, "running applications know the old name").lock =
        lock("ACCESS EXCLUSIVE");
  }
  void operator()(const RenameColumn& c) {
    Hazard& h = add("rename-breaks-readers", c.table, "running applications know the old name");
    h.column = c.to;
    h.lock = lock("ACCESS EXCLUSIVE");
  }
  void operator()(const ReplaceView& c) {
    if (c.before.fingerprint && c.before.fingerprint == c.after.fingerprint) {
      add("view-tampered", c.after.name, "the view was changed by hand and kept its stamp");
    }
  }
  void operator()(const DropIndex& c) { not_replayable(c.table, c.part.name.text()); }
  void operator()(const DropForeignKey& c) { not_replayable(c.table, c.part.name.text()); }
  void operator()(const DropCheck& c) { not_replayable(c.table, c.part.name.text()); }
  template <class Other>
  void operator()(const Other&) {}

 private:
  Hazard& add(const char* name, const Name& table, std::string text) {
    Hazard hazard;
    hazard.hazard = name;
    hazard.table = table;
    hazard.text = std::move(text);
    if (const Table* was = find_table(actual_, old_name(table))) {
      hazard.rows_estimate = was->rows_estimate;
    }
    found_.push_back(std::move(hazard));
    return found_.back();
  }
  void not_replayable(const Name& table, const std::string& object) {
    if (options_.dialect == Dialect::Mysql) {
      add("drop-not-replayable", table, "mysql has no IF EXISTS here: fails on a fresh database")
          .object = object;
    }
  }
  // What the statement says, and what the server does below it.
  void mysql_lock(Hazard& h, Way way) const {
    if (!is_mysql() || find_table(actual_, old_name(h.table)) == nullptr) {
      return;
    }
    h.lock = way == Way::InPlace ? "NONE" : way == Way::Instant ? "" : "SHARED";
    h.rewrite = way == Way::Copy ? "rewrite" : way == Way::Instant ? "" : "scan";
  }
  // A key that nothing refers to and nothing defers can be made beside running applications.
  bool has_online_form(const AddColumn& c) const {
    const bool moves_at_once = std::any_of(all_.begin(), all_.end(), [&](const Change& change) {
      const auto* key = std::get_if<AddPrimaryKey>(&change);
      return key != nullptr && key->table == c.table &&
             std::count(key->part.columns.begin(), key->part.columns.end(), c.part.name) > 0 &&
             (key->part.deferrable || is_referenced(c.table));
    });
    return !c.part.generated && !moves_at_once;
  }
  bool is_referenced(const Name& table) const {
    return migrate::is_referenced(actual_, all_, old_name(table), table);
  }
  static bool is_stored(const schema::Column& column) {
    return column.generated && column.generated->stored;
  }
  bool is_mysql() const { return options_.dialect == Dialect::Mysql; }
  bool is_postgres() const { return options_.dialect == Dialect::Postgres; }
  std::string lock(const char* name) const { return is_postgres() ? name : ""; }
  Name old_name(const Name& table) const {
    const auto found = old_names_.find(table);
    return found == old_names_.end() ? table : found->second;
  }
  bool is_new(const Name& table) const { return find_table(actual_, old_name(table)) == nullptr; }
  std::string live(const Name& table) const { return ddl_.name(old_name(table)); }
  std::string live_column(const Name& table, const Identifier& column) const {
    return ddl_.quote(column_before(all_, table, column));
  }
  bool has_live(const Name& table, const Identifier& column) const {
    const Table* was = find_table(actual_, old_name(table));
    return was != nullptr && find_column(*was, column_before(all_, table, column)) != nullptr;
  }
  bool has_live(const Name& table, const std::vector<Identifier>& columns) const {
    return std::all_of(columns.begin(), columns.end(),
                       [&](const Identifier& column) { return has_live(table, column); });
  }
  // What a sample shows: the key of a violating row.
  std::string key_of(const Name& table) const {
    const Table* was = find_table(actual_, old_name(table));
    return was != nullptr && was->primary_key ? ddl_.quote(was->primary_key->columns.front()) : "1";
  }
  bool rewrites(const ChangeColumnType& c) const {
    if (schema::is_sqlite(options_.dialect)) {
      return false;  // the rebuild says it
    }
    if (is_mysql()) {
      return way_to_modify(c.before, c.after) == Way::Copy;
    }
    const bool kept = c.widening == Widening::Yes && c.before.type.kind == c.after.type.kind &&
                      c.before.type.kind != schema::TypeKind::Int32;
    return !kept;
  }
  // The checks of an enum that only gains members cannot fail.
  bool is_superset(const AddCheck& c) const {
    for (const Change& change : all_) {
      const auto* gone = std::get_if<DropCheck>(&change);
      if (gone == nullptr || gone->table != c.table || gone->part.members.empty() ||
          gone->part.column != c.part.column) {
        continue;
      }
      return std::all_of(gone->part.members.begin(), gone->part.members.end(),
                         [&](const std::string& member) {
                           return std::find(c.part.members.begin(), c.part.members.end(), member) !=
                                  c.part.members.end();
                         });
    }
    return false;
  }
  // Can the live table be asked? Not about columns that this plan adds, renames or retypes.
  bool reads_live_columns(const AddCheck& c) const {
    const auto reads = [&](const Name& table, const Identifier& column) {
      return table == c.table && mentions(c.part.expression, column.text(), options_.dialect);
    };
    return std::none_of(all_.begin(), all_.end(), [&](const Change& change) {
      const auto* added = std::get_if<AddColumn>(&change);
      const auto* renamed = std::get_if<RenameColumn>(&change);
      const auto* retyped = std::get_if<ChangeColumnType>(&change);
      return (added != nullptr && reads(added->table, added->part.name)) ||
             (renamed != nullptr && reads(renamed->table, renamed->to)) ||
             (retyped != nullptr && reads(retyped->table, retyped->after.name));
    });
  }
  void check_probe(Hazard& h, const AddCheck& c) const {
    if (c.part.column.empty() || c.part.members.empty()) {
      if (find_table(actual_, old_name(c.table)) != nullptr && reads_live_columns(c)) {
        h.probe_sql = fmt::format("SELECT {} FROM {} WHERE NOT ({}) LIMIT 1", key_of(c.table),
                                  live(c.table), c.part.expression);
      }
      return;
    }
    if (!has_live(c.table, c.part.column)) {
      return;
    }
    std::vector<std::string> members;
    for (const std::string& member : c.part.members) {
      members.push_back(ddl_.literal(member));
    }
    const std::string column = live_column(c.table, c.part.column);
    const std::string text = options_.dialect == Dialect::Postgres ? column + "::text" : column;
    h.probe_sql = fmt::format("SELECT {} FROM {} WHERE {} IS NOT NULL AND {} NOT IN ({}) LIMIT 1",
                              column, live(c.table), column, text, base::join(members, ", "));
  }
  std::string orphan_probe(const AddForeignKey& c) const {
    if (!has_live(c.table, c.part.columns) || is_new(c.part.referenced_table) ||
        !has_live(c.part.referenced_table, c.part.referenced_columns) ||
        c.part.columns.size() != c.part.referenced_columns.size()) {
      return "";
    }
    std::vector<std::string> filled;
    std::vector<std::string> equal;
    for (std::size_t i = 0; i < c.part.columns.size(); ++i) {
      const std::string child = "c." + live_column(c.table, c.part.columns[i]);
      filled.push_back(child + " IS NOT NULL");
      equal.push_back("p." + live_column(c.part.referenced_table, c.part.referenced_columns[i]) +
                      " = " + child);
    }
    return fmt::format(
        "SELECT c.{} FROM {} c WHERE {} AND NOT EXISTS (SELECT 1 FROM {} p WHERE {}) "
        "LIMIT 1",
        live_column(c.table, c.part.columns[0]), live(c.table), base::join(filled, " AND "),
        live(c.part.referenced_table), base::join(equal, " AND "));
  }
  // Does the condition of a partial index read only what is there now, as it is now?
  bool stands_for_live(const AddIndex& c) const {
    return std::none_of(all_.begin(), all_.end(), [&](const Change& change) {
      const auto reads = [&](const Name& table, const Identifier& column) {
        return table == c.table && mentions(c.part.where, column.text(), options_.dialect);
      };
      if (const auto* add = std::get_if<AddColumn>(&change)) {
        return reads(add->table, add->part.name);
      }
      if (const auto* rename = std::get_if<RenameColumn>(&change)) {
        return reads(rename->table, rename->to);
      }
      const auto* type = std::get_if<ChangeColumnType>(&change);
      return type != nullptr && reads(type->table, type->after.name);
    });
  }
  std::string duplicate_probe(const AddIndex& c) const {
    std::vector<std::string> columns;
    for (const schema::IndexPart& part : c.part.parts) {
      if (part.column.empty() || !has_live(c.table, part.column)) {
        return "";
      }
      columns.push_back(live_column(c.table, part.column));
    }
    if (columns.empty() || !stands_for_live(c)) {
      return "";
    }
    std::vector<std::string> filled;
    if (!c.part.where.empty()) {
      filled.push_back("(" + c.part.where + ")");
    }
    for (const std::string& column : columns) {
      filled.push_back(column + " IS NOT NULL");
    }
    const std::string list = base::join(columns, ", ");
    return fmt::format("SELECT {} FROM {} WHERE {} GROUP BY {} HAVING count(*) > 1 LIMIT 1", list,
                       live(c.table), base::join(filled, " AND "), list);
  }

  const std::vector<Change>& all_;
  const schema::Schema& actual_;
  const PlanOptions& options_;
  const dialect::Ddl& ddl_;
  std::map<Name, Name> old_names_;
  std::vector<Hazard> found_;
};

}  // namespace

bool has_volatile_default(const schema::Column& column) {
  if (!column.default_value || column.default_value->kind == schema::Default::Kind::Literal) {
    return false;
  }
  const std::string& sql = column.default_value->value;
  const std::vector<sql::Token> tokens = sql::tokenize(sql, Dialect::Postgres);
  const auto text = [&](const sql::Token& token) {
    return base::to_lower(sql.substr(token.begin, token.end - token.begin));
  };
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].kind == sql::TokenKind::Identifier && text(tokens[i + 1]) == "(" &&
        !is_stable_function(text(tokens[i]))) {
      return true;
    }
  }
  return false;
}

std::vector<std::vector<Hazard>> hazards_of(const std::vector<Change>& changes,
                                            const schema::Schema& actual,
                                            const PlanOptions& options) {
  Assessor assessor(changes, actual, options);
  std::vector<std::vector<Hazard>> hazards;
  hazards.reserve(changes.size());
  for (const Change& change : changes) {
    hazards.push_back(assessor.run(change));
  }
  return hazards;
}

}  // namespace kedge::migrate
