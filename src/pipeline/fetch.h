// Tier 5 of validate (spec/contracts.md 9.2 to 9.5): every connection is opened and probed, every
// entity's real schema fetched with one introspection a connection, and compared with what is
// declared, accepted or remembered. Nothing is moved and nothing is written.
#pragma once

#include <map>
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
// The live shape of one entity.
contracts::FetchedShape fetch_shape(const World& world, std::shared_ptr<const Workspace> workspace,
                                    std::size_t read);

}  // namespace kedge::pipeline
