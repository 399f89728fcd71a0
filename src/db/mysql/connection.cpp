#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/text.h"
#include "db/failure.h"
#include "db/mysql/connector.h"
#include "db/mysql/parameters.h"
#include "db/mysql/session.h"
#include "db/mysql/types.h"
#include "db/mysql/writer.h"

namespace kedge::db {
namespace {

using mysql::Session;

// In a read-only session a statement could only escape by changing the session or by starting
// another transaction, directly or in a routine. So nothing but plain reads is let through.
constexpr std::array<std::string_view, 8> kReads = {"SELECT",  "WITH", "SHOW",   "DESCRIBE",
                                                    "EXPLAIN", "DESC", "VALUES", "TABLE"};

// "SHOW CREATE TABLE `d`.`a`; SHOW CREATE TABLE `d`.`b`": the one text of several statements that
// is let through in a read-only session, since the server tells of one table a statement.
bool is_list_of_tables(std::string_view sql) {
  constexpr std::string_view kShow = "SHOW CREATE TABLE ";
  bool several = false;
  while (sql.starts_with(kShow)) {
    sql.remove_prefix(kShow.size());
    for (bool quoted = false; !sql.empty() && (quoted || sql.front() != ';');) {
      if (!quoted && sql.front() != '`' && sql.front() != '.') {
        return false;
      }
      quoted = (sql.front() == '`') != quoted;
      sql.remove_prefix(1);
    }
    if (sql.empty()) {
      return several;
    }
    several = true;
    sql.remove_prefix(std::min<std::size_t>(sql.size(), 2));
  }
  return false;
}

struct FreeResult {
  const mysql::Api* api = nullptr;
  void operator()(MYSQL_RES* result) const { api->mysql_free_result(result); }
};
using Result = std::unique_ptr<MYSQL_RES, FreeResult>;

struct CloseStatement {
  const mysql::Api* api = nullptr;
  void operator()(MYSQL_STMT* statement) const { api->mysql_stmt_close(statement); }
};
using Statement = std::unique_ptr<MYSQL_STMT, CloseStatement>;

std::vector<ResultColumn> columns_of(std::span<const MYSQL_FIELD> fields) {
  std::vector<ResultColumn> columns;
  for (const MYSQL_FIELD& field : fields) {
    schema::Type type = mysql::type_of(field);
    std::string native = type.native;
    columns.push_back(
        {std::string(field.name, field.name_length), std::move(type), std::move(native)});
  }
  return columns;
}

class MysqlConnection final : public Connection, public BulkConnection {
 public:
  explicit MysqlConnection(const ConnectionSettings& settings) : session_(settings) {}

  schema::Dialect dialect() const override { return schema::Dialect::Mysql; }

  const schema::Engine& engine() override {
    if (engine_.major == 0) {
      // 5.5.5-10.11.6-MariaDB-1 or 8.0.36-0ubuntu0
      std::string version = session_.api().mysql_get_server_info(session_.raw());
      const bool maria = version.find("MariaDB") != std::string::npos;
      if (maria && version.starts_with("5.5.5-")) {
        version.erase(0, 6);
      }
      version = version.substr(0, version.find('-'));
      engine_ = {schema::Dialect::Mysql, maria ? "MariaDB" : "MySQL", version,
                 std::atoi(version.c_str())};
    }
    return engine_;
  }

  ResultSet query(std::string_view sql, std::span<const Value> parameters,
                  const ExecuteOptions& options) override {
    refuse_writing(sql);
    const auto clock = session_.start_clock(options.timeout_seconds);
    ResultSet set;
    const auto keep = [&](Row& row) {
      set.rows.push_back(row);
      return true;
    };
    set.columns = parameters.empty() ? read(sql, keep, set.affected)
                                     : read_prepared(sql, parameters, keep, set.affected);
    return set;
  }

  std::vector<ResultColumn> stream(std::string_view sql, const RowHandler& handler,
                                   const ExecuteOptions& options) override {
    refuse_writing(sql);
    const auto clock = session_.start_clock(options.timeout_seconds);
    std::int64_t affected = 0;
    return read(
        sql, [&](Row& row) { return handler(row); }, affected);
  }

  std::vector<ResultColumn> describe(std::string_view sql) override {
    refuse_writing(sql);
    const auto clock = session_.start_clock(0);
    const Statement statement = prepare(sql);
    const Result metadata(session_.api().mysql_stmt_result_metadata(statement.get()),
                          FreeResult{&session_.api()});
    return metadata == nullptr ? std::vector<ResultColumn>()
                               : columns_of(fields_of(metadata.get()));
  }

  void execute(std::string_view sql) override {
    refuse_writing(sql);
    const auto clock = session_.start_clock(0);
    if (session_.settings().access == AccessMode::ReadOnly) {
      session_.run(sql);
      return;
    }
    const Several several(session_);
    session_.run(sql);
  }

  void begin() override {
    const auto clock = session_.start_clock(0);
    session_.run(session_.settings().access == AccessMode::ReadOnly
                     ? "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"
                     : "START TRANSACTION");
  }
  void commit() override { finish("COMMIT"); }
  void rollback() override { finish("ROLLBACK"); }
  bool in_transaction() const override { return session_.in_transaction(); }
  void cancel() override { session_.cancel(); }

  std::vector<ResultColumn> bulk_read(std::string_view sql, const ChunkHandler& handler,
                                      const ReadOptions& options) override {
    return read_chunks_by_row(*this, sql, handler, options);
  }
  std::unique_ptr<ChunkWriter> bulk_write(const BulkTarget& target) override {
    refuse_writing("INSERT");
    std::string sql = "SELECT ";
    for (std::size_t i = 0; i < target.columns.size(); ++i) {
      sql += (i == 0 ? "" : ", ") + mysql::quoted(target.columns[i]);
    }
    sql += " FROM ";
    if (!target.table.schema.empty()) {
      sql += mysql::quoted(target.table.schema.text()) + ".";
    }
    sql += mysql::quoted(target.table.name.text());
    return mysql::make_writer(session_, target, describe(sql));
  }

 private:
  struct Several {
    Session& session;
    explicit Several(Session& s) : session(s) { session.allow_several(true); }
    ~Several() { session.allow_several(false); }
    Several(const Several&) = delete;
    Several& operator=(const Several&) = delete;
  };

  void finish(std::string_view sql) {
    const auto clock = session_.start_clock(0);
    session_.run(sql);
  }

  void refuse_writing(std::string_view sql) const {
    if (session_.settings().access != AccessMode::ReadOnly) {
      return;
    }
    const std::string word = leading_word(sql);
    for (const std::string_view read : kReads) {
      if (word == read) {
        return;
      }
    }
    throw_read_only(session_.settings(),
                    "only plain reads are let through on a read-only connection", "");
  }

  std::span<const MYSQL_FIELD> fields_of(MYSQL_RES* result) const {
    return {session_.api().mysql_fetch_fields(result), session_.api().mysql_num_fields(result)};
  }

  template <class Handler>
  std::vector<ResultColumn> read(std::string_view sql, const Handler& handler,
                                 std::int64_t& affected) {
    const mysql::Api& api = session_.api();
    const bool is_list = is_list_of_tables(sql);
    const std::optional<Several> several =
        is_list ? std::make_optional<Several>(session_) : std::nullopt;
    session_.send(sql);
    std::vector<ResultColumn> columns = read_result(handler, affected);
    while (api.mysql_more_results(session_.raw()) != 0) {
      if (api.mysql_next_result(session_.raw()) > 0) {
        session_.fail();
      }
      if (is_list) {
        read_result(handler, affected);
      } else {  // a procedure call gives a status after its result sets
        const Result rest(api.mysql_use_result(session_.raw()), FreeResult{&api});
      }
    }
    return columns;
  }

  template <class Handler>
  std::vector<ResultColumn> read_result(const Handler& handler, std::int64_t& affected) {
    const mysql::Api& api = session_.api();
    Result result(api.mysql_use_result(session_.raw()), FreeResult{&api});
    if (result == nullptr) {
      if (api.mysql_field_count(session_.raw()) != 0) {
        session_.fail();
      }
      affected = static_cast<std::int64_t>(api.mysql_affected_rows(session_.raw()));
      return {};
    }
    const auto fields = fields_of(result.get());
    Row row(fields.size());
    while (MYSQL_ROW cells = api.mysql_fetch_row(result.get())) {
      const unsigned long* sizes = api.mysql_fetch_lengths(result.get());
      for (std::size_t i = 0; i < fields.size(); ++i) {
        row[i] = cells[i] == nullptr ? Value() : mysql::value_of(fields[i], cells[i], sizes[i]);
      }
      if (!handler(row)) {
        session_.kill_query();  // freeing the result would read all the rest
        std::vector<ResultColumn> columns = columns_of(fields);
        result.reset();
        session_.take_kill();
        return columns;
      }
    }
    if (api.mysql_errno(session_.raw()) != 0) {
      session_.fail();
    }
    return columns_of(fields);
  }

  Statement prepare(std::string_view sql) {
    Statement statement(session_.api().mysql_stmt_init(session_.raw()),
                        CloseStatement{&session_.api()});
    if (session_.api().mysql_stmt_prepare(statement.get(), sql.data(),
                                          static_cast<unsigned long>(sql.size())) != 0) {
      session_.fail(statement.get());
    }
    return statement;
  }

  template <class Handler>
  std::vector<ResultColumn> read_prepared(std::string_view sql, std::span<const Value> parameters,
                                          const Handler& handler, std::int64_t& affected) {
    const mysql::Api& api = session_.api();
    const Statement statement = prepare(sql);
    if (api.mysql_stmt_param_count(statement.get()) != parameters.size()) {
      throw_statement_failure(session_.settings(), "wrong number of parameters",
                              FailureClass::Other, "2031");
    }
    mysql::Parameters bound(parameters);
    if (api.mysql_stmt_bind_param(statement.get(), bound.data()) != 0 ||
        api.mysql_stmt_execute(statement.get()) != 0) {
      session_.fail(statement.get());
    }
    const Result metadata(api.mysql_stmt_result_metadata(statement.get()), FreeResult{&api});
    if (metadata == nullptr) {
      affected = static_cast<std::int64_t>(api.mysql_stmt_affected_rows(statement.get()));
      return {};
    }
    const auto fields = fields_of(metadata.get());
    fetch_rows(statement.get(), fields, handler);
    return columns_of(fields);
  }

  // Every cell is fetched as text: first its length, then the cell itself.
  template <class Handler>
  void fetch_rows(MYSQL_STMT* statement, std::span<const MYSQL_FIELD> fields,
                  const Handler& handler) {
    const mysql::Api& api = session_.api();
    std::vector<MYSQL_BIND> binds(fields.size());
    std::vector<unsigned long> sizes(fields.size());
    std::vector<char> nulls(fields.size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
      std::memset(&binds[i], 0, sizeof binds[i]);
      binds[i].buffer_type = MYSQL_TYPE_STRING;
      binds[i].length = &sizes[i];
      binds[i].is_null = &nulls[i];
    }
    if (api.mysql_stmt_bind_result(statement, binds.data()) != 0) {
      session_.fail(statement);
    }
    Row row(fields.size());
    std::string text;
    while (true) {
      const int state = api.mysql_stmt_fetch(statement);
      if (state == MYSQL_NO_DATA) {
        return;
      }
      if (state != 0 && state != MYSQL_DATA_TRUNCATED) {
        session_.fail(statement);
      }
      for (std::size_t i = 0; i < fields.size(); ++i) {
        row[i] = nulls[i] != 0 ? Value() : cell(statement, fields[i], i, sizes[i], text);
      }
      handler(row);
    }
  }

  Value cell(MYSQL_STMT* statement, const MYSQL_FIELD& field, std::size_t column,
             unsigned long size, std::string& text) {
    text.resize(size + 1);
    MYSQL_BIND bind;
    std::memset(&bind, 0, sizeof bind);
    if (field.type == MYSQL_TYPE_DOUBLE || field.type == MYSQL_TYPE_FLOAT) {
      return real(statement, column, bind);  // as text the client rounds it
    }
    bind.buffer_type = field.type == MYSQL_TYPE_BIT ? MYSQL_TYPE_BLOB : MYSQL_TYPE_STRING;
    bind.buffer = text.data();
    bind.buffer_length = size + 1;
    unsigned long real_size = 0;
    bind.length = &real_size;
    if (session_.api().mysql_stmt_fetch_column(statement, &bind, static_cast<unsigned int>(column),
                                               0) != 0) {
      session_.fail(statement);
    }
    return mysql::value_of(field, text.data(), real_size);
  }

  Value real(MYSQL_STMT* statement, std::size_t column, MYSQL_BIND& bind) {
    double value = 0;
    bind.buffer_type = MYSQL_TYPE_DOUBLE;
    bind.buffer = &value;
    if (session_.api().mysql_stmt_fetch_column(statement, &bind, static_cast<unsigned int>(column),
                                               0) != 0) {
      session_.fail(statement);
    }
    return value;
  }

  Session session_;
  schema::Engine engine_;
};

class MysqlConnector final : public Connector {
 public:
  std::unique_ptr<Connection> connect(const ConnectionSettings& settings) override {
    return std::make_unique<MysqlConnection>(settings);
  }
};

}  // namespace

std::shared_ptr<Connector> make_mysql_connector() {
  return std::make_shared<MysqlConnector>();
}

}  // namespace kedge::db
