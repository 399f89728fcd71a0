// A live table or view as metadata: the reverse of expected.h, as far as the language goes. The
// text is YAML, one document an object.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "kedge/schema.h"

namespace kedge::metadata {

struct DescribeOptions {
  schema::Dialect dialect = schema::Dialect::Postgres;
  std::map<schema::Name, std::string> entities;         // table -> entity name
  std::map<schema::Name, std::set<std::string>> leave;  // constraints and indexes to leave alone
  std::set<schema::Name> unmanaged;
};

// Unique entity names for tables and views, in their order.
std::map<schema::Name, std::string> name_entities(const schema::Schema& schema);
std::string describe_table(const schema::Table& table, const schema::Schema& schema,
                           const DescribeOptions& options);
std::string describe_view(const schema::View& view, const DescribeOptions& options);

}  // namespace kedge::metadata
