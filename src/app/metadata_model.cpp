#include "app/metadata_model.h"

#include "metadata/load.h"

namespace kedge::app {

metadata::Settings metadata_settings(const project::Project& project) {
  const project::MetadataSettings& from = project.metadata;
  metadata::Settings settings;
  for (const project::Text& source : from.sources) {
    settings.sources.push_back({source.text, source.where});
  }
  settings.column_naming = from.column_naming == "literal"      ? metadata::Naming::Literal
                           : from.column_naming == "kebab-case" ? metadata::Naming::KebabCase
                                                                : metadata::Naming::SnakeCase;
  settings.strict = from.strict;
  settings.strict_nodes = from.strict_nodes;
  settings.tph_required_checks = from.tph_required_checks;
  settings.rfc4122_uuids = from.sqlite_uuid == "rfc4122";
  settings.array_enum_checks = from.array_enum_checks;
  return settings;
}

MetadataModel load_metadata_model(const Context& context) {
  MetadataModel result;
  project::ProjectLoad load =
      project::load_project(context.files, context.environment, context.folder);
  result.project = std::move(load.project);
  result.errors = std::move(load.problems);
  result.warnings = std::move(load.warnings);
  metadata::LoadResult loaded =
      metadata::load_metadata(context.files, context.folder, metadata_settings(result.project));
  for (metadata::Diagnostic& diagnostic : loaded.diagnostics) {
    if (diagnostic.is_error()) {
      result.errors.push_back(std::move(diagnostic.finding.problem));
    } else {
      result.warnings.push_back(std::move(diagnostic.finding));
    }
  }
  result.model = std::move(loaded.model);
  return result;
}

}  // namespace kedge::app
