// Objects that are known by the server's own definition text, and comments.
#include <fmt/format.h>

#include <algorithm>

#include "base/graph.h"
#include "base/text.h"
#include "migrate/postgres_emission.h"
#include "sql/analysis.h"

namespace kedge::migrate {
namespace {

using namespace change;  // NOLINT(google-build-using-namespace): fifty kinds of one namespace
using schema::DefinedObject;
using schema::Name;
using schema::ObjectKind;

bool hangs_on_table(ObjectKind kind) {
  return kind == ObjectKind::Trigger || kind == ObjectKind::Policy || kind == ObjectKind::Rule;
}

std::string word_at(std::string_view text, const sql::Token& token) {
  return base::to_upper(text.substr(token.begin, token.end - token.begin));
}

// GRANT x ON y TO z [WITH GRANT OPTION] turned into REVOKE x ON y FROM z, and the other way round.
std::string revoke(std::string_view grant) {
  static const std::map<std::string, std::string> kOther = {
      {"GRANT", "REVOKE"}, {"REVOKE", "GRANT"}, {"TO", "FROM"}, {"FROM", "TO"}};
  constexpr std::string_view kOption = " WITH GRANT OPTION";
  if (grant.ends_with(kOption)) {
    grant.remove_suffix(kOption.size());
  }
  std::string sql;
  std::size_t copied = 0;
  for (const sql::Token& token : sql::tokenize(grant, schema::Dialect::Postgres)) {
    if (token.kind != sql::TokenKind::Identifier) {
      continue;
    }
    if (const auto other = kOther.find(word_at(grant, token)); other != kOther.end()) {
      sql += std::string(grant.substr(copied, token.begin - copied)) + other->second;
      copied = token.end;
    }
  }
  return sql + std::string(grant.substr(copied));
}

class Objects {
 public:
  Objects(Emission& e, const std::set<Name>& aside, const PostgresPlanParts& parts)
      : e_(e), aside_(aside), parts_(parts) {
    rank();
    for (const Change& change : e.changes) {
      if (const auto* table = std::get_if<CreateTable>(&change)) {
        made_.insert(base::to_lower(table->object.name.name.text()));
      } else if (const auto* view = std::get_if<CreateView>(&change)) {
        made_.insert(base::to_lower(view->view.name.name.text()));
      }
    }
  }

  void run() {
    for (index_ = 0; *index_ < e_.changes.size(); ++*index_) {
      const Change& change = e_.changes[*index_];
      if (const auto* made = std::get_if<CreateObject>(&change)) {
        make(made->object);
      } else if (const auto* gone = std::get_if<DropObject>(&change)) {
        drop(gone->object);
      } else if (const auto* swap = std::get_if<ReplaceObject>(&change)) {
        replace(swap->before, swap->after);
      } else if (const auto* comment = std::get_if<ChangeComment>(&change)) {
        add(stage::kComment, comment->target.name, comment_sql(e_, comment->target, comment->to));
      }
    }
    index_.reset();
    step_aside();
    if (routines_) {
      e_.draft.add({stage::kOpen, 5, ""}, "SET check_function_bodies = off");
    }
  }

 private:
  PlanStatement& add(int at, const Name& name, std::string sql, std::size_t rank = 0) {
    return e_.draft.add({at, rank, name.name.text()}, std::move(sql), index_);
  }

  void rank() {
    const std::vector<DefinedObject>& objects = e_.to.objects;
    std::map<Name, std::vector<std::size_t>> numbers;
    for (std::size_t i = 0; i < objects.size(); ++i) {
      numbers[objects[i].name].push_back(i);
    }
    base::Graph graph(objects.size());
    for (std::size_t i = 0; i < objects.size(); ++i) {
      for (const Name& before : objects[i].depends_on) {
        for (const std::size_t node :
             numbers.contains(before) ? numbers.at(before) : std::vector<std::size_t>{}) {
          if (node != i) {
            graph.add_edge(node, i);
          }
        }
      }
    }
    std::size_t next = 1;
    for (const std::size_t node : base::sort_topologically(graph).order) {
      rank_[objects[node].name] = next++;
    }
  }

  // A routine that speaks of a table or view that this plan makes comes after it.
  bool is_late(const DefinedObject& object) const {
    const std::set<std::string> head = postgres_words(head_of_routine(object.definition));
    const bool of_new_table = std::any_of(
        head.begin(), head.end(), [&](const std::string& word) { return made_.contains(word); });
    return of_new_table || returns_view_aside(object) ||
           std::any_of(object.depends_on.begin(), object.depends_on.end(), [&](const Name& name) {
             const bool table =
                 find_table(e_.to, name) != nullptr && find_table(e_.from, name) == nullptr;
             const bool view = find_view(e_.to, name) != nullptr &&
                               (find_view(e_.from, name) == nullptr || aside_.contains(name));
             return table || view;
           });
  }
  int make_stage(const DefinedObject& object) const {
    if (object.kind == ObjectKind::Extension) {
      return stage::kNamespace + 1;
    }
    if (is_routine(object.kind)) {
      return is_late(object) ? stage::kView : stage::kFunctionEarly;
    }
    return object.kind == ObjectKind::Privilege ? stage::kPrivilege : stage::kTrigger;
  }
  int drop_stage(const DefinedObject& object) const {
    if (object.kind == ObjectKind::Extension) {
      return stage::kDropType + 1;
    }
    if (!is_routine(object.kind)) {
      return stage::kEarlyDrop;
    }
    if (speaks_of_view(object)) {
      return stage::kDropView;
    }
    const bool early =
        has_successor(e_, object) ||
        std::any_of(object.depends_on.begin(), object.depends_on.end(),
                    [&](const Name& name) { return find_table(e_.from, name) != nullptr; });
    return early ? stage::kDropFunctionEarly : stage::kDropFunction;
  }
  bool speaks_of_view(const DefinedObject& object) const {
    return is_routine(object.kind) &&
           (std::any_of(object.depends_on.begin(), object.depends_on.end(),
                        [&](const Name& name) { return find_view(e_.from, name) != nullptr; }) ||
            returns_view_aside(object));
  }
  // RETURNS SETOF view, or an argument of its type.
  bool returns_view_aside(const DefinedObject& object) const {
    const std::string head = head_of_routine(object.definition);
    return std::any_of(aside_.begin(), aside_.end(), [&](const Name& view) {
      return view.name != object.name.name &&
             mentions(head, view.name.text(), schema::Dialect::Postgres);
    });
  }
  std::size_t drop_rank(const DefinedObject& object) const {
    const auto rank = e_.object_rank.find(object.name);
    return rank == e_.object_rank.end()
               ? 0
               : e_.view_rank.size() + e_.object_rank.size() + 1 - rank->second;
  }
  // Among the views by the order of both, else among the objects.
  std::size_t make_rank(const DefinedObject& object) const {
    const bool late = is_routine(object.kind) && is_late(object);
    const std::map<Name, std::size_t>& ranks = late ? e_.object_rank : rank_;
    const auto rank = ranks.find(object.name);
    const std::size_t last = late ? e_.view_rank.size() + e_.object_rank.size() + 1 : 0;
    return rank == ranks.end() ? last : rank->second;
  }

  void make(const DefinedObject& object) {
    routines_ = routines_ || is_routine(object.kind);
    const int at = make_stage(object);
    add(at, object.name, object.definition, make_rank(object));
    enable(object);
    if (!object.comment.empty()) {
      const bool on_table = hangs_on_table(object.kind) && object.table;
      add(stage::kComment, object.name,
          comment_sql(e_,
                      {to_string(object.kind), on_table ? *object.table : object.name,
                       on_table ? object.name.name : Identifier(), object.signature},
                      object.comment));
    }
  }
  static std::string enabled(const DefinedObject& object) {
    const auto found = object.options.find("enabled");
    return found == object.options.end() ? std::string() : found->second;
  }
  // A trigger or rule that is not in its usual state.
  void enable(const DefinedObject& object) {
    if (!enabled(object).empty()) {
      set_enabled(object);
    }
  }
  void set_enabled(const DefinedObject& object) {
    const std::string state = enabled(object);
    if (object.table) {
      add(stage::kTrigger + 1, object.name,
          e_.ddl.alter(*object.table) +
              (state.empty()         ? "ENABLE "
               : state == "disabled" ? "DISABLE "
                                     : "ENABLE " + base::to_upper(state) + " ") +
              base::to_upper(to_string(object.kind)) + " " + e_.ddl.quote(object.name.name));
    }
  }
  std::string drop_sql(const DefinedObject& object, const std::string& if_exists) const {
    if (object.kind == ObjectKind::Privilege) {
      return revoke(object.definition);
    }
    std::string sql = "DROP " + base::to_upper(to_string(object.kind)) + " " + if_exists;
    if (hangs_on_table(object.kind) && object.table) {
      return sql + e_.ddl.quote(object.name.name) + " ON " + e_.ddl.name(*object.table);
    }
    if (object.kind == ObjectKind::Extension) {
      return sql + e_.ddl.quote(object.name.name);
    }
    return sql + e_.ddl.name(object.name) + (is_routine(object.kind) ? object.signature : "");
  }
  void drop(const DefinedObject& object) {
    const bool with_view = object.table && aside_.contains(*object.table);
    const bool with_table = object.kind == ObjectKind::Privilege && is_dropped(object.name);
    if (with_view || with_table) {
      return;  // it goes with its view or table
    }
    if (has_successor(e_, object)) {
      remade_.push_back(object.name);
    }
    add(drop_stage(object), object.name, drop_sql(object, e_.if_exists()), drop_rank(object))
        .destructive = object.kind == ObjectKind::Extension;
  }
  bool is_dropped(const Name& name) const {
    return find_table(e_.to, name) == nullptr && find_view(e_.to, name) == nullptr &&
           (find_table(e_.from, name) != nullptr || find_view(e_.from, name) != nullptr);
  }
  void replace(const DefinedObject& before, const DefinedObject& after) {
    if (before.definition == after.definition) {
      set_enabled(after);
      return;
    }
    if (is_routine(after.kind)) {
      routines_ = true;
      if (!is_remade(before, after)) {
        add(make_stage(after), after.name, after.definition, make_rank(after));
        return;
      }
      remade_.push_back(after.name);
      add(speaks_of_view(before) ? stage::kDropView : stage::kDropFunctionEarly, before.name,
          drop_sql(before, e_.if_exists()), drop_rank(before));
      make(after);
      grants_back(e_, after.name, index_);
      return;
    }
    if (!(before.table && aside_.contains(*before.table))) {
      add(stage::kEarlyDrop, before.name, drop_sql(before, e_.if_exists()));
    }
    make(after);
  }

  bool is_changed(const DefinedObject& object) const {
    return std::any_of(e_.changes.begin(), e_.changes.end(), [&](const Change& change) {
      const auto* gone = std::get_if<DropObject>(&change);
      const auto* swap = std::get_if<ReplaceObject>(&change);
      return (gone != nullptr && gone->object == object) ||
             (swap != nullptr && swap->before == object);
    });
  }
  bool reads_changed_column(const DefinedObject& object) const {
    return std::any_of(e_.changes.begin(), e_.changes.end(), [&](const Change& change) {
      const auto reads = [&](const Name& table, const Identifier& column) {
        return object.table == table &&
               mentions(object.definition, column.text(), schema::Dialect::Postgres);
      };
      if (const auto* type = std::get_if<ChangeColumnType>(&change)) {
        return reads(type->table, type->after.name);
      }
      if (const auto* dropped = std::get_if<DropColumn>(&change)) {
        return reads(dropped->table, dropped->part.name);
      }
      const auto* generated = std::get_if<ChangeColumnGenerated>(&change);
      return generated != nullptr && reads(generated->table, generated->after.name);
    });
  }
  bool stays(const DefinedObject& object) const {
    return !is_changed(object) &&
           std::find(e_.to.objects.begin(), e_.to.objects.end(), object) != e_.to.objects.end();
  }
  // Triggers, policies and rules over a function or column that is remade.
  void step_aside() {
    for (const DefinedObject& object : e_.from.objects) {
      if (is_of_remade_type(object, parts_) && stays(object)) {
        remade_.push_back(object.name);
      }
    }
    for (const DefinedObject& object : e_.from.objects) {
      const bool uses = std::any_of(remade_.begin(), remade_.end(), [&](const Name& function) {
        return mentions(object.definition, function.name.text(), schema::Dialect::Postgres);
      });
      const bool of_view = is_routine(object.kind) && returns_view_aside(object);
      if ((of_view || is_of_remade_type(object, parts_)) && stays(object)) {
        add(of_view || speaks_of_view(object) ? stage::kDropView : stage::kDropFunctionEarly,
            object.name, drop_sql(object, e_.if_exists()), drop_rank(object));
        make(object);
        grants_back(e_, object.name, index_);
        continue;
      }
      if (!hangs_on_table(object.kind) || is_changed(object) ||
          !(uses || reads_changed_column(object)) ||
          (object.table && aside_.contains(*object.table))) {
        continue;
      }
      add(stage::kEarlyDrop, object.name, drop_sql(object, e_.if_exists()));
      make(object);
    }
  }

  Emission& e_;
  const std::set<Name>& aside_;
  const PostgresPlanParts& parts_;
  std::optional<std::size_t> index_;
  std::map<Name, std::size_t> rank_;
  std::set<std::string> made_;  // tables and views, in lower case
  std::vector<Name> remade_;
  bool routines_ = false;
};

}  // namespace

std::string head_of_routine(const std::string& definition) {
  for (const sql::Token& token : sql::tokenize(definition, schema::Dialect::Postgres)) {
    if (token.kind == sql::TokenKind::Identifier && word_at(definition, token) == "LANGUAGE") {
      return definition.substr(0, token.begin);
    }
  }
  return definition;
}

namespace {

Name statistics_of(const Emission& e, const CommentTarget& target) {
  const auto found =
      std::find_if(e.to.objects.begin(), e.to.objects.end(), [&](const DefinedObject& one) {
        return one.kind == ObjectKind::Statistics && one.table == target.name &&
               one.name.name == target.part;
      });
  return found == e.to.objects.end() ? Name{target.name.schema, target.part} : found->name;
}

}  // namespace

std::string comment_sql(const Emission& e, const CommentTarget& target, const std::string& text) {
  std::string on = base::to_upper(target.kind) + " ";
  if (target.kind == "column") {
    on += e.ddl.name(target.name) + "." + e.ddl.quote(target.part);
  } else if (target.kind == "index") {
    on += e.ddl.name({target.name.schema, target.part});
  } else if (target.kind == "statistics" && !target.part.empty()) {
    on +=
        e.ddl.name(statistics_of(e, target));  // no parts of their table: in a schema of their own
  } else if (!target.part.empty()) {
    on += e.ddl.quote(target.part) + " ON " + e.ddl.name(target.name);
  } else {
    on += e.ddl.name(target.name) + target.signature;
  }
  return "COMMENT ON " + on + " IS " + (text.empty() ? "NULL" : e.ddl.literal(text));
}

bool is_routine(ObjectKind kind) {
  return kind == ObjectKind::Function || kind == ObjectKind::Procedure ||
         kind == ObjectKind::Aggregate;
}

bool is_remade(const DefinedObject& before, const DefinedObject& after) {
  return is_routine(after.kind) && before.definition != after.definition &&
         (after.kind == ObjectKind::Aggregate ||
          head_of_routine(before.definition) != head_of_routine(after.definition));
}

void grants_back(Emission& e, const Name& name, std::optional<std::size_t> change) {
  for (const DefinedObject& object : e.to.objects) {
    if (object.kind == ObjectKind::Privilege && object.name == name && !object.table &&
        std::find(e.from.objects.begin(), e.from.objects.end(), object) != e.from.objects.end()) {
      e.draft.add({stage::kPrivilege, 0, name.name.text()}, object.definition, change);
    }
  }
}

bool has_successor(const Emission& e, const DefinedObject& routine) {
  return is_routine(routine.kind) &&
         std::any_of(e.to.objects.begin(), e.to.objects.end(), [&](const DefinedObject& one) {
           return is_routine(one.kind) && one.name == routine.name;
         });
}

bool is_of_remade_type(const DefinedObject& routine, const PostgresPlanParts& parts) {
  return is_routine(routine.kind) &&
         std::any_of(parts.remade_types.begin(), parts.remade_types.end(), [&](const Name& type) {
           return mentions(head_of_routine(routine.definition), type.name.text(),
                           schema::Dialect::Postgres);
         });
}

void emit_postgres_objects(Emission& e, const std::set<Name>& views_aside,
                           const PostgresPlanParts& parts) {
  Objects(e, views_aside, parts).run();
}

}  // namespace kedge::migrate
