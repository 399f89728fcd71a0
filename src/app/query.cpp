#include "app/query.h"

#include <algorithm>
#include <utility>

#include "app/model_project.h"
#include "app/models.h"
#include "base/text.h"
#include "db/connection.h"
#include "document/node.h"
#include "kedge/codes.h"
#include "models/live_reader.h"
#include "models/reader.h"
#include "query/compile.h"
#include "query/run.h"

namespace kedge::app {
namespace {

using document::Node;

struct Request {
  std::vector<const Node*> stages;  // query objects, in the order of the text
  std::string model;                // a query-backed model instead
  query::Variables variables;
};

void throw_first(const std::vector<Problem>& problems) {
  if (problems.empty()) {
    return;
  }
  Problem first = problems.front();
  for (std::size_t i = 1; i < problems.size(); ++i) {
    first.notes.push_back({problems[i].message, problems[i].where});
  }
  throw Error(std::move(first));
}

document::Json variable_from_text(const std::string& text) {
  const document::Document read =
      document::read_document("variables", text, document::Format::Json);
  const bool value = read.problems.empty() && read.usable && !read.root.is_mapping();
  return value ? document::to_json(read.root) : document::Json(text);
}

query::Variables read_variables(const Node* node) {
  query::Variables variables;
  if (node != nullptr && node->is_mapping()) {
    for (const document::Entry& entry : node->entries) {
      variables[entry.key.text] = document::to_json(entry.value);
    }
  }
  return variables;
}

[[noreturn]] void unknown_key(const document::Document& text, const document::Entry& entry) {
  throw Error(Problem{codes::unknown_key,
                      "'" + entry.key.text + "' is no key of a query request",
                      text.position(entry.key),
                      "",
                      {}});
}

void read_list(const document::Document& text, const Node& root, Request& request) {
  for (const document::Entry& entry : root.entries) {
    if (entry.key.text == "queries" && entry.value.is_sequence()) {
      for (const Node& item : entry.value.items) {
        request.stages.push_back(&item);
      }
    } else if (entry.key.text == "variables") {
      request.variables = read_variables(&entry.value);
    } else {
      unknown_key(text, entry);
    }
  }
}

// A query object, {"queries": [...]}, {"name": model}.
Request read_request(const document::Document& text) {
  throw_first(text.problems);
  const Node& root = text.root;
  Request request;
  if (root.is_sequence()) {
    for (const Node& item : root.items) {
      request.stages.push_back(&item);
    }
    return request;
  }
  if (!root.is_mapping() || root.entries.empty()) {
    throw Error(codes::bad_value, "a query is an object with source_model, queries or name");
  }
  const Node* name = root.find("name");
  const bool by_name =
      name != nullptr && root.find("source_model") == nullptr && root.find("queries") == nullptr;
  if (root.find("queries") != nullptr) {
    read_list(text, root, request);
  } else if (by_name) {
    request.model = name->text;
    request.variables = read_variables(root.find("variables"));
    for (const document::Entry& entry : root.entries) {
      if (entry.key.text != "name" && entry.key.text != "variables") {
        unknown_key(text, entry);
      }
    }
  } else {
    request.stages.push_back(&root);
  }
  return request;
}

// The models that the stages name, before anything is loaded.
std::vector<std::string> named_models(const Request& request, std::string& inline_source) {
  std::vector<std::string> stages;
  std::vector<std::string> names;
  for (const Node* stage : request.stages) {
    const Node* name = stage->find("name");
    if (name != nullptr) {
      stages.push_back(name->text);
    }
  }
  for (const Node* stage : request.stages) {
    const Node* source = stage->find("source_model");
    if (source == nullptr) {
      continue;
    }
    const Node* extended = source->find("source_name");
    const Node* data_source = source->find("data_source");
    if (source->is_mapping() && extended == nullptr && data_source != nullptr) {
      inline_source = data_source->text;
    }
    const std::string& found =
        source->is_mapping() ? (extended ? extended->text : std::string()) : source->text;
    if (!found.empty() && std::find(stages.begin(), stages.end(), found) == stages.end()) {
      names.push_back(found);
    }
  }
  if (!request.model.empty()) {
    names.push_back(request.model);
  }
  return names;
}

std::string pick_source(const Context& context, const ModelProject& project,
                        const std::string& model) {
  std::vector<std::string> found;
  for (const auto& [name, source] : project.sources) {
    if (models::find_model_file(context.files, context.folder, {name, model})) {
      found.push_back(name);
    }
  }
  if (found.size() == 1) {
    return found[0];
  }
  for (const std::string& preferred : project.priority) {
    if (std::find(found.begin(), found.end(), preferred) != found.end()) {
      return preferred;
    }
  }
  if (found.empty()) {
    const models::ModelStore store =
        models::load_models(context.files, {context.folder, project.dialects, std::nullopt});
    std::vector<std::string> known;
    for (const auto& [id, file] : store.files) {
      known.push_back(id.second);
    }
    throw Error(codes::unknown_model, "no data source has a model '" + db::redact_url(model) + "'" +
                                          base::did_you_mean(model, known));
  }
  throw Error(codes::ambiguous_model,
              "model '" + model + "' exists in the data sources " + base::join(found, ", "),
              "give the data source");
}

std::string data_source_of(const Context& context, const ModelProject& project,
                           const Request& request, const models::QueryOptions& options) {
  if (options.data_source) {
    require_data_source(project, *options.data_source);
    return *options.data_source;
  }
  std::string inline_source;
  const std::vector<std::string> names = named_models(request, inline_source);
  if (!inline_source.empty()) {
    require_data_source(project, inline_source);
    return inline_source;
  }
  if (!names.empty()) {
    return pick_source(context, project, names[0]);
  }
  if (project.sources.size() == 1) {
    return project.sources.begin()->first;
  }
  throw Error(codes::unknown_data_source, "the query does not say which data source it means",
              "give data_source");
}

std::vector<models::Query> read_stages(const document::Document& text, const Request& request,
                                       const models::ReadContext& context) {
  (void)text;
  std::vector<models::Query> stages;
  for (const Node* node : request.stages) {
    auto read = models::read_query(*node, context);
    throw_first(read.errors);
    stages.push_back(std::move(read.value));
  }
  return stages;
}

// A model file that does not load explains itself better than "unknown model".
void refuse_broken(const models::ModelStore& store, const std::vector<std::string>& names,
                   const std::string& data_source) {
  for (const Finding& finding : store.problems) {
    const bool named = std::find(names.begin(), names.end(), finding.subject.name) != names.end();
    if (finding.severity == Severity::Error && named && finding.subject.connection == data_source) {
      throw Error(finding.problem);
    }
  }
}

Code failure_code(db::FailureClass failure) {
  switch (failure) {
    case db::FailureClass::Permission:
      return codes::permission_denied;
    case db::FailureClass::Connection:
      return codes::connection_failed;
    case db::FailureClass::Timeout:
      return codes::timeout;
    case db::FailureClass::Cancelled:
      return codes::ERR_CANCELLED;  // by whoever stops: nothing is wrong with the query
    case db::FailureClass::Schema:
    case db::FailureClass::Data:
    case db::FailureClass::Resource:
    case db::FailureClass::Lock:
    case db::FailureClass::Other:
      break;
  }
  return codes::query_failed;
}

// The original failure under the chapter's code.
[[noreturn]] void raise(const db::DatabaseError& error) {
  Problem problem = error.problem();
  problem.code = failure_code(error.failure());
  throw db::DatabaseError(std::move(problem), error.failure(), error.native_code());
}

// JSON where the text is JSON, which may hold characters that YAML does not allow; else YAML.
document::Document read_query(const models::QueryInput& input) {
  document::Document json = document::read_document(input.file, input.text, document::Format::Json);
  return json.problems.empty()
             ? std::move(json)
             : document::read_document(input.file, input.text, document::Format::Yaml);
}

class Runner {
 public:
  Runner(const Context& context, const models::QueryInput& input,
         const models::QueryOptions& options)
      : context_(context),
        options_(options),
        project_(open_model_project(context)),
        text_(read_query(input)),
        request_(read_request(text_)) {
    for (const auto& [name, value] : options.variables) {
      request_.variables[name] = variable_from_text(value);
    }
  }

  models::QueryResult run() {
    data_source_ = data_source_of(context_, project_, request_, options_);
    compile();
    if (options_.mode == models::QueryOptions::Mode::DryRun) {
      return query::describe_query(compiled_);
    }
    if (options_.check_drift) {
      const auto drifted = touched_entries();
      if (!drifted.empty()) {
        raise_drift(drifted, "found before the query was run");
      }
    }
    try {
      const auto connection = context_.registry.connect(source().settings);
      return options_.mode == models::QueryOptions::Mode::Explain
                 ? query::explain_query(*connection, source().dialect, compiled_)
                 : query::run(*connection, compiled_);
    } catch (const db::DatabaseError& error) {
      explain_failure(error);
    }
  }

 private:
  const models::DataSource& source() const { return project_.sources.at(data_source_); }

  void compile() {
    const models::ModelStore store =
        models::load_models(context_.files, {context_.folder, project_.dialects, data_source_});
    std::string ignored;
    refuse_broken(store, named_models(request_, ignored), data_source_);
    query::CompileRequest request{store.set,
                                  data_source_,
                                  source().dialect,
                                  {},
                                  request_.model,
                                  request_.variables,
                                  context_.clock.now_milliseconds()};
    if (request_.model.empty()) {
      request.stages = read_stages(text_, request_, {text_.file, data_source_, source().dialect});
    }
    compiled_ = query::compile(request);
  }

  std::vector<models::ToDeleteEntry> touched_entries() const {
    const models::ValidateResult found =
        validate_models(context_, {data_source_, {true, std::nullopt}});
    std::vector<models::ToDeleteEntry> entries;
    for (const models::ToDeleteEntry& entry : found.entries) {
      if (std::binary_search(compiled_.touched.begin(), compiled_.touched.end(),
                             models::model_name(entry))) {
        entries.push_back(entry);
      }
    }
    return entries;
  }

  [[noreturn]] void raise_drift(const std::vector<models::ToDeleteEntry>& entries,
                                const std::string& original) const {
    Problem problem{codes::schema_drift,
                    "Schema drift detected on models [" + base::join(compiled_.touched, ", ") +
                        "]: " + std::to_string(entries.size()) + " pending delete(s)",
                    std::nullopt,
                    "run \"kedge validate-models --datasource " + data_source_ + "\" to inspect",
                    {{original, std::nullopt}}};
    problem.message += "; " + problem.hint;
    problem.hint.clear();
    throw models::SchemaDriftError(std::move(problem), compiled_.touched, entries, original,
                                   compiled_.sql);
  }

  // models.md 13: only a failure that may come from the schema starts a validate.
  [[noreturn]] void explain_failure(const db::DatabaseError& error) const {
    const bool may_be_drift =
        error.failure() == db::FailureClass::Schema || error.failure() == db::FailureClass::Other;
    std::vector<models::ToDeleteEntry> entries;
    if (may_be_drift) {
      try {
        entries = touched_entries();
      } catch (const Error&) {
        entries.clear();  // the original failure is the one to report
      }
    }
    if (entries.empty()) {
      raise(error);
    }
    raise_drift(entries, error.driver_message());
  }

  const Context& context_;
  const models::QueryOptions& options_;
  ModelProject project_;
  document::Document text_;
  Request request_;
  std::string data_source_;
  query::CompiledQuery compiled_;
};

}  // namespace

models::QueryResult run_query(const Context& context, const models::QueryInput& input,
                              const models::QueryOptions& options) {
  return Runner(context, input, options).run();
}

ModelList list_models(const Context& context, const std::optional<std::string>& data_source) {
  const ModelProject project = open_model_project(context);
  if (data_source) {
    require_data_source(project, *data_source);
  }
  models::ModelStore store =
      models::load_models(context.files, {context.folder, project.dialects, data_source});
  ModelList list;
  list.problems = std::move(store.problems);
  for (const models::LoadedModel& loaded : store.set.models) {
    const models::Model& model = loaded.model;
    const bool wanted = !data_source || model.data_source == *data_source;
    if (!model.hidden && wanted) {
      const std::string source = model.mode() == models::SourceMode::Table ? "table"
                                 : model.mode() == models::SourceMode::Sql ? "sql"
                                                                           : "queries";
      list.models.push_back({model.data_source, model.name, model.label, model.description, source,
                             model.columns.size(), model.measures.size()});
    }
  }
  return list;
}

models::LoadedModel show_model(const Context& context, const std::string& name,
                               const std::optional<std::string>& data_source) {
  const ModelProject project = open_model_project(context);
  if (data_source) {
    require_data_source(project, *data_source);
  }
  const std::string source =
      data_source.value_or("").empty() ? pick_source(context, project, name) : *data_source;
  const models::ModelStore store =
      models::load_models(context.files, {context.folder, project.dialects, source});
  refuse_broken(store, {name}, source);
  for (const models::LoadedModel& loaded : store.set.models) {
    if (loaded.model.name == name && loaded.model.data_source == source) {
      return loaded;
    }
  }
  throw Error(codes::unknown_model, "data source '" + source + "' has no model '" + name + "'");
}

}  // namespace kedge::app
