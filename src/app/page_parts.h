// What the page shows beside the findings of a check: the databases, the entities with their
// references, how the target differs from the metadata, and the baselines of contracts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/check.h"
#include "app/contracts.h"
#include "app/diff.h"

namespace kedge::app {

struct DatabaseState {
  std::string connection;
  std::string product;
  std::string version;
  std::size_t tables = 0;
  std::size_t views = 0;
  std::string error;  // not empty: it could not be read
};

struct EntityColumn {
  std::string name;
  std::string type;
  bool key = false;
  bool drifted = false;
  bool undeclared = false;  // there, and nothing declares it
};
struct EntityPicture {
  std::string name;
  std::vector<EntityColumn> columns;
  bool drifted = false;
};
struct RelationPicture {
  std::string from;
  std::string to;
  std::vector<std::string> columns;
};

// One object that differs, line by line: what is there on the left, what is declared on the right.
enum class LineState { Same, Added, Removed, Changed };
struct SideLine {
  std::string left;
  std::string right;
  LineState state = LineState::Same;
};
struct ObjectSides {
  std::string object;
  LineState state = LineState::Changed;
  std::vector<SideLine> lines;
};

struct PageParts {
  std::vector<DatabaseState> databases;  // by name
  std::vector<EntityPicture> entities;   // of the metadata, else of the first database
  std::vector<RelationPicture> relations;
  std::optional<ShapeDiff> difference;  // target against metadata
  std::vector<ObjectSides> sides;       // of what differs, in the order of the changes
  std::vector<ShownSchema> contracts;
  std::vector<std::string> declared;  // entities with a contract that no run has seen yet
};

// Never throws for one part: what cannot be read stays empty, the check's report says why.
PageParts collect_page_parts(Context& context, const CheckResult& check);

}  // namespace kedge::app
