// duckdb: plain ALTERs where nothing depends on the table; else the rows are kept aside, the table
// and everything that references it are made anew (spec/migrate.md 8.6).
#include <fmt/format.h>

#include <algorithm>

#include "base/overloaded.h"
#include "base/text.h"
#include "migrate/duckdb_parts.h"

namespace kedge::migrate {
namespace {

using namespace change;  // NOLINT(google-build-using-namespace): fifty kinds of one namespace
using schema::Column;
using schema::Name;
using schema::Table;

struct Work {
  std::vector<std::size_t> changes;
  bool alters = false;
  bool rebuild = false;
};

class Duckdb {
 public:
  explicit Duckdb(Emission& e) : e_(e), sequences_(e), rebuilds_(e, sequences_) {}

  void run() {
    for (std::size_t i = 0; i < e_.changes.size(); ++i) {
      index_ = i;
      std::visit(*this, e_.changes[i]);
    }
    close_over_references();
    for (const Table& table : e_.to.tables) {
      for (const schema::ForeignKey& key : table.foreign_keys) {
        referenced_.insert(key.referenced_table);
      }
    }
    for (auto& [name, work] : work_) {
      if (!work.rebuild && work.alters) {
        alter_natively(name, work);
      }
    }
    std::map<Name, std::vector<std::size_t>> rebuilt;
    for (const auto& [name, work] : work_) {
      if (work.rebuild) {
        rebuilt[name] = work.changes;
      }
    }
    rebuilds_.run(rebuilt);
    make_and_drop_tables();
    sequences_.drop_unused();
    emit_views(e_, {});
  }

  void operator()(const CreateNamespace& c) {
    add(stage::kNamespace, {{}, c.object.name},
        "CREATE SCHEMA IF NOT EXISTS " + e_.ddl.quote(c.object.name));
  }
  void operator()(const DropNamespace& c) {
    if (e_.up()) {
      add(stage::kDropNamespace, {{}, c.object.name},
          "DROP SCHEMA IF EXISTS " + e_.ddl.quote(c.object.name));
    }
  }
  void operator()(const CreateEnum& c) { make_enum(c.object); }
  void operator()(const DropEnum& c) {
    add(stage::kDropType, c.object.name,
        "DROP TYPE " + e_.if_exists() + e_.ddl.name(c.object.name));
  }
  void operator()(const AlterEnum& c) { remake_enum(c); }
  void operator()(const CreateDomain& c) { make_alias(c.object); }
  void operator()(const DropDomain& c) {
    add(stage::kDropType, c.object.name,
        "DROP TYPE " + e_.if_exists() + e_.ddl.name(c.object.name));
  }
  void operator()(const AlterDomain& c) {
    add(stage::kType, c.before.name, "DROP TYPE " + e_.ddl.name(c.before.name));
    make_alias(c.after);
  }
  void operator()(const CreateSequence& c) {
    const schema::Sequence& s = c.object;
    std::string sql = "CREATE SEQUENCE " + e_.ddl.name(s.name);
    sql += s.increment == 1 ? "" : " INCREMENT BY " + std::to_string(s.increment);
    sql += s.minimum ? " MINVALUE " + std::to_string(*s.minimum) : "";
    sql += s.maximum ? " MAXVALUE " + std::to_string(*s.maximum) : "";
    sql += s.start == 1 ? "" : " START WITH " + std::to_string(s.start);
    add(stage::kSequence, s.name, sql + (s.cycle ? " CYCLE" : ""));
    comment("sequence", s.name, {}, s.comment);
  }
  void operator()(const AlterSequence&) {
    e_.refuse(index_.value_or(0), "DuckDB cannot alter a sequence",
              "make it anew, from the value that it has reached");
  }
  void operator()(const DropSequence& c) {
    add(stage::kDropSequence, c.object.name,
        "DROP SEQUENCE " + e_.if_exists() + e_.ddl.name(c.object.name));
  }
  void operator()(const RenameTable& c) { work(c.to).alters = true; }
  void operator()(const RenameColumn& c) { work(c.table).alters = true; }
  void operator()(const AddColumn& c) {
    Work& w = work(c.table);
    w.alters = true;
    w.rebuild = w.rebuild || c.part.generated || c.part.identity ||
                (!c.part.nullable && !c.part.default_value);
  }
  void operator()(const DropColumn& c) { work(c.table).alters = true; }
  void operator()(const ChangeColumnType& c) {
    Work& w = work(c.table);
    w.alters = true;
    w.rebuild = w.rebuild || c.after.generated;
  }
  void operator()(const ChangeColumnDefault& c) { work(c.table).alters = true; }
  void operator()(const ChangeColumnNullable& c) { work(c.table).alters = true; }
  void operator()(const ChangeColumnIdentity& c) { rebuild(c.table); }
  template <Attribute attribute>
  void operator()(const ChangeColumn<attribute>& c) {
    rebuild(c.table);
  }
  void operator()(const AddPrimaryKey& c) { rebuild(c.table); }
  void operator()(const DropPrimaryKey& c) { rebuild(c.table); }
  void operator()(const AddForeignKey& c) { rebuild(c.table); }
  void operator()(const DropForeignKey& c) { rebuild(c.table); }
  void operator()(const AddCheck& c) { rebuild(c.table); }
  void operator()(const DropCheck& c) { rebuild(c.table); }
  void operator()(const AddIndex& c) {
    if (c.part.constraint != schema::Index::Constraint::None) {
      rebuild(c.table);
    } else {
      add(stage::kIndex, c.table, index_sql(e_, c.part, c.table));
      comment("index", c.table, c.part.name, c.part.comment);
      added_.insert({c.table, c.part.name});
      work(c.table);
    }
  }
  void operator()(const DropIndex& c) {
    if (c.part.constraint != schema::Index::Constraint::None) {
      rebuild(c.table);
    } else {
      add(stage::kDropIndex, c.table, e_.ddl.drop_index(c.part, c.table, e_.if_exists()));
    }
  }
  void operator()(const ChangeComment& c) {
    CommentTarget target = c.target;
    const schema::DefinedObject* macro = target.kind == "macro" ? find_macro(target.name) : nullptr;
    target.kind = macro == nullptr ? target.kind : noun(*macro);
    duckdb_comment(e_, target, c.to, index_);
  }
  void operator()(const CreateObject& c) { make_macro(c.object); }
  void operator()(const DropObject& c) {
    drop_macro(comes_again(c.object) ? stage::kEarlyDrop : stage::kDropFunction, c.object);
  }
  void operator()(const ReplaceObject& c) {
    drop_macro(stage::kEarlyDrop, c.before);
    make_macro(c.after);
  }
  template <class Other>
  void operator()(const Other&) {}  // tables are made and dropped at the end

 private:
  // Of what has just been made.
  void comment(const char* kind, const Name& name, const Identifier& part,
               const std::string& text) {
    if (!text.empty()) {
      duckdb_comment(e_, {kind, name, part, ""}, text, index_);
    }
  }
  PlanStatement& add(int at, const Name& table, std::string sql) {
    return e_.draft.add({at, e_.rank_of(table), table.name.text()}, std::move(sql), index_);
  }
  // One name holds one macro, whatever its parameters.
  bool comes_again(const schema::DefinedObject& macro) const {
    return std::any_of(e_.changes.begin(), e_.changes.end(), [&](const Change& change) {
      const auto* made = std::get_if<CreateObject>(&change);
      return made != nullptr && made->object.name.schema == macro.name.schema &&
             base::equals_ignoring_case(made->object.name.name.text(), macro.name.name.text());
    });
  }
  // A macro follows the macros that it calls; one that reads tables or views comes after those.
  Keys place_of(const schema::DefinedObject& macro) {
    Keys keys{stage::kFunctionEarly, e_.object_rank.at(macro.name), macro.name.name.text()};
    std::set<Name> seen{macro.name};
    std::vector<const schema::DefinedObject*> waiting{&macro};
    while (!waiting.empty()) {
      const schema::DefinedObject& one = *waiting.back();
      waiting.pop_back();
      for (const Name& name : one.depends_on) {
        if (const auto view = e_.view_rank.find(name); view != e_.view_rank.end()) {
          const bool later = keys.stage != stage::kView || keys.rank < view->second;
          keys = later ? Keys{stage::kView, view->second, name.name.text() + '\x7f'} : keys;
        } else if (e_.table_rank.contains(name) && keys.stage == stage::kFunctionEarly) {
          keys.stage = stage::kView - 1;
        }
        const schema::DefinedObject* called = find_macro(name);
        if (called != nullptr && seen.insert(name).second) {
          waiting.push_back(called);
        }
      }
    }
    return keys;
  }
  const schema::DefinedObject* find_macro(const Name& name) const {
    const auto found = std::find_if(e_.to.objects.begin(), e_.to.objects.end(),
                                    [&](const auto& object) { return object.name == name; });
    return found == e_.to.objects.end() ? nullptr : &*found;
  }
  void make_macro(const schema::DefinedObject& macro) {
    e_.draft.add(place_of(macro), macro.definition, index_);
    comment(noun(macro), macro.name, {}, macro.comment);
  }
  static const char* noun(const schema::DefinedObject& macro) {
    return macro.options.contains("table") ? "macro table" : "macro";
  }
  void drop_macro(int at, const schema::DefinedObject& macro) {
    add(at, macro.name,
        "DROP " + base::to_upper(noun(macro)) + " " + e_.if_exists() + e_.ddl.name(macro.name));
  }
  Work& work(const Name& table) {
    Work& one = work_[table];
    one.changes.push_back(index_.value_or(0));
    return one;
  }
  void rebuild(const Name& table) { work(table).rebuild = true; }

  void make_and_drop_tables() {
    for (std::size_t i = 0; i < e_.changes.size(); ++i) {
      index_ = i;
      if (const auto* create = std::get_if<CreateTable>(&e_.changes[i])) {
        make_table(create->object);
      } else if (const auto* drop = std::get_if<DropTable>(&e_.changes[i])) {
        drop_table(drop->object.name);
      }
    }
  }
  void make_table(const Table& declared) {
    if (rebuilds_.takes(declared.name)) {
      return;
    }
    const Table* wanted = find_table(e_.to, declared.name);
    const Table& table = wanted == nullptr ? declared : *wanted;
    for (const Column& column : table.columns) {
      sequences_.make(table, column, index_);
    }
    add(stage::kCreateTable, table.name, e_.ddl.create_table(table));
    duckdb_comments_of(e_, table, index_);
  }
  void drop_table(const Name& name) {
    if (rebuilds_.takes(name)) {
      return;
    }
    const std::size_t last = e_.table_rank.size() + 1;
    e_.draft
        .add({stage::kDropTable, last - e_.rank_of(name), name.name.text()},
             "DROP TABLE " + e_.if_exists() + e_.ddl.name(name), index_)
        .destructive = true;
  }
  const Table* was(const Name& table) const { return table_before(e_, table); }
  static bool points_at(const Table& table, const Name& target) {
    return std::any_of(table.foreign_keys.begin(), table.foreign_keys.end(),
                       [&](const auto& key) { return key.referenced_table == target; });
  }
  bool has_references(const Name& table) const {
    const Name old = name_before(e_, table);
    const Table* before = was(table);
    return (before != nullptr && !before->foreign_keys.empty()) ||
           std::any_of(e_.from.tables.begin(), e_.from.tables.end(),
                       [&](const Table& other) { return points_at(other, old); });
  }
  // DuckDB binds the checks of a table by its old name until a rename is committed.
  bool is_renamed_and_more(const Name& table, const Work& work) const {
    return name_before(e_, table) != table && work.changes.size() > 1;
  }
  // An ALTER refuses a table with indexes, and an index that is dropped and made again under its
  // name in one transaction brings DuckDB 1.4 down at COMMIT: the fault needs an index that was
  // loaded from the file.
  bool indexes_are_in_the_way(const Name& table, const Work& work) const {
    const Table& before = *was(table);
    return (work.alters && !before.indexes.empty()) ||
           std::any_of(before.indexes.begin(), before.indexes.end(),
                       [&](const schema::Index& index) {
                         return added_.contains({table, index.name});
                       });
  }
  // Rows that were filled in a transaction cannot be indexed in it, and the key is an index.
  bool fills_beside_a_key(const Name& table, const Work& work) const {
    return was(table)->primary_key &&
           std::any_of(work.changes.begin(), work.changes.end(), [&](std::size_t i) {
             const auto* c = std::get_if<ChangeColumnNullable>(&e_.changes[i]);
             return c != nullptr && is_filled(c->after);
           });
  }
  // What a check or a generated column reads can be renamed, but neither go nor change its type.
  bool is_read_by_its_table(const Name& table, const Work& work) const {
    const Table& before = *was(table);
    const auto is_read = [&](const Identifier& name) {
      const std::string column = column_before(e_, table, name).text();
      const auto reads = [&](std::string_view sql) {
        return mentions(sql, column, schema::Dialect::Duckdb);
      };
      return std::any_of(before.checks.begin(), before.checks.end(),
                         [&](const schema::Check& check) { return reads(check.expression); }) ||
             std::any_of(before.columns.begin(), before.columns.end(), [&](const Column& other) {
               return other.generated && reads(other.generated->expression);
             });
    };
    return std::any_of(work.changes.begin(), work.changes.end(), [&](std::size_t i) {
      if (const auto* gone = std::get_if<DropColumn>(&e_.changes[i])) {
        return is_read(gone->part.name);
      }
      if (const auto* type = std::get_if<ChangeColumnType>(&e_.changes[i])) {
        return is_read(type->after.name);
      }
      const auto* filled = std::get_if<ChangeColumnNullable>(&e_.changes[i]);
      return filled != nullptr && is_filled(filled->after) && is_read(filled->after.name);
    });
  }
  // Rows without a value get the default when a column may not be NULL any more.
  static bool is_filled(const Column& column) { return !column.nullable && column.default_value; }
  // The key is an index too: a column before it cannot go.
  bool drops_before_its_key(const Name& table, const Work& work) const {
    const Table& before = *was(table);
    const auto place = [&](const Identifier& column) {
      return std::find_if(before.columns.begin(), before.columns.end(),
                          [&](const Column& one) { return one.name == column; });
    };
    return before.primary_key &&
           std::any_of(work.changes.begin(), work.changes.end(), [&](std::size_t i) {
             const auto* gone = std::get_if<DropColumn>(&e_.changes[i]);
             return gone != nullptr &&
                    std::any_of(
                        before.primary_key->columns.begin(), before.primary_key->columns.end(),
                        [&](const Identifier& key) { return place(gone->part.name) < place(key); });
           });
  }
  // A table with keys from or to it cannot be altered, and one that is referenced not be dropped.
  void close_over_references() {
    for (auto one = work_.begin(); one != work_.end();) {
      const bool existing = was(one->first) != nullptr && find_table(e_.to, one->first) != nullptr;
      one->second.rebuild =
          one->second.rebuild || (existing && indexes_are_in_the_way(one->first, one->second)) ||
          (one->second.alters && existing &&
           (has_references(one->first) || is_renamed_and_more(one->first, one->second) ||
            drops_before_its_key(one->first, one->second) ||
            is_read_by_its_table(one->first, one->second) ||
            fills_beside_a_key(one->first, one->second)));
      one = existing ? std::next(one) : work_.erase(one);
    }
    for (bool grew = true; grew;) {
      grew = false;
      for (const Table& table : e_.to.tables) {
        const Table* before = was(table.name);
        if (before == nullptr || (work_.contains(table.name) && work_[table.name].rebuild)) {
          continue;
        }
        const bool refers = std::any_of(work_.begin(), work_.end(), [&](const auto& entry) {
          return entry.second.rebuild && points_at(*before, name_before(e_, entry.first));
        });
        if (refers) {
          work_[table.name].rebuild = true;
          grew = true;
        }
      }
    }
  }

  // A table that is altered in place has no reference to it yet. Once one is made it cannot be
  // altered any more: then its changes come, in their order, before tables are made.
  int place_of(int at, const Name& table) const {
    const bool becomes_referenced = at > stage::kRenameColumn && referenced_.contains(table);
    return becomes_referenced ? stage::kRenameColumn + (at - stage::kRenameColumn) / 10 : at;
  }
  void alter(int at, const Name& table, const std::string& clause) {
    add(place_of(at, table), table, e_.ddl.alter(table) + clause);
  }
  void alter_natively(const Name& name, const Work& one) {
    for (const std::size_t i : one.changes) {
      index_ = i;
      if (const auto* column = std::get_if<AddColumn>(&e_.changes[i])) {
        add_column(*column);
      } else if (const auto* gone = std::get_if<DropColumn>(&e_.changes[i])) {
        alter(stage::kDropColumn, name, "DROP COLUMN " + e_.ddl.quote(gone->part.name));
      } else if (const auto* type = std::get_if<ChangeColumnType>(&e_.changes[i])) {
        change_type(*type);
      } else if (const auto* value = std::get_if<ChangeColumnDefault>(&e_.changes[i])) {
        set_default(name, value->after);
      } else if (const auto* nullable = std::get_if<ChangeColumnNullable>(&e_.changes[i])) {
        set_nullable(name, nullable->after);
      } else if (const auto* column_name = std::get_if<RenameColumn>(&e_.changes[i])) {
        alter(stage::kRenameColumn, name,
              "RENAME COLUMN " + e_.ddl.quote(column_name->from) + " TO " +
                  e_.ddl.quote(column_name->to));
      } else if (const auto* table = std::get_if<RenameTable>(&e_.changes[i])) {
        e_.draft.add(e_.rename_place(*table),
                     e_.ddl.alter(table->from) + "RENAME TO " + e_.ddl.quote(table->to.name),
                     index_);
      }
    }
  }
  void add_column(const AddColumn& c) {
    Column column = c.part;
    column.nullable = true;  // constraints cannot be added with a column
    alter(stage::kAddColumn, c.table, "ADD COLUMN " + e_.ddl.column(column, Table{}));
    if (!c.part.nullable) {
      alter(stage::kNotNull, c.table,
            "ALTER COLUMN " + e_.ddl.quote(column.name) + " SET NOT NULL");
    }
    if (!column.comment.empty()) {
      duckdb_comment(e_, {"column", c.table, column.name, ""}, column.comment, index_);
    }
  }
  void change_type(const ChangeColumnType& c) {
    const std::string column = "ALTER COLUMN " + e_.ddl.quote(c.after.name) + " ";
    if (c.before.default_value) {
      alter(stage::kColumn, c.table, column + "DROP DEFAULT");
    }
    const std::string value = e_.ddl.quote(c.after.name);
    const std::string converted = duckdb_converted(e_, value, c.before.type, c.after.type);
    alter(stage::kColumn, c.table,
          column + "SET DATA TYPE " + e_.ddl.type(c.after.type) +
              (converted == value ? "" : " USING " + converted));
    if (c.after.default_value) {
      set_default(c.table, c.after);
    }
  }
  void set_default(const Name& table, const Column& column) {
    alter(stage::kColumn, table,
          "ALTER COLUMN " + e_.ddl.quote(column.name) +
              (column.default_value
                   ? " SET DEFAULT " + e_.ddl.default_value(*column.default_value, column.type)
                   : " DROP DEFAULT"));
  }
  void set_nullable(const Name& table, const Column& column) {
    const std::string quoted = e_.ddl.quote(column.name);
    if (is_filled(column)) {
      // An UPDATE would stand in the way of every ALTER of its transaction.
      alter(stage::kNotNull, table,
            fmt::format("ALTER COLUMN {} SET DATA TYPE {} USING {}", quoted,
                        e_.ddl.type(column.type), duckdb_filled(e_, quoted, column)));
    }
    alter(column.nullable ? stage::kColumn : stage::kNotNull, table,
          "ALTER COLUMN " + quoted + (column.nullable ? " DROP NOT NULL" : " SET NOT NULL"));
  }

  // ---- types

  // Another name for a type: columns are of the type itself.
  void make_alias(const schema::DomainType& alias) {
    add(stage::kType, alias.name,
        "CREATE TYPE " + e_.ddl.name(alias.name) + " AS " + e_.ddl.type(alias.base));
    comment("type", alias.name, {}, alias.comment);
  }

  void make_enum(const schema::EnumType& type) {
    std::vector<std::string> labels;
    for (const std::string& label : type.labels) {
      labels.push_back(e_.ddl.literal(label));
    }
    add(stage::kType, type.name,
        "CREATE TYPE " + e_.ddl.name(type.name) + " AS ENUM (" + base::join(labels, ", ") + ")");
    comment("type", type.name, {}, type.comment);
  }
  // Columns keep their labels as text while the type is made anew.
  void remake_enum(const AlterEnum& c) {
    std::vector<std::pair<const Table*, const Column*>> uses;
    for (const Table& table : e_.from.tables) {
      for (const Column& column : table.columns) {
        if (column.type.kind == schema::TypeKind::Enum &&
            base::equals_ignoring_case(column.type.native, c.before.name.name.text())) {
          uses.emplace_back(&table, &column);
        }
      }
    }
    const auto at = [&](std::string sql) { add(stage::kType, c.after.name, std::move(sql)); };
    for (const auto& [table, column] : uses) {
      if (column->default_value) {
        at(e_.ddl.alter(table->name) + "ALTER COLUMN " + e_.ddl.quote(column->name) +
           " DROP DEFAULT");
      }
      at(e_.ddl.alter(table->name) + "ALTER COLUMN " + e_.ddl.quote(column->name) +
         " SET DATA TYPE VARCHAR");
    }
    at("DROP TYPE " + e_.ddl.name(c.before.name));
    make_enum(c.after);
    for (const auto& [table, column] : uses) {
      at(e_.ddl.alter(table->name) + "ALTER COLUMN " + e_.ddl.quote(column->name) +
         " SET DATA TYPE " + e_.ddl.name(c.after.name));
      if (column->default_value) {
        at(e_.ddl.alter(table->name) + "ALTER COLUMN " + e_.ddl.quote(column->name) +
           " SET DEFAULT " + e_.ddl.default_value(*column->default_value, column->type));
      }
    }
  }
  Emission& e_;
  DuckdbSequences sequences_;
  DuckdbRebuilds rebuilds_;
  std::set<Name> referenced_;  // by a table of `to`
  std::optional<std::size_t> index_;
  std::map<Name, Work> work_;
  std::set<std::pair<Name, Identifier>> added_;
};

}  // namespace

void duckdb_comment(Emission& e, const CommentTarget& target, const std::string& text,
                    std::optional<std::size_t> change) {
  std::string on;
  if (target.kind == "column") {
    on = "COLUMN " + e.ddl.name(target.name) + "." + e.ddl.quote(target.part);
  } else if (target.kind == "index") {
    on = "INDEX " + e.ddl.name({target.name.schema, target.part});
  } else {
    on = base::to_upper(target.kind) + " " + e.ddl.name(target.name);
  }
  e.draft.add({stage::kComment, e.rank_of(target.name), target.name.name.text()},
              "COMMENT ON " + on + " IS " + (text.empty() ? "NULL" : e.ddl.literal(text)), change);
}

void duckdb_comments_of(Emission& e, const Table& table, std::optional<std::size_t> change) {
  if (!table.comment.empty()) {
    duckdb_comment(e, {"table", table.name, {}, ""}, table.comment, change);
  }
  for (const Column& column : table.columns) {
    if (!column.comment.empty()) {
      duckdb_comment(e, {"column", table.name, column.name, ""}, column.comment, change);
    }
  }
}

void emit_duckdb(Emission& e) {
  Duckdb(e).run();
}

}  // namespace kedge::migrate
