// From what the files and the calls declare of an entity to one read or one write.
#pragma once

#include <string>
#include <vector>

#include "pipeline/workspace.h"

namespace kedge::pipeline {

// Problems of the contract and of `sync:` are added; a spec comes out all the same.
struct Declaration {
  const project::Connection& connection;
  const project::Entity& entity;
  const std::string& file;
  std::vector<Problem>& problems;
};
ReadSpec make_read(const Declaration& from);    // without policy and `declared`
WriteSpec make_write(const Declaration& from);  // without pipeline and place

// Was anything said under `read:` or `write:`?
bool has_options(const project::Read& read);
bool has_options(const project::Write& write);

}  // namespace kedge::pipeline
