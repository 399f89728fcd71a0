#include "project/connector_options.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace kedge::project {
namespace {

constexpr OptionRule text(std::string_view name, Need need = Need::Optional) {
  return {name, OptionKind::Text, need};
}
constexpr OptionRule boolean(std::string_view name) {
  return {name, OptionKind::Boolean};
}
constexpr OptionRule kPort = {"port", OptionKind::Integer, Need::Optional, 1, 65'535};
constexpr OptionRule kConnect = {"connect_timeout_seconds", OptionKind::Integer, Need::Optional, 1,
                                 3'600};
constexpr OptionRule kCommand = {"command_timeout_seconds", OptionKind::Integer, Need::Optional, 0,
                                 86'400};
constexpr OptionRule kPostgresSsl = {"ssl_mode",
                                     OptionKind::Choice,
                                     Need::Optional,
                                     0,
                                     0,
                                     "disable allow prefer require verify-ca verify-full"};
constexpr OptionRule kDialect = {"dialect",
                                 OptionKind::Choice,
                                 Need::Optional,
                                 0,
                                 0,
                                 "sqlserver oracle clickhouse bigquery snowflake generic"};

std::vector<ConnectorRule> make_rules() {
  const std::vector<OptionRule> file = {text("path", Need::Required)};
  const std::vector<OptionRule> store = {};
  return {
      {"localfiles", {text("root")}, false},
      {"sqlite", file},
      {"duckdb", file},
      {"postgres",
       {text("host", Need::Required), text("database", Need::Required), kPort, text("user"),
        text("password"), kPostgresSsl, text("schema"), kConnect, kCommand}},
      {"mysql",
       {text("host", Need::Required), text("database", Need::Required), kPort, text("user"),
        text("password"), text("ssl_mode"), kConnect, kCommand}},
      {"sqlserver",
       {text("host", Need::Required), text("database", Need::Required), kPort, text("user"),
        text("password"), boolean("encrypt"), boolean("trust_server_certificate"), text("driver"),
        text("schema"), kConnect, kCommand}},
      {"odbc",
       {text("dsn"), text("connection_string"), text("user"), text("password"), kDialect,
        text("schema")}},
      {"d1", {text("database", Need::Required), text("wrangler"), boolean("local")}},
      {"azureblob", store, false, false},
      {"s3", store, false, false},
      {"gcs", store, false, false},
      {"sftp", store, false, false},
  };
}

}  // namespace

std::span<const ConnectorRule> connector_rules() {
  static const std::vector<ConnectorRule> rules = make_rules();
  return rules;
}

const ConnectorRule* find_connector(std::string_view name) {
  for (const ConnectorRule& rule : connector_rules()) {
    if (rule.name == name) {
      return &rule;
    }
  }
  return nullptr;
}

bool is_secret_option(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kSecret = {"password", "connection_string",
                                                              "dsn", "token"};
  return std::find(kSecret.begin(), kSecret.end(), name) != kSecret.end();
}

}  // namespace kedge::project
