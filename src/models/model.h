// A semantic model as plain values (models.md 2 and 5): what a file of models/ says, nothing that
// was found in a database. Readers: reader.h (one document), store.h (a project). Every item knows
// the line and column where it stands; the file is the model's. Empty strings mean "not given".
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/json.h"
#include "kedge/type.h"
#include "models/names.h"

namespace kedge::models {

struct Place {
  std::size_t line = 0;
  std::size_t column = 0;
};

enum class ColumnType { Text, Int, Double, Boolean, Date, Timestamp };
std::string to_string(ColumnType type);  // "TEXT", "INT", ...
schema::Bucket bucket_of(ColumnType type);

struct Format {
  enum class Kind { Percent, Currency, Integer, Float };
  Kind kind = Kind::Float;
  std::optional<std::int64_t> precision;
  std::string symbol;
};
std::string to_string(Format::Kind kind);  // "percent", ...

struct Column {
  std::string name;
  std::optional<std::string> sql;  // as written; absent: the name
  ColumnType type = ColumnType::Text;
  bool primary_key = false;
  std::optional<std::string> filter;
  std::optional<std::vector<std::string>> allowed_aggregations;  // folded names
  std::string description;
  std::string label;
  bool hidden = false;
  std::optional<Format> format;
  document::Json meta;
  // Set for a base column: the column of the source that it stands for. Absent: a derived column.
  std::optional<PhysicalName> physical;
  Place place;         // of the item
  Place sql_place;     // of the text of `sql`
  Place filter_place;  // of the text of `filter`

  bool is_base() const { return physical.has_value(); }
  const std::string& expression() const { return sql ? *sql : name; }
};

struct Measure {
  std::string name;
  std::string formula;
  std::optional<ColumnType> type;
  std::string label;
  std::string description;
  document::Json meta;
  Place place;
  Place formula_place;
};

struct AggregationParameter {
  std::string name;
  std::string sql;
  Place place;
};

struct Aggregation {
  std::string name;
  std::optional<std::string> formula;  // absent only for a built-in name
  std::vector<AggregationParameter> params;
  std::string description;
  document::Json meta;
  Place place;
};

enum class JoinType { Left, Inner };

struct Join {
  std::string target_model;
  std::vector<std::pair<std::string, std::string>> join_pairs;  // local, target
  JoinType join_type = JoinType::Left;
  std::string name;  // as written; empty: the target's name
  std::string description;
  document::Json meta;
  Place place;

  const std::string& hop() const { return name.empty() ? target_model : name; }
};

struct Filter {
  std::string text;
  Place place;
};

struct Model;

enum class Granularity { Second, Minute, Hour, Day, Week, WeekSunday, Month, Quarter, Year };
std::string to_string(Granularity granularity);  // "week_sunday", ...

struct QueryMeasure {
  std::string formula;
  std::string name;
  std::string label;
  std::optional<ColumnType> type;
  Place place;
};

struct QueryDimension {
  std::string path;  // dotted
  std::string label;
  Place place;
};

struct TimeDimension {
  std::string dimension;  // dotted path
  Granularity granularity = Granularity::Day;
  std::optional<std::pair<std::string, std::string>> date_range;  // inclusive
  std::string label;
  Place place;
};

enum class Direction { Ascending, Descending };

struct OrderItem {
  std::string column;  // formula language
  Direction direction = Direction::Ascending;
  Place place;
};

// `source_model` of a query: a name, a whole model document, or a named model with additions.
struct QuerySource {
  enum class Kind { Name, Inline, Extension };
  Kind kind = Kind::Name;
  std::string name;                 // Name, Extension: a model or a stage
  std::vector<Model> inline_model;  // Inline: exactly one
  std::vector<Column> columns;      // Extension
  std::vector<Measure> measures;    // Extension
  std::vector<Join> joins;          // Extension
  Place place;
};

// A query object, which is also a stage of a query-backed model.
struct Query {
  std::string name;
  QuerySource source;
  std::vector<QueryMeasure> measures;
  std::vector<QueryDimension> dimensions;
  std::vector<TimeDimension> time_dimensions;
  std::string main_time_dimension;
  std::vector<Filter> filters;
  std::map<std::string, document::Json> variables;
  std::vector<OrderItem> order;
  std::optional<std::int64_t> limit;
  std::optional<std::int64_t> offset;
  bool whole_periods_only = false;
  bool distinct_dimension_values = true;
  Place place;
};

enum class SourceMode { Table, Sql, Queries };

struct Model {
  std::string file;  // path below the project folder; empty for an inline model
  std::int64_t version = 1;
  std::string name;
  std::string data_source;
  std::string sql_table;  // as written
  std::string sql;        // as written
  std::vector<Query> source_queries;
  std::vector<Column> columns;
  std::vector<Measure> measures;
  std::vector<Aggregation> aggregations;
  std::vector<Join> joins;
  std::vector<Filter> filters;
  std::string default_time_dimension;
  std::map<std::string, document::Json> query_variables;
  std::string description;
  std::string label;
  bool hidden = false;
  document::Json meta;
  Place place;  // of the document
  Place source_place;

  SourceMode mode() const {
    return !sql_table.empty() ? SourceMode::Table
                              : (!sql.empty() ? SourceMode::Sql : SourceMode::Queries);
  }
};

// Exact, case-sensitive look-ups; null when there is none.
const Column* find_column(const Model& model, std::string_view name);
const Measure* find_measure(const Model& model, std::string_view name);
const Aggregation* find_aggregation(const Model& model, std::string_view name);
const Join* find_join(const Model& model, std::string_view hop);

}  // namespace kedge::models
