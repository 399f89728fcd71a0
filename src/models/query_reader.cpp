// Query objects (models.md 5), which are also the stages of a query-backed model.
#include <array>
#include <utility>

#include "base/text.h"
#include "kedge/codes.h"
#include "models/document_reader.h"

namespace kedge::models {
namespace {

using document::Node;

QuerySource read_source(DocumentReader& reader, const Node& node) {
  static constexpr std::array<std::string_view, 4> kKeys{"source_name", "columns", "measures",
                                                         "joins"};
  QuerySource source;
  source.place = place_of(node);
  if (node.is_scalar()) {
    source.name = node.text;
    return source;
  }
  if (!node.find("source_name")) {
    source.kind = QuerySource::Kind::Inline;
    source.inline_model.push_back(read_model_document(reader, node));
    source.name = source.inline_model.front().name;
    return source;
  }
  source.kind = QuerySource::Kind::Extension;
  reader.mapping(node, kKeys, "source_model");
  source.name = reader.text(node, "source_name", "source_model");
  reader.each(node, "columns", "source_model",
              [&](const Node& item) { source.columns.push_back(read_column(reader, item)); });
  reader.each(node, "measures", "source_model",
              [&](const Node& item) { source.measures.push_back(read_measure(reader, item)); });
  reader.each(node, "joins", "source_model",
              [&](const Node& item) { source.joins.push_back(read_join(reader, item)); });
  return source;
}

void read_measures(DocumentReader& reader, const Node& node, Query& query) {
  static constexpr std::array<std::string_view, 4> kKeys{"formula", "name", "label", "type"};
  reader.each(node, "measures", "a query", [&](const Node& item) {
    QueryMeasure measure;
    measure.place = place_of(item);
    if (item.is_scalar()) {
      measure.formula = item.text;
    } else if (reader.mapping(item, kKeys, "a measure of a query")) {
      measure.formula = reader.text(item, "formula", "a measure");
      measure.name = reader.text(item, "name", "a measure");
      measure.label = reader.text(item, "label", "a measure");
      measure.type = reader.type(item, "a measure");
      measure.place = place_of(item, "formula");
      if (!measure.name.empty() && !is_identifier(measure.name)) {
        reader.error(codes::invalid_name, "measure name '" + measure.name + "' is no identifier",
                     place_of(item, "name"));
      }
    }
    if (base::trim(measure.formula).empty()) {
      reader.error(codes::formula_syntax, "a measure of the query has no formula", item);
    }
    query.measures.push_back(std::move(measure));
  });
}

void read_dimensions(DocumentReader& reader, const Node& node, Query& query) {
  static constexpr std::array<std::string_view, 2> kKeys{"name", "label"};
  reader.each(node, "dimensions", "a query", [&](const Node& item) {
    QueryDimension dimension;
    dimension.place = place_of(item);
    if (item.is_scalar()) {
      dimension.path = item.text;
    } else if (reader.mapping(item, kKeys, "a dimension")) {
      dimension.path = reader.text(item, "name", "a dimension");
      dimension.label = reader.text(item, "label", "a dimension");
    }
    if (dimension.path.empty()) {
      reader.error(codes::bad_value, "a dimension needs a name", item);
    }
    query.dimensions.push_back(std::move(dimension));
  });
}

std::optional<Granularity> find_granularity(std::string_view word) {
  for (const Granularity granularity :
       {Granularity::Second, Granularity::Minute, Granularity::Hour, Granularity::Day,
        Granularity::Week, Granularity::WeekSunday, Granularity::Month, Granularity::Quarter,
        Granularity::Year}) {
    if (to_string(granularity) == word) {
      return granularity;
    }
  }
  return std::nullopt;
}

void read_date_range(DocumentReader& reader, const Node& node, TimeDimension& dimension) {
  const Node* range = DocumentReader::value(node, "date_range");
  if (!range) {
    return;
  }
  if (!range->is_sequence() || range->items.size() != 2 || !range->items[0].is_scalar() ||
      !range->items[1].is_scalar()) {
    reader.error(codes::bad_value, "date_range must be a list of two dates", *range);
    return;
  }
  dimension.date_range.emplace(range->items[0].text, range->items[1].text);
}

void read_time_dimensions(DocumentReader& reader, const Node& node, Query& query) {
  static constexpr std::array<std::string_view, 4> kKeys{"dimension", "granularity", "date_range",
                                                         "label"};
  reader.each(node, "time_dimensions", "a query", [&](const Node& item) {
    TimeDimension dimension;
    dimension.place = place_of(item);
    if (!reader.mapping(item, kKeys, "a time dimension")) {
      return;
    }
    dimension.dimension = reader.text(item, "dimension", "a time dimension");
    dimension.label = reader.text(item, "label", "a time dimension");
    if (dimension.dimension.empty()) {
      reader.error(codes::bad_value, "a time dimension needs a dimension", item);
    }
    const std::string word = reader.text(item, "granularity", "a time dimension");
    const std::optional<Granularity> granularity = find_granularity(word);
    if (!granularity) {
      reader.error(codes::bad_value, "granularity '" + word + "' is not known",
                   place_of(item, "granularity"),
                   "one of second, minute, hour, day, week, week_sunday, month, quarter, year");
    }
    dimension.granularity = granularity.value_or(Granularity::Day);
    read_date_range(reader, item, dimension);
    query.time_dimensions.push_back(std::move(dimension));
  });
}

std::optional<Direction> find_direction(std::string_view word) {
  const std::string lower = base::to_lower(word);
  if (lower.empty() || lower == "asc" || lower == "ascending") {
    return Direction::Ascending;
  }
  if (lower == "desc" || lower == "descending") {
    return Direction::Descending;
  }
  return std::nullopt;
}

void read_order(DocumentReader& reader, const Node& node, Query& query) {
  static constexpr std::array<std::string_view, 2> kKeys{"column", "direction"};
  reader.each(node, "order", "a query", [&](const Node& item) {
    OrderItem order;
    order.place = place_of(item);
    std::string direction;
    if (item.is_scalar()) {
      order.column = item.text;
    } else if (item.is_mapping() && item.entries.size() == 1 && !item.find("column")) {
      order.column = item.entries.front().key.text;
      direction = item.entries.front().value.text;
    } else if (reader.mapping(item, kKeys, "an order item")) {
      order.column = reader.text(item, "column", "an order item");
      direction = reader.text(item, "direction", "an order item");
    }
    if (order.column.empty()) {
      reader.error(codes::bad_value, "an order item needs a column", item);
    }
    const std::optional<Direction> found = find_direction(direction);
    if (!found) {
      reader.error(codes::bad_value, "direction '" + direction + "' must be asc or desc", item);
    }
    order.direction = found.value_or(Direction::Ascending);
    query.order.push_back(std::move(order));
  });
}

}  // namespace

Query read_query_object(DocumentReader& reader, const Node& node) {
  static constexpr std::array<std::string_view, 13> kKeys{"name",
                                                          "source_model",
                                                          "measures",
                                                          "dimensions",
                                                          "time_dimensions",
                                                          "main_time_dimension",
                                                          "filters",
                                                          "variables",
                                                          "order",
                                                          "limit",
                                                          "offset",
                                                          "whole_periods_only",
                                                          "distinct_dimension_values"};
  Query query;
  query.place = place_of(node);
  if (!reader.mapping(node, kKeys, "a query")) {
    return query;
  }
  query.name = reader.text(node, "name", "a query");
  if (query.name.find_first_of(".:") != std::string::npos ||
      query.name.find("__") != std::string::npos) {
    reader.error(codes::invalid_name,
                 "stage name '" + query.name + "' must not contain '__', '.' or ':'",
                 place_of(node, "name"));
  }
  if (const Node* source = DocumentReader::value(node, "source_model")) {
    query.source = read_source(reader, *source);
  } else {
    reader.error(codes::bad_value, "a query needs a source_model", node);
  }
  read_measures(reader, node, query);
  read_dimensions(reader, node, query);
  read_time_dimensions(reader, node, query);
  query.main_time_dimension = reader.text(node, "main_time_dimension", "a query");
  reader.each(node, "filters", "a query", [&](const Node& item) {
    if (!item.is_scalar()) {
      reader.error(codes::bad_value, "a filter must be a text", item);
      return;
    }
    query.filters.push_back({item.text, place_of(item)});
  });
  query.variables = reader.variables(node, "variables", "a query");
  read_order(reader, node, query);
  query.limit = reader.count(node, "limit", "a query");
  query.offset = reader.count(node, "offset", "a query");
  query.whole_periods_only = reader.flag(node, "whole_periods_only", "a query").value_or(false);
  query.distinct_dimension_values =
      reader.flag(node, "distinct_dimension_values", "a query").value_or(true);
  return query;
}

ReadResult<Query> read_query(const Node& node, const ReadContext& context) {
  DocumentReader reader(context);
  Query query = read_query_object(reader, node);
  return {std::move(query), std::move(reader.errors()), std::move(reader.warnings())};
}

}  // namespace kedge::models
