#include <sqlite3.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <cstring>

#include "base/file_system.h"
#include "base/text.h"
#include "db/bulk.h"
#include "db/failure.h"
#include "db/sqlite/connector.h"
#include "db/sqlite/errors.h"
#include "db/sqlite/functions.h"
#include "db/sqlite/writer.h"
#include "kedge/codes.h"

namespace kedge::db {
namespace {

using Steady = std::chrono::steady_clock;
constexpr int kBusyMilliseconds = 5000;
constexpr int kProgressSteps = 1000;  // virtual machine steps between two looks at the clock

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

// A rough kind by sqlite's own affinity words; dialect::parse_type knows the exact rules.
schema::Type type_of(const char* declared) {
  schema::Type type;
  if (declared == nullptr) {
    return type;
  }
  type.native = declared;
  const std::string upper = base::to_upper(declared);
  const auto has = [&](std::string_view word) { return upper.find(word) != std::string::npos; };
  using schema::TypeKind;
  if (has("BOOL")) {
    type.kind = TypeKind::Boolean;
  } else if (has("TIMESTAMP") || has("DATETIME")) {
    type.kind = TypeKind::Timestamp;
  } else if (has("DATE")) {
    type.kind = TypeKind::Date;
  } else if (has("INT")) {
    type.kind = TypeKind::Int64;
  } else if (has("CHAR") || has("CLOB") || has("TEXT")) {
    type.kind = TypeKind::Text;
  } else if (has("BLOB")) {
    type.kind = TypeKind::Blob;
  } else if (has("REAL") || has("FLOA") || has("DOUB")) {
    type.kind = TypeKind::Real8;
  } else if (has("NUM") || has("DEC")) {
    type.kind = TypeKind::Numeric;
  } else {
    type.kind = TypeKind::Native;
  }
  return type;
}

Value value_at(sqlite3_stmt* statement, int column) {
  const auto size = [&] {
    return static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
  };
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    case SQLITE_TEXT: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      return std::string(text, size());
    }
    case SQLITE_BLOB: {
      const auto* bytes = static_cast<const std::byte*>(sqlite3_column_blob(statement, column));
      return Bytes(bytes, bytes + size());
    }
    default:
      return std::monostate();
  }
}

void bind(sqlite3_stmt* statement, int place, const Value& value) {
  if (const auto* truth = std::get_if<bool>(&value)) {
    sqlite3_bind_int(statement, place, *truth ? 1 : 0);
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    sqlite3_bind_int64(statement, place, *integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    sqlite3_bind_double(statement, place, *real);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    sqlite3_bind_text64(statement, place, text->data(), text->size(), SQLITE_TRANSIENT,
                        SQLITE_UTF8);
  } else if (const auto* bytes = std::get_if<Bytes>(&value)) {
    const void* data = bytes->empty() ? static_cast<const void*>("") : bytes->data();
    sqlite3_bind_blob64(statement, place, data, bytes->size(), SQLITE_TRANSIENT);
  } else {
    sqlite3_bind_null(statement, place);
  }
}

// "unable to open database file" and "disk I/O error" become useful with the system's own words.
std::string words_of(sqlite3* database) {
  std::string words = sqlite3_errmsg(database);
  const int code = sqlite3_errcode(database) & 0xff;
  const int error = sqlite3_system_errno(database);
  if ((code == SQLITE_CANTOPEN || code == SQLITE_IOERR) && error != 0) {
    words += std::string(": ") + std::strerror(error);  // NOLINT(concurrency-mt-unsafe)
  }
  return words;
}

std::vector<ResultColumn> columns_of(sqlite3_stmt* statement) {
  std::vector<ResultColumn> columns;
  const int count = sqlite3_column_count(statement);
  for (int i = 0; i < count; ++i) {
    const char* name = sqlite3_column_name(statement, i);
    const char* declared = sqlite3_column_decltype(statement, i);
    columns.push_back(
        {name == nullptr ? "" : name, type_of(declared), declared == nullptr ? "" : declared});
  }
  return columns;
}

class SqliteConnection final : public Connection, public BulkConnection {
 public:
  SqliteConnection(ConnectionSettings settings, Database database)
      : settings_(std::move(settings)), database_(std::move(database)) {
    engine_ = {schema::Dialect::Sqlite, "SQLite", sqlite3_libversion(), 3};
    default_timeout_ = seconds_of(settings_, "command_timeout_seconds", 0);
    sqlite::register_functions(database_.get());
    if (settings_.access == AccessMode::ReadOnly) {
      sqlite3_busy_timeout(database_.get(), kBusyMilliseconds);
      check_file();
    } else {  // whoever writes says how long it waits, and a busy file is a sound one
      check_file();
      sqlite3_busy_timeout(database_.get(), kBusyMilliseconds);
    }
  }

  schema::Dialect dialect() const override { return schema::Dialect::Sqlite; }
  const schema::Engine& engine() override { return engine_; }

  ResultSet query(std::string_view sql, std::span<const Value> parameters,
                  const ExecuteOptions& options) override {
    const Clocked clocked(*this, options);
    const Statement statement = prepare_one(sql);
    ResultSet result;
    if (statement == nullptr) {
      return result;
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      bind(statement.get(), static_cast<int>(i + 1), parameters[i]);
    }
    result.columns = run(statement.get(), [&](Row& row) {
      result.rows.push_back(std::move(row));
      row = Row(result.rows.back().size());
      return true;
    });
    result.affected =
        sqlite3_stmt_readonly(statement.get()) != 0 ? 0 : sqlite3_changes64(database_.get());
    return result;
  }

  std::vector<ResultColumn> stream(std::string_view sql, const RowHandler& handler,
                                   const ExecuteOptions& options) override {
    const Clocked clocked(*this, options);
    const Statement statement = prepare_one(sql);
    return statement == nullptr ? std::vector<ResultColumn>()
                                : run(statement.get(), [&](Row& row) { return handler(row); });
  }

  std::vector<ResultColumn> describe(std::string_view sql) override {
    const Clocked clocked(*this, {});
    const Statement statement = prepare_one(sql);
    return statement == nullptr ? std::vector<ResultColumn>() : columns_of(statement.get());
  }

  void execute(std::string_view sql) override {
    const Clocked clocked(*this, {});
    while (!sql.empty()) {
      const Statement statement = prepare(sql);
      if (statement != nullptr) {
        run(statement.get(), [](Row&) { return true; });
      }
    }
  }

  void begin() override {
    if (settings_.access == AccessMode::ReadOnly) {
      execute("BEGIN; SELECT 1 FROM sqlite_master LIMIT 1");  // the read takes the snapshot
    } else {
      execute("BEGIN IMMEDIATE");
    }
  }
  void commit() override { execute("COMMIT"); }
  void rollback() override { execute("ROLLBACK"); }
  bool in_transaction() const override { return sqlite3_get_autocommit(database_.get()) == 0; }

  void cancel() override {
    cancelled_ = true;
    sqlite3_interrupt(database_.get());
  }

  std::vector<ResultColumn> bulk_read(std::string_view sql, const ChunkHandler& handler,
                                      const ReadOptions& options) override {
    return read_chunks_by_row(*this, sql, handler, options);
  }
  std::unique_ptr<ChunkWriter> bulk_write(const BulkTarget& target) override {
    if (settings_.access == AccessMode::ReadOnly) {
      throw_read_only(settings_, "attempt to write a readonly database", "8");
    }
    cancelled_ = false;
    return sqlite::make_writer(database_.get(), target, [this] { fail(); });
  }

 private:
  // Sets the deadline of one call and takes it away again.
  class Clocked {
   public:
    Clocked(SqliteConnection& connection, const ExecuteOptions& options) : connection_(connection) {
      connection_.cancelled_ = false;
      connection_.timed_out_ = false;
      const double seconds =
          options.timeout_seconds > 0 ? options.timeout_seconds : connection_.default_timeout_;
      if (seconds > 0) {
        connection_.deadline_ = Steady::now() + std::chrono::duration_cast<Steady::duration>(
                                                    std::chrono::duration<double>(seconds));
        sqlite3_progress_handler(connection_.database_.get(), kProgressSteps, &Clocked::is_over,
                                 &connection_);
      }
    }
    ~Clocked() { sqlite3_progress_handler(connection_.database_.get(), 0, nullptr, nullptr); }
    Clocked(const Clocked&) = delete;
    Clocked& operator=(const Clocked&) = delete;

   private:
    static int is_over(void* object) {
      auto* connection = static_cast<SqliteConnection*>(object);
      connection->timed_out_ = Steady::now() > connection->deadline_;
      return connection->timed_out_ ? 1 : 0;
    }
    SqliteConnection& connection_;
  };

  // The first read shows a file that is no database or is cut off.
  void check_file() {
    try {
      execute("SELECT count(*) FROM sqlite_master");
    } catch (const DatabaseError& error) {
      if (error.failure() == FailureClass::Lock) {
        if (settings_.access == AccessMode::ReadOnly) {
          throw;  // it has been waited for once; every further statement would wait again
        }
        return;  // somebody is writing: the file itself is fine
      }
      throw_failure(settings_,
                    {codes::ERR_CONNECT,
                     "connection '" + settings_.name + "': '" + option_of(settings_, "path") +
                         "' cannot be read as a SQLite database",
                     error.driver_message(),
                     FailureClass::Connection,
                     error.native_code(),
                     "",
                     {}});
    }
  }

  // `sql`: what was being prepared.
  [[noreturn]] void fail(std::string_view sql = {}) {
    const int code = sqlite3_extended_errcode(database_.get());
    const std::string message = words_of(database_.get());
    const std::string native = std::to_string(code);
    if ((code & 0xff) == SQLITE_READONLY) {
      throw_read_only(settings_, message, native);
    }
    FailureClass failure = sqlite::classify(code, message);
    if (failure == FailureClass::Cancelled && timed_out_) {
      failure = FailureClass::Timeout;
    }
    const int offset = sqlite3_error_offset(database_.get());
    const bool known = offset >= 0 && static_cast<std::size_t>(offset) < sql.size();
    throw_statement_failure(
        settings_, message, failure, native, {},
        known ? base::count_code_points(sql.substr(0, static_cast<std::size_t>(offset))) + 1 : 0);
  }

  // Prepares the first statement of `sql` and leaves the rest in it. Null for blanks and comments.
  Statement prepare(std::string_view& sql) {
    sqlite3_stmt* statement = nullptr;
    const char* rest = nullptr;
    const int code = sqlite3_prepare_v3(database_.get(), sql.data(), static_cast<int>(sql.size()),
                                        0, &statement, &rest);
    Statement owner(statement);
    if (code != SQLITE_OK) {
      fail(sql);
    }
    sql.remove_prefix(static_cast<std::size_t>(rest - sql.data()));
    if (statement != nullptr && settings_.access == AccessMode::ReadOnly &&
        sqlite3_stmt_readonly(statement) == 0) {
      throw_read_only(settings_, "attempt to write a readonly database", "8");
    }
    return owner;
  }

  Statement prepare_one(std::string_view sql) {
    Statement statement = prepare(sql);
    while (!sql.empty()) {
      if (prepare(sql) != nullptr) {
        throw_statement_failure(settings_, "more than one statement where one is expected",
                                FailureClass::Other, std::to_string(SQLITE_MISUSE));
      }
    }
    return statement;
  }

  template <class Handler>
  std::vector<ResultColumn> run(sqlite3_stmt* statement, const Handler& handler) {
    // Columns are asked for after the first step: a schema change may re-prepare the statement.
    int code = sqlite3_step(statement);
    std::vector<ResultColumn> columns = columns_of(statement);
    Row row(columns.size());
    while (code == SQLITE_ROW) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        row[i] = value_at(statement, static_cast<int>(i));
      }
      if (!handler(row)) {
        return columns;
      }
      code = cancelled_ ? SQLITE_INTERRUPT : sqlite3_step(statement);
    }
    if (code == SQLITE_INTERRUPT && cancelled_) {
      throw_statement_failure(settings_, "interrupted", FailureClass::Cancelled,
                              std::to_string(SQLITE_INTERRUPT));
    }
    if (code != SQLITE_DONE) {
      fail();
    }
    return columns;
  }

  ConnectionSettings settings_;
  Database database_;
  schema::Engine engine_;
  double default_timeout_ = 0;
  Steady::time_point deadline_;
  bool timed_out_ = false;
  std::atomic<bool> cancelled_ = false;
};

class SqliteConnector final : public Connector {
 public:
  std::unique_ptr<Connection> connect(const ConnectionSettings& settings) override {
    const std::string path = option_of(settings, "path");
    if (path.empty()) {
      throw Error(codes::ERR_CONFIG, "connection '" + settings.name + "' names no file");
    }
    refuse_missing(settings, path);
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &raw, flags_of(settings.access), nullptr);
    Database database(raw);
    if (code != SQLITE_OK) {
      fail(settings, path, raw == nullptr ? sqlite3_errstr(code) : words_of(raw), code);
    }
    sqlite3_extended_result_codes(raw, 1);
    if (settings.access == AccessMode::ReadOnly) {
      sqlite3_exec(raw, "PRAGMA query_only = ON", nullptr, nullptr, nullptr);
    }
    return std::make_unique<SqliteConnection>(settings, std::move(database));
  }

 private:
  static int flags_of(AccessMode access) {
    switch (access) {
      case AccessMode::ReadOnly:
        return SQLITE_OPEN_READONLY | SQLITE_OPEN_FULLMUTEX;
      case AccessMode::ReadWrite:
        return SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX;
      case AccessMode::Create:
        return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;
    }
    return SQLITE_OPEN_READONLY;
  }

  [[noreturn]] static void fail(const ConnectionSettings& settings, const std::string& path,
                                const std::string& message, int code) {
    throw_failure(settings, {codes::ERR_CONNECT,
                             "connection '" + settings.name + "': cannot open '" + path + "'",
                             message,
                             FailureClass::Connection,
                             std::to_string(code),
                             "",
                             {}});
  }

  // sqlite says "unable to open database file" for everything; say which it is.
  static void refuse_missing(const ConnectionSettings& settings, const std::string& path) {
    struct stat info {};
    const bool exists = ::stat(path.c_str(), &info) == 0;
    if (exists && S_ISDIR(info.st_mode)) {
      fail(settings, path, "it is a folder", SQLITE_CANTOPEN);
    }
    if (exists && !S_ISREG(info.st_mode)) {  // a pipe keeps it waiting, a device looks empty
      fail(settings, path, "it is not a regular file", SQLITE_CANTOPEN);
    }
    if (exists || path == ":memory:") {
      return;
    }
    const std::string folder = base::parent_path(path);
    if (!folder.empty() && ::stat(folder.c_str(), &info) != 0) {
      fail(settings, path, "the folder '" + folder + "' does not exist", SQLITE_CANTOPEN);
    }
    if (settings.access != AccessMode::Create) {
      fail(settings, path, "the file does not exist", SQLITE_CANTOPEN);
    }
  }
};

}  // namespace

std::shared_ptr<Connector> make_sqlite_connector() {
  return std::make_shared<SqliteConnector>();
}

}  // namespace kedge::db
