// Views in every dialect: out of the way first, back in place last (spec/migrate.md 8.3, 9).
#include <fmt/format.h>

#include "base/overloaded.h"
#include "base/text.h"
#include "dialect/view_stamp.h"
#include "migrate/emission.h"

namespace kedge::migrate {
namespace {

using schema::Dialect;
using schema::View;

bool is_sqlite(const Emission& e) {
  return schema::is_sqlite(e.options.dialect);
}
bool keeps_comments(const Emission& e) {
  return e.options.dialect == Dialect::Postgres || e.options.dialect == Dialect::Duckdb;
}
const char* noun(const View& view) {
  return view.materialized ? "MATERIALIZED VIEW" : "VIEW";
}

std::string stamp_of(const View& view) {
  if (!view.stamp.empty()) {
    return view.stamp;
  }
  return view.fingerprint ? "kedge:v1:sha256:" + *view.fingerprint : std::string();
}

std::string comment_with_stamp(const View& view) {
  const std::string stamp = stamp_of(view);
  return view.comment + (view.comment.empty() || stamp.empty() ? "" : "\n") + stamp;
}

// The engine's own rendering is hashed where it was just made, so that a later replacement by hand
// is seen although it keeps the comment.
std::string stamping_block(const Emission& e, const View& view) {
  const std::string head = view.comment.empty() ? "" : view.comment + "\n";
  const std::string target = e.ddl.name(view.name);
  // Rendered the way introspection reads it: with the default schema alone in the path.
  return fmt::format(
      "DO $kedge$\nDECLARE\n  path text := current_setting('search_path');\n  def text;\nBEGIN\n"
      "  PERFORM set_config('search_path', quote_ident(current_schema()), true);\n"
      "  def := md5(pg_get_viewdef({0}::regclass));\n"
      "  PERFORM set_config('search_path', path, true);\n"
      "  EXECUTE format('COMMENT ON {1} %s IS %L', {0}, {2} || def || ':' || "
      "(current_setting('server_version_num')::int / 10000));\nEND\n$kedge$",
      e.ddl.literal(target), noun(view), e.ddl.literal(head + stamp_of(view) + ":def:"));
}

void stamp(Emission& e, const View& view, const Keys& keys, std::optional<std::size_t> change) {
  const bool declared = view.fingerprint && view.stamp.empty();
  if (e.options.dialect == Dialect::Postgres && declared) {
    e.draft.add(keys, stamping_block(e, view), change);
    return;
  }
  const std::string text = comment_with_stamp(view);
  if (keeps_comments(e) && !text.empty()) {
    e.draft.add(keys,
                fmt::format("COMMENT ON {} {} IS {}", noun(view), e.ddl.name(view.name),
                            e.ddl.literal(text)),
                change);
  }
  if (e.options.dialect == Dialect::Mysql && view.fingerprint) {
    const std::string space = e.ddl.literal(view.name.schema.text());
    const std::string name = e.ddl.literal(view.name.name.text());
    e.draft.add(
        keys,
        fmt::format("REPLACE INTO `_kedge_views` (schema_name, view_name, fingerprint, def_hash) "
                    "SELECT {0}, {1}, {2}, MD5(REPLACE(VIEW_DEFINITION, CONCAT('`', TABLE_SCHEMA, "
                    "'`.'), '')) FROM information_schema.VIEWS WHERE TABLE_SCHEMA = "
                    "IF({0} = '', DATABASE(), {0}) AND TABLE_NAME = {1}",
                    space, name, e.ddl.literal(*view.fingerprint)),
        change);
  }
}

// mysql keeps stamps in a table of their own, so they do not go with the view.
void unstamp(Emission& e, const View& view, const Keys& keys, std::optional<std::size_t> change) {
  if (e.options.dialect == Dialect::Mysql && view.fingerprint) {
    e.draft.add(
        keys,
        fmt::format("DELETE FROM `_kedge_views` WHERE schema_name = {} AND view_name = {}",
                    e.ddl.literal(view.name.schema.text()), e.ddl.literal(view.name.name.text())),
        change);
  }
}

void column_comments(Emission& e, const View& view, const Keys& keys) {
  for (const schema::ViewColumn& column : view.columns) {
    if (keeps_comments(e) && !column.comment.empty()) {
      e.draft.add(keys, fmt::format("COMMENT ON COLUMN {}.{} IS {}", e.ddl.name(view.name),
                                    e.ddl.quote(column.name), e.ddl.literal(column.comment)));
    }
  }
}

std::string create_sql(const Emission& e, const View& view, std::string_view verb) {
  if (!view.definition.text.empty() && is_sqlite(e)) {
    return view.definition.text;
  }
  View written = view;
  if (is_sqlite(e) && !stamp_of(view).empty()) {
    written.body = e.options.dialect == Dialect::D1
                       ? dialect::stamp_query(view.body, stamp_of(view))
                       : "/* " + stamp_of(view) + " */\n" + view.body;
  }
  std::string sql = e.ddl.create_view(written, verb);
  if (view.materialized && view.fingerprint) {
    sql += "\nWITH NO DATA";  // filling it is somebody else's
  }
  return sql;
}

struct ViewChanges {
  std::map<schema::Name, std::size_t> dropped;
  std::map<schema::Name, std::size_t> created;
  std::map<schema::Name, std::size_t> replaced;
  std::map<schema::Name, std::set<Identifier>> new_indexes;  // come as changes of their own
};
ViewChanges changes_of(const Emission& e) {
  ViewChanges found;
  for (std::size_t i = 0; i < e.changes.size(); ++i) {
    if (const auto* drop = std::get_if<change::DropView>(&e.changes[i])) {
      found.dropped[drop->view.name] = i;
    } else if (const auto* made = std::get_if<change::CreateView>(&e.changes[i])) {
      found.created[made->view.name] = i;
    } else if (const auto* swap = std::get_if<change::ReplaceView>(&e.changes[i])) {
      found.replaced[swap->after.name] = i;
    } else if (const auto* index = std::get_if<change::AddIndex>(&e.changes[i])) {
      found.new_indexes[index->table].insert(index->part.name);
    }
  }
  return found;
}
std::optional<std::size_t> change_at(const std::map<schema::Name, std::size_t>& map,
                                     const schema::Name& name) {
  const auto found = map.find(name);
  return found == map.end() ? std::nullopt : std::optional<std::size_t>(found->second);
}

void cascade_warning(const Emission& e, PlanStatement& statement, const View& view) {
  const std::string line(74, '=');
  statement.comments.push_back(line);
  statement.comments.emplace_back("WARNING: CASCADE DROP. This statement also destroys:");
  for (const schema::Dependent& dependent : view.dependents) {
    if (!dependent.managed) {
      schema::Name name = dependent.name;
      if (name.schema.empty()) {
        name.schema = e.from.default_schema;
      }
      statement.comments.push_back("  " + to_string(name) + " (" + dependent.kind + ")");
    }
  }
  statement.comments.emplace_back(
      "kedge does not manage these objects and the down migration does not restore them.");
  statement.comments.push_back(line);
}

// Dependents that kedge does not manage and that are not made again by this plan.
bool cascades(const Emission& e, const View& view, const std::set<schema::Name>& aside) {
  return e.up() && e.options.allow.contains("drop-view-cascade") &&
         std::any_of(view.dependents.begin(), view.dependents.end(), [&](const auto& dependent) {
           return !dependent.managed && !aside.contains(dependent.name);
         });
}

void drop_views(Emission& e, const std::set<schema::Name>& aside, const ViewChanges& changes) {
  const std::size_t last = e.view_rank.size() + e.object_rank.size() + 1;
  for (const View& view : e.from.views) {
    if (!aside.contains(view.name)) {
      continue;
    }
    const bool cascade = e.options.dialect == Dialect::Postgres && cascades(e, view, aside);
    const std::optional<std::size_t> change = change_at(changes.dropped, view.name);
    const Keys keys{stage::kDropView, last - e.view_rank.at(view.name), view.name.name.text()};
    const View* after = find_view(e.to, view.name);
    if (after == nullptr || !after->fingerprint) {
      unstamp(e, view, keys, change);  // it would vouch for a stranger of that name
    }
    PlanStatement& statement =
        e.draft.add(keys,
                    fmt::format("DROP {} {}{}{}", noun(view), e.if_exists(), e.ddl.name(view.name),
                                cascade ? " CASCADE" : ""),
                    change);
    statement.destructive = change.has_value() && !changes.created.contains(view.name);
    if (cascade) {
      cascade_warning(e, statement, view);
      for (const schema::Dependent& dependent : view.dependents) {
        if (!dependent.managed && !aside.contains(dependent.name)) {
          e.destroyed.insert(dependent.name);
        }
      }
      statement.destructive = true;
    }
  }
}

void put_back(Emission& e, const View& view, const ViewChanges& changes, bool aside) {
  const Keys keys{stage::kView, e.view_rank.at(view.name), view.name.name.text()};
  std::optional<std::size_t> change = change_at(changes.created, view.name);
  if (!change) {
    change = change_at(changes.replaced, view.name);
  }
  const bool replace = changes.replaced.contains(view.name) && !aside;
  if (replace && is_sqlite(e)) {
    e.draft.add(keys, "DROP VIEW " + e.if_exists() + e.ddl.name(view.name), change);
  }
  const bool or_replace =
      !is_sqlite(e) && (replace || e.options.dialect == Dialect::Mysql) && !view.materialized;
  const std::string verb = std::string("CREATE ") + (or_replace ? "OR REPLACE " : "") + noun(view);
  e.draft.add(keys, create_sql(e, view, verb), change);
  stamp(e, view, keys, change);
  const View* was = find_view(e.from, view.name);
  if (replace && was != nullptr && !view.fingerprint) {
    unstamp(e, *was, keys, change);
  }
  if (replace && keeps_comments(e) && comment_with_stamp(view).empty() && was != nullptr &&
      !comment_with_stamp(*was).empty()) {
    // Replacing keeps the comment: the stamp of the other text must not stay.
    e.draft.add(keys, fmt::format("COMMENT ON {} {} IS NULL", noun(view), e.ddl.name(view.name)),
                change);
  }
  column_comments(e, view, keys);
  const auto own = changes.new_indexes.find(view.name);
  for (const schema::Index& index : view.indexes) {
    if (own == changes.new_indexes.end() || !own->second.contains(index.name)) {
      e.draft.add(keys, index_sql(e, index, view.name), change);
    }
  }
}

// mysql keeps no comment on a view: the stamps lie in a table, made before the first of them.
void stamp_table(Emission& e, const std::set<schema::Name>& aside, const ViewChanges& changes) {
  const auto moves = [&](const View& view) {
    return view.fingerprint && (changes.created.contains(view.name) ||
                                changes.replaced.contains(view.name) || aside.contains(view.name));
  };
  if (e.options.dialect == Dialect::Mysql &&
      (std::any_of(e.to.views.begin(), e.to.views.end(), moves) ||
       std::any_of(e.from.views.begin(), e.from.views.end(), moves))) {
    e.draft.add({stage::kNamespace, 0, ""},
                "CREATE TABLE IF NOT EXISTS `_kedge_views` (schema_name VARCHAR(64) NOT NULL, "
                "view_name VARCHAR(64) NOT NULL, fingerprint CHAR(64) NOT NULL, def_hash CHAR(32) "
                "NOT NULL, PRIMARY KEY (schema_name, view_name))");
  }
}

bool is_about_view(const schema::DefinedObject& object, const schema::Name& view) {
  return object.table == view ||
         (object.kind == schema::ObjectKind::Privilege && object.name == view);
}

// Triggers, rules and grants go with their view and come back with it.
void objects_back(Emission& e, const std::set<schema::Name>& aside) {
  if (aside.empty() || is_sqlite(e)) {
    return;
  }
  for (const schema::DefinedObject& object : e.to.objects) {
    const bool wanted = std::any_of(aside.begin(), aside.end(), [&](const schema::Name& view) {
      return is_about_view(object, view) && find_view(e.to, view) != nullptr;
    });
    if (wanted &&
        std::find(e.from.objects.begin(), e.from.objects.end(), object) != e.from.objects.end()) {
      e.draft.add({stage::kTrigger, 0, object.name.name.text()}, object.definition);
    }
  }
}

}  // namespace

std::string index_sql(const Emission& e, const schema::Index& index, const schema::Name& table) {
  if (!index.definition.text.empty() && is_sqlite(e)) {
    return index.definition.text;
  }
  return e.ddl.index(index, table);
}

std::set<schema::Name> emit_views(Emission& e, const std::vector<Touched>& touched) {
  const ViewChanges changes = changes_of(e);
  std::set<schema::Name> aside = views_in_the_way(e, touched);
  if (e.options.dialect == Dialect::Postgres && e.options.allow.contains("drop-view-cascade")) {
    // Somebody else's view goes with a cascade that was allowed; it is not ours to make again.
    std::erase_if(aside, [&](const schema::Name& name) { return e.untouchable.contains(name); });
  }
  stamp_table(e, aside, changes);
  drop_views(e, aside, changes);
  for (const View& view : e.to.views) {
    if (changes.created.contains(view.name) || changes.replaced.contains(view.name) ||
        aside.contains(view.name)) {
      put_back(e, view, changes, aside.contains(view.name));
    }
  }
  objects_back(e, aside);
  return aside;
}

}  // namespace kedge::migrate
