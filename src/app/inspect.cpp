#include "app/inspect.h"

#include <algorithm>

#include "base/glob.h"
#include "base/text.h"
#include "kedge/codes.h"
#include "schema/snapshot.h"

namespace kedge::app {
namespace {

bool matches_any(const std::vector<std::string>& patterns, const schema::Name& name) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return base::matches_glob(pattern, name.name.text()) ||
           base::matches_glob(pattern, schema::to_string(name));
  });
}

class Selection {
 public:
  explicit Selection(const InspectRequest& request) : request_(request) {}
  bool takes(const schema::Name& name) const {
    return (request_.include.empty() || matches_any(request_.include, name)) &&
           !matches_any(request_.exclude, name);
  }
  template <typename Items>
  void apply(Items& items) const {
    std::erase_if(items, [&](const auto& item) { return !takes(item.name); });
  }

 private:
  const InspectRequest& request_;
};

void select(const InspectRequest& request, schema::Schema& schema) {
  const Selection selection(request);
  selection.apply(schema.tables);
  selection.apply(schema.views);
  selection.apply(schema.sequences);
  selection.apply(schema.enums);
  selection.apply(schema.domains);
  selection.apply(schema.composites);
  selection.apply(schema.unmodelled);
  std::erase_if(schema.objects, [&](const schema::DefinedObject& object) {
    return !selection.takes(object.table.value_or(object.name));
  });
}

Finding finding_of(const schema::Unmodelled& seen, const std::string& source) {
  Finding finding;
  finding.problem.code = codes::WARN_NOT_MODELLED;
  finding.problem.message =
      "the " + seen.kind + " '" + schema::to_string(seen.name) + "' is seen, not modelled";
  finding.severity = Severity::Warning;
  finding.subject = {seen.kind, source, seen.name.schema.text(), seen.name.name.text()};
  finding.guard = "inspect";
  return finding;
}

Finding finding_of(const Problem& warning) {
  Finding finding;
  finding.problem = warning;
  finding.severity = Severity::Warning;
  finding.guard = "inspect";
  return finding;
}

}  // namespace

InspectResult inspect(const Context& context, const InspectRequest& request) {
  InspectResult result;
  result.source = load_source(context, request.source, request.options);
  select(request, result.source.schema);
  result.fingerprint = schema::fingerprint(result.source.schema);
  for (const schema::Unmodelled& seen : result.source.schema.unmodelled) {
    result.findings.push_back(finding_of(seen, result.source.shown));
  }
  for (const Problem& warning : result.source.warnings) {
    result.findings.push_back(finding_of(warning));
  }
  sort_findings(result.findings);
  return result;
}

ShapeDiff inspect_as_statements(const Context& context, const InspectRequest& request) {
  DiffRequest difference;
  difference.from = "empty:";
  difference.to = request.source;
  difference.dialect = request.options.dialect;
  difference.filter = {request.include, request.exclude};
  difference.scratch = request.options.scratch;
  if (request.options.scope.privileges) {
    difference.privileges = diff::Privileges::Compare;
  }
  return compare_sources(context, difference);
}

void write_snapshot_file(const Context& context, const schema::Schema& schema,
                         const std::string& path) {
  context.files.write(base::join_path(context.folder, path), schema::write_snapshot(schema));
}

}  // namespace kedge::app
