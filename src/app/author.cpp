#include "app/author.h"

#include "base/text.h"
#include "document/json.h"
#include "kedge/codes.h"
#include "schema/change_json.h"
#include "schema/snapshot.h"

namespace kedge::app {
namespace {

using migrate::Migration;
using migrate::NewMigration;
using migrate::Phase;

// For a rollback of what was only half applied: a definition commits by itself there.
document::Json undoes_json(const migrate::Plan& plan) {
  document::Json all = document::Json::array();
  for (const migrate::PlanStatement& statement : plan.down) {
    document::Json ups = document::Json::array();
    for (const std::size_t number : statement.undoes) {
      ups.push(static_cast<std::int64_t>(number));
    }
    all.push(std::move(ups));
  }
  return all;
}

std::string plan_json(const AuthorRequest& request) {
  document::Json json = document::Json::object();
  json.set("format", "kedge-plan/1");
  json.set("parent", request.parent.empty() ? document::Json() : document::Json(request.parent));
  json.set("result", request.next == nullptr ? document::Json()
                                             : document::Json(schema::fingerprint(*request.next)));
  document::Json changes = document::Json::array();
  for (const migrate::PlannedChange& change : request.plan->changes) {
    changes.push(schema::to_json(change.change));
  }
  json.set("changes", std::move(changes));
  document::Json hazards = document::Json::array();
  for (const migrate::Hazard& hazard : request.plan->hazards) {
    document::Json each = document::Json::object();
    each.set("hazard", hazard.hazard);
    each.set("table", schema::to_string(hazard.table));
    each.set("text", hazard.text);
    hazards.push(std::move(each));
  }
  json.set("hazards", std::move(hazards));
  document::Json allow = document::Json::array();
  for (const std::string& token : request.allow) {
    allow.push(token);
  }
  json.set("allow", std::move(allow));
  if (request.plan->dialect == schema::Dialect::Mysql) {
    json.set("undoes", undoes_json(*request.plan));
  }
  return document::write_json(json) + "\n";
}

std::vector<NewMigration> contents_of(const AuthorRequest& request, const std::string& slug) {
  const migrate::Plan& plan = *request.plan;
  const std::string json = plan_json(request);
  if (request.online == migrate::Online::No) {
    return {{slug, "", migrate::render_up(plan), migrate::render_down(plan), json}};
  }
  std::vector<NewMigration> out;
  for (const Phase phase : {Phase::Prepare, Phase::Online, Phase::Finish}) {
    const std::string suffix(migrate::kPartSuffixes[static_cast<std::size_t>(phase)]);
    if (migrate::has_phase(plan, phase)) {
      const std::string down = out.empty() ? migrate::render_down(plan)
                                           : "-- NOTE: undone together with " + slug +
                                                 out.front().suffix + ", by the down of that.\n";
      out.push_back({slug, suffix, migrate::render_up(plan, phase), down, json});
    }
  }
  if (out.size() == 1) {
    out.front().suffix.clear();
  }
  return out;
}

class Writer {
 public:
  Writer(Context& context, const MigrateSetup& setup) : context_(context), setup_(setup) {}

  Authored run(const AuthorRequest& request) {
    const std::vector<Migration> chain =
        migrate::read_chain(context_.files, setup_.folder, setup_.format);
    const std::string slug = request.slug.empty() ? slug_of(request.plan->changes) : request.slug;
    const std::vector<NewMigration> contents = contents_of(request, slug);
    const std::int64_t now = context_.clock.now_milliseconds();
    std::vector<std::pair<Migration, std::string>> files;
    for (std::size_t i = 0; i < contents.size(); ++i) {
      files.emplace_back(migrate::name_migration(chain, setup_.folder, setup_.format, contents[i],
                                                 now, static_cast<std::int64_t>(i)),
                         contents[i].plan);
      refuse_existing(files.back().first);
    }
    try {
      for (const auto& [migration, plan] : files) {
        write(migration, plan);
      }
      snapshot(request);
    } catch (const Error&) {
      remove_written();
      throw;
    }
    return std::move(out_);
  }

 private:
  void refuse_existing(const Migration& migration) {
    for (const std::string& path : {migration.up_path, migration.down_path}) {
      if (context_.files.kind(path)) {
        throw Error(codes::ERR_FILE_EXISTS, "'" + shown_path(context_, path) + "' is already there",
                    "nothing was overwritten; choose another --slug");
      }
    }
  }

  void write(const Migration& migration, const std::string& plan) {
    put(migration.up_path, migration.up);
    put(migration.down_path, migration.down.value_or(""));
    if (!migration.plan_path.empty()) {
      put(migration.plan_path, plan);
      out_.folders.push_back(base::parent_path(migration.up_path));
    }
    out_.names.push_back(migration.name);
  }

  void put(const std::string& path, const std::string& text) {
    context_.files.write(path, text);
    out_.written.push_back(path);
  }

  void snapshot(const AuthorRequest& request) {
    if (request.next == nullptr) {
      return;
    }
    out_.snapshot_before = context_.files.read(setup_.snapshot_path);
    put(setup_.snapshot_path, schema::write_snapshot(*request.next));
  }

  void remove_written() {
    for (const std::string& path : out_.written) {
      context_.files.remove(path);
    }
    for (const std::string& folder : out_.folders) {
      context_.files.remove(folder);
    }
  }

  Context& context_;
  const MigrateSetup& setup_;
  Authored out_;
};

}  // namespace

std::string slug_of(const std::vector<migrate::PlannedChange>& changes) {
  if (changes.empty()) {
    return "migration";
  }
  const Change& first = changes.front().change;
  std::string slug = kind_of(first) + "-" + subject_of(first).name.text();
  if (!part_of(first).empty()) {
    slug += "-" + part_of(first);
  }
  slug = migrate::make_slug(slug).substr(0, 45);
  if (changes.size() > 1) {
    slug += "-and-" + std::to_string(changes.size() - 1) + "-more";
  }
  return slug;
}

Authored author(Context& context, const MigrateSetup& setup, const AuthorRequest& request) {
  return Writer(context, setup).run(request);
}

void set_aside(Context& context, const MigrateSetup& setup, const Authored& authored) {
  const std::string failed = base::join_path(setup.folder, ".failed");
  for (const std::string& path : authored.written) {
    if (path == setup.snapshot_path) {
      if (authored.snapshot_before) {
        context.files.write(path, *authored.snapshot_before);
      } else {
        context.files.remove(path);
      }
      continue;
    }
    const std::string relative = path.substr(setup.folder.size() + 1);
    context.files.write(base::join_path(failed, relative), context.files.read(path).value_or(""));
    context.files.remove(path);
  }
  for (const std::string& folder : authored.folders) {
    context.files.remove(folder);
  }
}

}  // namespace kedge::app
