// The rebuild of a sqlite table (spec/migrate.md 8.3) and of a family of them on D1 (8.4).
#pragma once

#include "migrate/emission.h"

namespace kedge::migrate {

struct Rebuild {
  const schema::Table* was = nullptr;  // under its old name
  const schema::Table* is = nullptr;
  std::vector<std::size_t> changes;
};

// Blocks a rebuild whose `written` table lacks what the old one has, without --allow rebuild-loss.
void refuse_losses(Emission& emission, const Rebuild& rebuild, const std::string& written);
void emit_rebuild(Emission& emission, const Rebuild& rebuild);
// Closes the set over referrers; refuses cycles and tables of somebody else. Gives the tables that
// are rebuilt.
std::set<schema::Name> emit_d1_rebuilds(Emission& emission, const std::vector<Rebuild>& rebuilds);

// CREATE TABLE under this name: the text that a person wrote where it is known.
std::string table_sql(const Emission& emission, const schema::Table& table,
                      const schema::Name& name);
// "INSERT INTO <target> (...) SELECT ... FROM <source>"
std::string copy_sql(const Emission& emission, const Rebuild& rebuild, const std::string& target,
                     const std::string& source);
// Around it, where rows refer to one another by a key that moves: the new key of each old one.
void list_own_keys(Emission& emission, const Keys& keys, const Rebuild& rebuild,
                   std::optional<std::size_t> change);
void drop_own_keys(Emission& emission, const Keys& keys, const Rebuild& rebuild,
                   std::optional<std::size_t> change);
bool is_counted(const schema::Table& table);  // AUTOINCREMENT

// The client of sqlite goes on after an error: where the rows do not fit the new table, it would
// drop the old one all the same. So the copy rolls back when it fails or is not whole, and what
// follows meets a temporary table of the same name: made before the transaction, gone inside of it,
// and there again after the rollback.
bool needs_stand_ins(const Emission& emission);
void add_stand_ins(Emission& emission, const std::set<schema::Name>& rebuilt);
// The old table goes, and with it the columns that the new one has not.
void drop_old(Emission& emission, const Keys& keys, const Rebuild& rebuild,
              std::optional<std::size_t> change);

}  // namespace kedge::migrate
