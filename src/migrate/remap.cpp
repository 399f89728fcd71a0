#include "migrate/remap.h"

#include <algorithm>
#include <set>
#include <utility>

#include "kedge/codes.h"
#include "migrate/emission.h"

namespace kedge::migrate {
namespace {

using schema::ForeignKey;
using schema::Name;
using schema::Table;

std::vector<const ForeignKey*> keys_to(const Table& child, const Name& parent,
                                       const std::vector<Identifier>& columns) {
  std::vector<const ForeignKey*> found;
  for (const ForeignKey& key : child.foreign_keys) {
    if (key.referenced_table == parent && key.referenced_columns == columns) {
      found.push_back(&key);
    }
  }
  return found;
}

// Which column holds the value of which: their order says nothing.
using Pairs = std::set<std::pair<Identifier, Identifier>>;
Pairs pairs_of(const std::vector<Identifier>& columns, const std::vector<Identifier>& referenced) {
  Pairs pairs;
  for (std::size_t i = 0; i < columns.size() && i < referenced.size(); ++i) {
    pairs.emplace(columns[i], referenced[i]);
  }
  return pairs;
}

// Shared referencing columns, else the only pair between the two tables.
const ForeignKey* partner(const std::vector<Identifier>& columns,
                          const std::vector<const ForeignKey*>& wanted, std::size_t live_count) {
  for (const ForeignKey* key : wanted) {
    if (key->columns == columns) {
      return key;
    }
  }
  return live_count == 1 && wanted.size() == 1 ? wanted.front() : nullptr;
}

class Finder {
 public:
  explicit Finder(Emission& e) : e_(e) {}

  std::vector<Remap> run() {
    for (const Change& change : e_.changes) {
      const auto* moved = std::get_if<change::AddPrimaryKey>(&change);
      const Table* was = moved == nullptr ? nullptr : table_before(e_, moved->table);
      if (was != nullptr && was->primary_key) {
        for (const Table& child : e_.to.tables) {
          look(child, *was, moved->table, moved->part.columns);
        }
      }
    }
    return std::move(found_);
  }

 private:
  void look(const Table& child, const Table& parent, const Name& new_parent,
            const std::vector<Identifier>& new_key) {
    const Table* was = table_before(e_, child.name);
    if (was == nullptr) {
      return;
    }
    const auto live = keys_to(*was, parent.name, parent.primary_key->columns);
    const auto wanted = keys_to(child, new_parent, new_key);
    for (const ForeignKey* key : live) {
      std::vector<Identifier> columns;
      for (const Identifier& column : key->columns) {
        columns.push_back(column_after(e_.changes, child.name, column));
      }
      if (stays_the_same(key->referenced_columns, columns, new_parent, wanted)) {
        continue;
      }
      const ForeignKey* other = partner(columns, wanted, live.size());
      if (other == nullptr) {
        if (wanted.size() > 1) {
          refuse(child.name, new_parent, "several references could be meant");
        }
        continue;
      }
      if (key->columns.size() != 1 || other->columns.size() != 1) {
        refuse(child.name, new_parent, "a key of several columns cannot be mapped");
        continue;
      }
      const Identifier old_key =
          column_after(e_.changes, new_parent, parent.primary_key->columns[0]);
      if (!can_fill(new_parent, parent, old_key, new_key[0])) {
        refuse(child.name, new_parent, "the old key must stay for one migration here");
      } else if (columns[0] == other->columns[0] && is_referenced(child.name, columns[0])) {
        refuse(child.name, new_parent,
               "column " + columns[0].text() + " is referenced itself and would change its values");
      } else {
        found_.push_back(
            {child.name, columns[0], other->columns[0], new_parent, old_key, new_key[0]});
      }
    }
  }
  // The key has the same columns in another order: every row holds what it must.
  bool stays_the_same(const std::vector<Identifier>& old_key,
                      const std::vector<Identifier>& columns, const Name& parent,
                      const std::vector<const ForeignKey*>& wanted) const {
    std::vector<Identifier> old_columns;
    for (const Identifier& column : old_key) {
      old_columns.push_back(column_after(e_.changes, parent, column));
    }
    const Pairs pairs = pairs_of(columns, old_columns);
    return std::any_of(wanted.begin(), wanted.end(), [&](const ForeignKey* key) {
      return pairs_of(key->columns, key->referenced_columns) == pairs;
    });
  }
  // A rebuilt sqlite table must have both keys, before its rebuild or after it; the others fill
  // before the old key goes.
  bool can_fill(const Name& parent, const Table& was, const Identifier& old_key,
                const Identifier& new_key) const {
    const schema::Dialect dialect = e_.options.dialect;
    const Table* is = find_table(e_.to, parent);
    return (dialect != schema::Dialect::Sqlite && dialect != schema::Dialect::D1) ||
           (is != nullptr && (find_column(*is, old_key) != nullptr ||
                              find_column(was, column_before(e_, parent, new_key)) != nullptr));
  }
  bool is_referenced(const Name& table, const Identifier& column) const {
    return std::any_of(e_.to.tables.begin(), e_.to.tables.end(), [&](const Table& other) {
      return std::any_of(
          other.foreign_keys.begin(), other.foreign_keys.end(), [&](const ForeignKey& key) {
            return key.referenced_table == table &&
                   std::count(key.referenced_columns.begin(), key.referenced_columns.end(), column);
          });
    });
  }
  void refuse(const Name& child, const Name& parent, const std::string& why) {
    if (e_.up()) {
      e_.refusals.push_back({State::Blocked,
                             {},
                             "the references of " + to_string(child) + " to the moved key of " +
                                 to_string(parent) + " cannot be filled again: " + why,
                             "move the key by hand",
                             codes::ERR_PRIMARY_KEY_REMAP});
    }
  }

  Emission& e_;
  std::vector<Remap> found_;
};

}  // namespace

std::vector<Remap> find_remaps(Emission& e) {
  return Finder(e).run();
}

const Remap* remap_into(const Emission& e, const Name& table, const Identifier& column) {
  const auto found = std::find_if(e.remaps.begin(), e.remaps.end(), [&](const Remap& remap) {
    return remap.child == table && remap.new_column == column;
  });
  return found == e.remaps.end() ? nullptr : &*found;
}

bool is_read_by_remap(const Emission& e, const schema::Name& table, const Identifier& column) {
  return std::any_of(e.remaps.begin(), e.remaps.end(), [&](const Remap& remap) {
    return (remap.child == table && remap.old_column == column) ||
           (remap.parent == table && remap.old_key == column);
  });
}

}  // namespace kedge::migrate
