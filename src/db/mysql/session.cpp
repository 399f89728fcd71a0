#include "db/mysql/session.h"

#include <sys/socket.h>

#include <charconv>
#include <cmath>

#include "db/failure.h"
#include "db/mysql/errors.h"
#include "kedge/codes.h"

namespace kedge::db::mysql {
namespace {

constexpr double kConnectSeconds = 15;

unsigned int port_of(const ConnectionSettings& settings) {
  const std::string text = option_of(settings, "port", "0");
  unsigned int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port > 65535) {
    throw Error(codes::ERR_CONFIG, "connection '" + settings.name + "': port must be a number");
  }
  return port;
}

void set_security(const Api& api, MYSQL* connection, const ConnectionSettings& settings) {
  const std::string mode = option_of(settings, "ssl_mode");
  const bool verify = mode == "verify-ca" || mode == "verify-full" || mode == "verify_ca" ||
                      mode == "verify_identity";
  const my_bool enforce = verify || mode == "require" || mode == "required" ? 1 : 0;
  const my_bool check = verify ? 1 : 0;
  api.mysql_options(connection, MYSQL_OPT_SSL_ENFORCE, &enforce);
  api.mysql_options(connection, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &check);
  for (const auto& [key, option] :
       {std::pair("sslrootcert", MYSQL_OPT_SSL_CA), std::pair("sslcert", MYSQL_OPT_SSL_CERT),
        std::pair("sslkey", MYSQL_OPT_SSL_KEY)}) {
    if (const std::string value = option_of(settings, key); !value.empty()) {
      api.mysql_options(connection, option, value.c_str());
    }
  }
}

// Null when it cannot be made; the reason is then in the handle given back through `handle`.
bool open(const Api& api, MYSQL* connection, const ConnectionSettings& settings) {
  const double seconds = seconds_of(settings, "connect_timeout_seconds", kConnectSeconds);
  const auto timeout =
      static_cast<unsigned int>(std::ceil(seconds > 0 ? seconds : kConnectSeconds));
  const unsigned int no_local_files = 0;
  api.mysql_options(connection, MYSQL_OPT_CONNECT_TIMEOUT, &timeout);
  api.mysql_options(connection, MYSQL_OPT_LOCAL_INFILE, &no_local_files);
  api.mysql_options(connection, MYSQL_SET_CHARSET_NAME, "utf8mb4");
  set_security(api, connection, settings);
  const std::string socket = option_of(settings, "socket");
  const std::string host = socket.empty() ? option_of(settings, "host", "localhost") : "localhost";
  const std::string user = option_of(settings, "user");
  const std::string password = option_of(settings, "password");
  const std::string database = option_of(settings, "database");
  const unsigned int port = port_of(settings);
  // "localhost" with a port means TCP here, not the default socket.
  const std::string address =
      host == "localhost" && socket.empty() && port != 0 ? "127.0.0.1" : host;
  return api.mysql_real_connect(connection, address.c_str(), user.empty() ? nullptr : user.c_str(),
                                password.c_str(), database.empty() ? nullptr : database.c_str(),
                                port, socket.empty() ? nullptr : socket.c_str(), 0) != nullptr;
}

}  // namespace

Session::Session(ConnectionSettings settings)
    : api_(mysql::api(settings)), settings_(std::move(settings)) {
  default_seconds_ = seconds_of(settings_, "command_timeout_seconds", 0);
  connection_ = api_.mysql_init(nullptr);
  try {
    if (!open(api_, connection_, settings_)) {
      const unsigned int number = api_.mysql_errno(connection_);
      throw_failure(settings_,
                    {codes::ERR_CONNECT,
                     "cannot connect to MySQL with connection '" + settings_.name + "'",
                     api_.mysql_error(connection_),
                     classify(number) == FailureClass::Resource ? FailureClass::Resource
                                                                : FailureClass::Connection,
                     std::to_string(number),
                     "",
                     {}});
    }
    thread_ = api_.mysql_thread_id(connection_);
    run("SET time_zone = '+00:00'");
    if (settings_.access == AccessMode::ReadOnly) {
      run("SET SESSION TRANSACTION READ ONLY");
    }
  } catch (const Error&) {
    api_.mysql_close(connection_);
    throw;
  }
}

Session::~Session() {
  api_.mysql_close(connection_);
}

bool Session::in_transaction() const {
  unsigned int status = 0;
  api_.mariadb_get_infov(connection_, MARIADB_CONNECTION_SERVER_STATUS, &status);
  return (status & SERVER_STATUS_IN_TRANS) != 0;
}

std::unique_ptr<Watchdog> Session::start_clock(double seconds) {
  cancelled_ = false;
  timed_out_ = false;
  return std::make_unique<Watchdog>(seconds > 0 ? seconds : default_seconds_, [this] {
    timed_out_ = true;
    kill_query();
  });
}

void Session::send(std::string_view sql) {
  if (api_.mysql_real_query(connection_, sql.data(), static_cast<unsigned long>(sql.size())) != 0) {
    fail();
  }
}

void Session::run(std::string_view sql) {
  send(sql);
  while (true) {
    if (MYSQL_RES* result = api_.mysql_use_result(connection_)) {
      while (api_.mysql_fetch_row(result) != nullptr) {
      }
      const bool failed = api_.mysql_errno(connection_) != 0;
      api_.mysql_free_result(result);
      if (failed) {
        fail();
      }
    } else if (api_.mysql_field_count(connection_) != 0) {
      fail();
    }
    const int more = api_.mysql_next_result(connection_);
    if (more > 0) {
      fail();
    }
    if (more < 0) {
      return;
    }
  }
}

void Session::allow_several(bool allowed) {
  api_.mysql_set_server_option(
      connection_, allowed ? MYSQL_OPTION_MULTI_STATEMENTS_ON : MYSQL_OPTION_MULTI_STATEMENTS_OFF);
}

void Session::cancel() {
  cancelled_ = true;
  kill_query();
}

// A server that cannot even be asked to stop is cut off.
void Session::kill_query() {
  MYSQL* second = api_.mysql_init(nullptr);
  const std::string sql = "KILL QUERY " + std::to_string(thread_);
  const bool asked =
      open(api_, second, settings_) &&
      api_.mysql_real_query(second, sql.data(), static_cast<unsigned long>(sql.size())) == 0;
  api_.mysql_close(second);
  if (!asked) {
    ::shutdown(api_.mysql_get_socket(connection_), SHUT_RDWR);
  }
}

void Session::take_kill() {
  try {
    run("DO 0");
  } catch (const DatabaseError& error) {
    if (error.failure() != FailureClass::Cancelled) {
      throw;
    }
  }
}

void Session::fail() {
  fail_with(api_.mysql_errno(connection_), api_.mysql_error(connection_),
            api_.mysql_sqlstate(connection_));
}

void Session::fail(MYSQL_STMT* statement) {
  fail_with(api_.mysql_stmt_errno(statement), api_.mysql_stmt_error(statement),
            api_.mysql_stmt_sqlstate(statement));
}

void Session::fail_with(unsigned int number, const std::string& message, const std::string& state) {
  constexpr unsigned int kReadOnlyTransaction = 1792;
  constexpr unsigned int kReadOnlyServer = 1290;
  const std::string native = std::to_string(number);
  if (number == kReadOnlyTransaction || number == kReadOnlyServer) {
    throw_read_only(settings_, message, native);
  }
  FailureClass failure = classify(number);
  if (timed_out_ && (failure == FailureClass::Cancelled || failure == FailureClass::Connection)) {
    failure = FailureClass::Timeout;
  }
  throw_statement_failure(settings_, message, failure, native, {"SQLSTATE " + state});
}

}  // namespace kedge::db::mysql
