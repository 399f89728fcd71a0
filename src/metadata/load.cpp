#include "metadata/load.h"

#include <algorithm>
#include <deque>
#include <set>

#include "base/listing.h"
#include "base/problem_list.h"
#include "metadata/build.h"
#include "metadata/check.h"
#include "metadata/inherit.h"
#include "metadata/lower.h"
#include "metadata/merge.h"

namespace kedge::metadata {
namespace {

bool is_metadata_file(const std::string& path) {
  const std::string extension = base::extension(path);
  return extension == "json" || extension == "yaml" || extension == "yml";
}

// Below a folder, leaving out _pending; real folders are entered once.
class Walk {
 public:
  Walk(const base::FileSystem& files, std::string project)
      : files_(files), project_(std::move(project)) {}

  void folder(const std::string& path) {
    if (!folders_.insert(files_.real_path(path)).second) {
      return;
    }
    for (const base::FolderEntry& entry : files_.list(path)) {
      const std::string child = base::join_path(path, entry.name);
      if (entry.kind == base::EntryKind::Folder && entry.name != "_pending") {
        folder(child);
      } else if (base::is_declaration(entry) && is_metadata_file(entry.name)) {
        file(child);
      }
    }
  }

  void file(const std::string& path) {
    if (!seen_.insert(files_.real_path(path)).second) {
      return;
    }
    texts_.push_back({relative(path), base::read_listed(files_, path)});
  }

  std::vector<SourceText> take() { return std::move(texts_); }

 private:
  std::string relative(const std::string& path) const {
    const std::string prefix = project_ + "/";
    return path.rfind(prefix, 0) == 0 ? path.substr(prefix.size()) : path;
  }
  const base::FileSystem& files_;
  std::string project_;
  std::set<std::string> folders_;
  std::set<std::string> seen_;
  std::vector<SourceText> texts_;
};

class Loader {
 public:
  explicit Loader(const Settings& settings) : settings_(settings) {}

  Diagnostics& diagnostics() { return diagnostics_; }

  LoadResult run(std::vector<SourceText> texts) {
    std::sort(texts.begin(), texts.end(),
              [](const SourceText& a, const SourceText& b) { return a.file < b.file; });
    result_.model.settings = settings_;
    std::vector<TreeNode> nodes;
    for (SourceText& text : texts) {
      result_.model.files.push_back(text.file);
      read(std::move(text), nodes);
    }
    nodes = merge_files(std::move(nodes), diagnostics_);
    resolve_inheritance(nodes, diagnostics_);
    build(nodes);
    check();
    result_.diagnostics = diagnostics_.take_sorted();
    return std::move(result_);
  }

 private:
  void read(SourceText text, std::vector<TreeNode>& nodes) {
    const document::Format format = document::format_of(text.file);
    documents_.push_back(
        document::read_document(std::move(text.file), std::move(text.text), format));
    const document::Document& document = documents_.back();
    for (const Problem& problem : document.problems) {
      const bool limit = problem.code == codes::ERR_LIMIT;
      const Code code = limit                              ? problem.code
                        : format == document::Format::Json ? codes::ERR_MALFORMED_JSON
                                                           : codes::ERR_MALFORMED_YAML;
      Place place;
      place.where = problem.where.value_or(Position{document.file, 1, 1});
      diagnostics_.error(code, problem.message, place, problem.hint).finding.problem.notes =
          problem.notes;
    }
    if (document.usable && document.problems.empty()) {
      lower_document(document, settings_, diagnostics_, families_, nodes);
    }
  }

  void build(std::vector<TreeNode>& nodes) {
    NodeIndex index(nodes);
    BuildContext context{index, settings_, diagnostics_};
    Model& model = result_.model;
    for (const TreeNode& node : nodes) {
      if (node.type == "object") {
        model.objects.push_back(build_object(node, context));
        model.object_index.emplace(model.objects.back().qualified_name, model.objects.size() - 1);
      } else if (node.type == "template") {
        model.templates.push_back(build_template(node, context));
      } else if (node.type == "field") {
        model.shared_fields.push_back(build_field(node, context));
        model.shared_fields.back().name = qualified_name(node.package, node.name);
      }
    }
  }

  void check() {
    Model& model = result_.model;
    finish_model(model, diagnostics_);
    check_sources(model, diagnostics_);
    check_keys(model, diagnostics_);
    check_references(model, diagnostics_);
    check_relationships(model, diagnostics_);
    check_subtypes(model, diagnostics_);
    check_validators(model, diagnostics_);
    check_projections(model, diagnostics_);
    check_templates(model, diagnostics_);
  }

  Settings settings_;
  Diagnostics diagnostics_;
  std::deque<document::Document> documents_;  // tree nodes point into them
  std::set<std::string> families_;
  LoadResult result_;
};

}  // namespace

LoadResult load_texts(std::vector<SourceText> texts, const Settings& settings) {
  return Loader(settings).run(std::move(texts));
}

LoadResult load_metadata(const base::FileSystem& files, const std::string& folder,
                         const Settings& settings) {
  Loader loader(settings);
  Walk walk(files, folder);
  std::vector<Settings::SourcePlace> sources = settings.sources;
  if (sources.empty() && files.kind(base::join_path(folder, "metadata"))) {
    sources.push_back({"metadata", std::nullopt});
  }
  for (const Settings::SourcePlace& source : sources) {
    const std::string path = base::join_path(folder, source.path);
    const auto kind = files.kind(path);
    if (kind == base::EntryKind::Folder) {
      walk.folder(path);
    } else if (kind == base::EntryKind::File) {
      walk.file(path);
    } else {
      Place place;
      place.where = source.where.value_or(Position{});
      loader.diagnostics().error(codes::ERR_SOURCE_UNRESOLVED,
                                 "metadata source '" + source.path + "' does not exist", place);
    }
  }
  return loader.run(walk.take());
}

void require_loaded(const LoadResult& result) {
  std::vector<Problem> errors;
  for (const Diagnostic& diagnostic : result.diagnostics) {
    if (diagnostic.is_error()) {
      errors.push_back(diagnostic.finding.problem);
    }
  }
  if (!errors.empty()) {
    throw base::ProblemList(std::move(errors));
  }
  if (result.model.files.empty()) {
    throw Error(codes::ERR_NO_METADATA, "there is no metadata", "write entities below metadata/");
  }
}

}  // namespace kedge::metadata
