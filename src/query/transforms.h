// Transforms (models.md 4.1): window functions and shifted copies over the groups of a query, each
// level in a table of its own. Internal to src/query.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "query/atoms.h"

namespace kedge::query {

// The time dimension that transforms follow: the only one, else the main one, else the default one.
std::optional<std::size_t> time_dimension(const Statement& statement, const models::Query& query,
                                          const std::vector<Dimension>& dimensions,
                                          const RelationPointer& root);

class Transforms {
 public:
  Transforms(Statement& statement, const models::Query& query,
             const std::vector<Dimension>& dimensions, Groups& groups,
             std::optional<std::size_t> time)
      : statement_(statement),
        query_(query),
        dimensions_(dimensions),
        groups_(groups),
        time_(time) {
    if (time_) {
      groups_.set_time(dimensions_[*time_].path);
    }
  }

  void need(const FormulaNode& tree);
  // The name of a table with d1.., a1.. and t1...
  std::string build();
  std::string value(const std::string& alias, const FormulaNode& node) const;

 private:
  struct Item {
    FormulaNode node;
    std::size_t level = 1;  // of the table that first has its column
  };
  std::size_t level_of(const FormulaNode& tree) const;
  std::string layer(const std::string& below, std::size_t level, const std::string& groups);
  std::string expression(const Item& item, std::size_t number, const std::string& below,
                         const std::string& groups, std::string& joins);
  std::string ranking(const FormulaNode& node, const std::string& x) const;
  std::string shifted(const Item& item, std::int64_t count, Granularity granularity,
                      const std::string& below, const std::string& groups, std::string& joins);
  enum class Direction { Forward, Backward };  // in time
  std::string over(const std::string& partition, const std::string& frame,
                   Direction direction = Direction::Forward) const;
  std::string partition() const;
  std::size_t time() const;
  std::string argument(const FormulaNode& node, const std::string& alias) const;

  Statement& statement_;
  const models::Query& query_;
  const std::vector<Dimension>& dimensions_;
  Groups& groups_;
  std::optional<std::size_t> time_;
  std::vector<Item> items_;
  std::map<std::string, std::size_t> numbers_;
  std::size_t shifts_ = 0;
};

}  // namespace kedge::query
