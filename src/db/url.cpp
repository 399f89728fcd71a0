#include <algorithm>
#include <array>
#include <charconv>

#include "base/secrets.h"
#include "base/text.h"
#include "db/connection.h"

namespace kedge::db {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// A '%' that starts no escape stands for itself.
std::string percent_decode(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_value(text[i + 2]) : -1;
    if (low >= 0) {
      result += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

struct Split {
  std::string_view head;
  std::string_view tail;
  bool found = false;
};

Split split_at(std::string_view text, std::size_t at, std::size_t width = 1) {
  if (at == std::string_view::npos) {
    return {text, {}, false};
  }
  return {text.substr(0, at), text.substr(at + width), true};
}

// The name an option has in connections.yml (contracts.md 3.2).
std::string option_name(std::string_view key) {
  const std::string lower = base::to_lower(key);
  if (lower == "sslmode" || lower == "ssl-mode") {
    return "ssl_mode";
  }
  if (lower == "connect_timeout" || lower == "connect-timeout") {
    return "connect_timeout_seconds";
  }
  if (lower == "command_timeout") {
    return "command_timeout_seconds";
  }
  if (lower == "dbname") {
    return "database";
  }
  if (lower == "currentschema" || lower == "search_path") {
    return "schema";
  }
  return lower;
}

void add_query(ConnectionSettings& settings, std::string_view query) {
  for (const std::string& part : base::split(query, '&')) {
    const Split pair = split_at(part, part.find('='));
    if (pair.head.empty()) {
      continue;
    }
    std::string value = percent_decode(pair.tail);
    if (base::is_secret_key(pair.head) && !value.empty()) {
      settings.secrets.push_back(value);
    }
    settings.options[option_name(percent_decode(pair.head))] = std::move(value);
  }
}

bool is_port(std::string_view text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port > 0 && port < 65536;
}

bool add_host(ConnectionSettings& settings, std::string_view authority) {
  std::string_view port;
  if (authority.starts_with('[')) {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos) {
      return false;
    }
    port = authority.substr(close + 1);
    authority = authority.substr(1, close - 1);
    if (!port.empty() && !port.starts_with(':')) {
      return false;
    }
    port.remove_prefix(port.empty() ? 0 : 1);
  } else if (const Split host = split_at(authority, authority.rfind(':')); host.found) {
    authority = host.head;
    port = host.tail;
  }
  if (!port.empty()) {
    if (!is_port(port)) {
      return false;
    }
    settings.options["port"] = std::string(port);
  }
  if (!authority.empty()) {
    settings.options["host"] = percent_decode(authority);
  }
  return true;
}

void add_user(ConnectionSettings& settings, std::string_view text) {
  const Split user = split_at(text, text.find(':'));
  settings.options["user"] = percent_decode(user.head);
  if (user.found) {
    settings.options["password"] = percent_decode(user.tail);
    if (!settings.options["password"].empty()) {
      settings.secrets.push_back(settings.options["password"]);
    }
  }
}

// "//user:password@host:port/database?query"
std::optional<ConnectionSettings> server_url(std::string connector, std::string_view rest) {
  if (!rest.starts_with("//")) {
    return std::nullopt;
  }
  ConnectionSettings settings;
  settings.connector = std::move(connector);
  rest.remove_prefix(2);
  const Split query = split_at(rest, rest.find('?'));
  rest = query.head;
  if (const Split user = split_at(rest, rest.rfind('@')); user.found) {
    add_user(settings, user.head);
    rest = user.tail;
  }
  const Split path = split_at(rest, rest.find('/'));
  if (!path.tail.empty()) {
    settings.options["database"] = percent_decode(path.tail);
  }
  if (!add_host(settings, path.head)) {
    return std::nullopt;
  }
  add_query(settings, query.tail);
  return settings;
}

// "sqlite:x.db", "sqlite:///abs/x.db", "file:x.db"
ConnectionSettings file_url(std::string connector, std::string_view rest) {
  ConnectionSettings settings;
  settings.connector = std::move(connector);
  if (rest.starts_with("//")) {
    rest.remove_prefix(2);
  }
  settings.options["path"] = percent_decode(rest);
  return settings;
}

std::optional<ConnectionSettings> d1_url(std::string_view rest) {
  ConnectionSettings settings;
  settings.connector = "d1";
  const Split query = split_at(rest, rest.find('?'));
  settings.options["database"] = percent_decode(query.head);
  add_query(settings, query.tail);
  return settings;
}

std::optional<ConnectionSettings> odbc_url(std::string_view rest) {
  ConnectionSettings settings;
  settings.connector = "odbc";
  if (rest.find('=') == std::string_view::npos) {
    settings.options["dsn"] = std::string(rest);
    return settings;
  }
  settings.options["connection_string"] = std::string(rest);
  settings.secrets = base::odbc_secrets(rest);
  return settings;
}

std::optional<ConnectionSettings> parse(std::string_view scheme, std::string_view rest) {
  if (scheme == "postgres" || scheme == "postgresql") {
    return server_url("postgres", rest);
  }
  if (scheme == "mysql" || scheme == "mariadb") {
    return server_url("mysql", rest);
  }
  if (scheme == "sqlite" || scheme == "file") {
    return file_url("sqlite", rest);
  }
  if (scheme == "duckdb") {
    return file_url("duckdb", rest);
  }
  if (scheme == "d1") {
    return d1_url(rest);
  }
  if (scheme == "odbc") {
    return odbc_url(rest);
  }
  return std::nullopt;
}

std::string redact_query(std::string_view query) {
  std::vector<std::string> parts = base::split(query, '&');
  for (std::string& part : parts) {
    const std::size_t equals = part.find('=');
    if (equals != std::string::npos &&
        base::is_secret_key(std::string_view(part).substr(0, equals))) {
      part = part.substr(0, equals + 1) + std::string(base::kMask);
    }
  }
  return base::join(parts, "&");
}

std::string redact_odbc(std::string_view text) {
  std::string result;
  std::size_t copied = 0;
  base::each_odbc_pair(text, [&](std::string_view key, std::size_t begin, std::size_t end) {
    if (base::is_secret_key(key)) {
      result += text.substr(copied, begin - copied);
      result += base::kMask;
      copied = end;
    }
  });
  return result + std::string(text.substr(copied));
}

// A password may hold unescaped '/' or '?': the user part reaches to the last '@' that can end it.
std::string redact_authority(std::string_view rest) {
  const Split query = split_at(rest, rest.find('?'));
  std::size_t at = query.head.rfind('@');
  if (at == std::string_view::npos && query.head.find(':', 2) != std::string_view::npos) {
    at = rest.rfind('@');
  }
  const std::size_t colon = rest.find(':');
  std::string masked(rest);
  if (at != std::string_view::npos && colon != std::string_view::npos && colon < at) {
    masked = std::string(rest.substr(0, colon + 1)) + std::string(base::kMask) +
             std::string(rest.substr(at));
  }
  const Split tail = split_at(masked, masked.find('?'));
  return tail.found ? std::string(tail.head) + "?" + redact_query(tail.tail) : masked;
}

}  // namespace

std::string redact_url(std::string_view url) {
  const Split scheme = split_at(url, url.find(':'));
  if (!scheme.found) {
    return std::string(url);
  }
  const std::string head = std::string(scheme.head) + ":";
  if (base::equals_ignoring_case(scheme.head, "odbc")) {
    return head + redact_odbc(scheme.tail);
  }
  const bool path = base::equals_ignoring_case(scheme.head, "sqlite") ||
                    base::equals_ignoring_case(scheme.head, "duckdb") ||
                    base::equals_ignoring_case(scheme.head, "files");
  if (!path || scheme.tail.starts_with("//")) {  // also with too few slashes or too many
    const std::size_t begin = std::min(scheme.tail.find_first_not_of('/'), scheme.tail.size());
    return head + std::string(scheme.tail.substr(0, begin)) +
           redact_authority(scheme.tail.substr(begin));
  }
  const Split query = split_at(scheme.tail, scheme.tail.find('?'));
  return query.found ? head + std::string(query.head) + "?" + redact_query(query.tail)
                     : std::string(url);
}

std::optional<ConnectionSettings> parse_url(std::string_view url) {
  const Split scheme = split_at(url, url.find(':'));
  if (!scheme.found) {
    return std::nullopt;
  }
  auto settings = parse(base::to_lower(scheme.head), scheme.tail);
  if (settings) {
    settings->name = redact_url(url);
  }
  return settings;
}

}  // namespace kedge::db
