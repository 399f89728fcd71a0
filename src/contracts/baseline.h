// Shapes that were landed, the baselines they are compared with, and `schema accept`
// (spec/contracts.md 10, 11) as pure functions over values. Nothing here opens a connection.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/json.h"
#include "kedge/error.h"

namespace kedge::contracts {

struct ShapeColumn {
  std::string name;
  std::string type;                   // canonical DuckDB name
  std::optional<std::string> native;  // as the source spells it, where it has types of its own
  bool operator==(const ShapeColumn&) const = default;
};

struct Shape {
  std::vector<ShapeColumn> columns;
  std::string read_hash;
  bool operator==(const Shape&) const = default;
};

enum class ChangeKind { Added, Removed, Retyped, Native };
std::string to_string(ChangeKind kind);  // "added", ...

struct ShapeChange {
  ChangeKind kind = ChangeKind::Added;
  std::string column;
  std::optional<std::string> from;
  std::optional<std::string> to;
  bool operator==(const ShapeChange&) const = default;
};
// "column 'seal' added (VARCHAR)"
std::string change_text(const ShapeChange& change);
std::string changes_text(const std::vector<ShapeChange>& changes);  // joined by "; "
document::Json change_json(const ShapeChange& change);              // kind, column, from, to

struct RenameGuess {
  std::string from;
  std::string to;
};

// Added in landed order, then removed and retyped in baseline order.
std::vector<ShapeChange> compare_shapes(const std::vector<ShapeColumn>& baseline,
                                        const std::vector<ShapeColumn>& observed);
// Same DuckDB type, another native one; in baseline order. A side without a native type is silent.
std::vector<ShapeChange> compare_natives(const std::vector<ShapeColumn>& baseline,
                                         const std::vector<ShapeColumn>& observed);
std::optional<RenameGuess> guess_rename(const std::vector<ShapeChange>& changes);

struct Baseline {
  Shape shape;
  std::string run_id;
  std::string source;  // "seed", "accept", "reseed"
  std::string at;
};
using Baselines = std::map<std::string, Baseline>;  // by "connection.entity"

document::Json to_json(const Baselines& baselines);
document::Json to_json(const Shape& shape);
// Throws PZ0101 naming the file when the text is not a baseline file.
Baselines read_baselines(const std::string& file, const std::string& text);
std::optional<Shape> read_shape(const document::Node& node);

// What the run that is looked at recorded of one entity.
struct Observation {
  std::string entity;  // "connection.entity"
  Shape shape;
};

struct AcceptedChange {
  std::string entity;
  ShapeChange change;
};

struct Acceptance {
  std::vector<AcceptedChange> changes;  // entities in name order
  Baselines baselines;                  // as they are to be stored
  std::vector<std::string> entities;    // whose baseline moved
};

struct AcceptRequest {
  std::vector<Observation> observed;  // of the run
  std::vector<std::string> targets;   // empty = everything that differs
  std::string run_id;
  std::string at;
};
// Every target must have been observed (the caller refuses others with PZ0127).
Acceptance accept(const Baselines& baselines, const AcceptRequest& request);

}  // namespace kedge::contracts
