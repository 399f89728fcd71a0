// How the reads of pipelines stand on the tables of a database that changes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/impact.h"
#include "contracts/baseline.h"
#include "contracts/fetched.h"
#include "pipeline/workspace.h"

namespace kedge::app {

// What a change takes away or gives another type.
struct Loss {
  schema::Name relation;
  std::string column;  // empty: the relation itself
  bool retyped = false;
};
std::vector<Loss> losses_of(const ShapeChange& change);

enum class Use {
  None,
  Star,  // a query that only takes every column
  Named
};

class ReadUse {
 public:
  ReadUse() = default;  // of another database
  ReadUse(const ShapeChange& change, const pipeline::ReadSpec& read);
  bool is_query() const { return !query_.empty(); }
  const std::string& query() const { return query_; }
  Use of(const Loss& loss) const;

 private:
  std::string query_;
  std::optional<schema::Name> relation_;
  std::vector<ViewRead> reads_;
};

// What the query of a read gives. No database is asked: before the change it gives what its
// contract or its baseline says, and after it a column that it hands on as it stands follows.
using QueryShapes = std::map<std::size_t, contracts::FetchedShape>;
contracts::FetchedShape declared_shape(const pipeline::ReadSpec& read,
                                       const contracts::Baselines& baselines);
// Nothing: it cannot be answered any more.
std::optional<contracts::FetchedShape> shape_after(const ShapeChange& change,
                                                   const std::vector<Loss>& losses,
                                                   const ReadUse& use,
                                                   contracts::FetchedShape shape);

}  // namespace kedge::app
