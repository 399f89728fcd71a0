#include "project/connections.h"

#include <algorithm>
#include <limits>

#include "base/secrets.h"
#include "base/text.h"
#include "kedge/codes.h"
#include "project/chapters.h"
#include "project/connector_options.h"
#include "project/entity_reader.h"
#include "project/variables.h"

namespace kedge::project {
namespace {

using document::Node;

constexpr std::string_view kFile = "connections.yml";
const std::vector<std::string> kOwnKeys = {"connector", "entities", "max_concurrency", "retry",
                                           "description"};

bool is_own(const std::string& key) {
  return std::find(kOwnKeys.begin(), kOwnKeys.end(), key) != kOwnKeys.end();
}

// A name that could be used instead: "2nd depot" -> "c_2nd_depot".
std::string usable_name(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    const char next = letter ? c : '_';
    if (next != '_' || result.empty() || result.back() != '_') {
      result += next;
    }
  }
  if (result.empty() || (result[0] >= '0' && result[0] <= '9')) {
    result = "c_" + result;
  }
  return result;
}

bool is_usable_name(std::string_view name) {
  static constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  return !name.empty() && kLetters.find(name[0]) != std::string_view::npos &&
         name.find_first_not_of(std::string(kLetters) + "0123456789") == std::string_view::npos &&
         name.find("__") == std::string_view::npos;
}

bool holds_password(std::string_view key, const std::string& text) {
  return key == "connection_string" ? !base::odbc_secrets(text).empty()
                                    : (key == "password" || key == "token") && !text.empty();
}

class ConnectionReader {
 public:
  ConnectionReader(const Report& report, const Expander& expander, std::vector<Finding>& warnings)
      : report_(report), expander_(expander), warnings_(warnings) {}

  Connection read(const document::Entry& entry) {
    Connection connection;
    connection.name = entry.key.text;
    connection.where = report_.place(entry.key);
    name_ = "connection '" + connection.name + "'";
    check_name(entry.key);
    if (!entry.value.is_mapping()) {
      report_.add(codes::PZ0101, entry.value,
                  name_ + " needs a mapping, not " + shown(entry.value));
      return connection;
    }
    BlockReader reader(report_, entry.value, codes::PZ0101, name_);
    const ConnectorRule* rule = read_connector(reader, entry, connection);
    read_own(reader, connection, rule);
    if (const document::Entry* rate = reader.entry("rate_limit")) {
      report_.add(codes::PZ0318, rate->key, name_ + ": rate_limit: is not a setting of kedge",
                  "use max_concurrency:");
    }
    read_options(entry, connection, rule);
    return connection;
  }

 private:
  void check_name(const Node& key) {
    if (!is_usable_name(key.text)) {
      report_.add(codes::PZ0136, key, "connection name '" + key.text + "' cannot be used",
                  "letters, digits and single underscores, not starting with a digit: '" +
                      usable_name(key.text) + "'");
    }
  }

  const ConnectorRule* read_connector(BlockReader& reader, const document::Entry& entry,
                                      Connection& connection) {
    const std::optional<Text> name = reader.non_empty_text("connector");
    if (!name) {
      if (entry.value.find("connector") == nullptr) {
        report_.add(codes::PZ0101, entry.key, name_ + ": connector: is missing",
                    "one of " + listed(known_connectors()));
      }
      return nullptr;
    }
    connection.connector = name->text;
    connection.connector_where = name->where.value_or(connection.where);
    const ConnectorRule* rule = find_connector(name->text);
    if (rule == nullptr) {
      report_.add(codes::PZ0305, *entry.value.find("connector"),
                  name_ + ": unknown connector '" + name->text + "'" +
                      near_miss(name->text, known_connectors()),
                  "one of " + listed(known_connectors()));
    }
    return rule;
  }

  void read_own(BlockReader& reader, Connection& connection, const ConnectorRule* rule) {
    reader.set_code(codes::PZ0122);
    connection.max_concurrency =
        reader.integer("max_concurrency", 1, std::numeric_limits<std::int64_t>::max());
    reader.set_code(codes::PZ0101);
    connection.retry = read_retry(report_, reader, name_).value_or(Retry{});
    assign(connection.description, reader.text("description"));
    if (const Node* entities = reader.block("entities")) {
      connection.entities = read_entities(report_, *entities, connection.name, rule);
    }
  }

  void read_options(const document::Entry& entry, Connection& connection,
                    const ConnectorRule* rule) {
    for (const document::Entry& option : entry.value.entries) {
      if (is_own(option.key.text) || option.key.text == "rate_limit" || rule == nullptr) {
        continue;
      }
      const auto known =
          std::find_if(rule->options.begin(), rule->options.end(),
                       [&](const OptionRule& o) { return o.name == option.key.text; });
      if (known == rule->options.end() && rule->in_build) {
        refuse_unknown(option.key, *rule);
        continue;
      }
      const OptionRule any;
      read_option(option, known == rule->options.end() ? any : *known, connection);
    }
    if (rule != nullptr) {
      require_options(entry, *rule);
    }
  }

  void refuse_unknown(const Node& key, const ConnectorRule& rule) {
    std::vector<std::string> known = kOwnKeys;
    for (const OptionRule& option : rule.options) {
      known.emplace_back(option.name);
    }
    report_.add(codes::PZ0301, key,
                name_ + ": unknown option '" + key.text + "' of connector " +
                    std::string(rule.name) + near_miss(key.text, known));
  }

  void require_options(const document::Entry& entry, const ConnectorRule& rule) {
    for (const OptionRule& option : rule.options) {
      if (option.need == Need::Required && entry.value.find(option.name) == nullptr) {
        report_.add(codes::PZ0301, entry.key,
                    name_ + ": connector " + std::string(rule.name) + " needs " +
                        std::string(option.name) + ":");
      }
    }
    const bool dsn = entry.value.find("dsn") != nullptr;
    const bool text = entry.value.find("connection_string") != nullptr;
    if (rule.name == "odbc" && dsn == text) {
      report_.add(codes::PZ0301, entry.key,
                  name_ + ": connector odbc needs exactly one of dsn: and connection_string:");
    }
  }

  void read_option(const document::Entry& option, const OptionRule& rule, Connection& connection) {
    const Node& value = option.value;
    const std::string& key = option.key.text;
    if (expander_.is_unresolved(value)) {
      return;
    }
    const std::string value_shown =
        is_secret_option(key) || expander_.is_expanded(value) ? "this value" : shown(value);
    if (!value.is_scalar() || value.kind == document::Kind::Null) {
      report_.add(codes::PZ0301, value,
                  name_ + ": " + key + ": needs a text, not " +
                      (value.is_scalar() ? "nothing" : shown(value)));
      return;
    }
    if (const std::string wanted = complaint(value, rule); !wanted.empty()) {
      report_.add(codes::PZ0301, value,
                  name_ + ": " + key + ": needs " + wanted + ", not " + value_shown);
      return;
    }
    check_path(option, connection);
    if (!expander_.is_expanded(value) && holds_password(key, value.text)) {
      warnings_.push_back({{codes::PZ0601,
                            name_ + ": " + key + ": is written in the file",
                            report_.place(value),
                            "write ${NAME} and set the variable",
                            {}},
                           Severity::Warning,
                           {"connection", connection.name, "", key},
                           "contracts"});
    }
    if (is_secret_option(key) && !value.text.empty()) {
      connection.secrets.push_back(value.text);
    }
    if (key == "connection_string") {
      for (std::string& password : base::odbc_secrets(value.text)) {
        connection.secrets.push_back(std::move(password));
      }
    }
    connection.options[key] = {value.text, report_.place(value)};
  }

  static std::string complaint(const Node& value, const OptionRule& rule) {
    switch (rule.kind) {
      case OptionKind::Text:
        return "";
      case OptionKind::Boolean:
        return value.as_boolean() ? "" : "true or false in lower case";
      case OptionKind::Integer: {
        const std::optional<std::int64_t> number = value.as_integer();
        const bool fits = number && *number >= rule.least && *number <= rule.most;
        return fits ? ""
                    : "a whole number from " + std::to_string(rule.least) + " to " +
                          std::to_string(rule.most);
      }
      case OptionKind::Choice: {
        const std::vector<std::string> words = base::split(rule.choices, ' ');
        return std::find(words.begin(), words.end(), value.text) != words.end() ? ""
                                                                                : listed(words);
      }
    }
    return "";
  }

  void check_path(const document::Entry& option, const Connection& connection) {
    const bool file = connection.connector == "sqlite" || connection.connector == "duckdb";
    if (!file || option.key.text != "path") {
      return;
    }
    const std::string& path = option.value.text;
    if (path.empty()) {
      report_.add(codes::PZ0301, option.value, name_ + ": path: must not be empty");
    } else if (path.starts_with(".kedge/") || path.starts_with("./.kedge/") ||
               path.find("/.kedge/") != std::string::npos) {
      report_.add(codes::PZ0301, option.value, name_ + ": path: must not lie inside .kedge/");
    }
  }

  const Report& report_;
  const Expander& expander_;
  std::vector<Finding>& warnings_;
  std::string name_;
};

void sort_secrets(std::vector<std::string>& secrets) {
  std::sort(secrets.begin(), secrets.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  secrets.erase(std::unique(secrets.begin(), secrets.end()), secrets.end());
}

// PZ0110: two entities whose staging tables would have one name.
void check_staging_names(const Connections& connections, std::vector<Problem>& problems) {
  std::map<std::string, std::pair<std::string, Position>> seen;
  for (const Connection& connection : connections.connections) {
    for (const Entity& entity : connection.entities) {
      std::string staging = base::to_lower("src_" + connection.name + "__" + entity.name);
      std::replace(staging.begin(), staging.end(), '.', '_');
      const std::string shown_name = connection.name + "." + entity.name;
      const auto [first, added] = seen.emplace(staging, std::pair(shown_name, entity.where));
      if (!added) {
        problems.push_back({codes::PZ0110,
                            "entities '" + first->second.first + "' and '" + shown_name +
                                "' have the same name when case and dots are ignored",
                            entity.where,
                            "",
                            {{"the first one is here", first->second.second}}});
      }
    }
  }
}

class Loader {
 public:
  Loader(const base::Environment& environment, UnsetOptions unset, ConnectionsLoad& load)
      : expander_(environment), unset_(unset), load_(load) {}

  void read(Node& root) {
    std::vector<std::vector<std::string>> secrets;
    for (document::Entry& entry : root.entries) {
      const std::size_t before = expander_.values.size();
      expand(entry.value);
      secrets.emplace_back(expander_.values.begin() + static_cast<std::ptrdiff_t>(before),
                           expander_.values.end());
    }
    const Report report{std::string(kFile), load_.problems,
                        [this](const Node& node) { return expander_.is_unresolved(node); }};
    report_unset_variables(report);
    for (std::size_t i = 0; i < root.entries.size(); ++i) {
      ConnectionReader reader(report, expander_, load_.warnings);
      Connection connection = reader.read(root.entries[i]);
      connection.secrets.insert(connection.secrets.end(), secrets[i].begin(), secrets[i].end());
      sort_secrets(connection.secrets);
      load_.connections.connections.push_back(std::move(connection));
    }
    share_passwords();
    check_staging_names(load_.connections, load_.problems);
  }

 private:
  // A helper process, or a database that links to another one, may say the password of any.
  void share_passwords() {
    std::vector<std::string> all;
    for (const Connection& connection : load_.connections.connections) {
      for (const auto& [name, option] : connection.options) {
        if (is_secret_option(name) && !option.text.empty()) {
          all.push_back(option.text);
        }
      }
    }
    for (Connection& connection : load_.connections.connections) {
      connection.secrets.insert(connection.secrets.end(), all.begin(), all.end());
      sort_secrets(connection.secrets);
    }
  }

  void expand(Node& connection) {
    if (!connection.is_mapping()) {
      expander_.expand(connection);
    }
    for (document::Entry& entry : connection.entries) {
      expander_.expand(entry.value, entry.key.text);
      option_.resize(expander_.unset.size(), !is_own(entry.key.text));
    }
    option_.resize(expander_.unset.size(), false);
  }

  void report_unset_variables(const Report& report) {
    for (std::size_t i = 0; i < expander_.unset.size(); ++i) {
      if (!option_[i] || unset_ == UnsetOptions::Refuse) {
        report_unset(expander_.unset[i], report);
        continue;
      }
      std::vector<Problem> noted;
      report_unset(expander_.unset[i], Report{std::string(kFile), noted});
      load_.warnings.push_back({std::move(noted.front()),
                                Severity::Note,
                                {"variable", "", "", expander_.unset[i].variable},
                                "contracts"});
    }
  }

  Expander expander_;
  UnsetOptions unset_;
  ConnectionsLoad& load_;
  std::vector<bool> option_;  // which unset variables only an option uses
};

}  // namespace

const Entity* Connection::find_entity(std::string_view entity) const {
  for (const Entity& candidate : entities) {
    if (candidate.name == entity) {
      return &candidate;
    }
  }
  return nullptr;
}

bool Connection::is_database() const {
  const ConnectorRule* rule = find_connector(connector);
  return rule != nullptr && rule->database;
}

std::map<std::string, std::string> Connection::settings(const std::string& folder) const {
  std::map<std::string, std::string> result;
  for (const auto& [key, option] : options) {
    result[key] = option.text;
  }
  const bool file = connector == "sqlite" || connector == "duckdb";
  if (file && result.contains("path")) {
    result["path"] = base::join_path(folder, result["path"]);
  }
  if (connector == "localfiles") {
    result["root"] = result.contains("root") ? base::join_path(folder, result["root"]) : folder;
  }
  if (connector == "d1") {
    result["folder"] = folder;  // where wrangler.toml is, whatever folder kedge was called from
  }
  return result;
}

const Connection* Connections::find(std::string_view name) const {
  for (const Connection& connection : connections) {
    if (connection.name == name) {
      return &connection;
    }
  }
  return nullptr;
}

std::vector<std::string> Connections::names() const {
  std::vector<std::string> result;
  for (const Connection& connection : connections) {
    result.push_back(connection.name);
  }
  return result;
}

ConnectionsLoad load_connections(const base::FileSystem& files,
                                 const base::Environment& environment, const std::string& folder,
                                 UnsetOptions unset) {
  ConnectionsLoad load;
  warn_about_yaml(files, folder, "connections.yaml", load.warnings);
  std::optional<document::Document> document =
      read_project_file(files, folder, std::string(kFile), load.problems);
  load.connections.present = document.has_value();
  if (document && document->usable) {
    Loader(environment, unset, load).read(document->root);
  }
  sort_by_place(load.problems);
  return load;
}

std::vector<std::string> known_connectors() {
  std::vector<std::string> names;
  for (const ConnectorRule& rule : connector_rules()) {
    if (rule.in_build) {
      names.emplace_back(rule.name);
    }
  }
  return names;
}

}  // namespace kedge::project
