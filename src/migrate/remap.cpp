#include "migrate/remap.h"

#include <algorithm>

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

// Shared referencing columns, else the only pair between the two tables.
const ForeignKey* partner(const ForeignKey& live, const std::vector<const ForeignKey*>& wanted,
                          std::size_t live_count) {
  for (const ForeignKey* key : wanted) {
    if (key->columns == live.columns) {
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
      const Table* was = moved == nullptr ? nullptr : find_table(e_.from, old_name(moved->table));
      if (was != nullptr && was->primary_key) {
        for (const Table& child : e_.to.tables) {
          look(child, *was, moved->table, moved->part.columns);
        }
      }
    }
    return std::move(found_);
  }

 private:
  Name old_name(const Name& name) const {
    const auto old = e_.old_table_names.find(name);
    return old == e_.old_table_names.end() ? name : old->second;
  }
  void look(const Table& child, const Table& parent, const Name& new_parent,
            const std::vector<Identifier>& new_key) {
    const Table* was = find_table(e_.from, old_name(child.name));
    if (was == nullptr) {
      return;
    }
    const auto live = keys_to(*was, parent.name, parent.primary_key->columns);
    const auto wanted = keys_to(child, new_parent, new_key);
    for (const ForeignKey* key : live) {
      const ForeignKey* other = partner(*key, wanted, live.size());
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
      if (!can_fill(new_parent, parent, new_key[0])) {
        refuse(child.name, new_parent, "the old key must stay for one migration here");
        continue;
      }
      found_.push_back({child.name, key->columns[0], other->columns[0], new_parent,
                        parent.primary_key->columns[0], new_key[0]});
    }
  }
  // postgres fills before the old key goes; a rebuilt sqlite table must have both keys, before its
  // rebuild or after it.
  bool can_fill(const Name& parent, const Table& was, const Identifier& new_key) const {
    const schema::Dialect dialect = e_.options.dialect;
    const Table* is = find_table(e_.to, parent);
    return dialect == schema::Dialect::Postgres ||
           ((dialect == schema::Dialect::Sqlite || dialect == schema::Dialect::D1) &&
            is != nullptr &&
            (find_column(*is, was.primary_key->columns[0]) != nullptr ||
             find_column(was, new_key) != nullptr));
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

}  // namespace kedge::migrate
