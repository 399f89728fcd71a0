// What `kedge validate` finds in project.yml beyond its keys: databases, packs with their options
// and folders that are named there and are not there.
#include "app/validate.h"
#include "base/text.h"
#include "codegen/run.h"
#include "kedge/codes.h"
#include "project/connections.h"
#include "project/project.h"

namespace kedge::app {
namespace {

class SettingsCheck {
 public:
  SettingsCheck(const Context& context, Validation& result)
      : context_(context),
        result_(result),
        project_(project::load_project(context.files, context.environment, context.folder).project),
        connections_(project::load_connections(context.files, context.environment, context.folder,
                                               project::UnsetOptions::Note)) {}

  void run() {
    if (project_.migrate.target) {
      check_database("migrate.target", *project_.migrate.target, Url::Allowed);
    }
    for (const project::Text& name : project_.migrate.check) {
      check_database("migrate.check", name, Url::Allowed);
    }
    check_priority();
    for (const project::GenTarget& target : project_.gen.targets) {
      check_target(target);
    }
    check_templates(project_.templates.root);
  }

  void check_priority() {
    for (const project::Text& name : project_.data_source_priority) {
      check_database("data_source_priority", name, Url::Refused);
    }
  }

 private:
  enum class Url { Allowed, Refused };

  void add(Problem problem, const std::optional<Position>& where) {
    if (!problem.where) {
      problem.where = where;
    }
    result_.add(std::move(problem));
    result_.items.back().finding.guard = "settings";
  }

  void check_database(const std::string& key, const project::Text& name, Url url) {
    if (!connections_.problems.empty()) {
      return;  // those are reported, and a connection may be missing because of them
    }
    const project::Connections& known = connections_.connections;
    if (known.find(name.text) == nullptr &&
        (url == Url::Refused || !db::parse_url(name.text).has_value())) {
      add({codes::ERR_SOURCE,
           key + ": '" + db::redact_url(name.text) + "' is no connection of connections.yml" +
               base::did_you_mean(name.text, known.names()),
           std::nullopt,
           "",
           {}},
          name.where);
    }
  }

  void check_target(const project::GenTarget& target) {
    try {
      codegen::target_settings(
          project_, target,
          codegen::load_pack(context_.files, context_.folder, target.pack.text, target.pack.where));
    } catch (const Error& error) {
      add(error.problem(), target.where);
    }
  }

  void check_templates(const project::Text& root) {
    if (root.where && context_.files.kind(base::join_path(context_.folder, root.text)) !=
                          base::EntryKind::Folder) {
      add({codes::ERR_TEMPLATES_ROOT,
           "templates.root: there is no folder '" + root.text + "'",
           std::nullopt,
           "",
           {}},
          root.where);
    }
  }

  const Context& context_;
  Validation& result_;
  project::Project project_;
  project::ConnectionsLoad connections_;
};

}  // namespace

void check_settings(Context& context, const ValidateRequest&, Validation& result) {
  SettingsCheck(context, result).run();
}

void check_data_source_priority(const Context& context, Validation& result) {
  SettingsCheck(context, result).check_priority();
}

}  // namespace kedge::app
