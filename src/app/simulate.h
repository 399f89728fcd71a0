// What a shape looks like after a change that nobody has made yet, and which of its views then no
// longer work. Pure: for `kedge impact`.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "kedge/change.h"
#include "kedge/schema.h"

namespace kedge::app {

struct DropColumn {
  schema::Name table;
  Identifier column;
};
struct DropTable {
  schema::Name table;  // or a view
};
struct RenameColumn {
  schema::Name table;
  Identifier from;
  Identifier to;
};
struct RetypeColumn {
  schema::Name table;
  Identifier column;
  std::string type;  // as the dialect spells it
};
using Step = std::variant<DropColumn, DropTable, RenameColumn, RetypeColumn>;
std::string step_text(const Step& step);  // "drop column vessels.draught_m"

struct BrokenView {
  schema::Name view;
  schema::Name because;  // the table or view that it reads
  Identifier column;     // of it; empty: the relation itself
};

struct Simulation {
  schema::Schema after;
  std::vector<BrokenView> broken;  // by name; they are gone from `after`, and what reads them too
};

// "t.c", "s.t.c": the table must exist in `shape`, or ERR_SOURCE with the nearest name is thrown.
DropColumn parse_column(const schema::Schema& shape, const std::string& text);
schema::Name parse_relation(const schema::Schema& shape, const std::string& text);

Simulation simulate(const schema::Schema& before, const std::vector<Step>& steps);

// `after` as another description of the same shape gives it (a snapshot, metadata) leaves out what
// it does not manage, and spells types in its own way. What no change is about is as it was before.
schema::Schema keep_unchanged(const schema::Schema& before, schema::Schema after,
                              const std::vector<Change>& changes);

// Which columns of which relations a view reads, as far as its text tells. Opaque text reads
// everything of what the catalog says that it depends on.
struct ViewRead {
  schema::Name relation;
  std::vector<Identifier> columns;
  bool everything = false;  // a star, or text that cannot be parsed
  bool by_star = false;     // a star, and the text is understood
};
std::vector<ViewRead> reads_of(const schema::Schema& shape, const schema::View& view);

}  // namespace kedge::app
