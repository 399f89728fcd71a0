#include "app/source.h"

#include <algorithm>
#include <array>

#include "app/connections.h"
#include "app/desired.h"
#include "app/history.h"
#include "app/replay.h"
#include "base/text.h"
#include "document/text_index.h"
#include "kedge/codes.h"
#include "project/project.h"
#include "schema/snapshot.h"
#include "sql/analysis.h"

namespace kedge::app {
namespace {

using schema::Dialect;

// As asked for, else as the project says.
Dialect needed_dialect(const Context& context, const SourceOptions& options,
                       const std::string& text) {
  if (options.dialect) {
    return *options.dialect;
  }
  const project::ProjectLoad loaded =
      project::load_project(context.files, context.environment, context.folder);
  const std::optional<project::Text>& configured = loaded.project.migrate.dialect;
  const std::optional<Dialect> dialect =
      configured ? schema::find_dialect(configured->text) : std::nullopt;
  if (!dialect) {
    throw Error(codes::ERR_NO_DIALECT, "the dialect of '" + text + "' is not known",
                "give --dialect sqlite|postgres|mysql|duckdb|d1, or set migrate.dialect");
  }
  return *dialect;
}

std::string anchored(const Context& context, const std::string& path) {
  return base::join_path(context.folder, path);
}

std::vector<std::string> sql_files(const Context& context, const std::string& path) {
  const std::string whole = anchored(context, path);
  const std::optional<base::EntryKind> kind = context.files.kind(whole);
  if (!kind) {
    throw Error(codes::ERR_SOURCE, "there is no file or folder '" + path + "'");
  }
  if (*kind != base::EntryKind::Folder) {
    return {whole};
  }
  std::vector<std::string> files;
  for (const std::string& file : base::list_files(context.files, whole)) {
    if (base::extension(file) == "sql") {
      files.push_back(file);
    }
  }
  return files;
}

bool is_definition(std::string_view sql, Dialect dialect) {
  for (const sql::Token& token : sql::tokenize(sql, dialect)) {
    if (token.kind == sql::TokenKind::Comment) {
      continue;
    }
    const std::string word = base::to_lower(sql.substr(token.begin, token.end - token.begin));
    return word != "insert" && word != "update" && word != "delete" && word != "merge" &&
           word != "replace" && word != "copy" && word != "select" && word != "with";
  }
  return true;
}

// \restrict KEY and \unrestrict KEY stand around every text of pg_dump since August 2025: they keep
// psql from other commands of its own, of which there are none for a server.
bool is_restriction(std::string_view line) {
  const std::string_view word = line.substr(0, line.find_first_of(" \t\r\n"));
  return word == "\\restrict" || word == "\\unrestrict";
}

// The role that a statement names and this server has not; empty when it failed for something else.
std::string missing_role(const db::DatabaseError& error) {
  static constexpr std::string_view kBefore = "role \"";
  static constexpr std::string_view kAfter = "\" does not exist";
  const std::string& words = error.driver_message();
  const std::size_t end = words.find(kAfter);
  const bool role =
      error.native_code() == "42704" && words.starts_with(kBefore) && end != std::string::npos;
  return role ? words.substr(kBefore.size(), end - kBefore.size()) : std::string();
}

// A dump names owners and grantees; a throw-away server has none of them, and they go with it.
void execute_with_roles(db::Connection& connection, std::string_view sql) {
  for (std::string last;;) {
    try {
      connection.execute(sql);
      return;
    } catch (const db::DatabaseError& error) {
      const std::string role = missing_role(error);
      if (role.empty() || role == last || connection.in_transaction()) {
        throw;
      }
      last = role;
    }
    connection.execute("CREATE ROLE " +
                       dialect::get_dialect(Dialect::Postgres).quote(Identifier(last)));
  }
}

void run_file(const Context& context, const db::ScratchDatabase& scratch,
              db::Connection& connection, const std::string& file, std::vector<Problem>& warnings) {
  const std::string text = context.files.read(file).value_or("");
  const std::string shown = shown_path(context, file);
  const document::TextIndex places(text);
  // `character`: of the statement, from 1.
  const auto place = [&](const sql::Statement& statement, std::size_t character) {
    const std::size_t begin = places.code_point_of_byte(statement.begin) + character - 1;
    const std::size_t byte = places.byte_of_code_point(begin);
    const document::Range range = places.range(byte, byte);
    return Position{shown, range.line, range.column};
  };
  bool warned = false;
  for (const sql::Statement& statement : sql::split_statements(text, connection.dialect())) {
    const std::string_view sql = statement.text(text);
    if (statement.kind == sql::Statement::Kind::MetaCommand) {
      if (is_restriction(sql)) {
        continue;
      }
      throw Error(Problem{codes::ERR_FROM_SQL,
                          "a command of psql is no SQL",
                          place(statement, 1),
                          "take it out; write a dump with pg_dump --schema-only",
                          {{std::string(sql.substr(0, 300)), std::nullopt}}});
    }
    if (!warned && !is_definition(sql, connection.dialect())) {
      warned = true;
      warnings.push_back({codes::WARN_SQL_HAS_DML,
                          "a statement that defines nothing was run too",
                          place(statement, 1),
                          "",
                          {}});
    }
    try {
      if (scratch.owns_server()) {
        execute_with_roles(connection, sql);
      } else {
        connection.execute(sql);
      }
    } catch (const Error& error) {
      const auto* database = dynamic_cast<const db::DatabaseError*>(&error);
      const bool no_role = database != nullptr && !missing_role(*database).empty();
      throw Error(
          Problem{codes::ERR_FROM_SQL,
                  database != nullptr ? database->driver_message() : error.problem().message,
                  place(statement,
                        database != nullptr ? std::max<std::size_t>(1, database->character()) : 1),
                  no_role ? "make the role on that server, or dump with pg_dump --no-owner "
                            "--no-privileges"
                          : "",
                  {{std::string(sql.substr(0, 300)), std::nullopt}}});
    }
  }
}

// The views over files say where the folder lies; their names within it are enough.
void hide_root(const db::ConnectionSettings& settings, schema::Schema& schema) {
  const auto root = settings.options.find("root");
  if (settings.connector != "localfiles" || root == settings.options.end()) {
    return;
  }
  for (schema::View& view : schema.views) {
    view.body = base::replace_all(std::move(view.body), root->second + "/", "");
    view.definition.text =
        base::replace_all(std::move(view.definition.text), root->second + "/", "");
  }
}

Source load_live(const Context& context, const SourceName& name, const SourceOptions& options) {
  Source source;
  source.name = name;
  source.shown = db::redact_url(name.argument);
  const db::ConnectionSettings settings =
      settings_of(context, name.argument, db::AccessMode::ReadOnly);
  const auto connection = context.registry.connect(settings);
  source.dialect = connection->dialect();
  const bool whole = options.scope.schemas.empty() && options.scope.tables.empty() &&
                     !options.scope.privileges && options.scope.definitions;
  source.schema = whole
                      ? read_live(context, *connection, settings)
                      : dialect::get_dialect(source.dialect).introspect(*connection, options.scope);
  hide_root(settings, source.schema);
  return source;
}

Source load_sql(const Context& context, const SourceName& name, const SourceOptions& options) {
  Source source;
  source.name = name;
  source.shown = "sql:" + name.argument;
  source.dialect = needed_dialect(context, options, source.shown);
  const auto scratch = context.scratch.create(source.dialect, options.scratch);
  const auto connection = context.registry.connect(scratch->settings());
  run_sql_files(context, *scratch, *connection, name.argument, source.warnings);
  source.schema = dialect::get_dialect(source.dialect).introspect(*connection, options.scope);
  return source;
}

std::string snapshot_path(const Context& context, const SourceName& name,
                          const SourceOptions& options) {
  if (!name.argument.empty()) {
    return name.argument;
  }
  return "migrations/.schema." + to_string(needed_dialect(context, options, "snapshot:")) + ".json";
}

Source load_snapshot(const Context& context, const SourceName& name, const SourceOptions& options) {
  Source source;
  source.name = name;
  const std::string path = snapshot_path(context, name, options);
  source.shown = "snapshot:" + path;
  const std::optional<std::string> text = context.files.read(anchored(context, path));
  if (!text) {
    throw Error(codes::ERR_SOURCE, "there is no snapshot '" + path + "'");
  }
  source.schema = schema::read_snapshot(path, *text);
  source.dialect = source.schema.engine.dialect;
  return source;
}

MigrateSetup setup_for(const Context& context, const SourceOptions& options,
                       const std::string& folder) {
  DatabaseFlags flags;
  if (options.dialect) {
    flags.dialect = to_string(*options.dialect);
  }
  if (!folder.empty()) {
    flags.out_dir = folder;
  }
  MigrateSetup setup = make_setup(context, flags);
  setup.scratch = options.scratch;
  return setup;
}

Source load_declared(const Context& context, const SourceName& name, const SourceOptions& options) {
  const MigrateSetup setup = setup_for(context, options, "");
  Source source;
  source.name = name;
  source.shown = "metadata:";
  source.schema = desired_from_metadata(context, setup, UnknownAttributes::AsConfigured).schema;
  source.dialect = setup.dialect;
  source.is_declared = true;
  return source;
}

Source load_chain(const Context& context, const SourceName& name, const SourceOptions& options) {
  const MigrateSetup setup = setup_for(context, options, name.argument);
  Source source;
  source.name = name;
  source.shown = "chain:" + name.argument;
  // A mistyped folder would read as an empty schema, and everything as made or taken away.
  if (!name.argument.empty() && context.files.kind(setup.folder) != base::EntryKind::Folder) {
    throw Error(codes::ERR_SOURCE, "there is no folder of migrations '" + name.argument + "'");
  }
  Context own = context;
  Replay replay = replay_chain(own, setup, WithDown::No);
  if (replay.failure) {
    throw Error(*std::move(replay.failure));
  }
  source.schema = std::move(replay.schema);
  source.dialect = setup.dialect;
  return source;
}

}  // namespace

SourceName parse_source(const std::string& text) {
  static constexpr std::array<std::pair<std::string_view, SourceKind>, 6> kPrefixes = {
      {{"db:", SourceKind::Live},
       {"metadata:", SourceKind::Metadata},
       {"sql:", SourceKind::Sql},
       {"snapshot:", SourceKind::Snapshot},
       {"chain:", SourceKind::Chain},
       {"empty:", SourceKind::Empty}}};
  for (const auto& [prefix, kind] : kPrefixes) {
    if (text.starts_with(prefix)) {
      return {kind, text.substr(prefix.size())};
    }
  }
  return {is_recorded_name(text) ? SourceKind::History : SourceKind::Live, text};
}

std::optional<Dialect> dialect_of(const Context& context, const SourceName& name) {
  if (name.kind == SourceKind::Live) {
    const db::ConnectionSettings settings =
        settings_of(context, name.argument, db::AccessMode::ReadOnly);
    if (settings.connector == "localfiles") {
      return Dialect::Duckdb;
    }
    const std::optional<Dialect> found = schema::find_dialect(settings.connector);
    return found ? found : Dialect::Ansi;
  }
  if (name.kind == SourceKind::History) {
    return load_recorded(context, name.argument).engine.dialect;
  }
  if (name.kind == SourceKind::Snapshot && !name.argument.empty()) {
    const auto text = context.files.read(anchored(context, name.argument));
    if (text) {
      return schema::read_snapshot(name.argument, *text).engine.dialect;
    }
  }
  return std::nullopt;
}

void run_sql_files(const Context& context, const db::ScratchDatabase& scratch,
                   db::Connection& connection, const std::string& path,
                   std::vector<Problem>& warnings) {
  for (const std::string& file : sql_files(context, path)) {
    run_file(context, scratch, connection, file, warnings);
  }
}

Source load_source(const Context& context, const std::string& text, const SourceOptions& options) {
  const SourceName name = parse_source(text);
  switch (name.kind) {
    case SourceKind::Live:
      return load_live(context, name, options);
    case SourceKind::Sql:
      return load_sql(context, name, options);
    case SourceKind::Snapshot:
      return load_snapshot(context, name, options);
    case SourceKind::History: {
      Source source;
      source.name = name;
      source.shown = text;
      source.schema = load_recorded(context, text);
      source.dialect = source.schema.engine.dialect;
      return source;
    }
    case SourceKind::Empty: {
      Source source;
      source.name = name;
      source.shown = "empty:";
      source.dialect = needed_dialect(context, options, text);
      source.schema.engine.dialect = source.dialect;
      return source;
    }
    case SourceKind::Metadata:
      return load_declared(context, name, options);
    case SourceKind::Chain:
      return load_chain(context, name, options);
  }
  throw Error(codes::ERR_INTERNAL, "a kind of source was forgotten");
}

}  // namespace kedge::app
