#include "app/connections.h"

#include "base/secrets.h"
#include "base/text.h"
#include "document/json.h"
#include "kedge/codes.h"
#include "project/project.h"

namespace kedge::app {
namespace {

constexpr const char* kReadSeconds = "30";  // contracts.md 3.2

// Relative files belong to the project, not to where the program was started.
void anchor_path(const Context& context, db::ConnectionSettings& settings) {
  for (const char* key : {"path", "root"}) {
    const auto found = settings.options.find(key);
    if (found != settings.options.end() && !found->second.empty() && found->second != ":memory:") {
      found->second = base::join_path(context.folder, found->second);
    }
  }
  if (settings.connector == "d1") {
    settings.options.try_emplace("folder", context.folder);  // where wrangler.toml is
  }
}

project::Connections load(const Context& context) {
  project::ConnectionsLoad loaded =
      project::load_connections(context.files, context.environment, context.folder);
  project::throw_problems(loaded.problems);
  return std::move(loaded.connections);
}

std::string place_of(const db::ConnectionSettings& settings) {
  const auto get = [&](const char* key) {
    const auto found = settings.options.find(key);
    return found == settings.options.end() ? std::string() : found->second;
  };
  std::string text = get("path") + get("root");
  if (text.empty()) {
    text = get("host");
    text += get("port").empty() ? "" : ":" + get("port");
    text += get("database").empty() ? "" : (text.empty() ? "" : "/") + get("database");
  }
  return base::hide_secrets(std::move(text), settings.secrets);
}

TestedConnection test(const Context& context, const db::ConnectionSettings& settings) {
  TestedConnection result;
  result.name = settings.name;
  const std::int64_t begin = context.clock.monotonic_milliseconds();
  try {
    const auto connection = context.registry.connect(settings);
    const schema::Engine& engine = connection->engine();
    if (engine.dialect == schema::Dialect::D1) {
      connection->query("SELECT 1");  // it has not been asked for its version
    }
    result.engine = engine;
  } catch (const Error& error) {
    result.problem = error.problem();
  }
  result.milliseconds = context.clock.monotonic_milliseconds() - begin;
  return result;
}

}  // namespace

db::ConnectionSettings settings_of(const Context& context, const project::Connection& connection,
                                   db::AccessMode access) {
  db::ConnectionSettings settings;
  settings.name = connection.name;
  settings.connector = connection.connector;
  settings.options = connection.settings(context.folder);
  settings.secrets = connection.secrets;
  settings.access = access;
  anchor_path(context, settings);
  if (access == db::AccessMode::ReadOnly) {
    settings.options.try_emplace("command_timeout_seconds", kReadSeconds);
  }
  return settings;
}

db::ConnectionSettings settings_of(const Context& context, const std::string& name_or_url,
                                   db::AccessMode access) {
  if (auto settings = db::parse_url(name_or_url)) {
    settings->access = access;
    anchor_path(context, *settings);
    return *settings;
  }
  const project::Connections connections = load(context);
  if (const project::Connection* connection = connections.find(name_or_url)) {
    return settings_of(context, *connection, access);
  }
  throw Error(codes::ERR_SOURCE, "'" + db::redact_url(name_or_url) +
                                     "' is neither a connection nor a URL" +
                                     base::did_you_mean(name_or_url, connections.names()));
}

std::unique_ptr<db::Connection> connect(const Context& context, const std::string& name_or_url,
                                        db::AccessMode access) {
  return context.registry.connect(settings_of(context, name_or_url, access));
}

std::optional<Position> declared_at(const Context& context, const std::string& name) {
  const project::ConnectionsLoad loaded = project::load_connections(
      context.files, context.environment, context.folder, project::UnsetOptions::Note);
  const project::Connection* connection = loaded.connections.find(name);
  return connection != nullptr ? std::optional(connection->where) : std::nullopt;
}

std::vector<std::string> with_passwords(const std::vector<std::string>& given) {
  std::vector<std::string> found;
  for (std::string text : given) {
    for (int i = 0; i < 2; ++i) {
      if (db::redact_url(text) != text) {
        found.push_back(text);
      }
      if (!text.starts_with("db:")) {  // a source may be written so
        break;
      }
      text.erase(0, 3);
    }
  }
  return found;
}

std::string without_passwords(std::string text, const std::vector<std::string>& given) {
  const auto escaped = [](const std::string& word) {
    const std::string quoted = document::write_json(document::Json(word), -1);
    return quoted.substr(1, quoted.size() - 2);
  };
  for (const std::string& word : with_passwords(given)) {
    const std::string shown = db::redact_url(word);
    text = base::replace_all(std::move(text), word, shown);
    text = base::replace_all(std::move(text), escaped(word), escaped(shown));
  }
  return text;
}

Problem without_passwords(Problem problem, const std::vector<std::string>& given) {
  const std::vector<std::string> words = with_passwords(given);
  if (words.empty()) {
    return problem;
  }
  problem.message = without_passwords(std::move(problem.message), words);
  problem.hint = without_passwords(std::move(problem.hint), words);
  for (Note& note : problem.notes) {
    note.text = without_passwords(std::move(note.text), words);
  }
  return problem;
}

std::vector<ListedConnection> list_connections(const Context& context) {
  std::vector<ListedConnection> result;
  for (const project::Connection& connection : load(context).connections) {
    const auto settings = settings_of(context, connection, db::AccessMode::ReadOnly);
    result.push_back({connection.name, connection.connector, place_of(settings),
                      connection.description, connection.entities.size()});
  }
  return result;
}

std::vector<TestedConnection> test_connections(const Context& context,
                                               const std::vector<std::string>& names_or_urls) {
  std::vector<db::ConnectionSettings> all;
  for (const std::string& name : names_or_urls) {
    all.push_back(settings_of(context, name, db::AccessMode::ReadOnly));
  }
  if (names_or_urls.empty()) {
    for (const project::Connection& connection : load(context).connections) {
      all.push_back(settings_of(context, connection, db::AccessMode::ReadOnly));
    }
  }
  std::vector<TestedConnection> result;
  for (const db::ConnectionSettings& settings : all) {
    context.progress("testing " + settings.name);
    result.push_back(test(context, settings));
  }
  return result;
}

}  // namespace kedge::app
