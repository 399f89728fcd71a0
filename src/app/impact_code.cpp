// Which generated files a change reaches once the declaration follows it: each file is rendered
// from the model as it is and from the model without the lost fields, and what differs is the
// impact.
#include <algorithm>
#include <map>

#include "app/codegen.h"
#include "app/impact.h"
#include "kedge/codes.h"

namespace kedge::app {
namespace {

using Texts = std::map<std::string, codegen::GeneratedFile>;

Texts render(const Context& context, const project::Project& project,
             const metadata::Model& model) {
  project::Project plain = project;
  std::vector<const project::GenTarget*> targets;
  for (project::GenTarget& target : plain.gen.targets) {
    target.formatter.clear();  // only the difference is wanted, and no program is run for it
    targets.push_back(&target);
  }
  Texts texts;
  for (codegen::GeneratedFile& file : codegen::generate_all(
           {context.files, context.processes, context.clock, plain, model}, targets)) {
    const std::string path = file.path;
    texts.emplace(path, std::move(file));
  }
  return texts;
}

metadata::Model without(metadata::Model model, const std::vector<metadata::MemberRef>& lost) {
  for (metadata::Object& object : model.objects) {
    std::erase_if(object.fields, [&](const metadata::Field& field) {
      return std::find(lost.begin(), lost.end(),
                       metadata::MemberRef{object.qualified_name, field.name}) != lost.end();
    });
  }
  return model;
}

Impact file_impact(const codegen::GeneratedFile& file, const std::string& what) {
  Impact impact;
  impact.part = "code";
  impact.effect = Effect::Changes;
  impact.message = "generated file '" + file.path + "' of target '" + file.target + "' " + what;
  impact.subject = {"generated file", "", file.target, file.path};
  impact.where = Position{file.path, 1, 1};
  return impact;
}

}  // namespace

void code_impact(const Context& context, const MetadataModel& loaded,
                 const std::vector<metadata::MemberRef>& lost,
                 const std::vector<std::string>& lost_objects, ImpactResult& result) {
  if (loaded.project.gen.targets.empty() || (lost.empty() && lost_objects.empty())) {
    return;
  }
  const Texts before = render(context, loaded.project, loaded.model);
  const Texts after =
      lost.empty() ? before : render(context, loaded.project, without(loaded.model, lost));
  for (const auto& [path, file] : before) {
    const bool own =
        std::find(lost_objects.begin(), lost_objects.end(), file.from) != lost_objects.end();
    const auto now = after.find(path);
    if (own) {
      result.impacts.push_back(file_impact(file, "is about '" + file.from + "'"));
    } else if (now == after.end()) {
      result.impacts.push_back(file_impact(file, "is no longer generated"));
    } else if (codegen::without_header(now->second.text) != codegen::without_header(file.text)) {
      result.impacts.push_back(file_impact(file, "has other text without the lost fields"));
    }
  }
}

void stale_code_impact(const Context& context, ImpactResult& result) {
  const MetadataModel loaded = load_metadata_model(context);
  if (loaded.project.gen.targets.empty() || !loaded.errors.empty()) {
    return;
  }
  for (const codegen::CodegenFinding& finding :
       verify_codegen(context, codegen::Edits::Allowed).findings) {
    if (finding.severity != Severity::Error) {
      continue;
    }
    Impact impact;
    impact.part = "code";
    impact.effect = Effect::Changes;
    impact.code = finding.code;
    impact.message = "generated file '" + finding.path + "': " + finding.message;
    impact.subject = {"generated file", "", finding.target, finding.path};
    impact.where = Position{finding.path, 1, 1};
    result.impacts.push_back(std::move(impact));
  }
}

}  // namespace kedge::app
