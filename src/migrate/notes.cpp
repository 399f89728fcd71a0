#include "migrate/notes.h"

#include <algorithm>

#include "base/text.h"

namespace kedge::migrate {
namespace {

using namespace change;  // NOLINT(google-build-using-namespace): fifty kinds of one namespace

struct Noter {
  const std::vector<Change>& changes;  // of the way up
  std::string operator()(const CreateTable& c) const {
    return "NOTE: the rows of " + to_string(c.object.name) + " are not restored";
  }
  std::string operator()(const AddColumn& c) const {
    const bool opened = std::any_of(changes.begin(), changes.end(), [&](const Change& change) {
      const auto* dropped = std::get_if<DropColumn>(&change);
      return dropped != nullptr && dropped->table == c.table && dropped->part.name == c.part.name &&
             c.part.nullable && !dropped->part.nullable;
    });
    return "NOTE: the values of " + to_string(c.table) + "." + c.part.name.text() +
           " are not restored" + (opened ? ", so that it comes back without NOT NULL" : "");
  }
  std::string operator()(const ChangeColumnType& c) const {
    return "NOTE: values of " + to_string(c.table) + "." + c.after.name.text() +
           " that the change of type altered are not restored";
  }
  std::string operator()(const ChangeColumnNullable& c) const {
    const std::string column = to_string(c.table) + "." + c.after.name.text();
    if (!c.after.nullable) {
      return "NOTE: fails where " + column + " holds NULLs written since";
    }
    return c.before.default_value && !c.before.generated
               ? "NOTE: where " + column + " held NULL it keeps the default that took its place"
               : std::string();
  }
  std::string operator()(const AddCheck& c) const {
    return "NOTE: fails where rows of " + to_string(c.table) +
           " written since violate the restored check";
  }
  std::string operator()(const AddIndex& c) const {
    return c.part.constraint == schema::Index::Constraint::Exclude && c.part.exclusion.empty()
               ? "WARNING: the exclusion constraint " + c.part.name.text() + " is not restored"
               : std::string();
  }
  std::string operator()(const DropNamespace& c) const {
    return "NOTE: schema " + c.object.name.text() + " is kept: it may hold objects of others";
  }
  template <class Other>
  std::string operator()(const Other&) const {
    return {};
  }
};

}  // namespace

void add_notes(Plan& plan, const std::vector<Change>& back, const std::vector<Change>& changes) {
  for (std::size_t i = 0; i < back.size(); ++i) {
    const std::string note = std::visit(Noter{changes}, back[i]);
    if (note.empty()) {
      continue;
    }
    const auto place = std::find_if(plan.down.begin(), plan.down.end(),
                                    [&](const PlanStatement& one) { return one.change == i; });
    if (place == plan.down.end()) {
      plan.down_notes.push_back(note);
    } else {
      place->comments.push_back(note);
    }
  }
  // The numbers of the down's changes are its own; callers see those of the plan.
  for (PlanStatement& statement : plan.down) {
    if (statement.change) {
      statement.change = back.size() == plan.changes.size()
                             ? std::optional<std::size_t>(back.size() - 1 - *statement.change)
                             : std::nullopt;
    }
  }
}

}  // namespace kedge::migrate
