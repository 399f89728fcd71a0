// `kedge inspect SRC` and `kedge snapshot SRC`: one shape, as it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/diff.h"
#include "app/source.h"
#include "kedge/finding.h"

namespace kedge::app {

struct InspectRequest {
  std::string source;
  SourceOptions options;
  std::vector<std::string> include;  // "name", "schema.name", '*' globs; empty: everything
  std::vector<std::string> exclude;
};

struct InspectResult {
  Source source;
  std::string fingerprint;
  std::vector<Finding> findings;  // what was seen and is not modelled; the source's warnings
};

InspectResult inspect(const Context& context, const InspectRequest& request);
// The same shape as statements that make it from nothing.
ShapeDiff inspect_as_statements(const Context& context, const InspectRequest& request);

// Writes the snapshot of a shape to a file; `path` is relative to the project folder.
void write_snapshot_file(const Context& context, const schema::Schema& schema,
                         const std::string& path);

}  // namespace kedge::app
