#include "query/stage.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "kedge/codes.h"
#include "models/aggregations.h"
#include "models/stages.h"
#include "query/aggregates.h"
#include "query/atoms.h"
#include "query/resolve.h"
#include "query/transforms.h"

namespace kedge::query {
namespace {

using Kind = FormulaNode::Kind;

std::vector<std::string> split_dots(const std::string& path) {
  return base::split(path, '.');
}

class Stage {
 public:
  Stage(Statement& statement, const FindRelation& find, RelationPointer root,
        const models::Query& query)
      : statement_(statement),
        find_(find),
        query_(query),
        resolver_(find, root),
        root_(std::move(root)) {}

  StageSql run(Naming naming) {
    resolve_dimensions();
    resolve_measures();
    check_shape();
    check_keys();
    resolve_filters();
    resolve_order();
    StageSql result;
    result.select = needs_tables() ? layered(naming) : plain(naming);
    result.outputs = outputs();
    return result;
  }

 private:
  // --- names
  void resolve_dimensions() {
    for (const models::QueryDimension& item : query_.dimensions) {
      add_dimension(item.path, item.label, std::nullopt);
    }
    for (const models::TimeDimension& item : query_.time_dimensions) {
      add_dimension(item.dimension, item.label, item.granularity);
      dimensions_.back().time = &item;
    }
  }

  void add_dimension(const std::string& path, const std::string& label,
                     std::optional<Granularity> granularity) {
    Dimension dimension;
    dimension.path = resolver_.column_path(split_dots(path));
    const models::Column& column = resolver_.column(dimension.path);
    dimension.type = column.type;
    const std::string dotted = base::join(dimension.path, ".");
    const bool again =
        std::any_of(dimensions_.begin(), dimensions_.end(),
                    [&](const Dimension& other) { return other.path == dimension.path; });
    const std::string suffix = again && granularity ? "_" + models::to_string(*granularity) : "";
    dimension.output.key = root_->name + "." + dotted + suffix;
    dimension.output.column = base::replace_all(dotted, ".", "__") + suffix;
    dimension.output.granularity = granularity;
    const bool day = granularity && is_day_or_more(*granularity);
    dimension.output.type = day ? ColumnType::Date : column.type;
    dimension.output.label = label.empty() ? column.label : label;
    dimension.output.format = column.format;
    dimensions_.push_back(std::move(dimension));
  }

  void resolve_measures() {
    for (const models::QueryMeasure& item : query_.measures) {
      ResolvedMeasure measure;
      measure.tree = resolver_.resolve(item.formula);
      measure.alias = item.name;
      measure.cast = item.type;
      name_measure(item, measure);
      require_aggregated(measure.tree, item.formula);
      if (!item.name.empty()) {
        aliases_.emplace(item.name, measure.tree);
      }
      measures_.push_back(std::move(measure));
    }
    for (const ResolvedMeasure& measure : measures_) {
      aliases_.emplace(measure.output.column, measure.tree);
    }
  }

  void name_measure(const models::QueryMeasure& item, ResolvedMeasure& measure) {
    const FormulaNode& tree = measure.tree;
    measure.output.column = models::output_name(item);
    std::string key = measure.output.column;
    const models::Measure* saved = resolver_.saved_measure(item.formula);
    const bool local = tree.kind == Kind::Aggregate || tree.kind == Kind::Star;
    if (item.name.empty() && saved != nullptr) {
      const std::vector<std::string> parts = split_dots(std::string(base::trim(item.formula)));
      const bool own = parts.size() > 1 && parts[0] == root_->name;
      key = base::join(std::vector<std::string>(parts.begin() + (own ? 1 : 0), parts.end()), ".");
      measure.output.column = base::replace_all(key, ".", "__");
    } else if (item.name.empty() && local) {
      const std::size_t hops = tree.path.size() - (tree.kind == Kind::Aggregate ? 1 : 0);
      const Hops path(tree.path.begin(), tree.path.begin() + static_cast<std::ptrdiff_t>(hops));
      const std::string leaf = leaf_name(item, tree);
      key = base::join(path, ".") + (path.empty() ? "" : ".") + leaf;
      measure.output.column = base::join(path, "__") + (path.empty() ? "" : "__") + leaf;
    }
    measure.output.key = root_->name + "." + key;
    if (saved != nullptr) {
      measure.output.label = saved->label;
      measure.cast = measure.cast ? measure.cast : saved->type;
    } else if (tree.kind == Kind::Aggregate) {
      measure.output.format = resolver_.column(tree.path).format;
    }
    measure.output.label = item.label.empty() ? measure.output.label : item.label;
    measure.output.type = measure.cast ? measure.cast : resolver_.type_of(tree);
  }

  // "amount_sum", "_count", "x_percentile_p_0_5": the words after the last hop.
  static std::string leaf_name(const models::QueryMeasure& item, const FormulaNode& tree) {
    models::QueryMeasure bare = item;
    const std::size_t colon = item.formula.find(':');
    if (colon == std::string::npos) {  // sum(amount)
      return (tree.kind == Kind::Star ? "" : tree.path.back()) + "_" + tree.aggregation;
    }
    bare.formula = (tree.kind == Kind::Star ? "*" : tree.path.back()) + ":" + tree.aggregation;
    const std::size_t open = item.formula.find('(', colon);
    if (open != std::string::npos) {
      bare.formula += item.formula.substr(open);
    }
    return models::output_name(bare);
  }

  static void require_aggregated(const FormulaNode& tree, const std::string& formula) {
    visit_leaves(tree, [&](const FormulaNode& leaf) {
      if (leaf.kind == Kind::Reference) {
        throw Error(codes::aggregation_required,
                    "measure '" + formula + "' uses column '" + base::join(leaf.path, ".") +
                        "' without an aggregation",
                    "write " + base::join(leaf.path, ".") + ":sum or another aggregation");
      }
      if (leaf.kind == Kind::Transform && !leaf.arguments.empty()) {
        for (const FormulaNode& value : leaf.arguments[0].value) {
          require_aggregated(value, formula);
        }
      }
    });
  }

  void check_shape() {
    if (!query_.distinct_dimension_values) {
      if (!measures_.empty()) {
        throw Error(
            codes::raw_rows_with_measures,
            "'distinct_dimension_values: false' gives raw rows, so no measure may be asked");
      }
    }
    if (dimensions_.empty() && measures_.empty()) {
      throw Error(
          query_.distinct_dimension_values ? codes::bad_value : codes::raw_rows_with_measures,
          "the query asks for no dimension and no measure");
    }
  }

  // A result is an object: two values cannot stand under one key.
  void check_keys() const {
    std::set<std::string> keys;
    for (const Output& output : outputs()) {
      if (!keys.insert(output.key).second) {
        throw Error(codes::duplicate_name, "the query gives '" + output.key + "' twice",
                    "ask for it once, or give a measure a name of its own");
      }
    }
  }

  // --- filters and order
  bool is_alias_of_column(const std::string& text) const {
    for (const ResolvedMeasure& measure : measures_) {
      if (!measure.alias.empty() && measure.alias == text &&
          models::find_column(root_->model, text) != nullptr) {
        return true;
      }
    }
    return false;
  }

  void refuse_shadowing(const std::string& text) const {
    const models::ParsedFormula parsed = models::parse_formula(text);
    visit_leaves(parsed.root, [&](const FormulaNode& leaf) {
      if (leaf.kind == Kind::Reference && leaf.path.size() == 1 &&
          is_alias_of_column(leaf.path[0])) {
        throw Error(codes::alias_shadows_column,
                    "'" + leaf.path[0] + "' is both a measure of the query and a column of '" +
                        root_->name + "'",
                    "give the measure another name");
      }
    });
  }

  // Names of columns go before names that stand for unnamed measures.
  std::map<std::string, FormulaNode> usable_aliases() const {
    std::map<std::string, FormulaNode> usable;
    for (const auto& [alias, tree] : aliases_) {
      if (models::find_column(root_->model, alias) == nullptr) {
        usable.emplace(alias, tree);
      }
    }
    return usable;
  }

  void resolve_filters() {
    const auto aliases = usable_aliases();
    for (const models::Filter& filter : query_.filters) {
      refuse_shadowing(filter.text);
      FormulaNode tree = resolver_.resolve(filter.text, &aliases);
      if (has_transform(tree)) {
        outer_filters_.push_back(std::move(tree));
      } else if (has_aggregate(tree)) {
        group_filters_.push_back(std::move(tree));
      } else {
        row_filters_.push_back(std::move(tree));
      }
    }
    if (!query_.distinct_dimension_values && !(outer_filters_.empty() && group_filters_.empty())) {
      throw Error(codes::raw_rows_with_measures, "raw rows cannot be filtered by a measure");
    }
    whole_periods();
  }

  // Leaves out the running period of the time dimensions without a filter of their own.
  void whole_periods() {
    if (!query_.whole_periods_only) {
      return;
    }
    for (Dimension& dimension : dimensions_) {
      if (dimension.time == nullptr || dimension.time->date_range) {
        continue;
      }
      bool filtered = false;
      for (const FormulaNode& filter : row_filters_) {
        visit_leaves(filter, [&](const FormulaNode& leaf) {
          filtered = filtered || leaf.path == dimension.path;
        });
      }
      dimension.whole_periods = !filtered;
    }
  }

  void resolve_order() {
    const auto aliases = usable_aliases();
    for (const models::OrderItem& item : query_.order) {
      refuse_shadowing(item.column);
      Order order;
      order.text = item.column;
      order.descending = item.direction == models::Direction::Descending;
      order.position = position_of_name(item.column);
      if (order.position == 0) {
        order.tree = resolver_.resolve(item.column, &aliases);
        order.position = position_of(order.tree);
      }
      orders_.push_back(std::move(order));
    }
  }

  // 1-based place of the output that has this very key or column name.
  std::size_t position_of_name(const std::string& text) const {
    std::size_t position = 1;
    for (const Dimension& dimension : dimensions_) {
      if (dimension.output.key == text || dimension.output.column == text) {
        return position;
      }
      ++position;
    }
    for (const ResolvedMeasure& measure : measures_) {
      if (measure.output.key == text || measure.alias == text) {
        return position;
      }
      ++position;
    }
    return 0;
  }

  std::size_t position_of(const FormulaNode& tree) const {
    std::size_t position = 1;
    for (const Dimension& dimension : dimensions_) {
      if (tree.kind == Kind::Reference && tree.path == dimension.path) {
        return position;
      }
      ++position;
    }
    const std::string wanted = signature(tree);
    for (const ResolvedMeasure& measure : measures_) {
      if (signature(measure.tree) == wanted) {
        return position;
      }
      ++position;
    }
    return 0;
  }

  std::string order_text(const Leaf& leaf, bool raw) {
    std::string out;
    for (const Order& order : orders_) {
      std::string item = std::to_string(order.position);
      if (order.position == 0) {
        const bool aggregated = has_aggregate(order.tree) || has_transform(order.tree);
        if (raw == aggregated) {
          throw Error(codes::order_not_resolvable,
                      "the rows cannot be ordered by '" + order.text + "', which is not selected");
        }
        item = render(statement_.dialect, order.tree, leaf);
      }
      out += (out.empty() ? "" : ", ") + item + (order.descending ? " DESC" : "");
    }
    return out;
  }

  // --- SQL
  bool needs_tables() const {
    const auto needs = [](const FormulaNode& tree) {
      bool found = false;
      visit_leaves(tree, [&](const FormulaNode& leaf) {
        found = found || leaf.kind == Kind::Transform || is_separate(leaf);
      });
      return found;
    };
    return !outer_filters_.empty() ||
           std::any_of(group_filters_.begin(), group_filters_.end(), needs) ||
           std::any_of(measures_.begin(), measures_.end(),
                       [&](const ResolvedMeasure& measure) { return needs(measure.tree); }) ||
           std::any_of(orders_.begin(), orders_.end(), [&](const Order& order) {
             return order.position == 0 && needs(order.tree);
           });
  }

  std::string alias(const Output& output, Naming naming) const {
    return naming == Naming::Keys ? key_alias(statement_.dialect, output.key)
                                  : name(statement_.dialect, stage_column(outputs(), output));
  }

  std::vector<Output> outputs() const {
    std::vector<Output> list;
    for (const Dimension& dimension : dimensions_) {
      list.push_back(dimension.output);
    }
    for (const ResolvedMeasure& measure : measures_) {
      list.push_back(measure.output);
    }
    return list;
  }

  std::string measured(const ResolvedMeasure& measure, const Leaf& leaf) const {
    const std::string sql = render(statement_.dialect, measure.tree, leaf);
    return measure.cast ? cast_to(statement_.dialect, sql, *measure.cast) : sql;
  }

  bool aggregates() const {
    return std::any_of(
               measures_.begin(), measures_.end(),
               [](const ResolvedMeasure& measure) { return has_aggregate(measure.tree); }) ||
           std::any_of(orders_.begin(), orders_.end(), [](const Order& order) {
             return order.position == 0 && has_aggregate(order.tree);
           });
  }

  [[noreturn]] static void mixes(const FormulaNode& leaf) {
    throw Error(codes::filter_mixes_levels,
                "column '" + base::join(leaf.path, ".") +
                    "' stands beside an aggregate but is no dimension of the query",
                "add it to the dimensions, or write two filters");
  }

  // One SELECT: everything is local.
  std::string plain(Naming naming) {
    RowSource rows(statement_, find_, root_, dimensions_, row_filters_);
    std::vector<std::string> select;
    std::vector<std::string> groups;
    std::map<std::vector<std::string>, std::string> grouped;
    for (const Dimension& dimension : dimensions_) {
      const std::string sql = rows.dimension(dimension);
      select.push_back(sql + " AS " + alias(dimension.output, naming));
      if (!is_constant(sql)) {
        groups.push_back(sql);
      }
      grouped.emplace(dimension.path, sql);
    }
    const bool raw = !query_.distinct_dimension_values;
    const Leaf leaf = [&](const FormulaNode& node) {
      if (node.kind != Kind::Reference) {
        return rows.aggregate(node);
      }
      const auto found = grouped.find(node.path);
      if (!raw && found == grouped.end()) {
        mixes(node);
      }
      return raw ? rows.column(node.path) : found->second;
    };
    for (const ResolvedMeasure& measure : measures_) {
      select.push_back(measured(measure, leaf) + " AS " + alias(measure.output, naming));
    }
    std::vector<std::string> having;
    for (const FormulaNode& filter : group_filters_) {
      having.push_back("(" + render(statement_.dialect, filter, leaf) + ")");
    }
    const std::string order = order_text(leaf, raw);
    std::string from = rows.from_where();
    const bool constant = !raw && groups.empty() && having.empty() && !aggregates();
    if (constant && dimensions_.empty()) {  // one row, as for every question without a dimension
      from = "FROM (SELECT COUNT(*) AS n\n" + from + ") AS _one";
    }
    std::string out = constant && !dimensions_.empty() ? "SELECT DISTINCT " : "SELECT ";
    out += base::join(select, ", ") + "\n" + from;
    if (!groups.empty() && !raw) {
      out += "\nGROUP BY " + base::join(groups, ", ");
    }
    out += having.empty() ? "" : "\nHAVING " + base::join(having, " AND ");
    return out + tail(statement_.dialect, order, {query_.limit, query_.offset});
  }

  // Groups first, in tables of their own; then transforms, filters over them, order and limit.
  std::string layered(Naming naming) {
    Groups groups(statement_, find_, root_, dimensions_, row_filters_, group_filters_);
    for (const FormulaNode* tree : all_trees()) {
      groups.need(*tree);
    }
    Transforms transforms(statement_, query_, dimensions_, groups,
                          time_dimension(statement_, query_, dimensions_, root_));
    for (const FormulaNode* tree : all_trees()) {
      transforms.need(*tree);
    }
    const std::string table = transforms.build();
    const Leaf leaf = [&](const FormulaNode& node) { return transforms.value("g", node); };
    std::vector<std::string> select;
    for (std::size_t i = 0; i < dimensions_.size(); ++i) {
      select.push_back("g." + dimension_column(i) + " AS " + alias(dimensions_[i].output, naming));
    }
    for (const ResolvedMeasure& measure : measures_) {
      select.push_back(measured(measure, leaf) + " AS " + alias(measure.output, naming));
    }
    std::vector<std::string> where;
    for (const FormulaNode& filter : outer_filters_) {
      where.push_back("(" + render(statement_.dialect, filter, leaf) + ")");
    }
    return "SELECT " + base::join(select, ", ") + "\nFROM " + table + " AS g" +
           (where.empty() ? "" : "\nWHERE " + base::join(where, " AND ")) +
           tail(statement_.dialect, order_text(leaf, false), {query_.limit, query_.offset});
  }

  std::vector<const FormulaNode*> all_trees() const {
    std::vector<const FormulaNode*> trees;
    for (const ResolvedMeasure& measure : measures_) {
      trees.push_back(&measure.tree);
    }
    for (const auto* list : {&group_filters_, &outer_filters_}) {
      for (const FormulaNode& filter : *list) {
        trees.push_back(&filter);
      }
    }
    for (const Order& order : orders_) {
      if (order.position == 0) {
        trees.push_back(&order.tree);
      }
    }
    return trees;
  }

  struct Order {
    std::string text;
    FormulaNode tree;
    std::size_t position = 0;
    bool descending = false;
  };

  Statement& statement_;
  const FindRelation& find_;
  const models::Query& query_;
  Resolver resolver_;
  RelationPointer root_;
  std::vector<Dimension> dimensions_;
  std::vector<ResolvedMeasure> measures_;
  std::map<std::string, FormulaNode> aliases_;
  std::vector<FormulaNode> row_filters_;
  std::vector<FormulaNode> group_filters_;
  std::vector<FormulaNode> outer_filters_;
  std::vector<Order> orders_;
};

}  // namespace

std::string stage_column(const std::vector<Output>& outputs, const Output& output) {
  constexpr std::size_t kLongest = 60;  // postgres cuts names off a little later
  if (output.column.size() <= kLongest) {
    return output.column;
  }
  const auto place = std::find_if(outputs.begin(), outputs.end(),
                                  [&](const Output& one) { return one.column == output.column; });
  return "_c" + std::to_string(place - outputs.begin() + 1);
}

std::string Statement::add_table(const std::string& hint, std::string select) {
  constexpr std::size_t kLongestHint = 40;
  std::string word;
  for (const char c : hint.substr(0, kLongestHint)) {
    word += (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ? c : '_';
  }
  std::string table = "_kq" + std::to_string(++counter) + "_" + word;
  tables.emplace_back(table, std::move(select));
  return table;
}

StageSql compile_stage(Statement& statement, const FindRelation& find, const RelationPointer& root,
                       const models::Query& query, Naming naming) {
  return Stage(statement, find, root, query).run(naming);
}

}  // namespace kedge::query
