// duckdb: plain ALTERs where nothing depends on the table; else the rows are kept aside, the table
// and everything that references it are made anew (spec/migrate.md 8.6).
#include <fmt/format.h>

#include <algorithm>

#include "base/graph.h"
#include "base/overloaded.h"
#include "base/text.h"
#include "migrate/sqlite_rebuild.h"

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
  explicit Duckdb(Emission& e) : e_(e) {}

  void run() {
    for (std::size_t i = 0; i < e_.changes.size(); ++i) {
      index_ = i;
      std::visit(*this, e_.changes[i]);
    }
    close_over_references();
    for (auto& [name, work] : work_) {
      if (!work.rebuild && work.alters) {
        alter_natively(name, work);
      }
    }
    rebuild_all();
    drop_counters();
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
  void operator()(const CreateSequence& c) {
    const schema::Sequence& s = c.object;
    std::string sql = "CREATE SEQUENCE " + e_.ddl.name(s.name);
    sql += s.increment == 1 ? "" : " INCREMENT BY " + std::to_string(s.increment);
    sql += s.minimum ? " MINVALUE " + std::to_string(*s.minimum) : "";
    sql += s.maximum ? " MAXVALUE " + std::to_string(*s.maximum) : "";
    sql += s.start == 1 ? "" : " START WITH " + std::to_string(s.start);
    add(stage::kSequence, s.name, sql + (s.cycle ? " CYCLE" : ""));
  }
  void operator()(const DropSequence& c) {
    add(stage::kDropSequence, c.object.name,
        "DROP SEQUENCE " + e_.if_exists() + e_.ddl.name(c.object.name));
  }
  void operator()(const CreateTable& c) {
    const Table* table = find_table(e_.to, c.object.name);
    const Table& made = table == nullptr ? c.object : *table;
    for (const Column& column : made.columns) {
      if (column.identity) {
        sequence_of(made, column);
      }
    }
    add(stage::kCreateTable, made.name, e_.ddl.create_table(made));
    comments_of(made);
  }
  void operator()(const DropTable& c) {
    const std::size_t last = e_.table_rank.size() + 1;
    e_.draft
        .add({stage::kDropTable, last - e_.rank_of(c.object.name), c.object.name.name.text()},
             "DROP TABLE " + e_.if_exists() + e_.ddl.name(c.object.name), index_)
        .destructive = true;
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
      added_.insert({c.table, c.part.name});
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
    const std::string text = c.to.empty() ? "NULL" : e_.ddl.literal(c.to);
    std::string on;
    if (c.target.kind == "column") {
      on = "COLUMN " + e_.ddl.name(c.target.name) + "." + e_.ddl.quote(c.target.part);
    } else if (c.target.kind == "index") {
      on = "INDEX " + e_.ddl.name({c.target.name.schema, c.target.part});
    } else {
      on = base::to_upper(c.target.kind) + " " + e_.ddl.name(c.target.name);
    }
    add(stage::kComment, c.target.name, "COMMENT ON " + on + " IS " + text);
  }
  void operator()(const CreateObject& c) { make_macro(c.object); }
  void operator()(const DropObject& c) { drop_macro(stage::kDropFunction, c.object); }
  void operator()(const ReplaceObject& c) {
    drop_macro(stage::kEarlyDrop, c.before);
    make_macro(c.after);
  }
  template <class Other>
  void operator()(const Other&) {}

 private:
  PlanStatement& add(int at, const Name& table, std::string sql) {
    return e_.draft.add({at, e_.rank_of(table), table.name.text()}, std::move(sql), index_);
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
  }
  void drop_macro(int at, const schema::DefinedObject& macro) {
    add(at, macro.name,
        std::string("DROP MACRO ") + (macro.options.contains("table") ? "TABLE " : "") +
            e_.if_exists() + e_.ddl.name(macro.name));
  }
  Work& work(const Name& table) {
    Work& one = work_[table];
    one.changes.push_back(index_.value_or(0));
    return one;
  }
  void rebuild(const Name& table) { work(table).rebuild = true; }

  Name old_name(const Name& table) const {
    const auto old = e_.old_table_names.find(table);
    return old == e_.old_table_names.end() ? table : old->second;
  }
  const Table* was(const Name& table) const { return find_table(e_.from, old_name(table)); }
  static bool points_at(const Table& table, const Name& target) {
    return std::any_of(table.foreign_keys.begin(), table.foreign_keys.end(),
                       [&](const auto& key) { return key.referenced_table == target; });
  }
  bool has_references(const Name& table) const {
    const Name old = old_name(table);
    const Table* before = was(table);
    return (before != nullptr && !before->foreign_keys.empty()) ||
           std::any_of(e_.from.tables.begin(), e_.from.tables.end(),
                       [&](const Table& other) { return points_at(other, old); });
  }
  // A table with keys from or to it cannot be altered, and one that is referenced not be dropped.
  void close_over_references() {
    for (auto one = work_.begin(); one != work_.end();) {
      const bool existing = was(one->first) != nullptr && find_table(e_.to, one->first) != nullptr;
      one->second.rebuild =
          one->second.rebuild || (one->second.alters && has_references(one->first));
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
          return entry.second.rebuild && points_at(*before, old_name(entry.first));
        });
        if (refers) {
          work_[table.name].rebuild = true;
          grew = true;
        }
      }
    }
  }

  // Indexes make every ALTER fail: they go first and come back.
  void indexes_aside(const Name& name) {
    for (const schema::Index& index : was(name)->indexes) {
      if (index.constraint == schema::Index::Constraint::None && !is_dropped(name, index.name)) {
        add(stage::kDropIndex - 30, name, e_.ddl.drop_index(index, old_name(name), ""));
      }
    }
    for (const schema::Index& index : find_table(e_.to, name)->indexes) {
      if (index.constraint == schema::Index::Constraint::None &&
          !added_.contains({name, index.name})) {
        add(stage::kIndex, name, index_sql(e_, index, name));
      }
    }
  }
  bool is_dropped(const Name& table, const Identifier& name) const {
    return std::any_of(e_.changes.begin(), e_.changes.end(), [&](const Change& change) {
      const auto* one = std::get_if<DropIndex>(&change);
      return one != nullptr && one->table == table && one->part.name == name;
    });
  }
  void alter(int at, const Name& table, const std::string& clause) {
    add(at, table, e_.ddl.alter(table) + clause);
  }
  void alter_natively(const Name& name, const Work& one) {
    index_ = one.changes.front();
    indexes_aside(name);
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
        add(stage::kRenameTable, name,
            e_.ddl.alter(table->from) + "RENAME TO " + e_.ddl.quote(table->to.name));
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
      (*this)(ChangeComment{{"column", c.table, column.name, ""}, "", column.comment});
    }
  }
  void change_type(const ChangeColumnType& c) {
    const std::string column = "ALTER COLUMN " + e_.ddl.quote(c.after.name) + " ";
    if (c.before.default_value) {
      alter(stage::kColumn, c.table, column + "DROP DEFAULT");
    }
    alter(stage::kColumn, c.table, column + "SET DATA TYPE " + e_.ddl.type(c.after.type));
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
    if (!column.nullable && column.default_value) {
      add(stage::kNotNull, table,
          fmt::format("UPDATE {} SET {} = {} WHERE {} IS NULL", e_.ddl.name(table), quoted,
                      e_.ddl.default_value(*column.default_value, column.type), quoted));
    }
    alter(column.nullable ? stage::kColumn : stage::kNotNull, table,
          "ALTER COLUMN " + quoted + (column.nullable ? " DROP NOT NULL" : " SET NOT NULL"));
  }

  // ---- rebuilds: rows aside, referrers dropped first, parents made first

  void rebuild_all() {
    std::vector<Name> order;
    for (const auto& [name, one] : work_) {
      if (one.rebuild) {
        order.push_back(name);
      }
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](const Name& a, const Name& b) { return e_.rank_of(a) < e_.rank_of(b); });
    const auto keep_name = [](const Name& name) {
      return Name{name.schema, Identifier("__keep_" + name.name.text())};
    };
    std::size_t at = 0;
    const auto step = [&](const Name& name, std::string sql) -> PlanStatement& {
      const std::vector<std::size_t>& changes = work_[name].changes;
      return e_.draft.add(
          {stage::kColumn, ++at, ""}, std::move(sql),
          changes.empty() ? std::nullopt : std::optional<std::size_t>(changes.front()));
    };
    for (const Name& name : order) {
      Hazard hazard;
      hazard.hazard = "table-rebuild";
      hazard.table = name;
      hazard.text = "the whole table is copied";
      step(name, "CREATE TABLE " + e_.ddl.name(keep_name(name)) + " AS SELECT * FROM " +
                     e_.ddl.name(old_name(name)))
          .hazards.push_back(hazard);
    }
    for (auto name = order.rbegin(); name != order.rend(); ++name) {
      step(*name, "DROP TABLE " + e_.ddl.name(old_name(*name)));
    }
    for (const Name& name : order) {
      const Table* is = find_table(e_.to, name);
      for (const Column& column : is->columns) {
        if (column.identity && !has_sequence(*is, column)) {
          sequence_of(*is, column);
          count_on(*is, column, *was(name));
        }
      }
      step(name, e_.ddl.create_table(*is));
      const std::string copy =
          copy_into({was(name), is, work_[name].changes}, name, keep_name(name));
      if (!copy.empty()) {
        step(name, copy);
      }
      step(name, "DROP TABLE " + e_.ddl.name(keep_name(name)));
      for (const schema::Index& index : is->indexes) {
        if (index.constraint == schema::Index::Constraint::None &&
            !added_.contains({name, index.name})) {
          add(stage::kIndex, name, index_sql(e_, index, name));
        }
      }
      comments_of(*is);
    }
  }
  std::string copy_into(const Rebuild& one, const Name& target, const Name& source) const {
    std::vector<std::string> names;
    std::vector<std::string> values;
    for (const Column& column : one.is->columns) {
      Identifier from = column.name;
      for (const Change& change : e_.changes) {
        const auto* rename = std::get_if<RenameColumn>(&change);
        if (rename != nullptr && rename->table == target && rename->to == column.name) {
          from = rename->from;
        }
      }
      const Column* before = find_column(*one.was, from);
      if (before == nullptr || column.generated) {
        continue;
      }
      std::string value = e_.ddl.quote(from);
      if (before->nullable && !column.nullable && column.default_value) {
        value = "COALESCE(" + value + ", " +
                e_.ddl.default_value(*column.default_value, column.type) + ")";
      }
      names.push_back(e_.ddl.quote(column.name));
      values.push_back(value);
    }
    return names.empty() ? ""
                         : fmt::format("INSERT INTO {} ({}) SELECT {} FROM {}", e_.ddl.name(target),
                                       base::join(names, ", "), base::join(values, ", "),
                                       e_.ddl.name(source));
  }

  // ---- sequences, enums, comments

  // Without double quotes: nextval() could not name it.
  Name sequence_name(const Table& table, const Column& column) const {
    const std::string& given = column.identity->sequence;
    return {table.name.schema,
            Identifier(base::replace_all(
                given.empty() ? table.name.name.text() + "_" + column.name.text() + "_seq" : given,
                "\"", ""))};
  }
  bool has_sequence(const Table& table, const Column& column) const {
    const Name name = sequence_name(table, column);
    const auto is_it = [&](const schema::Sequence& sequence) { return sequence.name == name; };
    const Table* before = was(table.name);
    const Column* old = before == nullptr ? nullptr : find_column(*before, column.name);
    return std::any_of(e_.from.sequences.begin(), e_.from.sequences.end(), is_it) ||
           (old != nullptr && old->identity);
  }
  void sequence_of(const Table& table, const Column& column) {
    if (column.identity->kind == schema::Identity::Kind::Uuid) {
      return;
    }
    const Name name = sequence_name(table, column);
    const auto is_it = [&](const schema::Sequence& sequence) { return sequence.name == name; };
    if (std::none_of(e_.to.sequences.begin(), e_.to.sequences.end(), is_it)) {
      add(stage::kSequence, name, "CREATE SEQUENCE IF NOT EXISTS " + e_.ddl.name(name));
    }
  }
  std::set<Name> counters_of(const schema::Schema& shape) const {
    std::set<Name> names;
    for (const Table& table : shape.tables) {
      for (const Column& column : table.columns) {
        if (column.identity && column.identity->kind != schema::Identity::Kind::Uuid) {
          names.insert(sequence_name(table, column));
        }
      }
    }
    return names;
  }
  // A sequence that counts for no key any more goes with the last one.
  void drop_counters() {
    std::set<Name> kept = counters_of(e_.to);
    for (const schema::Sequence& sequence : e_.to.sequences) {
      kept.insert(sequence.name);
    }
    index_.reset();
    for (const Name& name : counters_of(e_.from)) {
      // A renamed table keeps its sequence, which another table's name may lead to as well.
      const bool read = std::any_of(e_.to.tables.begin(), e_.to.tables.end(), [&](const Table& t) {
        return std::any_of(t.columns.begin(), t.columns.end(), [&](const Column& column) {
          return column.default_value &&
                 column.default_value->value.find(name.name.text()) != std::string::npos;
        });
      });
      if (!read && !kept.contains(name)) {
        add(stage::kDropSequence, name, "DROP SEQUENCE " + e_.if_exists() + e_.ddl.name(name));
      }
    }
  }
  // The counter starts behind the keys that are there.
  void count_on(const Table& table, const Column& column, const Table& rows) {
    if (column.identity->kind == schema::Identity::Kind::Uuid ||
        find_column(rows, column.name) == nullptr) {
      return;
    }
    const std::string counter = e_.ddl.literal(e_.ddl.name(sequence_name(table, column)));
    e_.draft.add(
        {stage::kSequence, 1, table.name.name.text()},
        fmt::format("SELECT max(nextval({})) FROM range((SELECT coalesce(max({}), 0)::BIGINT "
                    "FROM {}))",
                    counter, e_.ddl.quote(column.name), e_.ddl.name(rows.name)),
        index_);
  }
  void make_enum(const schema::EnumType& type) {
    std::vector<std::string> labels;
    for (const std::string& label : type.labels) {
      labels.push_back(e_.ddl.literal(label));
    }
    add(stage::kType, type.name,
        "CREATE TYPE " + e_.ddl.name(type.name) + " AS ENUM (" + base::join(labels, ", ") + ")");
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
  void comments_of(const Table& table) {
    if (!table.comment.empty()) {
      (*this)(ChangeComment{{"table", table.name, {}, ""}, "", table.comment});
    }
    for (const Column& column : table.columns) {
      if (!column.comment.empty()) {
        (*this)(ChangeComment{{"column", table.name, column.name, ""}, "", column.comment});
      }
    }
  }

  Emission& e_;
  std::optional<std::size_t> index_;
  std::map<Name, Work> work_;
  std::set<std::pair<Name, Identifier>> added_;
};

}  // namespace

void emit_duckdb(Emission& e) {
  Duckdb(e).run();
}

}  // namespace kedge::migrate
