// What a statement leaves that stopped half way: an index of postgres that serves nobody, some of
// the work of a block that commits on its way (spec/migrate.md 12.5).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "migrate/script.h"

namespace kedge::migrate {

// CREATE or DROP INDEX CONCURRENTLY. The names are as written, quotes included.
struct ConcurrentIndex {
  enum class Verb { Create, Drop };
  Verb verb = Verb::Create;
  std::string name;
  std::string table;  // Create only
};
// Nothing for other statements and engines, and where the server chooses the name.
std::optional<ConcurrentIndex> find_concurrent_index(const ScriptStatement& statement,
                                                     schema::Dialect dialect);

// Cut off or refused, it leaves an index that is not valid. Drops that; false: there is none.
// `first` is called before.
bool drop_invalid_index(
    db::Connection& connection, const ConcurrentIndex& index,
    const std::function<void()>& first = [] {});

// Some of its work may stay when it fails: it commits on its way.
bool commits_on_its_way(const ScriptStatement& statement, schema::Dialect dialect);

// A definition that ran before the program was killed fails when it runs again, because what it
// makes is there or what it drops is not. Anything else that is missing (the table that a new view
// reads) is a failure.
bool has_its_effect(const ScriptStatement& statement, const Error& error, schema::Dialect dialect);

}  // namespace kedge::migrate
