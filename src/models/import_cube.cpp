// Cube: cubes with joins, dimensions and measures.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "models/formula.h"
#include "models/import_draft.h"
#include "sql/analysis.h"

namespace kedge::models {
namespace {

using document::Document;
using document::Node;

// {CUBE}.x, {CUBE.x} and {x} become x; {other}.x and {other.x} become other.x. The older ${...}
// form too. Nothing when the text is made at run time: templates, FILTER_PARAMS, SECURITY_CONTEXT.
std::optional<std::string> plain_sql(std::string_view text, const std::string& cube) {
  std::string plain;
  if (text.find("{{") != std::string_view::npos || text.find("{%") != std::string_view::npos) {
    return std::nullopt;
  }
  for (std::size_t at = 0; at < text.size();) {
    const bool dollar = text[at] == '$' && at + 1 < text.size() && text[at + 1] == '{';
    if (text[at] != '{' && !dollar) {
      plain += text[at++];
      continue;
    }
    const std::size_t begin = at + (dollar ? 2 : 1);
    const std::size_t end = text.find('}', begin);
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    std::string name(base::trim(text.substr(begin, end - begin)));
    at = end + 1;
    for (const std::string& part : base::split(name, '.')) {
      if (!is_identifier(part) || part == "FILTER_PARAMS" || part == "FILTER_GROUP" ||
          part == "SECURITY_CONTEXT" || part == "SQL_UTILS" || part == "COMPILE_CONTEXT") {
        return std::nullopt;
      }
    }
    for (const std::string& own : {std::string("CUBE"), cube}) {
      if (name == own && at < text.size() && text[at] == '.') {
        name.clear();
        ++at;
      } else if (name.starts_with(own + ".")) {
        name.erase(0, own.size() + 1);
      }
    }
    plain += name;
  }
  return plain;
}

// One side of an equality: "x" or "target.x".
struct Side {
  std::string target;
  std::string column;
};

class CubeReader {
 public:
  CubeReader(const ImportInput& input, ImportNotes& notes) : input_(input), notes_(notes) {
    for (const Document& document : input.documents) {
      for (const Node& node : items_of(document.root, "cubes")) {
        names_.insert(text_of(node, "name"));
      }
    }
  }

  std::vector<Draft> read() {
    static constexpr std::array<std::string_view, 2> kTop{"cubes", "views"};
    for (const Document& document : input_.documents) {
      for (const Node& node : items_of(document.root, "cubes")) {
        read_cube(document, node);
      }
      for (const Node& node : items_of(document.root, "views")) {
        notes_.skip(document, node, "view '" + text_of(node, "name") + "' has no counterpart",
                    "query the models by their paths, as in orders.customers.city");
      }
      notes_.skip_unknown(document, document.root, kTop, "the file");
    }
    return std::move(drafts_);
  }

 private:
  void read_cube(const Document& document, const Node& node) {
    static constexpr std::array<std::string_view, 12> kKeys{
        "name",   "sql_table", "sql",        "title",    "description", "joins",
        "public", "shown",     "dimensions", "measures", "segments",    "meta"};
    Draft draft;
    draft.origin = document.position(node);
    draft.name = text_of(node, "name");
    const std::string what = "cube '" + draft.name + "'";
    if (!is_identifier(draft.name) || draft.name.find("__") != std::string::npos) {
      notes_.skip(document, node, what + " has no usable name",
                  "model names are identifiers without '__'");
      return;
    }
    if (node.find("extends")) {
      notes_.skip(document, node, what + " extends another cube, which is not followed",
                  "write out what it takes over");
      return;
    }
    draft.sql_table = text_of(node, "sql_table");
    draft.sql = text_of(node, "sql");
    if (draft.sql_table.empty() == draft.sql.empty() || draft.sql.find('{') != std::string::npos ||
        draft.sql_table.find('{') != std::string::npos) {
      notes_.skip(document, node, what + " needs a sql_table or a sql without references");
      return;
    }
    notes_.skip_unknown(document, node, kKeys, what);
    draft.label = text_of(node, "title");
    draft.description = text_of(node, "description");
    draft.hidden = !flag_of(node, "public", true) || !flag_of(node, "shown", true);
    draft.meta = meta_of(node);
    for (const Node& dimension : items_of(node, "dimensions")) {
      read_dimension(document, dimension, draft);
    }
    for (const Node& join : items_of(node, "joins")) {
      read_join(document, join, draft);
    }
    for (const Node& segment : items_of(node, "segments")) {
      read_segment(document, segment, draft);
    }
    std::vector<const Node*> numbers;
    for (const Node& measure : items_of(node, "measures")) {
      // Calculated measures refer to the others, whatever the order.
      if (text_of(measure, "type") == "number") {
        numbers.push_back(&measure);
      } else {
        read_measure(document, measure, draft);
      }
    }
    for (const Node* measure : numbers) {
      read_measure(document, *measure, draft);
    }
    drafts_.push_back(std::move(draft));
  }

  void read_dimension(const Document& document, const Node& node, Draft& draft) {
    static constexpr std::array<std::string_view, 10> kKeys{
        "name",        "sql",    "type",   "primary_key", "title",
        "description", "format", "public", "shown",       "meta"};
    static const std::map<std::string, std::string> kTypes{
        {"string", "TEXT"}, {"number", "DOUBLE"}, {"time", "TIMESTAMP"}, {"boolean", "BOOLEAN"}};
    const std::string name = text_of(node, "name");
    const std::string what = "dimension '" + draft.name + "." + name + "'";
    const auto type = kTypes.find(text_of(node, "type"));
    const std::optional<std::string> sql = plain_sql(text_of(node, "sql"), draft.name);
    if (!is_identifier(name) || draft.has(name) || type == kTypes.end() ||
        sql.value_or("").empty() || node.find("sub_query") || node.find("case")) {
      notes_.skip(document, node, what + " is of a kind that has no counterpart",
                  "write it as a column with `sql`");
      return;
    }
    notes_.skip_unknown(document, node, kKeys, what);
    DraftColumn column;
    column.name = name;
    column.sql = *sql;
    column.type = type->second;
    column.primary_key = flag_of(node, "primary_key", false);
    column.hidden = !flag_of(node, "public", true) || !flag_of(node, "shown", true);
    column.description = text_of(node, "description");
    column.label = text_of(node, "title");
    column.meta = meta_of(node);
    read_format(document, node, column, what);
    draft.columns.push_back(std::move(column));
  }

  // A condition on rows with a name is a boolean column: `filters: [name]` of a query means the
  // same.
  void read_segment(const Document& document, const Node& node, Draft& draft) {
    static constexpr std::array<std::string_view, 7> kKeys{
        "name", "sql", "title", "description", "public", "shown", "meta"};
    const std::string name = text_of(node, "name");
    const std::string what = "segment '" + draft.name + "." + name + "'";
    const std::optional<std::string> sql = plain_sql(text_of(node, "sql"), draft.name);
    if (!is_identifier(name) || draft.has(name) || sql.value_or("").empty() ||
        input_.dialect == SqlDialect::Sqlserver) {
      notes_.skip(document, node, what + " cannot be said as a boolean column");
      return;
    }
    notes_.skip_unknown(document, node, kKeys, what);
    DraftColumn column;
    column.name = name;
    column.sql = *sql;
    column.type = "BOOLEAN";
    column.hidden = !flag_of(node, "public", true) || !flag_of(node, "shown", true);
    column.description = text_of(node, "description");
    column.label = text_of(node, "title");
    column.meta = meta_of(node);
    draft.columns.push_back(std::move(column));
  }

  void read_format(const Document& document, const Node& node, DraftColumn& column,
                   const std::string& what) {
    const Node* format = node.find("format");
    if (!format) {
      return;
    }
    if (format->text == "percent" || format->text == "currency") {
      column.format = format->text;
    } else {
      notes_.skip(document, *format, "format of " + what + " has no counterpart");
    }
  }

  void read_join(const Document& document, const Node& node, Draft& draft) {
    static constexpr std::array<std::string_view, 4> kKeys{"name", "relationship", "sql",
                                                           "description"};
    const std::string target = text_of(node, "name");
    const std::string what = "join '" + draft.name + "." + target + "'";
    notes_.skip_unknown(document, node, kKeys, what);
    const std::string relationship = base::to_lower(text_of(node, "relationship"));
    if (relationship == "one_to_many" || relationship == "hasmany" || relationship == "has_many") {
      notes_.skip(document, node, what + " leads to many rows, which joins here do not",
                  "declare the join on '" + target + "'");
      return;
    }
    const auto pairs =
        read_pairs(plain_sql(text_of(node, "sql"), draft.name).value_or(""), target, draft.name);
    if (!pairs || !names_.contains(target)) {
      notes_.skip(document, node,
                  pairs ? what + " leads to no cube of these files"
                        : "the condition of " + what + " is not made of equal columns");
      return;
    }
    draft.joins.push_back({target, "", *pairs, text_of(node, "description")});
  }

  // "a = other.b AND c = other.d": nothing when it is anything else.
  std::optional<std::vector<std::pair<std::string, std::string>>> read_pairs(
      const std::string& sql, const std::string& target, const std::string& own) const {
    std::vector<std::pair<std::string, std::string>> pairs;
    std::vector<sql::Token> tokens = sql::tokenize(sql, analysed_as(input_.dialect));
    std::erase_if(tokens, [](const sql::Token& token) {
      return token.kind == sql::TokenKind::End || token.kind == sql::TokenKind::Comment;
    });
    std::size_t at = 0;
    const auto word = [&](std::size_t number) {
      return number < tokens.size()
                 ? sql.substr(tokens[number].begin, tokens[number].end - tokens[number].begin)
                 : std::string();
    };
    const auto side = [&]() -> std::optional<Side> {
      if (!is_identifier(word(at))) {
        return std::nullopt;
      }
      Side read{"", word(at++)};
      if (word(at) == "." && is_identifier(word(at + 1))) {
        read = {read.column, word(at + 1)};
        at += 2;
      }
      read.target = read.target == own ? "" : read.target;
      return read;
    };
    do {
      std::optional<Side> left = side();
      if (!left || word(at++) != "=") {
        return std::nullopt;
      }
      std::optional<Side> right = side();
      if (!right) {
        return std::nullopt;
      }
      if (right->target.empty()) {
        std::swap(left, right);
      }
      if (!left->target.empty() || right->target != target) {
        return std::nullopt;
      }
      pairs.emplace_back(left->column, right->column);
    } while (base::equals_ignoring_case(word(at), "and") && ++at);
    return at == tokens.size() ? std::optional(pairs) : std::nullopt;
  }

  void read_measure(const Document& document, const Node& node, Draft& draft) {
    static constexpr std::array<std::string_view, 7> kKeys{
        "name", "sql", "type", "title", "description", "filters", "meta"};
    const std::string name = text_of(node, "name");
    const std::string what = "measure '" + draft.name + "." + name + "'";
    if (!is_identifier(name) || draft.has(name)) {
      notes_.skip(document, node, what + " has no usable name of its own");
      return;
    }
    const bool changes =
        std::any_of(node.entries.begin(), node.entries.end(), [](const auto& entry) {
          return std::find(kMeaning.begin(), kMeaning.end(), entry.key.text) != kMeaning.end();
        });
    const std::string formula = changes ? "" : measure_formula(node, draft);
    if (formula.empty() || parse_formula(formula).error) {
      notes_.skip(document, node,
                  what + " of type '" + text_of(node, "type") + "' has no counterpart");
      return;
    }
    notes_.skip_unknown(document, node, kKeys, what);
    draft.measures.push_back(
        {name, formula, text_of(node, "description"), text_of(node, "title"), meta_of(node)});
  }

  // Keys of a measure without which it would mean something else.
  static constexpr std::array<std::string_view, 9> kMeaning{
      "rolling_window", "multi_stage", "time_shift",   "case", "switch",
      "group_by",       "reduce_by",   "add_group_by", "grain"};

  std::optional<std::string> filter_of(const Node& node, const std::string& cube) const {
    std::string filter;
    const std::vector<Node>& filters = items_of(node, "filters");
    for (const Node& item : filters) {
      const std::optional<std::string> sql = plain_sql(text_of(item, "sql"), cube);
      if (sql.value_or("").empty() || item.entries.size() != 1) {
        return std::nullopt;
      }
      filter += (filter.empty() ? "" : " AND ") + (filters.size() > 1 ? "(" + *sql + ")" : *sql);
    }
    return filter;
  }

  // Empty when the measure has no counterpart.
  std::string measure_formula(const Node& node, Draft& draft) {
    static const std::map<std::string, std::string> kAggregations{
        {"sum", "sum"},
        {"avg", "avg"},
        {"min", "min"},
        {"max", "max"},
        {"count", "count"},
        {"count_distinct", "count_distinct"},
        {"count_distinct_approx", "count_distinct_approx"},
        {"running_total", "sum"},
    };
    const std::string type = text_of(node, "type");
    const std::optional<std::string> sql = plain_sql(text_of(node, "sql"), draft.name);
    const std::optional<std::string> filter = filter_of(node, draft.name);
    if (!sql || !filter) {
      return "";
    }
    if (type == "number") {
      return filter->empty() ? *sql : "";
    }
    const auto found = kAggregations.find(type);
    if (found == kAggregations.end() || (sql->empty() && type != "count")) {
      return "";
    }
    if (type == "count" && sql->empty() && filter->empty()) {
      return "*:count";
    }
    const std::string expression = sql->empty() ? "1" : *sql;
    const std::string formula =
        draft.column_for(expression, text_of(node, "name"), *filter) + ":" + found->second;
    return type == "running_total" ? "cumsum(" + formula + ")" : formula;
  }

  const ImportInput& input_;
  ImportNotes& notes_;
  std::set<std::string> names_;
  std::vector<Draft> drafts_;
};

}  // namespace

std::vector<Draft> read_cube(const ImportInput& input, ImportNotes& notes) {
  return CubeReader(input, notes).read();
}

}  // namespace kedge::models
