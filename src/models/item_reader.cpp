// Columns, measures, aggregations and joins of a model or an extension.
#include <array>
#include <utility>

#include "base/text.h"
#include "kedge/codes.h"
#include "models/aggregations.h"
#include "models/document_reader.h"
#include "sql/analysis.h"

namespace kedge::models {
namespace {

using document::Node;

std::optional<Format> read_format(DocumentReader& reader, const Node& node) {
  static constexpr std::array<std::string_view, 3> kKeys{"type", "precision", "symbol"};
  static constexpr std::array<std::pair<std::string_view, Format::Kind>, 4> kKinds{{
      {"percent", Format::Kind::Percent},
      {"currency", Format::Kind::Currency},
      {"integer", Format::Kind::Integer},
      {"float", Format::Kind::Float},
  }};
  if (!node.is_mapping()) {
    reader.error(codes::bad_format, "format must be a mapping with a type", node);
    return std::nullopt;
  }
  reader.mapping(node, kKeys, "format");
  Format format;
  const std::string word = reader.text(node, "type", "format");
  bool known = false;
  for (const auto& [name, kind] : kKinds) {
    if (name == word) {
      format.kind = kind;
      known = true;
    }
  }
  if (!known) {
    reader.error(codes::bad_format, "format type '" + word + "' is not known",
                 place_of(node, "type"), "types: percent, currency, integer, float");
  }
  format.precision = reader.count(node, "precision", "format");
  format.symbol = reader.text(node, "symbol", "format");
  if (!format.symbol.empty() && format.kind != Format::Kind::Currency) {
    reader.error(codes::bad_format, "a format has a symbol only with type currency",
                 place_of(node, "symbol"));
  }
  return format;
}

std::optional<PhysicalName> physical_name(const Column& column, SqlDialect dialect) {
  if (!column.sql) {
    return PhysicalName{column.name, false};
  }
  const std::optional<sql::NamePart> part = sql::as_identifier(*column.sql, analysed_as(dialect));
  if (!part) {
    return std::nullopt;
  }
  return PhysicalName{part->text, part->quoted};
}

void check_column_name(DocumentReader& reader, const Column& column, const Node& node) {
  if (column.name.empty()) {
    reader.error(codes::invalid_name, "a column needs a name", node);
  } else if (column.name.find_first_of(".:") != std::string::npos) {
    reader.error(codes::invalid_name,
                 "column name '" + column.name + "' must not contain '.' or ':'",
                 place_of(node, "name"), "keep the live name in `sql` and choose another name");
  }
}

std::vector<std::string> read_allowed(DocumentReader& reader, const Node& node,
                                      const std::string& what) {
  std::vector<std::string> allowed;
  reader.each(node, "allowed_aggregations", what, [&](const Node& item) {
    if (!item.is_scalar()) {
      reader.error(codes::bad_value, "allowed_aggregations of " + what + " must be a list of names",
                   item);
      return;
    }
    allowed.push_back(fold_aggregation(item.text));
  });
  return allowed;
}

bool is_word(const Node& node) {
  return node.is_scalar() && !node.text.empty();
}

void read_pairs(DocumentReader& reader, const Node& node, Join& join, const std::string& what) {
  const Node* pairs = DocumentReader::value(node, "join_pairs");
  const std::string form = "join_pairs of " + what + " must be a list of [local, target] pairs";
  if (!pairs || !pairs->is_sequence() || pairs->items.empty()) {
    reader.error(codes::bad_join_pairs, form, place_of(node, "join_pairs"));
    return;
  }
  for (const Node& pair : pairs->items) {
    if (!pair.is_sequence() || pair.items.size() != 2 || !is_word(pair.items[0]) ||
        !is_word(pair.items[1])) {
      reader.error(codes::bad_join_pairs, form, pair);
      continue;
    }
    join.join_pairs.emplace_back(pair.items[0].text, pair.items[1].text);
  }
}

}  // namespace

Column read_column(DocumentReader& reader, const Node& node) {
  static constexpr std::array<std::string_view, 11> kKeys{
      "name",        "sql",   "type",   "primary_key", "filter", "allowed_aggregations",
      "description", "label", "hidden", "format",      "meta"};
  Column column;
  column.place = place_of(node);
  if (!reader.mapping(node, kKeys, "a column")) {
    return column;
  }
  column.name = reader.text(node, "name", "a column");
  const std::string what = "column '" + column.name + "'";
  check_column_name(reader, column, node);
  column.sql = reader.optional_text(node, "sql", what);
  if (column.sql && base::trim(*column.sql).empty()) {
    reader.error(codes::bad_value, "sql of " + what + " is empty", place_of(node, "sql"));
  }
  column.sql_place = place_of(node, "sql");
  column.type = reader.type(node, what).value_or(ColumnType::Text);
  column.primary_key = reader.flag(node, "primary_key", what).value_or(false);
  column.filter = reader.optional_text(node, "filter", what);
  column.filter_place = place_of(node, "filter");
  if (DocumentReader::value(node, "allowed_aggregations")) {
    column.allowed_aggregations = read_allowed(reader, node, what);
  }
  column.description = reader.text(node, "description", what);
  column.label = reader.text(node, "label", what);
  column.hidden = reader.flag(node, "hidden", what).value_or(false);
  if (const Node* format = DocumentReader::value(node, "format")) {
    column.format = read_format(reader, *format);
  }
  column.meta = reader.free_map(node, "meta", what);
  column.physical = physical_name(column, reader.context().dialect);
  return column;
}

Measure read_measure(DocumentReader& reader, const Node& node) {
  static constexpr std::array<std::string_view, 6> kKeys{"name",  "formula",     "type",
                                                         "label", "description", "meta"};
  Measure measure;
  measure.place = place_of(node);
  if (!reader.mapping(node, kKeys, "a measure")) {
    return measure;
  }
  measure.name = reader.text(node, "name", "a measure");
  const std::string what = "measure '" + measure.name + "'";
  if (measure.name.empty()) {
    reader.error(codes::measure_without_name, "a measure needs a name", node);
  } else if (!is_identifier(measure.name)) {
    reader.error(codes::invalid_name, what + " is not named by an identifier",
                 place_of(node, "name"));
  } else if (is_transform(measure.name)) {
    reader.error(codes::reserved_name, what + " is named like a transform", place_of(node, "name"),
                 "choose another name");
  }
  measure.formula = reader.text(node, "formula", what);
  measure.formula_place = place_of(node, "formula");
  if (base::trim(measure.formula).empty()) {
    reader.error(codes::formula_syntax, what + " has no formula", measure.formula_place);
  }
  measure.type = reader.type(node, what);
  measure.label = reader.text(node, "label", what);
  measure.description = reader.text(node, "description", what);
  measure.meta = reader.free_map(node, "meta", what);
  return measure;
}

Aggregation read_aggregation(DocumentReader& reader, const Node& node) {
  static constexpr std::array<std::string_view, 5> kKeys{"name", "formula", "params", "description",
                                                         "meta"};
  static constexpr std::array<std::string_view, 2> kParameterKeys{"name", "sql"};
  Aggregation aggregation;
  aggregation.place = place_of(node);
  if (!reader.mapping(node, kKeys, "an aggregation")) {
    return aggregation;
  }
  aggregation.name = reader.text(node, "name", "an aggregation");
  const std::string what = "aggregation '" + aggregation.name + "'";
  const bool builtin = is_builtin_aggregation(aggregation.name);
  if (!is_identifier(aggregation.name)) {
    reader.error(codes::invalid_name, what + " is not named by an identifier",
                 place_of(node, "name"));
  } else if (is_transform(aggregation.name) && !builtin) {
    reader.error(codes::reserved_name, what + " is named like a transform", place_of(node, "name"),
                 "choose another name");
  }
  aggregation.formula = reader.optional_text(node, "formula", what);
  if (!aggregation.formula && !builtin) {
    reader.error(codes::formula_required, what + " needs a formula: it is not built in", node,
                 "write one with {value}, for instance SUM({value})");
  }
  reader.each(node, "params", what, [&](const Node& item) {
    if (!reader.mapping(item, kParameterKeys, "a parameter of " + what)) {
      return;
    }
    AggregationParameter parameter;
    parameter.place = place_of(item);
    parameter.name = reader.text(item, "name", "a parameter of " + what);
    parameter.sql = reader.text(item, "sql", "a parameter of " + what);
    if (!is_identifier(parameter.name)) {
      reader.error(codes::invalid_name, "a parameter of " + what + " needs an identifier as name",
                   item);
    }
    aggregation.params.push_back(std::move(parameter));
  });
  aggregation.description = reader.text(node, "description", what);
  aggregation.meta = reader.free_map(node, "meta", what);
  return aggregation;
}

Join read_join(DocumentReader& reader, const Node& node) {
  static constexpr std::array<std::string_view, 6> kKeys{"target_model", "join_pairs",  "join_type",
                                                         "name",         "description", "meta"};
  Join join;
  join.place = place_of(node);
  if (!reader.mapping(node, kKeys, "a join")) {
    return join;
  }
  join.target_model = reader.text(node, "target_model", "a join");
  const std::string what = "join '" + join.target_model + "'";
  if (join.target_model.empty()) {
    reader.error(codes::invalid_name, "a join needs a target_model", node);
  }
  read_pairs(reader, node, join, what);
  const std::string type = reader.text(node, "join_type", what);
  join.join_type = type == "inner" ? JoinType::Inner : JoinType::Left;
  if (!type.empty() && type != "inner" && type != "left") {
    reader.error(codes::bad_value, "join_type of " + what + " must be left or inner",
                 place_of(node, "join_type"));
  }
  join.name = reader.text(node, "name", what);
  if (!join.name.empty() &&
      (!is_identifier(join.name) || join.name.find("__") != std::string::npos)) {
    reader.error(codes::invalid_name,
                 "join name '" + join.name + "' must be an identifier without '__'",
                 place_of(node, "name"));
  }
  join.description = reader.text(node, "description", what);
  join.meta = reader.free_map(node, "meta", what);
  return join;
}

}  // namespace kedge::models
