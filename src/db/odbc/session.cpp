#include "db/odbc/session.h"

#include <array>
#include <cmath>

#include "base/text.h"
#include "db/failure.h"
#include "kedge/codes.h"

namespace kedge::db::odbc {
namespace {

constexpr double kConnectSeconds = 15;

bool good(SQLRETURN code) {
  return code == SQL_SUCCESS || code == SQL_SUCCESS_WITH_INFO;
}

// Values that could end their pair are put into braces.
std::string braced(const std::string& value) {
  return value.find_first_of(";{}[](),?*=!@ ") == std::string::npos
             ? value
             : "{" + base::replace_all(value, "}", "}}") + "}";
}

std::string pair(const std::string& key, const std::string& value) {
  return value.empty() ? "" : key + "=" + braced(value) + ";";
}

std::string truth(const ConnectionSettings& settings, const std::string& key) {
  const std::string value = option_of(settings, key);
  return value.empty() ? "" : value == "true" ? "yes" : value == "false" ? "no" : value;
}

std::string sqlserver_string(const ConnectionSettings& settings) {
  std::string server = option_of(settings, "host");
  if (const std::string port = option_of(settings, "port"); !port.empty()) {
    server += "," + port;
  }
  return pair("Driver", option_of(settings, "driver", "ODBC Driver 18 for SQL Server")) +
         "Server=" + server + ";" + pair("Database", option_of(settings, "database")) +
         pair("UID", option_of(settings, "user")) + pair("PWD", option_of(settings, "password")) +
         pair("Encrypt", truth(settings, "encrypt")) +
         pair("TrustServerCertificate", truth(settings, "trust_server_certificate")) + "APP=kedge;";
}

std::string connection_string(const ConnectionSettings& settings) {
  if (settings.connector == "sqlserver") {
    return sqlserver_string(settings);
  }
  std::string text = option_of(settings, "connection_string");
  if (text.empty()) {
    text = pair("DSN", option_of(settings, "dsn"));
  }
  if (!text.empty() && !text.ends_with(';')) {
    text += ';';
  }
  return text + pair("UID", option_of(settings, "user")) +
         pair("PWD", option_of(settings, "password"));
}

SQLPOINTER number(std::uintptr_t value) {
  return reinterpret_cast<SQLPOINTER>(value);
}

}  // namespace

Session::Session(ConnectionSettings settings)
    : api_(odbc::api(settings)), settings_(std::move(settings)) {
  default_seconds_ = seconds_of(settings_, "command_timeout_seconds", 0);
  api_.SQLAllocHandle(SQL_HANDLE_ENV, SQL_NULL_HANDLE, &environment_);
  api_.SQLSetEnvAttr(environment_, SQL_ATTR_ODBC_VERSION, number(SQL_OV_ODBC3), 0);
  api_.SQLAllocHandle(SQL_HANDLE_DBC, environment_, &connection_);
  try {
    connect();
  } catch (const Error&) {
    api_.SQLFreeHandle(SQL_HANDLE_DBC, connection_);
    api_.SQLFreeHandle(SQL_HANDLE_ENV, environment_);
    throw;
  }
}

Session::~Session() {
  api_.SQLDisconnect(connection_);
  api_.SQLFreeHandle(SQL_HANDLE_DBC, connection_);
  api_.SQLFreeHandle(SQL_HANDLE_ENV, environment_);
}

void Session::connect() {
  const double seconds = seconds_of(settings_, "connect_timeout_seconds", kConnectSeconds);
  const auto timeout =
      static_cast<std::uintptr_t>(std::ceil(seconds > 0 ? seconds : kConnectSeconds));
  api_.SQLSetConnectAttr(connection_, SQL_ATTR_LOGIN_TIMEOUT, number(timeout), 0);
  if (settings_.access == AccessMode::ReadOnly) {
    api_.SQLSetConnectAttr(connection_, SQL_ATTR_ACCESS_MODE, number(SQL_MODE_READ_ONLY), 0);
  }
  Wide text = to_wide(connection_string(settings_));
  const SQLRETURN code = api_.SQLDriverConnectW(connection_, nullptr, text.data(),
                                                static_cast<SQLSMALLINT>(text.size()), nullptr, 0,
                                                nullptr, SQL_DRIVER_NOPROMPT);
  if (!good(code)) {
    const Diagnosis what = diagnosis(SQL_HANDLE_DBC, connection_);
    throw_failure(settings_,
                  {codes::ERR_CONNECT,
                   "cannot connect through ODBC with connection '" + settings_.name + "'",
                   what.message,
                   what.state.starts_with("HYT") ? FailureClass::Timeout : FailureClass::Connection,
                   what.state,
                   "",
                   {}});
  }
}

std::string Session::info(SQLUSMALLINT what) const {
  std::array<SQLWCHAR, 256> text{};
  SQLSMALLINT bytes = 0;
  api_.SQLGetInfoW(connection_, what, text.data(), static_cast<SQLSMALLINT>(sizeof text), &bytes);
  const std::size_t size =
      static_cast<std::size_t>(std::max<SQLSMALLINT>(bytes, 0)) / sizeof(SQLWCHAR);
  return to_utf8(text.data(), std::min(size, text.size() - 1));
}

void Session::set_autocommit(bool on) {
  check(api_.SQLSetConnectAttr(connection_, SQL_ATTR_AUTOCOMMIT,
                               number(on ? SQL_AUTOCOMMIT_ON : SQL_AUTOCOMMIT_OFF), 0),
        SQL_HANDLE_DBC, connection_);
}

void Session::end(SQLSMALLINT how) {
  check(api_.SQLEndTran(SQL_HANDLE_DBC, connection_, how), SQL_HANDLE_DBC, connection_);
}

std::unique_ptr<Watchdog> Session::watch(SQLHSTMT statement, double seconds) {
  const std::scoped_lock lock(mutex_);
  running_ = statement;
  cancelled_ = false;
  timed_out_ = false;
  return std::make_unique<Watchdog>(seconds > 0 ? seconds : default_seconds_, [this] {
    const std::scoped_lock inner(mutex_);
    timed_out_ = true;
    if (running_ != nullptr) {
      api_.SQLCancel(running_);
    }
  });
}

void Session::unwatch() {
  const std::scoped_lock lock(mutex_);
  running_ = nullptr;
}

void Session::cancel() {
  const std::scoped_lock lock(mutex_);
  cancelled_ = true;
  if (running_ != nullptr) {
    api_.SQLCancel(running_);
  }
}

Diagnosis Session::diagnosis(SQLSMALLINT kind, SQLHANDLE handle) const {
  Diagnosis result;
  std::array<SQLWCHAR, 6> state{};
  std::array<SQLWCHAR, 1024> text{};
  for (SQLSMALLINT record = 1; record < 10; ++record) {
    SQLINTEGER native = 0;
    SQLSMALLINT size = 0;
    if (!good(api_.SQLGetDiagRecW(kind, handle, record, state.data(), &native, text.data(),
                                  static_cast<SQLSMALLINT>(text.size()), &size))) {
      break;
    }
    const std::size_t length =
        std::min<std::size_t>(static_cast<std::size_t>(size), text.size() - 1);
    const std::string words = to_utf8(text.data(), length);
    if (record == 1) {
      result.state = to_utf8(state.data(), 5);
      result.number = native;
      result.message = words;
    } else {
      result.message += "; " + words;
    }
  }
  return result;
}

void Session::check(SQLRETURN code, SQLSMALLINT kind, SQLHANDLE handle) {
  if (good(code) || code == SQL_NO_DATA) {
    return;
  }
  const Diagnosis what = diagnosis(kind, handle);
  FailureClass failure = classify(
      settings_.connector == "sqlserver" ? "sqlserver" : option_of(settings_, "dialect"), what);
  const std::scoped_lock lock(mutex_);
  if (timed_out_) {
    failure = FailureClass::Timeout;
  } else if (cancelled_) {
    failure = FailureClass::Cancelled;
  }
  throw_statement_failure(settings_, what.message, failure, what.state,
                          {"native error " + std::to_string(what.number)});
}

}  // namespace kedge::db::odbc
