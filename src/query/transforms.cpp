#include "query/transforms.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "kedge/codes.h"

namespace kedge::query {
namespace {

using Kind = FormulaNode::Kind;

std::string transform_column(std::size_t index) {
  return "t" + std::to_string(index + 1);
}
std::string run_column(std::size_t index) {
  return "r" + std::to_string(index + 1);
}

bool is_rank(const std::string& name) {
  return name == "rank" || name == "dense_rank" || name == "percent_rank" || name == "ntile";
}

Granularity granularity_of(const std::string& word) {
  for (const Granularity one : {Granularity::Second, Granularity::Minute, Granularity::Hour,
                                Granularity::Day, Granularity::Week, Granularity::WeekSunday,
                                Granularity::Month, Granularity::Quarter, Granularity::Year}) {
    if (models::to_string(one) == word) {
      return one;
    }
  }
  throw Error(codes::formula_syntax, "'" + word + "' is no granularity");
}

}  // namespace

std::optional<std::size_t> time_dimension(const Statement&, const models::Query& query,
                                          const std::vector<Dimension>& dimensions,
                                          const RelationPointer& root) {
  std::vector<std::size_t> times;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i].time != nullptr) {
      times.push_back(i);
    }
  }
  if (times.size() == 1) {
    return times[0];
  }
  for (const std::string& wanted :
       {query.main_time_dimension, root->model.default_time_dimension}) {
    for (const std::size_t i : times) {
      const std::string path = base::join(dimensions[i].path, ".");
      if (!wanted.empty() && (path == wanted || root->name + "." + path == wanted)) {
        return i;
      }
    }
  }
  return std::nullopt;
}

std::size_t Transforms::time() const {
  if (!time_) {
    throw Error(codes::time_dimension_required, "a transform needs one time dimension",
                "add one, or say which with main_time_dimension");
  }
  return *time_;
}

void Transforms::need(const FormulaNode& tree) {
  visit_leaves(tree, [this](const FormulaNode& leaf) {
    if (leaf.kind != Kind::Transform) {
      return;
    }
    if (leaf.arguments.empty() || leaf.arguments[0].value.size() != 1 ||
        !leaf.arguments[0].name.empty()) {
      throw Error(codes::formula_syntax, "'" + leaf.text + "' needs an argument");
    }
    need(leaf.arguments[0].value[0]);
    if (numbers_.emplace(signature(leaf), items_.size()).second) {
      const std::size_t below = level_of(leaf.arguments[0].value[0]);
      const std::size_t own = leaf.text == "consecutive_periods" ? 2 : 1;
      items_.push_back({leaf, below + own});
    }
  });
}

std::size_t Transforms::level_of(const FormulaNode& tree) const {
  std::size_t level = 0;
  visit_leaves(tree, [&](const FormulaNode& leaf) {
    const auto found = numbers_.find(signature(leaf));
    if (found != numbers_.end()) {
      level = std::max(level, items_[found->second].level);
    }
  });
  return level;
}

std::string Transforms::value(const std::string& alias, const FormulaNode& node) const {
  return node.kind == Kind::Transform ? alias + "." + transform_column(numbers_.at(signature(node)))
                                      : groups_.value(alias, node);
}

std::string Transforms::argument(const FormulaNode& node, const std::string& alias) const {
  const Leaf leaf = [&](const FormulaNode& inner) { return value(alias, inner); };
  return render(statement_.dialect, node.arguments[0].value[0], leaf);
}

std::string Transforms::partition() const {
  std::string out;
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    if (i != time_) {
      out += (out.empty() ? "" : ", ") + ("g." + dimension_column(i));
    }
  }
  return out;
}

// Rows without a time come after all others, whatever the database thinks of NULL.
std::string Transforms::over(const std::string& partition, const std::string& frame,
                             Direction direction) const {
  const std::string when = "g." + dimension_column(time());
  return " OVER (" + (partition.empty() ? "" : "PARTITION BY " + partition + " ") +
         "ORDER BY CASE WHEN " + when + " IS NULL THEN 1 ELSE 0 END, " + when +
         (direction == Direction::Backward ? " DESC" : "") + (frame.empty() ? "" : " " + frame) +
         ")";
}

std::string Transforms::ranking(const FormulaNode& node, const std::string& x) const {
  std::string keys;
  for (const models::FormulaArgument& given : node.arguments) {
    if (given.name != "partition_by") {
      continue;
    }
    std::vector<std::vector<std::string>> paths = given.list;
    if (given.value.size() == 1) {
      paths.push_back(given.value[0].path);
    }
    for (const auto& path : paths) {
      FormulaNode reference;
      reference.kind = Kind::Reference;
      reference.path = path;
      keys += (keys.empty() ? "" : ", ") + groups_.value("g", reference);
    }
  }
  std::string function = base::to_upper(node.text) + "()";
  if (node.text == "ntile") {
    const models::FormulaArgument* n = find_argument(node, "n", 1);
    if (n == nullptr || integer_argument(*n) < 1) {
      throw Error(codes::formula_syntax, "'ntile' needs n=4 or another positive number");
    }
    function = "NTILE(" + std::to_string(integer_argument(*n)) + ")";
  }
  return function + " OVER (" + (keys.empty() ? "" : "PARTITION BY " + keys + " ") +
         "ORDER BY CASE WHEN " + x + " IS NULL THEN 1 ELSE 0 END, " + x + " DESC)";
}

// The same query moved by whole units. Without a date range the groups themselves will do.
std::string Transforms::shifted(const Item& item, std::int64_t count, Granularity granularity,
                                const std::string& below, const std::string& groups,
                                std::string& joins) {
  const std::size_t at = time();
  const Dimension& dimension = dimensions_[at];
  const bool nested = has_transform(item.node.arguments[0].value[0]);
  const bool ranged = dimension.time->date_range.has_value();
  const std::string table = nested   ? below
                            : ranged ? groups_.build(Shift{at, count, granularity})
                                     : groups;
  const std::string alias = "s" + std::to_string(++shifts_);
  std::string on = alias + "." + dimension_column(at) + " = " +
                   add_units(statement_.dialect, "g." + dimension_column(at), count, granularity,
                             dimension.type);
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    if (i != at) {
      on += " AND " +
            same(statement_.dialect, "g." + dimension_column(i), alias + "." + dimension_column(i));
    }
  }
  joins += "\nLEFT JOIN " + table + " AS " + alias + " ON " + on;
  return argument(item.node, alias);
}

std::string Transforms::expression(const Item& item, std::size_t number, const std::string& below,
                                   const std::string& groups, std::string& joins) {
  const FormulaNode& node = item.node;
  const std::string& name = node.text;
  const std::string x = argument(node, "g");
  const std::string until_now = "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW";
  if (is_rank(name)) {
    return ranking(node, x);
  }
  if (name == "cumsum") {
    return "SUM(" + x + ")" + over(partition(), until_now);
  }
  if (name == "lag" || name == "lead") {
    const models::FormulaArgument* n = find_argument(node, "n", 1);
    return base::to_upper(name) + "(" + x + ", " +
           std::to_string(n == nullptr ? 1 : integer_argument(*n)) + ")" + over(partition(), "");
  }
  if (name == "first" || name == "last") {
    return "FIRST_VALUE(" + x + ")" +
           over(partition(), "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
                name == "first" ? Direction::Forward : Direction::Backward);
  }
  if (name == "consecutive_periods") {
    const std::string keys = partition();
    return "SUM(CASE WHEN " + x + " THEN 1 ELSE 0 END)" +
           over(keys + (keys.empty() ? "" : ", ") + "g." + run_column(number), until_now);
  }
  const Granularity own = dimensions_[time()].time->granularity;
  if (name == "time_shift") {
    const models::FormulaArgument* n = find_argument(node, "n", 1);
    const models::FormulaArgument* unit = find_argument(node, "granularity", 2);
    if (n == nullptr) {
      throw Error(codes::formula_syntax, "'time_shift' needs a number of periods");
    }
    const bool word = unit != nullptr && unit->value.size() == 1 && unit->value[0].path.size() == 1;
    return shifted(item, integer_argument(*n), word ? granularity_of(unit->value[0].path[0]) : own,
                   below, groups, joins);
  }
  const std::string before = shifted(item, -1, own, below, groups, joins);
  return name == "change"
             ? "(" + x + ") - (" + before + ")"
             : divide(statement_.dialect, "((" + x + ") - (" + before + "))", "(" + before + ")");
}

std::string Transforms::layer(const std::string& below, std::size_t level,
                              const std::string& groups) {
  std::string select = "SELECT g.*";
  std::string joins;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    if (item.node.text == "consecutive_periods" && item.level == level + 1) {
      select += ", SUM(CASE WHEN " + argument(item.node, "g") + " THEN 0 ELSE 1 END)" +
                over(partition(), "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW") + " AS " +
                run_column(i);
    }
    if (item.level == level) {
      select += ", " + expression(item, i, below, groups, joins) + " AS " + transform_column(i);
    }
  }
  return statement_.add_table("layer", select + "\nFROM " + below + " AS g" + joins);
}

std::string Transforms::build() {
  std::size_t levels = 0;
  for (const Item& item : items_) {
    levels = std::max(levels, item.level);
  }
  const std::string groups = groups_.build();
  std::string table = groups;
  for (std::size_t level = 1; level <= levels; ++level) {
    table = layer(table, level, groups);
  }
  return table;
}

}  // namespace kedge::query
