// `kedge impact`: what a change breaks or alters, everywhere, with the chain of reasons. Pure after
// the reading: each part of the project is judged on the shape before and on the shape after, and
// what differs is the impact. Nothing is changed, and nothing is asked of a database but its shape.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/context.h"
#include "app/metadata_model.h"
#include "app/simulate.h"
#include "kedge/change.h"
#include "kedge/finding.h"

namespace kedge::app {

enum class Effect {
  Breaks,   // does not work any more, or `kedge check` finds it
  Changes,  // goes on working, but means or gives something else
  Safe      // touched, and nothing happens to it
};
std::string to_string(Effect effect);  // "breaks", "changes", "safe"

// Where causes are passed along: the change itself.
inline constexpr std::size_t kNoCause = static_cast<std::size_t>(-1);

struct Impact {
  std::string part;  // database, models, contracts, pipelines, metadata, templates, code
  Effect effect = Effect::Breaks;
  Code code;  // of the finding that check would make; empty when no guard looks at it
  std::string message;
  Subject subject;
  std::optional<Position> where;
  std::optional<std::size_t> cause;  // index of the impact that took it along; none: the change
};

struct ImpactRequest {
  std::string connection;  // name or URL; empty: migrate.target, else the only database
  std::vector<std::string> drop_columns;  // "table.column"
  std::vector<std::string> drop_tables;
  std::vector<std::string> renames;  // "table.column=new"
  std::vector<std::string> retypes;  // "table.column=type"
  std::optional<std::string> from;   // SRC: the shape before (default: the connection)
  std::optional<std::string> to;     // SRC: the shape after, instead of single steps
  bool pending = false;              // the migration that metadata asks for now
};

struct ImpactResult {
  std::string connection;
  std::vector<std::string> changes;  // one line each
  std::vector<Impact> impacts;       // causes before what they take along
  std::vector<Problem> failures;     // parts that could not be judged
  bool breaks() const;
};

ImpactResult find_impact(Context& context, const ImpactRequest& request);

// What the contracts of the working folder break that those of a revision of git did not. Opens the
// connections, as `kedge validate --connect` does; writes nothing.
ImpactResult find_contract_impact(Context& context, const std::string& revision);

// A migration that is about to be written.
struct PlannedImpact {
  std::string target;  // connection name or URL; may be empty
  const schema::Schema& before;
  const schema::Schema& after;
  const std::vector<Change>& changes;
  bool offline = false;  // no database may be opened
};
ImpactResult find_planned_impact(Context& context, const PlannedImpact& planned);

// The shapes of one connection before and after.
struct ShapeChange {
  std::string connection;
  schema::Schema before;
  schema::Schema after;
  std::vector<Step> steps;  // what separates them, as single steps
  std::vector<BrokenView> broken_views;
  bool offline = false;  // judge by `before` alone, open no database
};
// Steps that lead from one shape to another, as far as they touch relations and columns.
std::vector<Step> steps_between(const schema::Schema& before, const std::vector<Change>& changes);

// Each part appends its impacts. `base` in a cause is the list's size before the call.
void models_impact(Context& context, const ShapeChange& change, ImpactResult& result);
void contracts_impact(Context& context, const ShapeChange& change, ImpactResult& result);
void metadata_impact(Context& context, const ShapeChange& change, ImpactResult& result);
// Generated files that are about a lost field or object.
void code_impact(const Context& context, const MetadataModel& loaded,
                 const std::vector<metadata::MemberRef>& lost,
                 const std::vector<std::string>& lost_objects, ImpactResult& result);
// Generated files that the metadata as it is now has outdated.
void stale_code_impact(const Context& context, ImpactResult& result);

}  // namespace kedge::app
