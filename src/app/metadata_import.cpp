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
  Import(Context& context, const MetadataImportRequest& request)
      : context_(context), request_(request) {}

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
    for (int round = 0; round < 9 && !settle(); ++round) {
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

  std::vector<metadata::SourceText> texts() {
    std::vector<metadata::SourceText> out;
    for (const schema::Table& table : live_.tables) {
      metadata::Description description = metadata::describe_table(table, live_, options_);
      out.push_back({file_of(table.name), std::move(description.text)});
      parts_[table.name] = std::move(description.parts);
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
    const std::vector<Change> open = compare_desired(live_, desired, options).changes;
    return calm && leave(open);
  }

  // An object that the language refuses is somebody else's; where one of its parts is at fault,
  // that part alone.
  bool refused(const std::vector<metadata::Diagnostic>& diagnostics) {
    bool calm = true;
    for (const metadata::Diagnostic& diagnostic : diagnostics) {
      if (!diagnostic.is_error() || !diagnostic.finding.problem.where) {
        continue;
      }
      for (const auto& [name, entity] : options_.entities) {
        if (diagnostic.finding.problem.where->file == file_of(name)) {
          calm = !refused(name, diagnostic.finding.problem) && calm;
        }
      }
    }
    return calm;
  }

  bool refused(const schema::Name& name, const Problem& problem) {
    const auto& lines = parts_[name];
    const auto part = lines.find(static_cast<int>(problem.where->line));
    if (part == lines.end()) {
      return give_up(name, problem.message);
    }
    if (!part->second.label.empty()) {
      return leave_part(name, part->second.label, problem.message);
    }
    options_.bare[name].insert(part->second.column);
    return leave_column(name, part->second.column, problem.message) ||
           give_up(name, problem.message);
  }

  bool give_up(const schema::Name& name, const std::string& why) {
    return options_.unmanaged.insert(name).second && tell(name, "", why);
  }
  bool leave_part(const schema::Name& name, const std::string& label, const std::string& why) {
    return options_.leave[name].parts.insert(label).second && tell(name, label, why);
  }
  bool leave_column(const schema::Name& name, const Identifier& column, const std::string& why) {
    return options_.leave[name].columns.insert(column).second && tell(name, column.text(), why);
  }
  bool tell(const schema::Name& name, const std::string& part, const std::string& why) {
    const std::string whole = schema::to_string(name);
    result_.left_alone.push_back({part.empty() ? whole : whole + "." + part, why});
    return true;
  }

  // The smallest things first: what an index or a check asks of a column goes with it. True when
  // nothing is open.
  bool leave(const std::vector<Change>& open) {
    bool any = false;
    for (const Change& change : open) {
      const std::string label = label_of(change);
      if (!label.empty() && options_.entities.contains(subject_of(change))) {
        any = leave_part(subject_of(change), label, "the language cannot say it") || any;
      }
    }
    if (any) {
      return false;
    }
    for (const Change& change : open) {
      const Identifier column = column_of(change);
      if (!column.empty() && options_.entities.contains(subject_of(change))) {
        any = leave_column(subject_of(change), column, cannot_say(change)) || any;
      }
    }
    if (any) {
      return false;
    }
    for (const Change& change : open) {
      if (options_.entities.contains(subject_of(change))) {
        give_up(subject_of(change), cannot_say(change));
      }
    }
    return open.empty();
  }

  static std::string cannot_say(const Change& change) {
    return "the language cannot say: " + describe(change);
  }

  // Of an index or constraint; empty for every other change.
  static std::string label_of(const Change& change) {
    if (const auto* check = std::get_if<change::DropCheck>(&change)) {
      return metadata::label_of(check->part);
    }
    if (const auto* key = std::get_if<change::DropForeignKey>(&change)) {
      return metadata::label_of(key->part);
    }
    if (const auto* index = std::get_if<change::DropIndex>(&change)) {
      return index->part.name.text();
    }
    if (const auto* key = std::get_if<change::DropPrimaryKey>(&change)) {
      return key->part.name.text();
    }
    if (const auto* renamed = std::get_if<change::RenameIndex>(&change)) {
      return renamed->from.text();
    }
    if (const auto* renamed = std::get_if<change::RenameConstraint>(&change)) {
      return renamed->from.text();
    }
    return {};
  }

  static Identifier column_of(const Change& change) {
    const std::string kind = kind_of(change);
    return kind.starts_with("change-column-") || kind == "change-comment"
               ? Identifier(part_of(change))
               : Identifier();
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
  std::map<schema::Name, std::map<int, metadata::DescribedPart>> parts_;
  MetadataImportResult result_;
};

}  // namespace

MetadataImportResult import_metadata(Context& context, const MetadataImportRequest& request) {
  return Import(context, request).run();
}

}  // namespace kedge::app
