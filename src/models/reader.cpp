// Model documents: the keys of the top level and the rules that one document can tell.
#include "models/reader.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/text.h"
#include "kedge/codes.h"
#include "models/aggregations.h"
#include "models/document_reader.h"
#include "models/stages.h"
#include "sql/analysis.h"

namespace kedge::models {
namespace {

using document::Node;

constexpr std::int64_t kKnownVersion = 1;

std::int64_t read_version(DocumentReader& reader, const Node& node) {
  const std::int64_t version = reader.count(node, "version", "the model").value_or(1);
  if (version > kKnownVersion) {
    reader.warning(codes::newer_version,
                   "the model is of version " + std::to_string(version) +
                       ", newer than this program knows; unknown keys are kept",
                   place_of(node, "version"));
    reader.set_unknown_keys(UnknownKeys::Keep);
  }
  return version;
}

void read_name(DocumentReader& reader, const Node& node, Model& model) {
  model.name = reader.text(node, "name", "the model");
  if (!is_identifier(model.name) || model.name.find("__") != std::string::npos) {
    reader.error(codes::invalid_name,
                 model.name.empty()
                     ? "the model has no name"
                     : "model name '" + model.name + "' must be an identifier without '__'",
                 place_of(node, "name"));
  }
}

void read_data_source(DocumentReader& reader, const Node& node, Model& model) {
  const std::string& folder = reader.context().data_source;
  const std::string given = reader.text(node, "data_source", "the model");
  model.data_source = given.empty() ? folder : given;
  if (!is_data_source_name(model.data_source)) {
    reader.error(codes::invalid_name,
                 "data_source '" + model.data_source +
                     "' must not contain '.', ':', '/', '\\' or outer blanks",
                 place_of(node, "data_source"));
  } else if (!given.empty() && !folder.empty() && given != folder) {
    reader.error(codes::data_source_mismatch,
                 "data_source '" + given + "' differs from the folder '" + folder + "'",
                 place_of(node, "data_source"), "leave data_source out or move the file");
  }
}

void read_stages(DocumentReader& reader, const Node& node, Model& model) {
  const Node* stages = DocumentReader::value(node, "source_queries");
  if (stages && stages->is_sequence() && stages->items.empty()) {
    reader.error(codes::empty_source_queries, "source_queries has no query", *stages);
  }
  reader.each(node, "source_queries", "the model", [&](const Node& item) {
    model.source_queries.push_back(read_query_object(reader, item));
  });
  if (!model.source_queries.empty()) {
    for (StageProblem& problem : check_stored_stages(model)) {
      reader.error(problem.code, std::move(problem.message), problem.place);
    }
  }
}

// One statement that does not begin as one that writes or defines something.
bool is_one_query(const std::string& text, SqlDialect dialect) {
  static const std::set<std::string, std::less<>> kOthers{
      "alter",    "analyze", "attach",   "begin",  "call",   "comment", "commit",
      "copy",     "create",  "delete",   "detach", "do",     "drop",    "exec",
      "execute",  "explain", "export",   "grant",  "import", "insert",  "install",
      "load",     "lock",    "merge",    "pragma", "rename", "replace", "revoke",
      "rollback", "set",     "truncate", "update", "use",    "vacuum"};
  const std::vector<sql::Statement> statements = sql::split_statements(text, analysed_as(dialect));
  if (statements.size() != 1) {
    return false;
  }
  for (const sql::Token& token : sql::tokenize(text, analysed_as(dialect))) {
    if (token.kind != sql::TokenKind::Comment) {
      return token.kind != sql::TokenKind::Identifier ||
             !kOthers.contains(base::to_lower(text.substr(token.begin, token.end - token.begin)));
    }
  }
  return false;
}

void read_source_mode(DocumentReader& reader, const Node& node, Model& model) {
  std::vector<std::string> given;
  for (const std::string_view key : {"sql_table", "sql", "source_queries"}) {
    if (DocumentReader::value(node, key)) {
      given.emplace_back(key);
      model.source_place = place_of(node, key);
    }
  }
  model.sql_table = std::string(base::trim(reader.text(node, "sql_table", "the model")));
  model.sql = reader.text(node, "sql", "the model");
  if (given.size() != 1) {
    reader.error(codes::source_mode,
                 "a model needs exactly one of sql_table, sql and source_queries; " +
                     (given.empty() ? "none is set" : base::join(given, ", ") + " are set"),
                 given.empty() ? place_of(node) : model.source_place);
  } else if (given.front() == "source_queries") {
    read_stages(reader, node, model);
  } else if (given.front() == "sql_table" &&
             !parse_relation(model.sql_table, reader.context().dialect)) {
    reader.error(codes::invalid_name,
                 "sql_table '" + model.sql_table + "' is not the name of a table or view",
                 model.source_place, "write table, schema.table or quote the parts");
  } else if (given.front() == "sql" && !is_one_query(model.sql, reader.context().dialect)) {
    reader.error(codes::source_mode, "sql must be exactly one SELECT", model.source_place);
  }
}

void read_items(DocumentReader& reader, const Node& node, Model& model) {
  const std::string_view what = "the model";
  reader.each(node, "columns", what,
              [&](const Node& item) { model.columns.push_back(read_column(reader, item)); });
  reader.each(node, "measures", what,
              [&](const Node& item) { model.measures.push_back(read_measure(reader, item)); });
  reader.each(node, "aggregations", what, [&](const Node& item) {
    model.aggregations.push_back(read_aggregation(reader, item));
  });
  reader.each(node, "joins", what,
              [&](const Node& item) { model.joins.push_back(read_join(reader, item)); });
  reader.each(node, "filters", what, [&](const Node& item) {
    if (!item.is_scalar() || base::trim(item.text).empty()) {
      reader.error(codes::bad_value, "a filter must be a text", item);
      return;
    }
    model.filters.push_back({item.text, place_of(item)});
  });
}

void check_unique(DocumentReader& reader, std::set<std::string>& seen, const std::string& name,
                  Place place, std::string_view what) {
  if (!name.empty() && !seen.insert(name).second) {
    reader.error(codes::duplicate_name,
                 std::string(what) + " '" + name + "' is named like another one of the model",
                 place);
  }
}

void check_names(DocumentReader& reader, const Model& model) {
  std::set<std::string> fields;
  for (const Column& column : model.columns) {
    check_unique(reader, fields, column.name, column.place, "column");
  }
  for (const Measure& measure : model.measures) {
    check_unique(reader, fields, measure.name, measure.place, "measure");
  }
  std::set<std::string> aggregations;
  for (const Aggregation& aggregation : model.aggregations) {
    check_unique(reader, aggregations, aggregation.name, aggregation.place, "aggregation");
  }
  std::set<std::string> joins;
  for (const Join& join : model.joins) {
    check_unique(reader, joins, join.hop(), join.place, "join");
  }
}

void check_allowed(DocumentReader& reader, const Model& model, const Column& column) {
  const auto set = column.primary_key ? key_aggregations() : default_aggregations(column.type);
  for (const std::string& name : column.allowed_aggregations.value_or(std::vector<std::string>{})) {
    if (std::find(set.begin(), set.end(), name) == set.end() && !find_aggregation(model, name)) {
      std::vector<std::string> known(set.begin(), set.end());
      reader.error(codes::aggregation_not_allowed,
                   "aggregation '" + name + "' is not allowed for column '" + column.name + "'" +
                       base::did_you_mean(name, known),
                   column.place,
                   std::string(column.primary_key ? "a primary key" : to_string(column.type)) +
                       " allows " + base::join(known, ", "));
    }
  }
}

void check_default_time(DocumentReader& reader, const Model& model, const Node& node) {
  if (model.default_time_dimension.empty() || model.mode() == SourceMode::Queries ||
      find_column(model, model.default_time_dimension)) {
    return;
  }
  std::vector<std::string> names;
  for (const Column& column : model.columns) {
    names.push_back(column.name);
  }
  reader.error(codes::unknown_reference,
               "default_time_dimension '" + model.default_time_dimension +
                   "' is no column of the model" +
                   base::did_you_mean(model.default_time_dimension, names),
               place_of(node, "default_time_dimension"));
}

void drop_computed_columns(DocumentReader& reader, const Node& node, Model& model) {
  if (model.source_queries.empty() || model.columns.empty()) {
    return;
  }
  reader.warning(codes::query_backed_columns_ignored,
                 "the columns of query-backed model '" + model.name +
                     "' come from its stages; those written are ignored",
                 place_of(node, "columns"), "remove the key columns");
  model.columns.clear();
}

}  // namespace

Model read_model_document(DocumentReader& reader, const Node& node) {
  static constexpr std::array<std::string_view, 17> kKeys{
      "version",      "name",    "data_source", "sql_table",
      "sql",          "columns", "measures",    "source_queries",
      "aggregations", "joins",   "filters",     "default_time_dimension",
      "description",  "label",   "hidden",      "query_variables",
      "meta"};
  Model model;
  model.file = reader.context().file;
  model.place = place_of(node);
  if (node.is_mapping()) {
    model.version = read_version(reader, node);
  }
  if (!reader.mapping(node, kKeys, "a model")) {
    return model;
  }
  read_name(reader, node, model);
  read_data_source(reader, node, model);
  read_source_mode(reader, node, model);
  read_items(reader, node, model);
  model.default_time_dimension = reader.text(node, "default_time_dimension", "the model");
  model.query_variables = reader.variables(node, "query_variables", "the model");
  model.description = reader.text(node, "description", "the model");
  model.label = reader.text(node, "label", "the model");
  model.hidden = reader.flag(node, "hidden", "the model").value_or(false);
  model.meta = reader.free_map(node, "meta", "the model");
  drop_computed_columns(reader, node, model);
  check_names(reader, model);
  for (const Column& column : model.columns) {
    check_allowed(reader, model, column);
  }
  check_default_time(reader, model, node);
  return model;
}

ReadResult<Model> read_model(const Node& node, const ReadContext& context) {
  DocumentReader reader(context);
  Model model = read_model_document(reader, node);
  return {std::move(model), std::move(reader.errors()), std::move(reader.warnings())};
}

}  // namespace kedge::models
