#include "db/duckdb/session.h"

#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "base/file_system.h"
#include "db/duckdb/errors.h"
#include "db/duckdb/functions.h"
#include "db/failure.h"
#include "db/watchdog.h"
#include "kedge/codes.h"

namespace kedge::db::duckdb {
namespace {

duckdb_instance_cache instance_cache(const Api& api) {
  static duckdb_instance_cache cache = api.create_instance_cache();
  return cache;
}

// Another session of this process is just closing the file as its last user.
constexpr int kCloseAttempts = 500;
constexpr std::chrono::milliseconds kClosePause{10};
bool is_closing(const std::string& words) {
  return words.find("Unique file handle conflict") != std::string::npos;
}

[[noreturn]] void fail_open(const ConnectionSettings& settings, const std::string& path,
                            const std::string& words, FailureClass failure) {
  throw_failure(settings, {codes::ERR_CONNECT,
                           "connection '" + settings.name + "': cannot open '" + path + "'",
                           words,
                           failure,
                           kind_of(words),
                           "",
                           {}});
}

// A missing file is never made except in AccessMode::Create, a missing folder never.
void refuse_missing(const ConnectionSettings& settings, const std::string& path) {
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) {
    fail_open(settings, path, "it is a folder", FailureClass::Connection);
  }
  if (exists && !S_ISREG(info.st_mode)) {  // a pipe would keep it waiting
    fail_open(settings, path, "it is not a regular file", FailureClass::Connection);
  }
  if (exists || path == ":memory:") {
    return;
  }
  const std::string folder = base::parent_path(path);
  if (!folder.empty() && ::stat(folder.c_str(), &info) != 0) {
    fail_open(settings, path, "the folder '" + folder + "' does not exist",
              FailureClass::Connection);
  }
  if (settings.access != AccessMode::Create) {
    fail_open(settings, path, "the file does not exist", FailureClass::Connection);
  }
}

// What a read-only connection runs: the file is protected by access_mode, this protects everything
// else (COPY and EXPORT write files, ATTACH could open others for writing).
bool may_run_read_only(duckdb_statement_type type) {
  switch (static_cast<int>(type)) {
    case DUCKDB_STATEMENT_TYPE_SELECT:
    case DUCKDB_STATEMENT_TYPE_EXPLAIN:
    case DUCKDB_STATEMENT_TYPE_PRAGMA:
    case DUCKDB_STATEMENT_TYPE_TRANSACTION:
    case DUCKDB_STATEMENT_TYPE_VARIABLE_SET:
    case DUCKDB_STATEMENT_TYPE_SET:
    case DUCKDB_STATEMENT_TYPE_CALL:
    case DUCKDB_STATEMENT_TYPE_RELATION:
      return true;
    default:
      return false;
  }
}

}  // namespace

Session::Session(ConnectionSettings settings)
    : api_(duckdb::api(settings)), settings_(std::move(settings)) {
  default_seconds_ = seconds_of(settings_, "command_timeout_seconds", 0);
  open();
}

Session::~Session() {
  api_.disconnect(&connection_);
  api_.close(&database_);
}

void Session::open() {
  const std::string path = option_of(settings_, "path");
  if (path.empty()) {
    throw Error(codes::ERR_CONFIG, "connection '" + settings_.name + "' names no file");
  }
  refuse_missing(settings_, path);
  duckdb_config config = nullptr;
  api_.create_config(&config);
  const bool memory = path == ":memory:";
  const bool read_only = settings_.access == AccessMode::ReadOnly && !memory;
  api_.set_config(config, "access_mode", read_only ? "READ_ONLY" : "READ_WRITE");
  api_.set_config(config, "autoinstall_known_extensions", "false");
  api_.set_config(config, "autoload_known_extensions", "false");
  std::string words;
  duckdb_state state = DuckDBError;
  for (int attempt = 0; attempt < kCloseAttempts; ++attempt) {
    char* error = nullptr;
    state = api_.get_or_create_from_cache(instance_cache(api_), memory ? "" : path.c_str(),
                                          &database_, config, &error);
    words = error == nullptr ? "" : error;
    api_.free(error);
    if (state == DuckDBSuccess || !is_closing(words)) {
      break;
    }
    std::this_thread::sleep_for(kClosePause);
  }
  api_.destroy_config(&config);
  if (state != DuckDBSuccess || api_.connect(database_, &connection_) != DuckDBSuccess) {
    api_.close(&database_);
    const FailureClass failure = classify(words);
    fail_open(settings_, path, words,
              failure == FailureClass::Lock ? failure : FailureClass::Connection);
  }
  if (path.starts_with(":memory:")) {
    register_functions(api_, connection_);
  }
  try {
    each_statement("SET TimeZone = 'UTC'", [&](Statement& statement) {
      run(
          statement, 0, [](const Outcome&) {}, [](duckdb_data_chunk, std::size_t) { return true; });
    });
  } catch (const Error&) {
    api_.disconnect(&connection_);
    api_.close(&database_);
    throw;
  }
}

void Session::cancel() {
  cancelled_ = true;
  api_.interrupt(connection_);
}

void Session::fail(const std::string& message) {
  FailureClass failure = classify(message);
  if (failure == FailureClass::Cancelled && timed_out_) {
    failure = FailureClass::Timeout;
  }
  if (is_read_only_refusal(message)) {
    throw_read_only(settings_, message, kind_of(message));
  }
  throw_statement_failure(settings_, message, failure, kind_of(message));
}

void Session::refuse_writing(Statement& statement) {
  if (settings_.access == AccessMode::ReadOnly &&
      !may_run_read_only(api_.prepared_statement_type(statement.raw()))) {
    throw_read_only(settings_, "this kind of statement is refused on a read-only connection", "");
  }
}

std::unique_ptr<Statement> Session::prepare_extracted(duckdb_extracted_statements statements,
                                                      idx_t index) {
  duckdb_prepared_statement raw = nullptr;
  const duckdb_state state = api_.prepare_extracted_statement(connection_, statements, index, &raw);
  auto statement = std::make_unique<Statement>(api_, raw);
  if (state != DuckDBSuccess) {
    const char* words = api_.prepare_error(raw);
    fail(words == nullptr ? "the statement cannot be prepared" : words);
  }
  refuse_writing(*statement);
  return statement;
}

namespace {
struct Extracted {
  const Api& api;
  duckdb_extracted_statements statements = nullptr;
  ~Extracted() { api.destroy_extracted(&statements); }
};
}  // namespace

void Session::each_statement(std::string_view sql, const std::function<void(Statement&)>& use) {
  Extracted extracted{api_};
  const idx_t count =
      api_.extract_statements(connection_, std::string(sql).c_str(), &extracted.statements);
  const char* words = api_.extract_statements_error(extracted.statements);
  if (count == 0 && words != nullptr) {
    fail(words);
  }
  for (idx_t i = 0; i < count; ++i) {
    const auto statement = prepare_extracted(extracted.statements, i);
    use(*statement);
  }
}

std::unique_ptr<Statement> Session::prepare_one(std::string_view sql) {
  Extracted extracted{api_};
  const idx_t count =
      api_.extract_statements(connection_, std::string(sql).c_str(), &extracted.statements);
  const char* words = api_.extract_statements_error(extracted.statements);
  if (count == 0 && words != nullptr) {
    fail(words);
  }
  if (count > 1) {
    fail("Invalid Input Error: more than one statement where one is expected");
  }
  return count == 0 ? nullptr : prepare_extracted(extracted.statements, 0);
}

namespace {

struct Pending {
  const Api& api;
  duckdb_pending_result result = nullptr;
  ~Pending() { api.destroy_pending(&result); }
};

struct Result {
  const Api& api;
  duckdb_result result{};
  ~Result() { api.destroy_result(&result); }
};

struct Chunk {
  const Api& api;
  duckdb_data_chunk chunk;
  ~Chunk() { api.destroy_data_chunk(&chunk); }
};

Session::Outcome outcome_of(const Api& api, duckdb_result& result) {
  Session::Outcome outcome;
  const idx_t columns = api.column_count(&result);
  for (idx_t i = 0; i < columns; ++i) {
    outcome.names.emplace_back(api.column_name(&result, i));
    duckdb_logical_type type = api.column_logical_type(&result, i);
    outcome.shapes.push_back(shape_of(api, type));
    api.destroy_logical_type(&type);
  }
  outcome.affected = static_cast<std::int64_t>(api.rows_changed(&result));
  return outcome;
}

}  // namespace

Session::Outcome Session::run(Statement& statement, double seconds,
                              const std::function<void(const Outcome&)>& start,
                              const DataHandler& handler) {
  cancelled_ = false;
  timed_out_ = false;
  const Watchdog watchdog(seconds > 0 ? seconds : default_seconds_, [this] {
    timed_out_ = true;
    api_.interrupt(connection_);
  });
  Pending pending{api_};
  if (api_.pending_prepared_streaming(statement.raw(), &pending.result) != DuckDBSuccess) {
    const char* words = api_.pending_error(pending.result);
    fail(words == nullptr ? "the statement cannot be run" : words);
  }
  Result result{api_};
  const duckdb_state state = api_.execute_pending(pending.result, &result.result);
  check(state, result.result);
  if (api_.prepared_statement_type(statement.raw()) == DUCKDB_STATEMENT_TYPE_TRANSACTION) {
    in_transaction_ = !in_transaction_;  // BEGIN inside one and COMMIT outside of one fail
  }
  const Outcome outcome = outcome_of(api_, result.result);
  start(outcome);
  deliver(result.result, handler);
  return outcome;
}

void Session::check(duckdb_state state, duckdb_result& result) {
  const char* words = api_.result_error(&result);
  if (state != DuckDBSuccess || (words != nullptr && *words != '\0')) {
    fail(words == nullptr ? "the statement failed" : words);
  }
}

void Session::deliver(duckdb_result& result, const DataHandler& handler) {
  while (true) {
    const Chunk chunk{api_, api_.fetch_chunk(result)};
    const std::size_t rows = chunk.chunk == nullptr ? 0 : api_.data_chunk_get_size(chunk.chunk);
    if (rows == 0) {
      check(DuckDBSuccess, result);
      return;
    }
    if (!handler(chunk.chunk, rows)) {
      return;
    }
    if (cancelled_ || timed_out_) {
      fail("INTERRUPT Error: Interrupted!");
    }
  }
}

}  // namespace kedge::db::duckdb
