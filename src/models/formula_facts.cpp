// The names in a formula, for the cascade (models.md 9.2).
#include <utility>

#include "models/facts.h"
#include "models/formula.h"

namespace kedge::models {
namespace {

using Kind = FormulaNode::Kind;
enum class Role { Formula, Argument };

class Collector {
 public:
  explicit Collector(std::vector<FormulaReference>& references) : references_(references) {}

  void visit(const FormulaNode& node, Role place) {
    switch (node.kind) {
      case Kind::Reference:
        add(place == Role::Argument ? FormulaReference::Kind::Argument
                                    : FormulaReference::Kind::Bare,
            node.path, {}, node.begin);
        break;
      case Kind::Aggregate:
        add(FormulaReference::Kind::Aggregate, node.path, node.aggregation, node.begin);
        arguments(node, 0);
        break;
      case Kind::Star:
        add(FormulaReference::Kind::Star, node.path, {}, node.begin);
        break;
      case Kind::Transform:
        transform(node);
        break;
      case Kind::Numeral:
      case Kind::String:
      case Kind::Boolean:
      case Kind::Null:
      case Kind::Placeholder:
        break;
      case Kind::Scalar:
      case Kind::Not:
      case Kind::Negate:
      case Kind::Binary:
      case Kind::In:
      case Kind::Like:
      case Kind::IsNull:
      case Kind::Between:
        for (const FormulaNode& item : node.items) {
          visit(item, place);
        }
        break;
    }
  }

 private:
  void add(FormulaReference::Kind kind, std::vector<std::string> path, std::string aggregation,
           std::size_t begin) {
    references_.push_back({kind, std::move(path), std::move(aggregation), begin});
  }

  void arguments(const FormulaNode& node, std::size_t from) {
    for (std::size_t i = from; i < node.arguments.size(); ++i) {
      const FormulaArgument& argument = node.arguments[i];
      for (const FormulaNode& value : argument.value) {
        const bool word = value.kind == Kind::Reference && value.path.size() == 1 &&
                          node.text == "time_shift" && is_granularity_word(value.path[0]);
        if (!word) {
          visit(value, Role::Argument);
        }
      }
      for (const auto& path : argument.list) {
        add(FormulaReference::Kind::Argument, path, {}, node.begin);
      }
    }
  }

  // The first argument is a formula of its own, the others are numbers, words and columns.
  void transform(const FormulaNode& node) {
    if (!node.arguments.empty()) {
      for (const FormulaNode& value : node.arguments[0].value) {
        visit(value, Role::Formula);
      }
    }
    arguments(node, 1);
  }

  std::vector<FormulaReference>& references_;
};

}  // namespace

FormulaFacts analyse_formula(std::string_view formula) {
  ParsedFormula parsed = parse_formula(formula);
  FormulaFacts facts;
  facts.error = std::move(parsed.error);
  facts.error_offset = parsed.error_offset;
  facts.function_style = parsed.function_style;
  if (!facts.error) {
    Collector(facts.references).visit(parsed.root, Role::Formula);
  }
  return facts;
}

}  // namespace kedge::models
