#include "app/templates.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "codegen/generate.h"
#include "codegen/payload_shape.h"
#include "kedge/codes.h"
#include "templates/render.h"

namespace kedge::app {
namespace {

using templates::TemplateFinding;

std::string relative_to(const std::string& folder, const std::string& path) {
  return path.starts_with(folder + "/") ? path.substr(folder.size() + 1) : path;
}

// The nodes that a command looks at, by qualified name; abstract ones are never looked at.
std::vector<const metadata::Template*> sorted_templates(const metadata::Model& model) {
  std::vector<const metadata::Template*> nodes;
  for (const metadata::Template& node : model.templates) {
    if (!node.is_abstract) {
      nodes.push_back(&node);
    }
  }
  std::sort(nodes.begin(), nodes.end(),
            [](const metadata::Template* a, const metadata::Template* b) {
              return a->qualified_name < b->qualified_name;
            });
  return nodes;
}

// A qualified name, or a bare one that only one template has.
const metadata::Template& find_node(const std::vector<const metadata::Template*>& nodes,
                                    const std::string& name) {
  std::vector<const metadata::Template*> bare;
  std::vector<std::string> known;
  for (const metadata::Template* node : nodes) {
    if (node->qualified_name == name) {
      return *node;
    }
    if (node->name == name) {
      bare.push_back(node);
    }
    known.push_back(node->qualified_name);
    known.push_back(node->name);
  }
  if (bare.size() == 1) {
    return *bare.front();
  }
  if (bare.empty()) {
    throw Error(codes::ERR_UNKNOWN_TEMPLATE,
                "there is no template '" + name + "'" + base::did_you_mean(name, known),
                "kedge templates list shows them all");
  }
  std::vector<std::string> names;
  for (const metadata::Template* node : bare) {
    names.push_back(node->qualified_name);
  }
  throw Error(codes::ERR_UNKNOWN_TEMPLATE, "several templates are named '" + name + "'",
              "name one of " + base::join(names, ", "));
}

std::string root_of(const Context& context, const project::Project& project,
                    const std::optional<std::string>& asked) {
  return base::join_path(context.folder, asked.value_or(project.templates.root.text));
}

void require_root(const Context& context, const std::string& root) {
  if (context.files.kind(root) != base::EntryKind::Folder) {
    throw Error(
        codes::ERR_TEMPLATES_ROOT,
        "the folder of templates '" + relative_to(context.folder, root) + "' does not exist",
        "make it, or set templates.root in project.yml");
  }
}

templates::Limits limits_of(const project::TemplateLimits& from) {
  templates::Limits limits;
  limits.text_bytes = static_cast<std::size_t>(from.text_bytes);
  limits.section_depth = static_cast<std::size_t>(from.section_depth);
  limits.partial_depth = static_cast<std::size_t>(from.partial_depth);
  limits.output_bytes = static_cast<std::size_t>(from.output_bytes);
  limits.steps = static_cast<std::size_t>(from.steps);
  limits.payload_depth = static_cast<std::size_t>(from.payload_depth);
  return limits;
}

std::vector<std::string> tags_for(const metadata::Template& node, const TemplatePart& part) {
  const bool judged = part.name == "prompt" || part.name == "document";
  return judged ? node.required_tags : std::vector<std::string>{};
}

class TemplateVerifier {
 public:
  TemplateVerifier(const MetadataModel& loaded, const TemplateFiles& files)
      : loaded_(loaded), files_(files), limits_(limits_of(loaded.project.templates.limits)) {}

  void check(const metadata::Template& node, VerifyTemplatesResult& result) {
    ++result.templates;
    const templates::PayloadType type = codegen::payload_of(loaded_.model, node.payload_ref);
    for (const TemplatePart& part : parts_of(node)) {
      ++result.texts;
      for (TemplateFinding& finding : check_part(node, part, type)) {
        result.findings.push_back(
            {node.qualified_name, part.name, part.reference, std::move(finding), node.place.where});
      }
    }
  }

  // One finding per field of a payload that no template uses.
  void report_unused(const std::vector<const metadata::Template*>& nodes,
                     VerifyTemplatesResult& result) const {
    for (const auto& [payload, used] : used_) {
      const metadata::Object* object = metadata::find_object(loaded_.model, payload);
      for (const metadata::Field& field : object->fields) {
        const auto at = used.lower_bound(field.name);
        const bool found =
            at != used.end() && (*at == field.name || at->starts_with(field.name + "."));
        if (!found) {
          TemplateFinding finding;
          finding.severity = Severity::Warning;
          finding.code = codes::WARN_PAYLOAD_FIELD_UNUSED;
          finding.path = field.name;
          finding.message = "no template uses '" + field.name + "' of " + payload;
          result.findings.push_back(
              {first_of(nodes, payload), "", "", std::move(finding), field.place.where});
        }
      }
    }
  }

 private:
  static std::string first_of(const std::vector<const metadata::Template*>& nodes,
                              const std::string& payload) {
    for (const metadata::Template* node : nodes) {
      if (node->payload_ref == payload) {
        return node->qualified_name;
      }
    }
    return "";
  }

  std::vector<TemplateFinding> check_part(const metadata::Template& node, const TemplatePart& part,
                                          const templates::PayloadType& type) {
    const std::optional<templates::ProvidedText> text = resolve(part.reference);
    if (!text) {
      return {unresolved(part.reference)};
    }
    templates::Parsed parsed = templates::parse(text->text, text->source, limits_);
    if (parsed.problem) {
      return {std::move(*parsed.problem)};
    }
    templates::VerifyOptions options;
    options.provider = &files_;
    options.required_slots =
        part.name == "prompt" ? node.required_slots : std::vector<std::string>{};
    options.required_tags = tags_for(node, part);
    options.max_chars = node.max_chars;
    options.limits = limits_;
    templates::Verified verified = templates::verify(*parsed.value, type, options);
    used_[node.payload_ref].insert(verified.used_paths.begin(), verified.used_paths.end());
    return std::move(verified.findings);
  }

  std::optional<templates::ProvidedText> resolve(const std::string& reference) const {
    try {
      return files_.resolve(reference);
    } catch (const Error& error) {
      if (error.code() == codes::ERR_REF_OUTSIDE_ROOT) {
        return std::nullopt;
      }
      throw;
    }
  }

  static TemplateFinding unresolved(const std::string& reference) {
    TemplateFinding finding;
    finding.code = codes::ERR_TEXT_REF_UNRESOLVED;
    finding.path = reference;
    finding.message = "the text '" + reference + "' does not exist";
    return finding;
  }

  const MetadataModel& loaded_;
  const TemplateFiles& files_;
  templates::Limits limits_;
  std::map<std::string, std::set<std::string>> used_;
};

// The texts of every pack that a target names, against the published shape of the data.
void check_packs(const Context& context, const project::Project& project,
                 VerifyTemplatesResult& result) {
  std::set<std::string> seen;
  for (const project::GenTarget& target : project.gen.targets) {
    if (!seen.insert(target.pack.text).second) {
      continue;
    }
    const codegen::Pack pack =
        codegen::load_pack(context.files, context.folder, target.pack.text, target.pack.where);
    result.texts += pack.texts.size();
    for (TemplateFinding& finding : codegen::check_pack(pack)) {
      result.findings.push_back({"pack " + pack.name, "", "", std::move(finding), target.where});
    }
  }
}

void require_whole(const MetadataModel& loaded) {
  project::throw_problems(loaded.errors);
}

std::string render_part(const metadata::Template& node, const TemplatePart& part,
                        const templates::PayloadType& type, const document::Node& payload,
                        const TemplateFiles& files, const templates::RenderOptions& base_options) {
  const std::optional<templates::ProvidedText> text = files.resolve(part.reference);
  if (!text) {
    throw templates::RenderError({codes::ERR_TEXT_REF_UNRESOLVED,
                                  "the text '" + part.reference + "' does not exist",
                                  node.place.where,
                                  "",
                                  {}},
                                 part.reference);
  }
  templates::Parsed parsed = templates::parse(text->text, text->source, base_options.limits);
  if (parsed.problem) {
    const TemplateFinding& problem = *parsed.problem;
    const bool guarded = base_options.verify_first;
    templates::RenderError error({guarded ? codes::ERR_RENDER_VERIFY_FAILED : problem.code,
                                  guarded ? "the template has 1 error(s)" : problem.message,
                                  std::nullopt,
                                  "",
                                  {}},
                                 problem.path);
    error.findings = {problem};
    throw error;
  }
  templates::RenderOptions options = base_options;
  options.type = &type;
  options.format = part.format;
  options.required_tags = tags_for(node, part);
  options.max_chars = node.max_chars;
  std::string rendered = templates::render(*parsed.value, payload, &files, options);
  if (part.name == "subject" && rendered.find_first_of("\r\n") != std::string::npos) {
    throw templates::RenderError(
        {codes::ERR_SUBJECT_MULTILINE, "the subject holds a line break", node.place.where, "", {}},
        std::nullopt);
  }
  return rendered;
}

std::string subtype_of(metadata::Template::Kind kind) {
  switch (kind) {
    case metadata::Template::Kind::Prompt:
      return "prompt";
    case metadata::Template::Kind::Output:
      return "output";
    case metadata::Template::Kind::Toolcall:
      return "toolcall";
  }
  return "";
}

}  // namespace

TemplateFiles::TemplateFiles(const base::FileSystem& files, std::string project_folder,
                             std::string root)
    : files_(files),
      project_folder_(std::move(project_folder)),
      root_(std::move(root)),
      real_root_(files.kind(root_) == base::EntryKind::Folder ? files.real_path(root_) : root_) {}

std::optional<templates::ProvidedText> TemplateFiles::resolve(const std::string& reference) const {
  const std::lock_guard lock(mutex_);
  const auto known = known_.find(reference);
  if (known != known_.end()) {
    return known->second;
  }
  return known_.emplace(reference, read(reference)).first->second;
}

std::optional<templates::ProvidedText> TemplateFiles::read(const std::string& reference) const {
  const std::string path = base::join_path(root_, reference + ".mustache");
  const std::optional<base::EntryKind> kind = files_.kind(path);
  if (!kind) {
    return std::nullopt;
  }
  const std::string shown = relative_to(project_folder_, path);
  if (*kind != base::EntryKind::File) {
    throw Error(codes::ERR_IO, "'" + shown + "' is not a regular file");
  }
  const std::string real = files_.real_path(path);
  if (!real.starts_with(real_root_ + "/")) {
    throw Error(codes::ERR_REF_OUTSIDE_ROOT, "'" + reference + "' leaves the folder of templates");
  }
  // Where case does not matter to the system it still matters here: the listed name decides.
  const std::vector<base::FolderEntry> listed = files_.list(base::parent_path(path));
  const bool exact = std::any_of(listed.begin(), listed.end(), [&](const base::FolderEntry& entry) {
    return entry.name == base::file_name(path);
  });
  std::optional<std::string> text = files_.read(path);
  if (!text || !exact) {
    return std::nullopt;
  }
  return templates::ProvidedText{std::move(*text), shown};
}

std::vector<TemplatePart> parts_of(const metadata::Template& node) {
  const templates::Format format =
      templates::find_format(node.format).value_or(templates::Format::Text);
  switch (node.kind) {
    case metadata::Template::Kind::Prompt:
      return {{"prompt", node.text_ref, format}};
    case metadata::Template::Kind::Toolcall:
      return {};
    case metadata::Template::Kind::Output:
      break;
  }
  if (node.output_kind != "email") {
    return {{"document", node.text_ref, format}};
  }
  std::vector<TemplatePart> parts = {{"subject", node.subject_ref, templates::Format::Text},
                                     {"html", node.html_body_ref, templates::Format::Html}};
  if (!node.text_body_ref.empty()) {
    parts.push_back({"text", node.text_body_ref, templates::Format::Text});
  }
  return parts;
}

std::size_t VerifyTemplatesResult::count(Severity severity) const {
  return static_cast<std::size_t>(std::count_if(
      findings.begin(), findings.end(),
      [&](const PartFinding& finding) { return finding.finding.severity == severity; }));
}

VerifyTemplatesResult verify_templates(const Context& context,
                                       const VerifyTemplatesRequest& request) {
  VerifyTemplatesResult result;
  const MetadataModel loaded = load_metadata_model(context);
  result.errors = loaded.errors;
  if (!result.errors.empty()) {
    return result;
  }
  std::vector<const metadata::Template*> nodes = sorted_templates(loaded.model);
  if (!request.names.empty()) {
    std::set<std::string> wanted;
    for (const std::string& name : request.names) {
      wanted.insert(find_node(nodes, name).qualified_name);
    }
    std::erase_if(nodes, [&](const metadata::Template* node) {
      return !wanted.contains(node->qualified_name);
    });
  }
  const std::string root = root_of(context, loaded.project, request.root);
  const bool texts = std::any_of(nodes.begin(), nodes.end(),
                                 [](const auto* node) { return !parts_of(*node).empty(); });
  if (texts || request.root) {
    require_root(context, root);
  }
  const TemplateFiles files(context.files, context.folder, root);
  TemplateVerifier verifier(loaded, files);
  for (const metadata::Template* node : nodes) {
    verifier.check(*node, result);
  }
  if (loaded.project.templates.report_unused && request.names.empty()) {
    verifier.report_unused(nodes, result);
  }
  if (request.packs == PackTemplates::Check) {
    check_packs(context, loaded.project, result);
  }
  return result;
}

std::vector<RenderedPart> render_template(const Context& context, const RenderRequest& request) {
  const MetadataModel loaded = load_metadata_model(context);
  require_whole(loaded);
  const metadata::Template& node = find_node(sorted_templates(loaded.model), request.name);
  std::vector<TemplatePart> parts = parts_of(node);
  if (request.part) {
    std::erase_if(parts, [&](const TemplatePart& part) { return part.name != *request.part; });
  }
  if (parts.empty()) {
    throw Error(codes::ERR_USAGE, "template '" + node.qualified_name + "' has no part" +
                                      (request.part ? " '" + *request.part + "'" : " with a text"));
  }
  const std::string root = root_of(context, loaded.project, request.root);
  require_root(context, root);
  const TemplateFiles files(context.files, context.folder, root);
  templates::RenderOptions options;
  options.verify_first = request.guard == RenderGuard::Verify;
  options.strict_payload = request.strict_payload;
  options.limits = limits_of(loaded.project.templates.limits);
  const templates::PayloadType type = codegen::payload_of(loaded.model, node.payload_ref);
  const document::Node payload = templates::read_payload(request.payload, options);
  std::vector<RenderedPart> rendered;
  for (const TemplatePart& part : parts) {
    rendered.push_back({part.name, render_part(node, part, type, payload, files, options)});
  }
  return rendered;
}

std::vector<ListedTemplate> list_templates(const Context& context) {
  const MetadataModel loaded = load_metadata_model(context);
  require_whole(loaded);
  std::vector<ListedTemplate> list;
  for (const metadata::Template* node : sorted_templates(loaded.model)) {
    list.push_back({node->qualified_name, subtype_of(node->kind), node->payload_ref, node->format,
                    parts_of(*node), node->place.where});
  }
  return list;
}

}  // namespace kedge::app
