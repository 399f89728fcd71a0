#include "app/metadata.h"

#include "app/metadata_model.h"
#include "base/text.h"
#include "codegen/model_file.h"
#include "codegen/run.h"
#include "kedge/codes.h"
#include "metadata/expected.h"
#include "metadata/load.h"
#include "metadata/model_json.h"

namespace kedge::app {

namespace {

metadata::Settings settings_of(const project::Project& project, UnknownAttributes unknown) {
  metadata::Settings settings = metadata_settings(project);
  settings.strict = settings.strict && unknown == UnknownAttributes::AsConfigured;
  return settings;
}

// What one target of gen takes of the model.
codegen::TargetSettings scope_of(const Context& context, const project::Project& project,
                                 const std::string& name) {
  if (name.empty()) {
    return {};
  }
  std::vector<std::string> known;
  for (const project::GenTarget& target : project.gen.targets) {
    if (target.name.text == name) {
      return codegen::target_settings(
          project, target,
          codegen::load_pack(context.files, context.folder, target.pack.text, target.pack.where));
    }
    known.push_back(target.name.text);
  }
  throw Error(codes::ERR_GEN_NO_TARGET,
              "there is no target '" + name + "'" + base::did_you_mean(name, known),
              "targets: " + base::join(known, ", "));
}

}  // namespace

project::Project require_project(const Context& context) {
  project::ProjectLoad load =
      project::load_project(context.files, context.environment, context.folder);
  project::throw_problems(load.problems);
  return std::move(load.project);
}

metadata::LoadResult load_metadata(const Context& context, const project::Project& project,
                                   UnknownAttributes unknown) {
  return metadata::load_metadata(context.files, context.folder, settings_of(project, unknown));
}

metadata::LoadResult require_metadata(const Context& context, const project::Project& project,
                                      UnknownAttributes unknown) {
  metadata::LoadResult result = load_metadata(context, project, unknown);
  metadata::require_loaded(result);
  return result;
}

void check_metadata(Context& context, const ValidateRequest&, Validation& result) {
  const project::ProjectLoad load =
      project::load_project(context.files, context.environment, context.folder);
  const metadata::LoadResult loaded = load_metadata(context, load.project);
  const auto add = [&](const std::vector<metadata::Diagnostic>& diagnostics) {
    for (const metadata::Diagnostic& diagnostic : diagnostics) {
      result.add(diagnostic.finding.problem, diagnostic.finding.severity);
      result.items.back().finding.guard = "metadata";
      result.items.back().pointer = diagnostic.pointer;
      result.items.back().suggestions = diagnostic.suggestions;
    }
  };
  add(loaded.diagnostics);
  const auto& configured = load.project.migrate.dialect;
  const auto dialect = configured ? schema::find_dialect(configured->text) : std::nullopt;
  if (dialect && *dialect != schema::Dialect::Ansi && !loaded.has_errors()) {
    add(metadata::build_expected(loaded.model, *dialect).diagnostics);
  }
}

ModelResult write_model(Context& context, const std::string& out, const std::string& target) {
  const project::Project project = require_project(context);
  const metadata::LoadResult loaded = require_metadata(context, project);
  ModelResult result;
  // The start-up checks of generated code read `entities`: tables and columns, already resolved.
  document::Json json = codegen::model_json(loaded.model, scope_of(context, project, target));
  const document::Json model = metadata::to_json(loaded.model);
  if (const document::Json::Object* members = model.as_object()) {
    for (const auto& [key, value] : *members) {
      json.set(key, value);
    }
  }
  result.text = document::write_json(json) + "\n";
  if (!out.empty()) {
    result.written = out;
    context.files.write(base::join_path(context.folder, out), result.text);
  }
  return result;
}

}  // namespace kedge::app
