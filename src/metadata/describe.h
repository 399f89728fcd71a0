// A live table or view as metadata: the reverse of expected.h, as far as the language goes. The
// text is YAML, one document an object.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "metadata/expected.h"

namespace kedge::metadata {

struct DescribeOptions {
  schema::Dialect dialect = schema::Dialect::Postgres;
  std::map<schema::Name, std::string> entities;  // table -> entity name
  std::map<schema::Name, LeftAlone> leave;
  // Columns that are described by their type alone.
  std::map<schema::Name, std::set<Identifier>> bare;
  std::set<schema::Name> unmanaged;
};

// The part of a table that a line of its description is about.
struct DescribedPart {
  std::string label;  // of an index or constraint
  Identifier column;
};
struct Description {
  std::string text;
  std::map<int, DescribedPart> parts;  // by line, from 1
};

// Unique entity names for tables and views, in their order.
std::map<schema::Name, std::string> name_entities(const schema::Schema& schema);
Description describe_table(const schema::Table& table, const schema::Schema& schema,
                           const DescribeOptions& options);
std::string describe_view(const schema::View& view, const DescribeOptions& options);

}  // namespace kedge::metadata
