#include "db/postgres/session.h"

#include <poll.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <set>
#include <vector>

#include "base/text.h"
#include "db/failure.h"
#include "db/postgres/errors.h"
#include "kedge/codes.h"

namespace kedge::db::postgres {
namespace {

using Steady = std::chrono::steady_clock;
constexpr double kConnectSeconds = 15;
constexpr double kGraceSeconds = 5;  // for the server to answer a cancel

Steady::time_point in_seconds(double seconds) {
  return Steady::now() + std::chrono::duration_cast<Steady::duration>(
                             std::chrono::duration<double>(std::min(seconds, 1e8)));
}

int milliseconds_until(Steady::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Steady::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count() + 1, 0, 1'000'000'000));
}

// A value of the "options" start-up parameter: blanks and backslashes are escaped there.
std::string escaped_option(const std::string& text) {
  return base::replace_all(base::replace_all(text, "\\", "\\\\"), " ", "\\ ");
}

std::string session_options(const ConnectionSettings& settings) {
  std::string options = option_of(settings, "options");
  options +=
      " -c TimeZone=UTC -c DateStyle=ISO -c IntervalStyle=postgres -c bytea_output=hex "
      "-c extra_float_digits=1 -c standard_conforming_strings=on";
  if (settings.access == AccessMode::ReadOnly) {
    options += " -c default_transaction_read_only=on";
  }
  const std::string schema = option_of(settings, "schema");
  if (!schema.empty()) {
    const std::string quoted = "\"" + base::replace_all(schema, "\"", "\"\"") + "\",public";
    options += " -c search_path=" + escaped_option(quoted);
  }
  return options;
}

// Option names of connections.yml beside libpq's own keywords.
std::map<std::string, std::string> keywords_of(const ConnectionSettings& settings,
                                               const std::set<std::string>& known) {
  std::map<std::string, std::string> result;
  for (const auto& [key, value] : settings.options) {
    const std::string name = key == "database" ? "dbname" : key == "ssl_mode" ? "sslmode" : key;
    if (known.contains(name) && !value.empty()) {
      result[name] = value;
    }
  }
  result.erase("connect_timeout");
  result["options"] = session_options(settings);
  result["client_encoding"] = "UTF8";
  result.try_emplace("fallback_application_name", "kedge");
  return result;
}

std::set<std::string> known_keywords(const Api& pq) {
  std::set<std::string> names;
  PQconninfoOption* options = pq.PQconndefaults();
  for (const PQconninfoOption* option = options; option != nullptr && option->keyword != nullptr;
       ++option) {
    names.insert(option->keyword);
  }
  pq.PQconninfoFree(options);
  return names;
}

void ignore_notice(void*, const PGresult*) {}

struct Parameters {
  std::vector<std::string> texts;
  std::vector<const char*> pointers;
  std::vector<int> lengths;
  std::vector<int> formats;

  explicit Parameters(std::span<const Value> values) {
    texts.reserve(values.size());
    for (const Value& value : values) {
      const auto* bytes = std::get_if<Bytes>(&value);
      if (bytes != nullptr) {
        texts.emplace_back(reinterpret_cast<const char*>(bytes->data()), bytes->size());
      } else {
        texts.push_back(to_text(value));
      }
      pointers.push_back(is_null(value) ? nullptr : texts.back().c_str());
      lengths.push_back(static_cast<int>(texts.back().size()));
      formats.push_back(bytes == nullptr ? 0 : 1);
    }
  }
};

}  // namespace

Session::Session(ConnectionSettings settings)
    : api_(postgres::api(settings)), settings_(std::move(settings)) {
  default_seconds_ = seconds_of(settings_, "command_timeout_seconds", 0);
  try {
    connect();
  } catch (const Error&) {
    api_.PQfinish(connection_);
    throw;
  }
  api_.PQsetnonblocking(connection_, 1);
  api_.PQsetNoticeReceiver(connection_, &ignore_notice, nullptr);
  cancel_ = api_.PQgetCancel(connection_);
}

Session::~Session() {
  api_.PQfreeCancel(cancel_);
  api_.PQfinish(connection_);
}

void Session::connect() {
  const auto keywords = keywords_of(settings_, known_keywords(api_));
  std::vector<const char*> names;
  std::vector<const char*> values;
  for (const auto& [name, value] : keywords) {
    names.push_back(name.c_str());
    values.push_back(value.c_str());
  }
  names.push_back(nullptr);
  values.push_back(nullptr);
  const double seconds = seconds_of(settings_, "connect_timeout_seconds", kConnectSeconds);
  const auto deadline = in_seconds(seconds == 0 ? kConnectSeconds : seconds);
  connection_ = api_.PQconnectStartParams(names.data(), values.data(), 0);
  const auto refuse = [&](const std::string& words, FailureClass failure) {
    throw_failure(settings_,
                  {codes::ERR_CONNECT,
                   "cannot connect to PostgreSQL with connection '" + settings_.name + "'",
                   words,
                   failure,
                   "",
                   "",
                   {}});
  };
  PostgresPollingStatusType status = PGRES_POLLING_WRITING;
  while (api_.PQstatus(connection_) != CONNECTION_BAD && status != PGRES_POLLING_OK &&
         status != PGRES_POLLING_FAILED) {
    const short events = status == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    pollfd socket{api_.PQsocket(connection_), events, 0};
    const int ready = ::poll(&socket, 1, milliseconds_until(deadline));
    if (ready == 0) {
      refuse("no answer within the connect time-out", FailureClass::Timeout);
    }
    if (ready > 0) {
      status = api_.PQconnectPoll(connection_);
    }
  }
  if (api_.PQstatus(connection_) != CONNECTION_OK) {
    refuse(api_.PQerrorMessage(connection_), FailureClass::Connection);
  }
}

void Session::start_clock(double seconds) {
  seconds_ = seconds > 0 ? seconds : default_seconds_;
  cancelled_ = false;
  timed_out_ = false;
  extend();
}

void Session::extend() {
  if (seconds_ > 0 && !timed_out_) {
    deadline_ = in_seconds(seconds_);
  }
}

void Session::check_sent(int sent) {
  if (sent == 0) {
    throw_statement_failure(settings_, api_.PQerrorMessage(connection_), FailureClass::Connection,
                            "");
  }
}

void Session::send(const std::string& sql) {
  check_sent(api_.PQsendQuery(connection_, sql.c_str()));
  flush();
}

void Session::send(const std::string& sql, std::span<const Value> parameters) {
  const Parameters values(parameters);
  check_sent(api_.PQsendQueryParams(connection_, sql.c_str(), static_cast<int>(parameters.size()),
                                    nullptr, values.pointers.data(), values.lengths.data(),
                                    values.formats.data(), 0));
  flush();
}

void Session::send_describe(const std::string& sql) {
  check_sent(api_.PQsendPrepare(connection_, "", sql.c_str(), 0, nullptr));
  flush();
  while (next_checked() != nullptr) {
  }
  check_sent(api_.PQsendDescribePrepared(connection_, ""));
  flush();
}

void Session::flush() {
  while (true) {
    const int left = api_.PQflush(connection_);
    if (left == 0) {
      return;
    }
    if (left < 0) {
      fail(nullptr);
    }
    wait(POLLIN | POLLOUT);
    if (api_.PQconsumeInput(connection_) == 0) {
      fail(nullptr);
    }
  }
}

void Session::ask_to_stop() {
  std::array<char, 256> error{};
  if (cancel_ != nullptr) {
    api_.PQcancel(cancel_, error.data(), static_cast<int>(error.size()));
  }
}

void Session::wait(short events) {
  while (true) {
    pollfd socket{api_.PQsocket(connection_), events, 0};
    const int ready = ::poll(&socket, 1, seconds_ > 0 ? milliseconds_until(deadline_) : -1);
    if (ready > 0 || (ready < 0 && errno != EINTR)) {
      return;
    }
    if (ready == 0 && timed_out_) {
      throw_statement_failure(settings_, "the server does not answer", FailureClass::Timeout, "");
    }
    if (ready == 0) {
      deadline_ = in_seconds(kGraceSeconds);
      timed_out_ = true;
      ask_to_stop();
    }
  }
}

Result Session::next() {
  while (api_.PQisBusy(connection_) != 0) {
    wait(POLLIN);
    if (api_.PQconsumeInput(connection_) == 0) {
      fail(nullptr);
    }
  }
  return Result(api_.PQgetResult(connection_), ClearResult{&api_});
}

Result Session::next_checked() {
  Result result = next();
  if (result == nullptr) {
    return result;
  }
  const ExecStatusType status = api_.PQresultStatus(result.get());
  if (status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE) {
    drain();
    fail(result.get());
  }
  return result;
}

void Session::drain() {
  try {
    while (const Result result = next()) {
      const ExecStatusType status = api_.PQresultStatus(result.get());
      if (status == PGRES_COPY_IN) {
        api_.PQputCopyEnd(connection_, "stopped");
      } else if (status == PGRES_COPY_OUT) {
        char* row = nullptr;
        while (api_.PQgetCopyData(connection_, &row, 0) > 0) {
          api_.PQfreemem(row);
        }
      } else if (api_.PQstatus(connection_) == CONNECTION_BAD) {
        return;
      }
    }
  } catch (const Error&) {
    // The connection is lost; whoever uses it next is told.
  }
}

Result Session::run(const std::string& sql) {
  send(sql);
  Result last(nullptr, ClearResult{&api_});
  while (Result result = next_checked()) {
    const ExecStatusType status = api_.PQresultStatus(result.get());
    if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT) {
      if (status == PGRES_COPY_IN) {
        api_.PQputCopyEnd(connection_, "no data here");
      }
      drain();
      throw_statement_failure(settings_, "COPY from or to the client is not possible here",
                              FailureClass::Other, "");
    }
    last = std::move(result);
  }
  return last;
}

void Session::cancel() {
  cancelled_ = true;
  ask_to_stop();
}

void Session::fail(const PGresult* result) {
  const auto field = [&](int code) {
    const char* text = result == nullptr ? nullptr : api_.PQresultErrorField(result, code);
    return std::string(text == nullptr ? "" : text);
  };
  const std::string state = field(PG_DIAG_SQLSTATE);
  std::string message = field(PG_DIAG_MESSAGE_PRIMARY);
  if (message.empty()) {
    message =
        result == nullptr ? api_.PQerrorMessage(connection_) : api_.PQresultErrorMessage(result);
  }
  FailureClass failure = classify(state);
  if (failure == FailureClass::Cancelled) {
    // 57014 without our doing: the server's own statement_timeout, or somebody's pg_cancel_backend.
    const bool by_server = !cancelled_ && message.find("timeout") != std::string::npos;
    failure = timed_out_ || by_server ? FailureClass::Timeout : FailureClass::Cancelled;
  }
  if (state == "25006") {
    throw_read_only(settings_, message, state);
  }
  std::vector<std::string> details;
  for (const int code : {PG_DIAG_MESSAGE_DETAIL, PG_DIAG_MESSAGE_HINT, PG_DIAG_CONTEXT}) {
    if (std::string text = field(code); !text.empty()) {
      details.push_back(std::move(text));
    }
  }
  const std::string place = field(PG_DIAG_STATEMENT_POSITION);
  std::size_t character = 0;
  std::from_chars(place.data(), place.data() + place.size(), character);
  throw_statement_failure(settings_, message, failure, state, std::move(details), character);
}

}  // namespace kedge::db::postgres
