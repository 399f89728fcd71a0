// Indexes that something stands on: a foreign key, on either of its ends, or a column that the
// database counts. Both engines refuse to drop the last of them, even for a moment.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "migrate/emission.h"

namespace kedge::migrate {

class MysqlIndexes {
 public:
  explicit MysqlIndexes(Emission& emission);
  void add(const change::AddIndex& c, std::size_t change);
  void drop(const change::DropIndex& c, std::size_t change);
  // The index that the engine made for a foreign key and leaves behind.
  void drop_implied(const change::DropForeignKey& c, std::size_t change);
  // The same index with another comment.
  void comment(const change::ChangeComment& c, std::size_t change);

 private:
  using Part = std::pair<schema::Name, Identifier>;  // a table and the name of something of it
  // An index that goes, with what it is the last to carry.
  struct Going {
    schema::Index index;                           // as it was
    std::vector<std::vector<Identifier>> carried;  // each list of columns by its new names
    std::vector<const schema::ForeignKey*> keys;   // of its own table, as they will be
    bool goes_late = false;                        // after what comes in its place
    Identifier aside;                              // its name until it goes
    bool has_successor = false;                    // goes in the statement of one that comes
  };
  // A foreign key of `to`, with the table that has it.
  struct Reference {
    const schema::Table* table;
    const schema::ForeignKey* key;
  };
  void note_references();
  // A foreign key that is there before and after, as it was; else null.
  const schema::ForeignKey* stays(const schema::Name& table, const schema::ForeignKey& key) const;
  void note(const schema::Name& table, schema::Index index);
  void weigh(const schema::Name& table, Going& going);
  void step_aside(const schema::Name& table, Going& going, const change::AddIndex* successor);
  // The first that comes and carries all of these.
  const change::AddIndex* coming(const schema::Name& table,
                                 const std::vector<std::vector<Identifier>>& carried) const;
  bool is_over_retyped(const schema::Name& table, const schema::Index& index) const;
  void find_successor(const schema::Name& table, Going& going);
  void release(const change::AddIndex& c);
  bool is_covered(const schema::Name& table, const std::vector<Identifier>& columns) const;
  void drop(const schema::Name& table, const Identifier& index, std::size_t change);
  bool leads_with_counted(const schema::Name& table, const schema::Index& index) const;
  bool came_inline(const schema::Name& table, const schema::Index& index) const;
  void statement(int at, const schema::Name& table, const std::string& sql, std::size_t change);

  Emission& e_;
  std::map<schema::Name, std::vector<Reference>> references_;  // by the table at either end
  std::set<Part> dropped_keys_;
  std::set<schema::Name> without_primary_key_;  // once the changes are made
  std::map<Part, Going> going_;
  std::map<Part, std::vector<Identifier>> replaced_;  // by the one that comes: what it replaces
  std::set<std::pair<Part, std::string>> cared_for_;  // foreign keys and which end of them
};

// "UNIQUE INDEX i (...)", as it stands in an ALTER TABLE.
std::string mysql_index_clause(const Emission& emission, const schema::Index& index,
                               const schema::Name& table);

}  // namespace kedge::migrate
