// The aggregates of a query. Local ones stand in one grouped SELECT; those over a joined model, the
// first and last ones and those over a trailing window have a table each, so that no join can count
// a row twice (models.md 6.2). Internal to src/query.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "query/stage.h"

namespace kedge::query {

struct Dimension {
  std::vector<std::string> path;  // from the root
  ColumnType type = ColumnType::Text;
  const models::TimeDimension* time = nullptr;
  bool whole_periods = false;
  Output output;
};

// Moves the date range of one time dimension by whole units.
struct Shift {
  std::size_t dimension = 0;
  std::int64_t count = 0;
  Granularity granularity = Granularity::Day;
  bool operator==(const Shift&) const = default;
};

std::string dimension_column(std::size_t index);  // "d1"
// Has a table of its own: over a join, first, last, or over a trailing window.
bool is_separate(const FormulaNode& leaf);
// A literal cannot stand in GROUP BY.
bool is_constant(const std::string& sql);
// An integer literal of a formula; throws formula_syntax.
std::int64_t integer_argument(const models::FormulaArgument& argument);
// By name, or the first one without a name from `from` on; null when there is none.
const models::FormulaArgument* find_argument(const FormulaNode& node, std::string_view name,
                                             std::size_t from = 0);

// One FROM .. WHERE over the root, with every row filter.
class RowSource {
 public:
  RowSource(Statement& statement, const FindRelation& find, const RelationPointer& root,
            const std::vector<Dimension>& dimensions, const std::vector<FormulaNode>& filters,
            std::optional<Shift> shift = std::nullopt);
  std::string dimension(const Dimension& dimension);
  std::string column(const std::vector<std::string>& path);
  std::string aggregate(const FormulaNode& node);
  std::string from_where(const std::vector<std::string>& more = {});
  // No date range for this dimension: a trailing window looks back before it.
  void ignore_range(std::size_t dimension) { unbounded_ = dimension; }
  Joins& joins() { return joins_; }

 private:
  void date_range(std::size_t index, std::vector<std::string>& conditions);

  Statement& statement_;
  const std::vector<Dimension>& dimensions_;
  const std::vector<FormulaNode>& filters_;
  std::optional<Shift> shift_;
  std::optional<std::size_t> unbounded_;
  Joins joins_;
};

class Groups {
 public:
  Groups(Statement& statement, const FindRelation& find, const RelationPointer& root,
         const std::vector<Dimension>& dimensions, const std::vector<FormulaNode>& filters,
         const std::vector<FormulaNode>& group_filters)
      : statement_(statement),
        find_(find),
        root_(root),
        dimensions_(dimensions),
        filters_(filters),
        group_filters_(group_filters) {}

  // Every aggregate of the tree, also inside transforms, gets a column.
  void need(const FormulaNode& tree);
  // The path of main_time_dimension, for first and last without a time of their own.
  void set_time(std::vector<std::string> path) { time_ = std::move(path); }
  // The name of a table with the columns d1.. and a1.., one row for each group.
  std::string build(const std::optional<Shift>& shift = std::nullopt);
  // A Reference, Aggregate or Star as a column of such a table.
  std::string value(const std::string& alias, const FormulaNode& node) const;

 private:
  struct Atom {
    FormulaNode node;
    Hops hops;
    std::string owner;  // while building: the alias of its table
  };
  struct Part {
    std::string table;
    std::vector<std::size_t> atoms;
  };
  std::string base(const std::optional<Shift>& shift);
  Part across(const Hops& hops, const std::vector<std::size_t>& atoms,
              const std::optional<Shift>& shift);
  Part ranked(std::size_t atom, const std::optional<Shift>& shift);
  Part windowed(std::size_t atom, const std::string& base_table, const std::optional<Shift>& shift);
  std::string pairs(const Hops& hops, const std::optional<Shift>& shift,
                    std::vector<std::string>& keys);
  std::vector<std::string> key_names(const Hops& hops) const;
  std::string join_parts(const std::string& base_table, const std::vector<Part>& parts);
  std::string dimension_list(const std::string& alias) const;
  std::string same_dimensions(const std::string& left, const std::string& right) const;
  std::vector<std::string> time_of(const Atom& atom) const;
  bool is_local(const Atom& atom) const { return !is_separate(atom.node); }

  Statement& statement_;
  const FindRelation& find_;
  RelationPointer root_;
  const std::vector<Dimension>& dimensions_;
  const std::vector<FormulaNode>& filters_;
  const std::vector<FormulaNode>& group_filters_;
  std::vector<std::string> time_;
  std::vector<Atom> atoms_;
  std::map<std::string, std::size_t> numbers_;  // signature -> place in atoms_
};

}  // namespace kedge::query
