// kedge models import: files of dbt or Cube in, model files out.
#include <utility>

#include "app/models.h"
#include "base/text.h"
#include "kedge/codes.h"
#include "models/import.h"

namespace kedge::app {
namespace {

std::vector<document::Document> read_documents(const Context& context, const std::string& path) {
  const std::string location = base::join_path(context.folder, path);
  std::vector<std::string> files;
  const std::optional<base::EntryKind> kind = context.files.kind(location);
  if (!kind) {
    throw Error(codes::ERR_USAGE, "there is no file or folder '" + path + "'");
  }
  if (*kind == base::EntryKind::File) {
    files.push_back(location);
  } else {
    for (std::string& file : base::list_files(context.files, location)) {
      if (base::extension(file) == "yml" || base::extension(file) == "yaml") {
        files.push_back(std::move(file));
      }
    }
  }
  std::vector<document::Document> documents;
  for (const std::string& file : files) {
    const std::string shown =
        file.starts_with(context.folder + "/") ? file.substr(context.folder.size() + 1) : file;
    documents.push_back(document::read_document(shown, context.files.read(file).value_or(""),
                                                document::format_of(file)));
    if (!documents.back().problems.empty()) {
      throw Error(documents.back().problems.front());
    }
  }
  return documents;
}

// The other tools do not say the types of keys. A database that cannot be reached is no obstacle.
models::KnownTypes known_types(const Context& context, const models::DataSource& source,
                               std::vector<Finding>& notes) {
  const models::LiveReading reading =
      models::read_live(context.registry, {source, models::ModelSet{}, {}, {}});
  models::KnownTypes types;
  if (reading.failed) {
    Finding finding;
    finding.problem = {
        codes::import_skipped,
        "the database of '" + source.name +
            "' could not be read, so column types are guessed: " + reading.failures.front().message,
        std::nullopt,
        "check the types of the imported models",
        {}};
    finding.severity = Severity::Warning;
    finding.guard = "models";
    notes.push_back(std::move(finding));
    return types;
  }
  for (const schema::Table& table : reading.schema.tables) {
    for (const schema::Column& column : table.columns) {
      types[base::to_lower(table.name.name.text())][base::to_lower(column.name.text())] =
          models::column_type_of(column.type, reading.schema.engine.dialect, source.dialect);
    }
  }
  return types;
}

}  // namespace

ImportModelsResult import_models(const Context& context, const ImportModelsRequest& request) {
  const ModelProject project = open_model_project(context);
  require_data_source(project, request.data_source);
  const models::DataSource& source = project.sources.at(request.data_source);
  const std::vector<document::Document> documents = read_documents(context, request.path);
  ImportModelsResult result;
  models::ImportInput input;
  input.format = request.format;
  input.documents = documents;
  input.data_source = request.data_source;
  input.dialect = source.dialect;
  input.types = known_types(context, source, result.skipped);
  models::ImportResult imported = models::import_models(input);
  std::move(imported.skipped.begin(), imported.skipped.end(), std::back_inserter(result.skipped));
  if (imported.models.empty() && !models::holds_definitions(input)) {
    throw Error(codes::ERR_USAGE, "'" + request.path + "' holds nothing to import");
  }
  const ProjectLock lock(context);
  for (const models::ImportedModel& model : imported.models) {
    const models::ModelId id{request.data_source, model.name};
    if (models::find_model_file(context.files, context.folder, id)) {
      result.refused.push_back({model.name, request.data_source,
                                std::string(codes::model_name_taken.name()),
                                "the model exists already; it is left as it is"});
      continue;
    }
    context.files.write(models::model_path(context.folder, id), model.text);
    result.written.push_back(id);
  }
  return result;
}

}  // namespace kedge::app
