// A routine whose head changes is dropped and made again: what uses it is taken away before and put
// back after. A view that stops using what goes steps aside before it goes. Triggers, policies and
// rules are the business of postgres_objects.cpp.
#include <algorithm>
#include <set>

#include "base/overloaded.h"
#include "migrate/postgres_emission.h"

namespace kedge::migrate {
namespace {

using schema::Name;
using schema::Table;

class Users {
 public:
  explicit Users(Emission& e) : e_(e) {}

  void run(PostgresPlanParts& parts) {
    for (std::size_t i = 0; i < e_.changes.size(); ++i) {
      const auto* swap = std::get_if<change::ReplaceObject>(&e_.changes[i]);
      const auto* gone = std::get_if<change::DropObject>(&e_.changes[i]);
      change_ = i;
      if (swap != nullptr && is_remade(swap->before, swap->after)) {
        function_ = swap->before.name.name;
        aside(parts);
      } else if (gone != nullptr && has_successor(e_, gone->object)) {
        function_ = gone->object.name.name;
        aside(parts);
      }
      if (const auto* view = std::get_if<change::ReplaceView>(&e_.changes[i]);
          view != nullptr && reads_what_goes(view->before)) {
        parts.touched.push_back({view->before.name, {}});
      }
    }
    change_.reset();
    for (const schema::DefinedObject& object : e_.from.objects) {
      if (is_of_remade_type(object, parts)) {
        function_ = object.name.name;
        aside(parts);
      }
    }
  }

 private:
  // Drops stand before the views: a body that is replaced in place would hold them up.
  bool reads_what_goes(const schema::View& view) const {
    const auto says = [&](const Name& name) {
      return mentions(view.body, name.name.text(), schema::Dialect::Postgres);
    };
    return std::any_of(e_.changes.begin(), e_.changes.end(), [&](const Change& change) {
      if (const auto* table = std::get_if<change::DropTable>(&change)) {
        return std::count(view.depends_on.begin(), view.depends_on.end(), table->object.name) > 0 ||
               says(table->object.name);
      }
      return std::visit(
          base::Overloaded{[&](const change::DropObject& c) { return says(c.object.name); },
                           [&](const change::DropSequence& c) { return says(c.object.name); },
                           [&](const change::DropEnum& c) { return says(c.object.name); },
                           [&](const change::DropDomain& c) { return says(c.object.name); },
                           [&](const change::DropComposite& c) { return says(c.object.name); },
                           [](const auto&) { return false; }},
          change);
    });
  }
  bool uses(const std::string& sql) const {
    return mentions(sql, function_.text(), schema::Dialect::Postgres);
  }
  void aside(PostgresPlanParts& parts) {
    for (const schema::View& view : e_.from.views) {
      if (uses(view.body)) {
        parts.touched.push_back({view.name, {}});
      }
    }
    for (const Table& table : e_.from.tables) {
      const Table* after = find_table(e_.to, table.name);
      if (after != nullptr) {
        defaults(table, *after);
        checks(table, *after);
        indexes(table, *after);
      }
    }
  }
  void drop(const Table& table, std::string sql) {
    e_.draft.add({stage::kDropFunctionEarly - 1, 0, table.name.name.text()}, std::move(sql),
                 change_);
  }
  void put_back(const Table& table, std::string sql) {
    e_.draft.add({stage::kFunction + 1, 0, table.name.name.text()}, std::move(sql), change_);
  }
  template <class Part>
  static const Part* find(const std::vector<Part>& parts, const Part& part) {
    const auto found = std::find_if(parts.begin(), parts.end(),
                                    [&](const Part& one) { return one.name == part.name; });
    return found == parts.end() ? nullptr : &*found;
  }
  void defaults(const Table& table, const Table& after) {
    for (const schema::Column& column : table.columns) {
      if (!column.default_value || !uses(column.default_value->value) ||
          !aside_.insert(&column).second) {
        continue;
      }
      const std::string alter =
          e_.ddl.alter(table.name) + "ALTER COLUMN " + e_.ddl.quote(column.name) + " ";
      drop(table, alter + "DROP DEFAULT");
      const schema::Column* is = find(after.columns, column);
      if (is != nullptr && is->default_value == column.default_value) {
        put_back(table,
                 alter + "SET DEFAULT " + e_.ddl.default_value(*is->default_value, is->type));
      }
    }
  }
  void checks(const Table& table, const Table& after) {
    for (const schema::Check& check : table.checks) {
      if (!uses(check.expression) || !aside_.insert(&check).second) {
        continue;
      }
      drop(table, e_.ddl.alter(table.name) + "DROP CONSTRAINT " + e_.ddl.quote(check.name));
      const schema::Check* is = find(after.checks, check);
      if (is != nullptr && is->expression == check.expression) {
        put_back(table, e_.ddl.alter(table.name) + "ADD " + e_.ddl.check(*is));
      }
    }
  }
  void indexes(const Table& table, const Table& after) {
    for (const schema::Index& index : table.indexes) {
      const bool used =
          uses(index.where) || std::any_of(index.parts.begin(), index.parts.end(),
                                           [&](const auto& part) { return uses(part.expression); });
      if (!used || index.constraint != schema::Index::Constraint::None ||
          !aside_.insert(&index).second) {
        continue;
      }
      drop(table, e_.ddl.drop_index(index, table.name, ""));
      const schema::Index* is = find(after.indexes, index);
      if (is != nullptr && is->parts == index.parts && is->where == index.where) {
        put_back(table, index_sql(e_, *is, table.name));
      }
    }
  }

  Emission& e_;
  Identifier function_;
  std::optional<std::size_t> change_;
  std::set<const void*> aside_;  // columns, checks and indexes: two reasons are one statement
};

}  // namespace

void emit_postgres_users(Emission& e, PostgresPlanParts& parts) {
  Users(e).run(parts);
}

}  // namespace kedge::migrate
