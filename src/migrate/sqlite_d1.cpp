// D1 runs a file in one implicit transaction in which foreign keys stay on: a referenced table is
// rebuilt together with everything that references it (spec/migrate.md 8.4).
#include <fmt/format.h>

#include <algorithm>

#include "base/graph.h"
#include "base/text.h"
#include "kedge/codes.h"
#include "migrate/sqlite_rebuild.h"

namespace kedge::migrate {
namespace {

using schema::Name;
using schema::Table;

class Family {
 public:
  Family(Emission& e, const std::vector<Rebuild>& rebuilds) : e_(e) {
    for (const Rebuild& rebuild : rebuilds) {
      members_[rebuild.is->name] = rebuild;
    }
    for (const Change& change : e.changes) {
      if (const auto* drop = std::get_if<change::DropTable>(&change)) {
        dropped_.insert(drop->object.name);
      }
    }
    close();
  }

  std::set<Name> names() const {
    std::set<Name> names;
    for (const auto& [name, member] : members_) {
      names.insert(name);
    }
    return names;
  }
  bool is_referenced() const {
    for (const auto& [name, member] : members_) {
      for (const auto& [other, another] : members_) {
        if (references(other, name)) {
          return true;
        }
      }
    }
    return false;
  }
  // Parents first; empty when refused.
  std::vector<Name> order() {
    const std::set<Name> set = names();
    const std::vector<Name> list(set.begin(), set.end());
    base::Graph graph(list.size());
    for (std::size_t child = 0; child < list.size(); ++child) {
      for (std::size_t parent = 0; parent < list.size(); ++parent) {
        if (child != parent && references(list[child], list[parent])) {
          graph.add_edge(parent, child);
        }
      }
    }
    if (refuse_cycles(graph, list)) {
      return {};
    }
    std::vector<Name> ordered;
    for (const std::size_t node : base::sort_topologically(graph).order) {
      ordered.push_back(list[node]);
    }
    return ordered;
  }
  const Rebuild& member(const Name& name) const { return members_.at(name); }

 private:
  bool references(const Name& child, const Name& parent) const {
    const auto points = [](const Table* table, const Name& target) {
      return table != nullptr &&
             std::any_of(table->foreign_keys.begin(), table->foreign_keys.end(),
                         [&](const auto& key) { return key.referenced_table == target; });
    };
    return points(find_table(e_.to, child), parent) ||
           points(table_before(e_, child), name_before(e_, parent));
  }
  void close() {
    for (bool grew = true; grew;) {
      grew = false;
      for (const Table& table : e_.to.tables) {
        const Table* was = table_before(e_, table.name);
        if (was == nullptr || members_.contains(table.name)) {
          continue;
        }
        const bool refers = std::any_of(members_.begin(), members_.end(), [&](const auto& member) {
          return references(table.name, member.first);
        });
        if (refers) {
          refuse_foreign(table.name);
          members_[table.name] = {was, &table, {}};
          grew = true;
        }
      }
    }
  }
  void refuse_foreign(const Name& table) {
    if (e_.up() && e_.untouchable.contains(table)) {
      e_.refusals.push_back(
          {State::Blocked,
           {},
           "table " + to_string(table) +
               " references a table that must be rebuilt, and kedge does not manage it",
           "declare it, or take it into the scope",
           codes::ERR_D1_EXTERNAL_REFERRER});
    }
  }
  bool refuse_cycles(const base::Graph& graph, const std::vector<Name>& list) {
    bool refused = false;
    for (const std::vector<std::size_t>& component : base::strong_components(graph)) {
      if (component.size() < 2 || e_.options.allow.contains("d1-cycle")) {
        continue;
      }
      std::vector<std::string> names;
      for (const std::size_t node : component) {
        names.push_back(to_string(list[node]));
      }
      names.push_back(names.front());
      e_.refusals.push_back({State::Blocked,
                             {"d1-cycle"},
                             "the tables " + base::join(names, " -> ") +
                                 " reference each other and cannot be rebuilt one by one",
                             "drop one side's key, rebuild, restore it; or --allow d1-cycle",
                             codes::ERR_D1_FK_CYCLE});
      refused = true;
    }
    return refused && e_.options.gate == Gate::Enforced;
  }

  Emission& e_;
  std::map<Name, Rebuild> members_;
  std::set<Name> dropped_;
};

Name temporary(const Name& name) {
  return {{}, Identifier("__f_" + name.name.text())};
}

std::string family_table(const Emission& e, const Table& table, const std::set<Name>& set) {
  Table written = table;
  written.name = temporary(table.name);
  written.definition.text.clear();
  for (schema::ForeignKey& key : written.foreign_keys) {
    if (set.contains(key.referenced_table)) {
      key.referenced_table = temporary(key.referenced_table);
    }
  }
  return e.ddl.create_table(written);
}

void carry(Emission& e, const Rebuild& member, const Keys& keys) {
  if (!e.options.carry_sequence || !is_counted(*member.is) || !is_counted(*member.was)) {
    return;
  }
  const std::string made = e.ddl.literal(temporary(member.is->name).name.text());
  e.draft.add(keys, "DELETE FROM \"sqlite_sequence\" WHERE \"name\" = " + made);
  e.draft.add(keys, fmt::format("INSERT INTO \"sqlite_sequence\" (\"name\", \"seq\") SELECT {}, "
                                "\"seq\" FROM \"sqlite_sequence\" WHERE \"name\" = {}",
                                made, e.ddl.literal(member.is->name.name.text())));
}

void cascade(Emission& e, Family& family, const std::vector<Name>& order) {
  const std::set<Name> set = family.names();
  const Keys keys{stage::kColumn, 0, ""};
  const auto change_of = [&](const Name& name) -> std::optional<std::size_t> {
    const auto& changes = family.member(name).changes;
    return changes.empty() ? std::nullopt : std::optional<std::size_t>(changes.front());
  };
  e.draft.add(keys, "PRAGMA defer_foreign_keys = ON");
  for (const Name& name : order) {
    const std::string written = family_table(e, *family.member(name).is, set);
    refuse_losses(e, family.member(name), written);
    PlanStatement& made = e.draft.add(keys, written, change_of(name));
    Hazard hazard;
    hazard.hazard = "table-rebuild";
    hazard.table = name;
    hazard.text = "the whole table is copied";
    made.hazards.push_back(hazard);
  }
  for (const Name& name : order) {
    list_own_keys(e, keys, family.member(name), change_of(name));
    const std::string copy =
        copy_sql(e, family.member(name), e.ddl.name(temporary(name)), e.ddl.name(name));
    if (!copy.empty()) {
      e.draft.add(keys, copy, change_of(name));
    }
    drop_own_keys(e, keys, family.member(name), change_of(name));
    carry(e, family.member(name), keys);
  }
  for (auto name = order.rbegin(); name != order.rend(); ++name) {
    drop_old(e, keys, family.member(*name), change_of(*name));
  }
  for (const Name& name : order) {
    e.draft.add(keys, e.ddl.alter(temporary(name)) + "RENAME TO " + e.ddl.quote(name.name),
                change_of(name));
    for (const schema::Index& index : family.member(name).is->indexes) {
      if (index.constraint == schema::Index::Constraint::None) {
        e.draft.add(keys, index_sql(e, index, name), change_of(name));
      }
    }
  }
}

// D1 limits a statement to 100 KB and a table to 100 columns.
void refuse_sizes(Emission& e) {
  for (const Table& table : e.to.tables) {
    const Table* was = table_before(e, table.name);
    const bool grew = was == nullptr || was->columns.size() < table.columns.size();
    if (e.up() && table.columns.size() > 100 && grew) {
      e.refusals.push_back({State::Blocked,
                            {},
                            "table " + to_string(table.name) + " has more than 100 columns",
                            "D1 holds at most 100 columns in a table",
                            codes::ERR_D1_UNSUPPORTED});
    }
  }
}

}  // namespace

std::set<Name> emit_d1_rebuilds(Emission& e, const std::vector<Rebuild>& rebuilds) {
  refuse_sizes(e);
  if (rebuilds.empty()) {
    return {};
  }
  Family family(e, rebuilds);
  if (!family.is_referenced()) {
    for (const Rebuild& rebuild : rebuilds) {
      emit_rebuild(e, rebuild);
    }
    return family.names();
  }
  const std::vector<Name> order = family.order();
  if (!order.empty()) {
    cascade(e, family, order);
  }
  return family.names();
}

}  // namespace kedge::migrate
