#include "models/model.h"

#include <algorithm>

namespace kedge::models {
namespace {

template <typename Items, typename Name>
auto find_item(const Items& items, Name&& name_of) -> decltype(items.data()) {
  const auto found = std::find_if(items.begin(), items.end(), name_of);
  return found == items.end() ? nullptr : &*found;
}

}  // namespace

std::string to_string(ColumnType type) {
  switch (type) {
    case ColumnType::Text:
      return "TEXT";
    case ColumnType::Int:
      return "INT";
    case ColumnType::Double:
      return "DOUBLE";
    case ColumnType::Boolean:
      return "BOOLEAN";
    case ColumnType::Date:
      return "DATE";
    case ColumnType::Timestamp:
      return "TIMESTAMP";
  }
  return "TEXT";
}

schema::Bucket bucket_of(ColumnType type) {
  switch (type) {
    case ColumnType::Text:
      return schema::Bucket::String;
    case ColumnType::Int:
    case ColumnType::Double:
      return schema::Bucket::Number;
    case ColumnType::Boolean:
      return schema::Bucket::Boolean;
    case ColumnType::Date:
    case ColumnType::Timestamp:
      return schema::Bucket::Temporal;
  }
  return schema::Bucket::String;
}

std::string to_string(Format::Kind kind) {
  switch (kind) {
    case Format::Kind::Percent:
      return "percent";
    case Format::Kind::Currency:
      return "currency";
    case Format::Kind::Integer:
      return "integer";
    case Format::Kind::Float:
      return "float";
  }
  return "float";
}

std::string to_string(Granularity granularity) {
  switch (granularity) {
    case Granularity::Second:
      return "second";
    case Granularity::Minute:
      return "minute";
    case Granularity::Hour:
      return "hour";
    case Granularity::Day:
      return "day";
    case Granularity::Week:
      return "week";
    case Granularity::WeekSunday:
      return "week_sunday";
    case Granularity::Month:
      return "month";
    case Granularity::Quarter:
      return "quarter";
    case Granularity::Year:
      return "year";
  }
  return "day";
}

const Column* find_column(const Model& model, std::string_view name) {
  return find_item(model.columns, [&](const Column& column) { return column.name == name; });
}

const Measure* find_measure(const Model& model, std::string_view name) {
  return find_item(model.measures, [&](const Measure& measure) { return measure.name == name; });
}

const Aggregation* find_aggregation(const Model& model, std::string_view name) {
  return find_item(model.aggregations, [&](const Aggregation& item) { return item.name == name; });
}

const Join* find_join(const Model& model, std::string_view hop) {
  return find_item(model.joins, [&](const Join& join) { return join.hop() == hop; });
}

}  // namespace kedge::models
