#include "app/metadata_import.h"

#include <algorithm>

#include "app/desired.h"
#include "kedge/codes.h"
#include "metadata/describe.h"
#include "metadata/load.h"

namespace kedge::app {
namespace {

class Import {
 public:
  Import(Context& context, const MetadataImportRequest& request) : context_(context), request_(request) {}

  MetadataImportResult run() {
    DatabaseFlags flags;
    if (!request_.db.empty()) {
      flags.db = request_.db;
    }
    setup_ = make_setup(context_, flags);
    const auto connection = open_target(context_, setup_, db::AccessMode::ReadOnly);
    live_ = read_live(*connection);
    forget_bookkeeping();
    options_.dialect = setup_.dialect;
    options_.entities = metadata::name_entities(live_);
    for (int round = 0; round < 6 && !settle(); ++round) {
    }
    write();
    return std::move(result_);
  }

 private:
  void forget_bookkeeping() {
    std::vector<std::string> ignored = {setup_.ledger.table};
    for (const project::Text& each : setup_.project.migrate.ignore_tables) {
      ignored.push_back(each.text);
    }
    std::erase_if(live_.tables, [&](const schema::Table& table) {
      return diff::is_ignored_table(table.name.name.text(), ignored) ||
             (table.partition && table.partition->parent);
    });
  }

  std::vector<metadata::SourceText> texts() const {
    std::vector<metadata::SourceText> out;
    for (const schema::Table& table : live_.tables) {
      out.push_back({file_of(table.name), metadata::describe_table(table, live_, options_)});
    }
    for (const schema::View& view : live_.views) {
      out.push_back({file_of(view.name), metadata::describe_view(view, options_)});
    }
    return out;
  }

  std::string file_of(const schema::Name& name) const {
    return base::join_path(request_.out, options_.entities.at(name) + ".yml");
  }

  // Does migrate propose nothing now? What it still would do becomes something left alone.
  bool settle() {
    const metadata::LoadResult loaded = metadata::load_texts(texts(), metadata::Settings{});
    bool calm = refused(loaded.diagnostics);
    const metadata::Expected expected =
        metadata::build_expected(loaded.model, setup_.dialect, metadata::CommentPolicy::Keep);
    calm = refused(expected.diagnostics) && calm;
    Desired desired;
    desired.schema = expected.schema;
    desired.external = expected.external;
    desired.leave = expected.leave;
    RenameFlags renames;
    renames.on_ambiguous = diff::OnAmbiguous::DropAdd;
    const diff::Options options = diff_options(setup_, desired, renames);
    for (const Change& change : compare_desired(live_, desired, options).changes) {
      leave(change);
      calm = false;
    }
    return calm;
  }

  // An object that the language refuses is somebody else's.
  bool refused(const std::vector<metadata::Diagnostic>& diagnostics) {
    bool calm = true;
    for (const metadata::Diagnostic& diagnostic : diagnostics) {
      if (!diagnostic.is_error() || !diagnostic.finding.problem.where) {
        continue;
      }
      for (const auto& [name, entity] : options_.entities) {
        if (diagnostic.finding.problem.where->file == file_of(name)) {
          calm = !give_up(name, diagnostic.finding.problem.message) && calm;
        }
      }
    }
    return calm;
  }

  bool give_up(const schema::Name& name, const std::string& why) {
    if (!options_.unmanaged.insert(name).second) {
      return false;
    }
    result_.left_alone.push_back({schema::to_string(name), why});
    return true;
  }

  void leave(const Change& change) {
    const schema::Name name = subject_of(change);
    const std::string kind = kind_of(change);
    const auto* check = std::get_if<change::DropCheck>(&change);
    const bool part = kind == "drop-index" || kind == "drop-fk" || check != nullptr;
    std::string label = part_of(change);
    if (check != nullptr && check->part.name.empty()) {
      label = check->part.expression;
    }
    if (part && !label.empty() && options_.entities.contains(name)) {
      if (options_.leave[name].insert(label).second) {
        result_.left_alone.push_back(
            {schema::to_string(name) + "." + label, "the language cannot say it"});
        return;
      }
    }
    if (options_.entities.contains(name)) {
      give_up(name, "the language cannot say: " + describe(change));
    }
  }

  void write() {
    const std::vector<metadata::SourceText> files = texts();
    for (const metadata::SourceText& file : files) {
      const std::string path = base::join_path(context_.folder, file.file);
      if (context_.files.kind(path)) {
        throw Error(codes::ERR_FILE_EXISTS, "'" + file.file + "' is already there",
                    "nothing was written; --out names another folder");
      }
    }
    for (const metadata::SourceText& file : files) {
      context_.files.write(base::join_path(context_.folder, file.file), file.text);
      result_.written.push_back(file.file);
    }
    result_.entities = live_.tables.size();
    result_.views = live_.views.size();
    std::sort(result_.left_alone.begin(), result_.left_alone.end(),
              [](const LeftAlonePart& a, const LeftAlonePart& b) { return a.name < b.name; });
  }

  Context& context_;
  const MetadataImportRequest& request_;
  MigrateSetup setup_;
  schema::Schema live_;
  metadata::DescribeOptions options_;
  MetadataImportResult result_;
};

}  // namespace

MetadataImportResult import_metadata(Context& context, const MetadataImportRequest& request) {
  return Import(context, request).run();
}

}  // namespace kedge::app
