// A CHECK, or an index over an expression, steps aside for the new type of a column that it names.
// The server would keep it and read its own text of it again, `n > (3)::numeric`, which becomes
// `(n)::numeric > (3)::numeric` for a bigint and no use to a query; and between the new types of
// two columns it would have to compare the new with the old.
#include <algorithm>
#include <map>

#include "migrate/postgres_emission.h"

namespace kedge::migrate {
namespace {

using schema::Table;

class Rules {
 public:
  Rules(Emission& e, PostgresPlanParts& parts) : e_(e), parts_(parts) {}

  void run() {
    std::map<schema::Name, std::vector<std::size_t>> by_table;
    for (std::size_t i = 0; i < e_.changes.size(); ++i) {
      const auto* type = std::get_if<change::ChangeColumnType>(&e_.changes[i]);
      if (type != nullptr && type->widening == change::Widening::No) {
        by_table[type->table].push_back(i);
      }
    }
    for (const auto& [name, places] : by_table) {
      const Table* was = table_before(e_, name);
      const Table* is = find_table(e_.to, name);
      if (was == nullptr || is == nullptr) {
        continue;
      }
      retyped_.clear();
      for (const std::size_t i : places) {
        retyped_.push_back(std::get<change::ChangeColumnType>(e_.changes[i]).after.name);
        change_ = i;
      }
      checks(*was, *is);
      indexes(*was, *is);
    }
  }

 private:
  bool is_named(const std::string& sql) const {
    return std::any_of(retyped_.begin(), retyped_.end(), [&](const Identifier& column) {
      return mentions(sql, column.text(), schema::Dialect::Postgres);
    });
  }
  template <class Part>
  static bool holds(const std::vector<Part>& parts, const Identifier& name) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](const Part& part) { return part.name == name; });
  }
  void checks(const Table& was, const Table& is) {
    for (const schema::Check& check : is.checks) {
      if (holds(was.checks, check.name) && is_named(check.expression) &&
          find_part_change<change::AddCheck>(e_, is.name, check.name) == nullptr) {
        const std::string alter = e_.ddl.alter(is.name);
        add(stage::kDropConstraint, is, alter + "DROP CONSTRAINT " + e_.ddl.quote(check.name));
        if (parts_.constraints_back.emplace(is.name, check.name).second) {
          add(stage::kConstraint, is, alter + "ADD " + e_.ddl.check(check));
          comment("constraint", is, check.name, check.comment);
        }
      }
    }
  }
  void indexes(const Table& was, const Table& is) {
    for (const schema::Index& index : is.indexes) {
      const bool hangs = is_named(index.where) ||
                         std::any_of(index.parts.begin(), index.parts.end(),
                                     [&](const auto& part) { return is_named(part.expression); });
      if (hangs && holds(was.indexes, index.name) &&
          index.constraint == schema::Index::Constraint::None &&
          find_part_change<change::AddIndex>(e_, is.name, index.name) == nullptr) {
        add(stage::kDropIndex, is, e_.ddl.drop_index(index, is.name, ""));
        if (parts_.indexes_back.emplace(is.name, index.name).second) {
          add(stage::kIndex, is, index_sql(e_, index, is.name));
          comment("index", is, index.name, index.comment);
        }
      }
    }
  }
  void comment(const char* kind, const Table& table, const Identifier& part,
               const std::string& text) {
    if (!text.empty()) {
      add(stage::kComment, table, comment_sql(e_, {kind, table.name, part, ""}, text));
    }
  }
  void add(int at, const Table& table, std::string sql) {
    e_.draft.add({at, e_.rank_of(table.name), table.name.name.text()}, std::move(sql), change_);
  }

  Emission& e_;
  PostgresPlanParts& parts_;
  std::vector<Identifier> retyped_;
  std::size_t change_ = 0;
};

}  // namespace

void emit_postgres_rules(Emission& e, PostgresPlanParts& parts) {
  Rules(e, parts).run();
}

}  // namespace kedge::migrate
