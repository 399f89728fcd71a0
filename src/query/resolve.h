// Formulas of a query with every name resolved: saved measures replaced by their formulas, paths
// written from the root, aggregations checked (models.md 4). Internal to src/query.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "query/stage.h"

namespace kedge::query {

// A measure of the query, after resolution.
struct ResolvedMeasure {
  FormulaNode tree;
  std::string alias;  // as given, or empty
  Output output;
  std::optional<ColumnType> cast;
};

class Resolver {
 public:
  Resolver(const FindRelation& find, RelationPointer root) : find_(find), root_(std::move(root)) {}

  // A formula in the words of the root. With `aliases` bare names may mean measures of the query.
  FormulaNode resolve(const std::string& text,
                      const std::map<std::string, FormulaNode>* aliases = nullptr);
  // A dotted path to a declared column, with the root's own name stripped. Throws
  // unknown_reference, unknown_path.
  std::vector<std::string> column_path(const std::vector<std::string>& path) const;
  const models::Column& column(const std::vector<std::string>& path) const;
  RelationPointer relation(const Hops& hops) const { return follow(find_, root_, hops); }
  std::optional<ColumnType> type_of(const FormulaNode& node) const;
  // The saved measure that a text names as a whole, for its label and type.
  const models::Measure* saved_measure(const std::string& text) const;

 private:
  struct Context {
    Hops hops;
    const std::map<std::string, FormulaNode>* aliases = nullptr;
  };
  void expand(FormulaNode& node, const Context& context);
  void expand_inside(FormulaNode& node, const Context& context);
  void count(std::size_t nodes);
  bool replace_saved(FormulaNode& node, const Context& context, Context& inside);
  FormulaNode open_measure(const models::Measure& measure, const Hops& hops);
  void aggregate(FormulaNode& node, const Context& context);
  void argument(models::FormulaArgument& argument, const Hops& target, const Context& context);
  void argument_path(std::vector<std::string>& path, const Hops& target, const Context& context);
  std::vector<std::string> strip(const std::vector<std::string>& path,
                                 const RelationPointer& from) const;
  [[noreturn]] void unknown(const std::string& name, const RelationPointer& relation,
                            const std::map<std::string, FormulaNode>* aliases) const;

  const FindRelation& find_;
  RelationPointer root_;
  std::vector<std::string> measures_;  // being expanded
  std::size_t nodes_ = 0;              // of every formula so far
  std::size_t depth_ = 0;              // of the tree that is being expanded
};

}  // namespace kedge::query
