// Which relation a name means: keys of tables and schemas, as names.h has them for columns. Where
// it is up to the server whether such names fold, keys are exact unless its Sight says otherwise.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "models/names.h"

namespace kedge::models {

// What the user of a connection may see of a database (models.md 8.1, 8.4), and how it reads names.
struct Sight {
  // Keys of relations that the catalog lists but that may not be read.
  std::unordered_set<std::string> forbidden;
  // The keys behind unqualified names, where the database has a search path: what is not here is
  // found in no schema of it. Nothing: an unqualified name is one of the default schema.
  std::optional<std::unordered_map<std::string, std::string>> searched;
  // A schema of the search path that holds something and may not be used. The database passes over
  // it in silence, so what it then calls missing may be there.
  std::string hidden;
  // The server was told to fold names of tables that its dialect keeps apart.
  bool folds_tables = false;
};

// "schema.table", the default schema as the empty one.
std::string table_key(SqlDialect dialect, std::string_view schema, std::string_view table);
std::string live_table_key(SqlDialect dialect, std::string_view name);
std::string written_table_key(SqlDialect dialect, const PhysicalName& part);

// Keys of the relations of one data source: equal for a live relation and a name that leads to it.
class RelationKeys {
 public:
  RelationKeys(SqlDialect dialect, std::string_view default_schema, const Sight& sight)
      : dialect_(dialect), default_schema_(default_schema), sight_(&sight) {}

  std::string of(const schema::Name& live) const;
  // Empty for a name that no schema of the search path has.
  std::string of(const RelationName& written) const;

 private:
  std::string folded(std::string key) const;

  SqlDialect dialect_;
  std::string default_schema_;
  const Sight* sight_;  // not owned
};

}  // namespace kedge::models
