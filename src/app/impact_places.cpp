#include "app/impact_places.h"

#include <algorithm>
#include <filesystem>

#include "app/connections.h"
#include "base/text.h"
#include "project/connections.h"
#include "project/project.h"

namespace kedge::app {
namespace {

std::string option(const db::ConnectionSettings& settings, const char* key,
                   const std::string& fallback = "") {
  const auto found = settings.options.find(key);
  return found == settings.options.end() || found->second.empty() ? fallback : found->second;
}

// The ways to name this machine are one.
std::string host_of(const db::ConnectionSettings& settings, const std::string& fallback) {
  const std::string host = base::to_lower(option(settings, "host", fallback));
  return host == "127.0.0.1" || host == "::1" ? "localhost" : host;
}

std::string server_place(const db::ConnectionSettings& settings, const std::string& host,
                         const std::string& port) {
  return host_of(settings, host) + "\n" + option(settings, "port", port) + "\n" +
         option(settings, "database", option(settings, "user"));
}

std::string file_place(const Context& context, const db::ConnectionSettings& settings) {
  const std::string path = option(settings, "path", option(settings, "root"));
  if (path.empty() || path.ends_with(":memory:")) {
    return "memory of " + settings.name;  // nobody else looks into it
  }
  return context.files.real_path(std::filesystem::path(path).lexically_normal().string());
}

std::string place_in(const Context& context, const db::ConnectionSettings& settings) {
  const std::string& connector = settings.connector;
  if (connector == "postgres") {
    // A service and an address are words of libpq that a URL may hold.
    return server_place(settings, "", "5432") + "\n" + option(settings, "service") + "\n" +
           option(settings, "hostaddr");
  }
  if (connector == "mysql") {
    return server_place(settings, "localhost", "3306") + "\n" + option(settings, "socket");
  }
  if (connector == "sqlserver") {
    return server_place(settings, "", "1433");
  }
  if (connector == "odbc") {
    return option(settings, "dsn") + "\n" + option(settings, "connection_string");
  }
  if (connector == "d1") {
    const bool remote =
        option(settings, "remote") == "true" || option(settings, "local", "true") == "false";
    return option(settings, "folder") + "\n" + option(settings, "config") + "\n" +
           option(settings, "database") + (remote ? "\nremote" : "");
  }
  return file_place(context, settings);
}

project::Connections connections_of(const Context& context) {
  return project::load_connections(context.files, context.environment, context.folder,
                                   project::UnsetOptions::Note)
      .connections;
}

// Nothing for a text that is neither a connection nor a URL.
std::optional<db::ConnectionSettings> settings_of_target(const Context& context,
                                                         const project::Connections& connections,
                                                         const std::string& target) {
  if (const project::Connection* asked = connections.find(target)) {
    return settings_of(context, *asked, db::AccessMode::ReadOnly);
  }
  if (db::parse_url(target)) {
    return settings_of(context, target, db::AccessMode::ReadOnly);
  }
  return std::nullopt;
}

// The names of a shape and of its steps, from one default schema to another.
class Requalified {
 public:
  Requalified(Identifier from, Identifier to) : from_(std::move(from)), to_(std::move(to)) {}

  void apply(ShapeChange& change) const {
    apply(change.before);
    apply(change.after);
    for (Step& step : change.steps) {
      std::visit([&](auto& one) { apply(one.table); }, step);
    }
    for (BrokenView& broken : change.broken_views) {
      apply(broken.view);
      apply(broken.because);
    }
  }

 private:
  void apply(schema::Name& name) const {
    const Identifier schema = name.schema.empty() ? from_ : name.schema;
    name.schema = schema == to_ ? Identifier() : schema;
  }

  void apply(schema::Schema& shape) const {
    shape.default_schema = to_;
    for (schema::Table& table : shape.tables) {
      apply(table.name);
      for (schema::ForeignKey& key : table.foreign_keys) {
        apply(key.referenced_table);
      }
    }
    for (schema::View& view : shape.views) {
      apply(view.name);
      for (schema::Name& name : view.depends_on) {
        apply(name);
      }
    }
  }

  Identifier from_;
  Identifier to_;
};

}  // namespace

std::string database_identity(const Context& context, const db::ConnectionSettings& settings) {
  return settings.connector + "\n" + place_in(context, settings);
}

std::vector<std::string> names_of_target(const Context& context, const std::string& target) {
  const project::Connections connections = connections_of(context);
  const auto asked = settings_of_target(context, connections, target);
  if (!asked) {
    return {};
  }
  const std::string place = database_identity(context, *asked);
  std::vector<std::string> names;
  for (const project::Connection& connection : connections.connections) {
    if (connection.name == target) {
      names.insert(names.begin(), connection.name);
    } else if (connection.is_database() &&
               database_identity(
                   context, settings_of(context, connection, db::AccessMode::ReadOnly)) == place) {
      names.push_back(connection.name);
    }
  }
  return names;
}

std::optional<std::string> metadata_name(const Context& context, const std::string& target,
                                         const std::vector<std::string>& names) {
  const project::MigrateSettings migrate =
      project::load_project(context.files, context.environment, context.folder).project.migrate;
  std::vector<project::Text> declared = migrate.check;
  if (migrate.target) {
    declared.insert(declared.begin(), *migrate.target);
  }
  if (declared.empty()) {
    return names.front();
  }
  const project::Connections connections = connections_of(context);
  const auto asked = settings_of_target(context, connections, target);
  for (const project::Text& one : declared) {
    if (std::find(names.begin(), names.end(), one.text) != names.end()) {
      return one.text;
    }
    const auto settings = settings_of_target(context, connections, one.text);
    if (asked && settings &&
        database_identity(context, *settings) == database_identity(context, *asked)) {
      return names.front();
    }
  }
  return std::nullopt;
}

ShapeChange seen_through(const Context& context, const std::string& target, ShapeChange change,
                         const std::string& name) {
  change.connection = name;
  const project::Connections connections = connections_of(context);
  const auto asked = settings_of_target(context, connections, target);
  const auto settings = settings_of_target(context, connections, name);
  // Only postgres has connections of one database with different default schemas; what "$user"
  // leads to is known to the server alone.
  if (asked && settings && settings->connector == "postgres") {
    const Identifier& from = change.before.default_schema;
    const std::string own = option(*asked, "schema");
    const Identifier to(option(*settings, "schema", own.empty() ? from.text() : "public"));
    if (!from.empty() && to != from) {
      Requalified(from, to).apply(change);
    }
  }
  return change;
}

}  // namespace kedge::app
