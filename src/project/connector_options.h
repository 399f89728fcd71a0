// The options of each connector as data (contracts.md 3.2).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kedge::project {

enum class OptionKind { Text, Integer, Boolean, Choice };
enum class Need { Optional, Required };

struct OptionRule {
  std::string_view name;
  OptionKind kind = OptionKind::Text;
  Need need = Need::Optional;
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::string_view choices = {};  // separated by blanks
};

struct ConnectorRule {
  std::string_view name;
  std::vector<OptionRule> options;
  bool database = true;
  bool in_build = true;  // false: a known name whose rules apply offline, but that cannot be opened
};

std::span<const ConnectorRule> connector_rules();
const ConnectorRule* find_connector(std::string_view name);
bool is_secret_option(std::string_view name);  // password, connection_string, dsn, token

}  // namespace kedge::project
