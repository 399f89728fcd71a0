#include "query/atoms.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "kedge/codes.h"
#include "query/aggregate_call.h"

namespace kedge::query {
namespace {

using Kind = FormulaNode::Kind;

std::string atom_column(std::size_t index) {
  return "a" + std::to_string(index + 1);
}

Hops hops_of_atom(const FormulaNode& node) {
  return node.kind == Kind::Star ? node.path : Hops(node.path.begin(), node.path.end() - 1);
}

bool is_ranked(const FormulaNode& node) {
  return node.aggregation == "first" || node.aggregation == "last";
}

const std::string* window_of(const FormulaNode& node) {
  const models::FormulaArgument* window = find_argument(node, "window", node.arguments.size());
  if (window == nullptr) {
    return nullptr;
  }
  if (window->value.size() != 1 || window->value[0].kind != Kind::String) {
    throw Error(codes::formula_syntax, "a window is written as '30d'");
  }
  return &window->value[0].text;
}

// "30d": a number and one of y m w d h min s.
std::pair<std::int64_t, Granularity> parse_window(const std::string& text) {
  static const std::map<std::string, Granularity> kUnits{
      {"y", Granularity::Year},  {"m", Granularity::Month}, {"w", Granularity::Week},
      {"d", Granularity::Day},   {"h", Granularity::Hour},  {"min", Granularity::Minute},
      {"s", Granularity::Second}};
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto unit = kUnits.find(text.substr(digits));
  if (digits == 0 || digits > 6 || unit == kUnits.end()) {
    throw Error(codes::formula_syntax, "window '" + text + "' is not understood",
                "write a number and one of y m w d h min s, as in '30d'");
  }
  return {std::stoll(text.substr(0, digits)), unit->second};
}

}  // namespace

void Groups::need(const FormulaNode& tree) {
  visit_leaves(tree, [this](const FormulaNode& leaf) {
    if (leaf.kind == Kind::Transform) {
      for (const models::FormulaArgument& argument : leaf.arguments) {
        for (const FormulaNode& value : argument.value) {
          if (argument.name.empty()) {
            need(value);
          }
        }
      }
    } else if (leaf.kind != Kind::Reference &&
               numbers_.emplace(signature(leaf), atoms_.size()).second) {
      atoms_.push_back({leaf, hops_of_atom(leaf), {}});
    }
  });
}

std::string Groups::value(const std::string& alias, const FormulaNode& node) const {
  if (node.kind == Kind::Reference) {
    for (std::size_t i = 0; i < dimensions_.size(); ++i) {
      if (dimensions_[i].path == node.path) {
        return alias + "." + dimension_column(i);
      }
    }
    throw Error(codes::filter_mixes_levels,
                "column '" + base::join(node.path, ".") +
                    "' stands beside an aggregate but is no dimension of the query");
  }
  return alias + "." + atom_column(numbers_.at(signature(node)));
}

std::string Groups::dimension_list(const std::string& alias) const {
  std::string out;
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    out += (out.empty() ? "" : ", ") + alias + "." + dimension_column(i);
  }
  return out;
}

std::string Groups::same_dimensions(const std::string& left, const std::string& right) const {
  std::string out;
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    out += (out.empty() ? "" : " AND ") + same(statement_.dialect, left + "." + dimension_column(i),
                                               right + "." + dimension_column(i));
  }
  return out.empty() ? "1 = 1" : out;
}

std::string Groups::base(const std::optional<Shift>& shift) {
  RowSource rows(statement_, find_, root_, dimensions_, filters_, shift);
  std::vector<std::string> select;
  std::vector<std::string> groups;
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    const std::string sql = rows.dimension(dimensions_[i]);
    select.push_back(sql + " AS " + dimension_column(i));
    if (!is_constant(sql)) {
      groups.push_back(sql);
    }
  }
  for (std::size_t i = 0; i < atoms_.size(); ++i) {
    if (is_local(atoms_[i])) {
      select.push_back(rows.aggregate(atoms_[i].node) + " AS " + atom_column(i));
    }
  }
  if (select.empty()) {
    select.push_back("COUNT(*) AS a0");  // one row, whatever the rows
  }
  return statement_.add_table("base",
                              "SELECT " + base::join(select, ", ") + "\n" + rows.from_where() +
                                  (groups.empty() ? "" : "\nGROUP BY " + base::join(groups, ", ")));
}

std::vector<std::string> Groups::key_names(const Hops& hops) const {
  const RelationPointer target = follow(find_, root_, hops);
  std::vector<std::string> keys;
  for (const models::Column& column : target->model.columns) {
    if (column.primary_key) {
      keys.push_back(column.name);
    }
  }
  if (keys.empty()) {
    const RelationPointer before = follow(find_, root_, Hops(hops.begin(), hops.end() - 1));
    for (const auto& [local, other] : find_hop(before->model, hops.back())->join_pairs) {
      keys.push_back(other);
    }
  }
  return keys;
}

// The distinct pairs of a group and a row of the joined model.
std::string Groups::pairs(const Hops& hops, const std::optional<Shift>& shift,
                          std::vector<std::string>& keys) {
  RowSource rows(statement_, find_, root_, dimensions_, filters_, shift);
  std::vector<std::string> select;
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    select.push_back(rows.dimension(dimensions_[i]) + " AS " + dimension_column(i));
  }
  keys = key_names(hops);
  const Place place = rows.joins().at(hops);
  std::vector<std::string> present;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string sql = rows.joins().key(place, keys[i]);
    select.push_back(sql + " AS k" + std::to_string(i + 1));
    present.push_back(sql + " IS NOT NULL");
  }
  return statement_.add_table(
      "pairs", "SELECT DISTINCT " + base::join(select, ", ") + "\n" + rows.from_where(present));
}

namespace {

// The joined model from its own side, narrowed to the pairs of the query.
std::string from_pairs(Joins& joins, const std::string& pairs,
                       const std::vector<std::string>& keys) {
  std::string on;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    on += (i == 0 ? "" : " AND ") + joins.key(joins.root(), keys[i]) + " = _p.k" +
          std::to_string(i + 1);
  }
  const std::vector<std::string> filters = joins.root_filters();
  return joins.from() + "\nINNER JOIN " + pairs + " AS _p ON " + on +
         (filters.empty() ? "" : "\nWHERE " + base::join(filters, " AND "));
}

}  // namespace

Groups::Part Groups::across(const Hops& hops, const std::vector<std::size_t>& atoms,
                            const std::optional<Shift>& shift) {
  std::vector<std::string> keys;
  const std::string table = pairs(hops, shift, keys);
  Joins joins(statement_.dialect, find_, follow(find_, root_, hops), statement_.touched);
  std::vector<std::string> select;
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    select.push_back("_p." + dimension_column(i) + " AS " + dimension_column(i));
  }
  for (const std::size_t atom : atoms) {
    select.push_back(aggregate_call(statement_.dialect, joins, atoms_[atom].node, hops.size()) +
                     " AS " + atom_column(atom));
  }
  const std::string from = from_pairs(joins, table, keys);
  const std::string group = dimensions_.empty() ? "" : "\nGROUP BY " + dimension_list("_p");
  return {statement_.add_table(base::to_lower(base::join(hops, "_")),
                               "SELECT " + base::join(select, ", ") + "\n" + from + group),
          atoms};
}

std::vector<std::string> Groups::time_of(const Atom& atom) const {
  const models::FormulaArgument* given = find_argument(atom.node, "by");
  if (given != nullptr) {
    return given->value.size() == 1 ? given->value[0].path : std::vector<std::string>{};
  }
  if (atom.hops.empty() && !time_.empty()) {
    return time_;
  }
  const RelationPointer target = follow(find_, root_, atom.hops);
  const std::string& fallback = target->model.default_time_dimension;
  if (fallback.empty()) {
    throw Error(codes::time_dimension_required,
                "'" + atom.node.aggregation + "' needs to know by which time",
                "write column:" + atom.node.aggregation +
                    "(time_column), or give the query a time dimension");
  }
  std::vector<std::string> path = atom.hops;
  path.push_back(fallback);
  return path;
}

// first and last: the row of each group that stands first in the order of time.
Groups::Part Groups::ranked(std::size_t number, const std::optional<Shift>& shift) {
  const Atom& atom = atoms_[number];
  const bool local = atom.hops.empty();
  models::FormulaArgument time;
  time.value.resize(1);
  time.value[0].kind = Kind::Reference;
  time.value[0].path = time_of(atom);
  std::vector<std::string> keys;
  const std::string table = local ? std::string() : pairs(atom.hops, shift, keys);
  RowSource rows(statement_, find_, root_, dimensions_, filters_, shift);
  Joins target(statement_.dialect, find_, follow(find_, root_, atom.hops), statement_.touched);
  Joins& joins = local ? rows.joins() : target;
  std::vector<std::string> select;
  std::vector<std::string> partition;
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    const std::string sql = local ? rows.dimension(dimensions_[i]) : "_p." + dimension_column(i);
    select.push_back(sql + " AS " + dimension_column(i));
    if (!is_constant(sql)) {
      partition.push_back(sql);
    }
  }
  const std::size_t skip = atom.hops.size();
  const models::Column& column =
      *models::find_column(joins.root().relation->model, atom.node.path.back());
  const std::string when = column_argument(joins, time, skip);
  const std::string value = joins.column(joins.root(), column);
  const std::string wanted =
      column.filter ? "CASE WHEN " + joins.expand(joins.root(), *column.filter, nullptr) +
                          " THEN 0 ELSE 1 END, "
                    : std::string();
  const std::string shown = column.filter ? aggregated_value(joins, atom.node, skip) : value;
  select.push_back(shown + " AS v");
  select.push_back("ROW_NUMBER() OVER (" +
                   (partition.empty() ? "" : "PARTITION BY " + base::join(partition, ", ") + " ") +
                   "ORDER BY " + wanted + "CASE WHEN " + when + " IS NULL THEN 1 ELSE 0 END, " +
                   when + (atom.node.aggregation == "last" ? " DESC" : "") + ") AS n");
  const std::string from = local ? rows.from_where() : from_pairs(target, table, keys);
  const std::string inner =
      statement_.add_table("ranked", "SELECT " + base::join(select, ", ") + "\n" + from);
  const std::string dimensions = dimension_list("r");
  return {
      statement_.add_table(atom.node.aggregation,
                           "SELECT " + dimensions + (dimensions.empty() ? "" : ", ") + "r.v AS " +
                               atom_column(number) + "\nFROM " + inner + " AS r\nWHERE r.n = 1"),
      {number}};
}

// sum and avg over a trailing window: the rows of each bucket and of the time before it.
Groups::Part Groups::windowed(std::size_t number, const std::string& base_table,
                              const std::optional<Shift>& shift) {
  const Atom& atom = atoms_[number];
  const auto [count, unit] = parse_window(*window_of(atom.node));
  if (!atom.hops.empty() || (atom.node.aggregation != "sum" && atom.node.aggregation != "avg")) {
    throw Error(codes::unsupported_aggregation,
                "only sum and avg of the root's own columns have a trailing window");
  }
  std::optional<std::size_t> time;
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    if (dimensions_[i].time != nullptr && (!time || dimensions_[i].path == time_)) {
      time = i;
    }
  }
  if (!time) {
    throw Error(codes::time_dimension_required, "a trailing window needs a time dimension");
  }
  RowSource rows(statement_, find_, root_, dimensions_, filters_, shift);
  rows.ignore_range(*time);
  std::vector<std::string> select;
  std::string on;
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    const bool is_time = i == *time;
    select.push_back((is_time ? rows.column(dimensions_[i].path) : rows.dimension(dimensions_[i])) +
                     " AS " + dimension_column(i));
    if (!is_time) {
      on += same(statement_.dialect, "b." + dimension_column(i), "r." + dimension_column(i)) +
            " AND ";
    }
  }
  select.push_back(aggregated_value(rows.joins(), atom.node, 0) + " AS v");
  const std::string from = rows.from_where();
  const std::string inner =
      statement_.add_table("rows", "SELECT " + base::join(select, ", ") + "\n" + from);
  const Dimension& dimension = dimensions_[*time];
  const std::string at = dimension_column(*time);
  const std::string end =
      add_units(statement_.dialect, "b." + at, 1, dimension.time->granularity, dimension.type);
  on += "r." + at + " < " + end + " AND r." + at +
        " >= " + add_units(statement_.dialect, end, -count, unit, dimension.type);
  const std::string aggregated =
      (atom.node.aggregation == "sum" ? "SUM(" : "AVG(") +
      (atom.node.aggregation == "avg" && statement_.dialect != SqlDialect::Postgres
           ? as_double(statement_.dialect, "r.v")
           : std::string("r.v")) +
      ")";
  return {statement_.add_table("window", "SELECT " + dimension_list("b") + ", " + aggregated +
                                             " AS " + atom_column(number) + "\nFROM " + base_table +
                                             " AS b\nLEFT JOIN " + inner + " AS r ON " + on +
                                             "\nGROUP BY " + dimension_list("b")),
          {number}};
}

std::string Groups::join_parts(const std::string& base_table, const std::vector<Part>& parts) {
  for (Atom& atom : atoms_) {
    atom.owner = "b";
  }
  std::string joins;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string alias = "x" + std::to_string(i + 1);
    joins +=
        "\nLEFT JOIN " + parts[i].table + " AS " + alias + " ON " + same_dimensions("b", alias);
    for (const std::size_t atom : parts[i].atoms) {
      atoms_[atom].owner = alias;
    }
  }
  const auto atom_sql = [this](std::size_t i) {
    const std::string sql = atoms_[i].owner + "." + atom_column(i);
    const bool counted =
        atoms_[i].owner != "b" &&
        (atoms_[i].node.kind == Kind::Star || atoms_[i].node.aggregation.starts_with("count"));
    return counted ? "COALESCE(" + sql + ", 0)" : sql;
  };
  std::string select = dimension_list("b");
  for (std::size_t i = 0; i < atoms_.size(); ++i) {
    select += (select.empty() ? "" : ", ") + atom_sql(i) + " AS " + atom_column(i);
  }
  const Leaf leaf = [&](const FormulaNode& node) {
    return node.kind == Kind::Reference ? value("b", node) : atom_sql(numbers_.at(signature(node)));
  };
  std::vector<std::string> where;
  for (const FormulaNode& filter : group_filters_) {
    where.push_back("(" + render(statement_.dialect, filter, leaf) + ")");
  }
  return statement_.add_table(
      "groups", "SELECT " + (select.empty() ? "b.a0" : select) + "\nFROM " + base_table + " AS b" +
                    joins + (where.empty() ? "" : "\nWHERE " + base::join(where, " AND ")));
}

std::string Groups::build(const std::optional<Shift>& shift) {
  const std::string base_table = base(shift);
  std::vector<Part> parts;
  std::map<Hops, std::vector<std::size_t>> across_atoms;
  for (std::size_t i = 0; i < atoms_.size(); ++i) {
    if (is_local(atoms_[i])) {
      continue;
    }
    if (is_ranked(atoms_[i].node)) {
      parts.push_back(ranked(i, shift));
    } else if (window_of(atoms_[i].node) != nullptr) {
      parts.push_back(windowed(i, base_table, shift));
    } else {
      across_atoms[atoms_[i].hops].push_back(i);
    }
  }
  for (const auto& [hops, atoms] : across_atoms) {
    parts.push_back(across(hops, atoms, shift));
  }
  return parts.empty() && group_filters_.empty() ? base_table : join_parts(base_table, parts);
}

}  // namespace kedge::query
