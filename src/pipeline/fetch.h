// Tier 5 of validate (spec/contracts.md 9.2 to 9.5): every connection is opened and probed, every
// entity's real schema fetched with one introspection a connection, and compared with what is
// declared, accepted or remembered. Nothing is moved and nothing is written.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "contracts/baseline.h"
#include "contracts/fetched.h"
#include "kedge/finding.h"
#include "pipeline/dry_compile.h"
#include "pipeline/engine.h"

namespace kedge::pipeline {

struct FetchFinding {
  Finding finding;
  std::string kind;
  std::string declared;
  std::string found;
  // What it is about: an index into Workspace::reads or ::writes.
  std::optional<std::size_t> read = std::nullopt;
  std::optional<std::size_t> write = std::nullopt;
};

struct FetchResult {
  std::vector<FetchFinding> findings;               // connections and entities in file order
  std::size_t connections = 0;                      // that were tried
  std::map<std::string, contracts::Shape> fetched;  // by label; what is to be remembered
};

struct FetchRequest {
  const World& world;
  std::shared_ptr<const Workspace> workspace;
  const contracts::Baselines& baselines;
  const std::map<std::string, contracts::Shape>& remembered;  // of the previous --connect
  const std::map<std::size_t, std::vector<contracts::WriteColumn>>& outputs;  // by pipeline
};

FetchResult fetch_and_compare(const FetchRequest& request);

// Shapes that one database would have.
struct AssumedShapes {
  std::string connection;
  const schema::Schema& schema;
  // Of reads with a query of their own; one that is not here cannot be answered.
  std::map<std::size_t, contracts::FetchedShape> queries;
};
// What tier 5 would find in the tables of that connection. Nothing is opened.
std::vector<FetchFinding> compare_assumed(const FetchRequest& request,
                                          const AssumedShapes& assumed);

// The live shape of one entity.
contracts::FetchedShape fetch_shape(const World& world, std::shared_ptr<const Workspace> workspace,
                                    std::size_t read);

}  // namespace kedge::pipeline
