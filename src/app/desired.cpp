#include "app/desired.h"

#include <algorithm>

#include "base/text.h"
#include "dialect/dialect.h"
#include "kedge/codes.h"
#include "metadata/load.h"
#include "metadata/scope.h"
#include "schema/snapshot.h"
#include "sql/analysis.h"

namespace kedge::app {
namespace {

using schema::Name;

Identifier schema_part(const std::string& text, schema::Dialect dialect) {
  const bool standard = (dialect == schema::Dialect::Postgres && text == "public") ||
                        (dialect != schema::Dialect::Postgres && text == "main");
  return Identifier(standard ? std::string() : text);
}

std::vector<Identifier> schemas_of(const metadata::Expected& expected,
                                   const std::vector<project::Text>& more,
                                   schema::Dialect dialect) {
  std::set<Identifier> names;
  for (const schema::Table& table : expected.schema.tables) {
    names.insert(table.name.schema);
  }
  for (const schema::View& view : expected.schema.views) {
    names.insert(view.name.schema);
  }
  for (const project::Text& each : more) {
    names.insert(schema_part(each.text, dialect));
  }
  if (expected.declares_nothing()) {
    names.insert(Identifier());
  }
  return {names.begin(), names.end()};
}

class ScopeFilter {
 public:
  explicit ScopeFilter(const std::vector<project::Text>& patterns) {
    for (const project::Text& each : patterns) {
      text_ += (text_.empty() ? "" : ", ") + each.text;
      patterns_.emplace_back(each.text, each.where);
    }
  }
  bool active() const { return !patterns_.empty(); }
  const std::string& text() const { return text_; }
  bool holds(const std::string& qualified) const {
    return !active() || std::any_of(patterns_.begin(), patterns_.end(), [&](const auto& pattern) {
      return pattern.matches(qualified);
    });
  }

 private:
  std::string text_;
  std::vector<metadata::ScopePattern> patterns_;
};

void apply_scope(const ScopeFilter& scope, const metadata::Expected& expected, Desired& desired) {
  if (!scope.active()) {
    return;
  }
  desired.has_scope = true;
  bool any = false;
  const auto outside = [&](const Name& name) {
    const auto owner = expected.owners.find(name);
    const bool out = owner == expected.owners.end() || !scope.holds(owner->second.object);
    any = any || !out;
    return out;
  };
  for (const auto& [name, owner] : expected.owners) {
    if (outside(name)) {
      desired.out_of_scope.push_back(name);
    }
  }
  std::erase_if(desired.schema.tables, [&](const auto& table) { return outside(table.name); });
  std::erase_if(desired.schema.views, [&](const auto& view) { return outside(view.name); });
  std::erase_if(desired.external, outside);
  std::erase_if(desired.former_tables, [&](const auto& each) { return outside(each.now); });
  std::erase_if(desired.former_columns, [&](const auto& each) { return outside(each.table); });
  if (!any) {
    throw Error(codes::ERR_SCOPE_MATCHES_NOTHING,
                "migrate.scope (" + scope.text() + ") matches no declared object",
                "patterns are over qualified names, for instance harbour::**");
  }
}

}  // namespace

Desired desired_from_metadata(const Context& context, const MigrateSetup& setup,
                              UnknownAttributes unknown) {
  const ScopeFilter scope(setup.project.migrate.scope);  // a malformed pattern stops at once
  const metadata::LoadResult loaded = require_metadata(context, setup.project, unknown);
  metadata::Expected expected = metadata::build_expected(loaded.model, setup.dialect,
                                                         setup.project.migrate.manage_comments
                                                             ? metadata::CommentPolicy::Keep
                                                             : metadata::CommentPolicy::Drop);
  metadata::LoadResult dialect_part;
  dialect_part.diagnostics = expected.diagnostics;
  dialect_part.model.files = loaded.model.files;
  metadata::require_loaded(dialect_part);
  Desired desired;
  using List = std::vector<metadata::Diagnostic>;
  for (const List* list : {&loaded.diagnostics, static_cast<const List*>(&expected.diagnostics)}) {
    for (const metadata::Diagnostic& diagnostic : *list) {
      desired.warnings.push_back(diagnostic.finding);
    }
  }
  desired.declares_nothing = expected.declares_nothing();
  desired.managed_schemas = schemas_of(expected, setup.project.migrate.schemas, setup.dialect);
  desired.schema = expected.schema;
  desired.external = expected.external;
  desired.leave = expected.leave;
  for (const auto& [name, owner] : expected.owners) {
    desired.declared_at.emplace(name, owner.place.where);
  }
  desired.former_tables = expected.former_tables;
  desired.former_columns = expected.former_columns;
  apply_scope(scope, expected, desired);
  if (desired.declares_nothing) {
    Finding finding;
    finding.severity = Severity::Warning;
    finding.problem = {codes::WARN_EMPTY_METADATA,
                       "the metadata declares no table and no view; a wrong path is the likely "
                       "reason",
                       std::nullopt,
                       "",
                       {}};
    desired.warnings.push_back(std::move(finding));
  }
  return desired;
}

schema::Schema read_live(const Context& context, db::Connection& connection,
                         const db::ConnectionSettings& settings,
                         const std::vector<Identifier>& beside) {
  const bool shared = context.catalogs != nullptr &&
                      (beside.empty() || connection.dialect() != schema::Dialect::Mysql);
  return shared ? *context.catalogs->read(connection, settings, dialect::Detail::Definitions)
                : read_live(connection, beside);
}

schema::Schema read_live(db::Connection& connection, const std::vector<Identifier>& beside) {
  dialect::IntrospectScope scope;
  if (connection.dialect() == schema::Dialect::Mysql && !beside.empty()) {
    const std::string own = db::to_text(connection.query("SELECT DATABASE()").rows.at(0).at(0));
    scope.schemas = {own};
    for (const Identifier& name : beside) {
      if (name.text() == own) {
        throw Error(codes::ERR_SCHEMA_UNSUPPORTED,
                    "schema '" + own + "' is the database of the connection itself",
                    "leave the schema out of source.rdb");
      }
      scope.schemas.push_back(name.text());
    }
  }
  return dialect::get_dialect(connection.dialect()).introspect(connection, scope);
}

std::vector<Identifier> schemas_beside(const Desired& desired) {
  std::vector<Identifier> names;
  for (const Identifier& name : desired.managed_schemas.value_or(std::vector<Identifier>())) {
    if (!name.empty()) {
      names.push_back(name);
    }
  }
  return names;
}

std::optional<schema::Schema> read_snapshot_file(const Context& context,
                                                 const MigrateSetup& setup) {
  if (setup.is_d1()) {
    return std::nullopt;
  }
  const auto source = context.files.read(setup.snapshot_path);
  if (!source) {
    return std::nullopt;
  }
  return schema::read_snapshot(shown_path(context, setup.snapshot_path), *source);
}

namespace {

[[noreturn]] void bad_rename(const std::string& flag, const std::string& text) {
  throw Error(codes::ERR_USAGE, flag + " '" + text + "' is not understood",
              flag == "--rename-table" ? "[schema.]old=new" : "[schema.]table.old=new");
}

diff::RenameTable table_rename(const std::string& text, schema::Dialect dialect) {
  const std::vector<std::string> sides = base::split(text, '=');
  if (sides.size() != 2 || sides[0].empty() || sides[1].empty()) {
    bad_rename("--rename-table", text);
  }
  diff::RenameTable rename;
  const std::size_t dot = sides[0].rfind('.');
  const Identifier schema_name =
      schema_part(dot == std::string::npos ? "" : sides[0].substr(0, dot), dialect);
  rename.from = {schema_name,
                 Identifier(dot == std::string::npos ? sides[0] : sides[0].substr(dot + 1))};
  const std::size_t new_dot = sides[1].rfind('.');
  rename.to = {schema_name,
               Identifier(new_dot == std::string::npos ? sides[1] : sides[1].substr(new_dot + 1))};
  return rename;
}

diff::RenameColumn column_rename(const std::string& text, schema::Dialect dialect) {
  const std::vector<std::string> sides = base::split(text, '=');
  const std::vector<std::string> parts =
      sides.size() == 2 ? base::split(sides[0], '.') : std::vector<std::string>();
  if (parts.size() < 2 || parts.size() > 3 || sides[1].empty()) {
    bad_rename("--rename-column", text);
  }
  const std::string new_name =
      sides[1].substr(sides[1].rfind('.') == std::string::npos ? 0 : sides[1].rfind('.') + 1);
  diff::RenameColumn rename;
  rename.table = {schema_part(parts.size() == 3 ? parts[0] : "", dialect),
                  Identifier(parts[parts.size() - 2])};
  rename.from = Identifier(parts.back());
  rename.to = Identifier(new_name);
  return rename;
}

}  // namespace

diff::Options diff_options(const MigrateSetup& setup, const Desired& desired,
                           const RenameFlags& renames) {
  const project::MigrateSettings& migrate = setup.project.migrate;
  diff::Options options;
  options.dialect = setup.dialect;
  for (const std::string& text : renames.tables) {
    options.declared.tables.push_back(table_rename(text, setup.dialect));
  }
  for (const std::string& text : renames.columns) {
    options.declared.columns.push_back(column_rename(text, setup.dialect));
  }
  for (const metadata::FormerTable& each : desired.former_tables) {
    options.hints.tables.push_back({each.former, each.now});
  }
  for (const metadata::FormerColumn& each : desired.former_columns) {
    options.hints.columns.push_back({each.table, each.former, each.now});
  }
  options.on_ambiguous = renames.on_ambiguous;
  for (const project::Text& each : migrate.ignore_tables) {
    options.ignore_tables.push_back(each.text);
  }
  options.ignore_tables.push_back(setup.ledger.table);
  options.external = desired.external;
  options.managed_schemas = desired.managed_schemas;
  options.comments =
      !migrate.manage_comments || setup.dialect == schema::Dialect::Sqlite || setup.is_d1()
          ? diff::Comments::Ignore
          : diff::Comments::CompareDeclared;
  options.equality = desired.from_sql ? diff::Equality::Exact : diff::Equality::Declared;
  options.views = desired.from_sql ? diff::Views::All : diff::Views::Stamped;
  options.objects = desired.from_sql ? diff::Objects::Compare : diff::Objects::Declared;
  const schema::Dialect dialect = setup.dialect;
  options.normal_expression = [dialect](std::string_view text) {
    return sql::normal_expression(text, dialect);
  };
  options.normal_query = [dialect](std::string_view text) {
    return sql::normal_query(text, dialect);
  };
  return options;
}

namespace {

// With a scope, what is not declared inside it is somebody else's; a former name is ours.
std::set<Name> names_in_scope(const Desired& desired) {
  std::set<Name> names;
  for (const schema::Table& table : desired.schema.tables) {
    names.insert(table.name);
  }
  for (const schema::View& view : desired.schema.views) {
    names.insert(view.name);
  }
  for (const metadata::FormerTable& each : desired.former_tables) {
    names.insert(each.former);
  }
  names.insert(desired.external.begin(), desired.external.end());
  return names;
}

}  // namespace

namespace {

// What @leave names is not seen.
struct PartsLeft {
  const metadata::LeftAlone& leave;
  bool operator()(const schema::Check& check) const {
    return leave.parts.contains(metadata::label_of(check));
  }
  bool operator()(const schema::ForeignKey& key) const {
    return leave.parts.contains(metadata::label_of(key));
  }
  template <class Part>
  bool operator()(const Part& part) const {
    return leave.parts.contains(part.name.text());
  }
};

void hide_parts(schema::Table& table, const metadata::LeftAlone& leave) {
  const PartsLeft left{leave};
  std::erase_if(table.indexes, left);
  std::erase_if(table.foreign_keys, left);
  std::erase_if(table.checks, left);
}

// Columns and a key that are left alone are wanted as they are.
void want_what_is(schema::Table& wanted, const schema::Table& actual,
                  const metadata::LeftAlone& leave) {
  for (schema::Column& column : wanted.columns) {
    const schema::Column* is = schema::find_column(actual, column.name);
    if (is != nullptr && leave.columns.contains(column.name)) {
      column = *is;
    }
  }
  if (actual.primary_key && PartsLeft{leave}(*actual.primary_key)) {
    wanted.primary_key = actual.primary_key;
  }
}

void hide_left_alone(schema::Schema& actual, schema::Schema& wanted,
                     const std::map<Name, metadata::LeftAlone>& leave) {
  std::map<Name, schema::Table*> live;
  for (schema::Table& table : actual.tables) {
    live.emplace(table.name, &table);
  }
  for (schema::Table& table : wanted.tables) {
    const auto found = leave.find(table.name);
    const auto is = live.find(table.name);
    if (found == leave.end()) {
      continue;
    }
    hide_parts(table, found->second);  // a snapshot has them
    if (is != live.end()) {
      hide_parts(*is->second, found->second);
      want_what_is(table, *is->second, found->second);
    }
  }
}

// A partition is part of its table: declared by nobody, it is nobody's to drop.
bool is_partition(const schema::Table& table, const schema::Schema& declared) {
  return table.partition && table.partition->parent && find_table(declared, table.name) == nullptr;
}

}  // namespace

diff::Result compare_desired(const schema::Schema& live, const Desired& given,
                             const diff::Options& options) {
  Desired desired = given;
  const auto hidden_part = [&](const schema::Table& table) {
    return !given.from_sql && is_partition(table, given.schema);
  };
  if (std::any_of(live.tables.begin(), live.tables.end(), hidden_part)) {
    schema::Schema whole = live;
    std::erase_if(whole.tables, hidden_part);
    return compare_desired(whole, given, options);
  }
  schema::Schema actual = live;
  hide_left_alone(actual, desired.schema, desired.leave);
  if (!desired.has_scope) {
    return diff::compare(actual, desired.schema, options);
  }
  std::set<Name> inside = names_in_scope(desired);
  for (const diff::RenameTable& rename : options.declared.tables) {
    inside.insert(rename.from);
  }
  schema::Schema visible = std::move(actual);
  std::set<diff::Unmanaged> hidden;
  for (const Name& name : desired.out_of_scope) {
    hidden.insert({"table", name});
  }
  std::erase_if(visible.tables, [&](const schema::Table& table) {
    const bool out = !inside.contains(table.name);
    if (out && !diff::is_ignored_table(table.name.name.text(), options.ignore_tables)) {
      hidden.insert({"table", table.name});
    }
    return out;
  });
  std::erase_if(visible.views, [&](const schema::View& view) {
    const bool out = !inside.contains(view.name);
    if (out) {
      hidden.erase({"table", view.name});
      hidden.insert({"view", view.name});
    }
    return out;
  });
  diff::Result result = diff::compare(visible, desired.schema, options);
  result.out_of_scope.insert(result.out_of_scope.end(), hidden.begin(), hidden.end());
  std::sort(result.out_of_scope.begin(), result.out_of_scope.end());
  return result;
}

namespace {

// The parts of a table that are left alone go from one snapshot into the next.
void keep_left_alone(schema::Table& next, const schema::Table& start,
                     const metadata::LeftAlone& leave) {
  const PartsLeft left{leave};
  want_what_is(next, start, leave);
  const auto keep = [&](const auto& from, auto& to) {
    std::copy_if(from.begin(), from.end(), std::back_inserter(to), left);
  };
  hide_parts(next, leave);
  keep(start.indexes, next.indexes);
  keep(start.foreign_keys, next.foreign_keys);
  keep(start.checks, next.checks);
}

}  // namespace

schema::Schema next_snapshot(const schema::Schema& start, const Desired& desired) {
  schema::Schema next = desired.schema;
  if (desired.from_sql) {
    return next;
  }
  for (schema::Table& table : next.tables) {
    const auto leave = desired.leave.find(table.name);
    const schema::Table* was = schema::find_table(start, table.name);
    if (leave != desired.leave.end() && was != nullptr) {
      keep_left_alone(table, *was, leave->second);
    }
  }
  std::set<Name> views;
  for (const schema::View& view : next.views) {
    views.insert(view.name);
  }
  const std::set<Name> outside(desired.out_of_scope.begin(), desired.out_of_scope.end());
  std::set<Name> tables;
  for (const schema::Table& table : next.tables) {
    tables.insert(table.name);
  }
  for (const schema::Table& table : start.tables) {
    if (!tables.contains(table.name) && (outside.contains(table.name) || desired.has_scope)) {
      next.tables.push_back(table);
      tables.insert(table.name);
    }
  }
  for (const schema::View& view : start.views) {
    const bool foreign = !view.fingerprint || outside.contains(view.name) || desired.has_scope;
    if (!views.contains(view.name) && foreign) {
      next.views.push_back(view);
    }
  }
  for (const schema::DefinedObject& object : start.objects) {
    if (!object.table || tables.contains(*object.table)) {
      next.objects.push_back(object);
    }
  }
  next.enums = start.enums;
  next.domains = start.domains;
  next.composites = start.composites;
  next.sequences = start.sequences;
  schema::normalise(next);
  return next;
}

}  // namespace kedge::app
