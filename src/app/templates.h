// Templates of a project: check them all (spec/templates.md 5, 7), render one (6), list them.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/context.h"
#include "app/metadata_model.h"
#include "kedge/templates.h"

namespace kedge::app {

// The texts below one folder: <root>/<reference>.mustache. Sources are project-relative.
class TemplateFiles final : public templates::Provider {
 public:
  TemplateFiles(const base::FileSystem& files, std::string project_folder, std::string root);
  std::optional<templates::ProvidedText> resolve(const std::string& reference) const override;

 private:
  std::optional<templates::ProvidedText> read(const std::string& reference) const;

  const base::FileSystem& files_;
  std::string project_folder_;
  std::string root_;       // absolute
  std::string real_root_;  // links resolved
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::optional<templates::ProvidedText>> known_;
};

struct TemplatePart {
  std::string name;       // "prompt", "document", "subject", "html", "text"
  std::string reference;  // of its text
  templates::Format format = templates::Format::Text;
};
std::vector<TemplatePart> parts_of(const metadata::Template& node);

enum class PackTemplates { Skip, Check };
struct VerifyTemplatesRequest {
  std::vector<std::string> names;  // empty: all
  std::optional<std::string> root;
  PackTemplates packs = PackTemplates::Skip;  // the texts of the packs of gen.targets, too
};
struct PartFinding {
  std::string template_name;  // qualified
  std::string part;
  std::string reference;
  templates::TemplateFinding finding;
  Position declared_at;
};
struct VerifyTemplatesResult {
  std::size_t templates = 0;
  std::size_t texts = 0;
  std::vector<PartFinding> findings;  // by template, part, then in document order
  std::vector<Problem> errors;        // nothing was checked
  std::size_t count(Severity severity) const;
};
VerifyTemplatesResult verify_templates(const Context& context,
                                       const VerifyTemplatesRequest& request);

enum class RenderGuard { Verify, None };
struct RenderRequest {
  std::string name;
  std::string payload;  // JSON
  std::optional<std::string> part;
  std::optional<std::string> root;
  RenderGuard guard = RenderGuard::Verify;
  bool strict_payload = false;
};
struct RenderedPart {
  std::string part;
  std::string text;
};
// All parts, or the one asked for. Throws RenderError or another Error.
std::vector<RenderedPart> render_template(const Context& context, const RenderRequest& request);

struct ListedTemplate {
  std::string name;  // qualified
  std::string subtype;
  std::string payload;
  std::string format;
  std::vector<TemplatePart> parts;
  Position declared_at;
};
std::vector<ListedTemplate> list_templates(const Context& context);  // by name

}  // namespace kedge::app
