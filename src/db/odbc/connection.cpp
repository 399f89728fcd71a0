#include <algorithm>
#include <array>

#include "base/text.h"
#include "db/bulk.h"
#include "db/failure.h"
#include "db/odbc/catalog.h"
#include "db/odbc/connector.h"
#include "db/odbc/session.h"
#include "db/sql_text.h"
#include "kedge/codes.h"

namespace kedge::db {
namespace {

using odbc::Session;
using odbc::Statement;

// No driver keeps its promise of read-only alone. So only plain reads are let through, one at a
// time, and each runs in a transaction that is rolled back.
constexpr std::array<std::string_view, 8> kReads = {"SELECT",  "WITH", "SHOW",   "DESCRIBE",
                                                    "EXPLAIN", "DESC", "VALUES", "TABLE"};

std::string quoted(const std::string& name) {
  return "\"" + base::replace_all(name, "\"", "\"\"") + "\"";
}

// Prepared INSERTs of many rows at a time (900 values: what the narrowest of the known servers
// takes), inside a transaction of its own when there is none.
class Writer final : public ChunkWriter {
 public:
  Writer(Session& session, Connection& connection, const BulkTarget& target)
      : session_(session), connection_(connection), columns_(target.columns.size()) {
    head_ = "INSERT INTO ";
    if (!target.table.schema.empty()) {
      head_ += quoted(target.table.schema.text()) + ".";
    }
    head_ += quoted(target.table.name.text()) + " (";
    for (std::size_t i = 0; i < columns_; ++i) {
      head_ += (i == 0 ? "" : ", ") + quoted(target.columns[i]);
    }
    head_ += ") VALUES ";
    // Oracle knows no INSERT of several rows.
    const bool single = connection.engine().product.starts_with("Oracle");
    most_ = single ? 1 : std::max<std::size_t>(1, 900 / std::max<std::size_t>(columns_, 1));
    prepare(most_);
    own_transaction_ = !connection_.in_transaction();
    if (own_transaction_) {
      connection_.begin();
    }
  }
  ~Writer() override {
    if (own_transaction_) {
      try {
        connection_.rollback();
      } catch (const Error&) {
        // The connection is lost: the server has rolled back.
      }
    }
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void write(const Chunk& chunk) override {
    Row values;
    for (std::size_t begin = 0; begin < chunk.rows; begin += most_) {
      const std::size_t count = std::min(most_, chunk.rows - begin);
      values.clear();
      for (std::size_t row = begin; row < begin + count; ++row) {
        for (const ColumnChunk& column : chunk.columns) {
          values.push_back(value_at(column, row));
        }
      }
      if (count != prepared_) {
        prepare(count);
      }
      statement_->execute_prepared(values);
      rows_ += static_cast<std::int64_t>(count);
    }
  }

  std::int64_t finish() override {
    if (own_transaction_) {
      own_transaction_ = false;
      connection_.commit();
    }
    return rows_;
  }

 private:
  void prepare(std::size_t rows) {
    std::string places;
    for (std::size_t i = 0; i < columns_; ++i) {
      places += i == 0 ? "(?" : ", ?";
    }
    std::string sql = head_;
    for (std::size_t i = 0; i < rows; ++i) {
      sql += (i == 0 ? "" : ", ") + places + ")";
    }
    statement_ = std::make_unique<Statement>(session_, 0);
    statement_->prepare(sql);
    prepared_ = rows;
  }

  Session& session_;
  Connection& connection_;
  std::size_t columns_;
  std::string head_;
  std::size_t most_ = 1;  // rows of one statement
  std::size_t prepared_ = 0;
  std::unique_ptr<Statement> statement_;
  bool own_transaction_ = false;
  std::int64_t rows_ = 0;
};

class OdbcConnection final : public Connection, public CatalogConnection, public BulkConnection {
 public:
  explicit OdbcConnection(const ConnectionSettings& settings) : session_(settings) {
    read_only_ = settings.access == AccessMode::ReadOnly;
    if (read_only_) {
      session_.set_autocommit(false);
    }
  }

  schema::Dialect dialect() const override { return schema::Dialect::Ansi; }

  const schema::Engine& engine() override {
    if (engine_.product.empty()) {
      engine_.product = session_.info(SQL_DBMS_NAME);
      engine_.version = session_.info(SQL_DBMS_VER);
      engine_.major = std::atoi(engine_.version.c_str());
    }
    return engine_;
  }

  ResultSet query(std::string_view sql, std::span<const Value> parameters,
                  const ExecuteOptions& options) override {
    ResultSet set;
    set.columns = read(sql, parameters, options, set.affected, [&](const Row& row) {
      set.rows.push_back(row);
      return true;
    });
    return set;
  }

  std::vector<ResultColumn> stream(std::string_view sql, const RowHandler& handler,
                                   const ExecuteOptions& options) override {
    std::int64_t affected = 0;
    return read(sql, {}, options, affected, handler);
  }

  // Not every driver describes a statement that has not run: then its first rows are not fetched.
  std::vector<ResultColumn> describe(std::string_view sql) override {
    refuse_writing(sql);
    const EndRead end(*this);
    Statement statement(session_, 0);
    statement.prepare(sql);
    std::vector<ResultColumn> columns = statement.columns();
    if (columns.empty()) {
      Statement second(session_, 0);
      second.execute("SELECT * FROM (" + without_semicolon(sql) + "\n) q WHERE 1 = 0");
      columns = second.columns();
    }
    return columns;
  }

  void execute(std::string_view sql) override {
    refuse_writing(sql);
    const EndRead end(*this);
    Statement statement(session_, 0);
    statement.execute(sql);
    while (statement.next_result()) {
    }
  }

  void begin() override {
    if (!read_only_) {
      session_.set_autocommit(false);
    }
    in_transaction_ = true;
  }
  void commit() override { finish(SQL_COMMIT); }
  void rollback() override { finish(SQL_ROLLBACK); }
  bool in_transaction() const override { return in_transaction_; }
  void cancel() override { session_.cancel(); }

  std::vector<ResultColumn> bulk_read(std::string_view sql, const ChunkHandler& handler,
                                      const ReadOptions& options) override {
    return read_chunks_by_row(*this, sql, handler, options);
  }
  std::unique_ptr<ChunkWriter> bulk_write(const BulkTarget& target) override {
    refuse_writing("INSERT");
    return std::make_unique<Writer>(session_, *this, target);
  }

  schema::Schema read_catalog(const CatalogScope& scope) override {
    const EndRead end(*this);
    schema::Schema shape = odbc::read_catalog(session_, scope);
    shape.engine = engine();
    return shape;
  }

 private:
  // Ends the transaction of a single read-only statement.
  struct EndRead {
    explicit EndRead(OdbcConnection& owner) : connection(owner) {}
    ~EndRead() {
      if (connection.read_only_ && !connection.in_transaction_) {
        try {
          connection.session_.end(SQL_ROLLBACK);
        } catch (const Error&) {
          // The connection is lost, and with it the transaction.
        }
      }
    }
    EndRead(const EndRead&) = delete;
    EndRead& operator=(const EndRead&) = delete;
    OdbcConnection& connection;
  };

  void finish(SQLSMALLINT how) {
    in_transaction_ = false;
    session_.end(read_only_ ? SQL_ROLLBACK : how);
    if (!read_only_) {
      session_.set_autocommit(true);
    }
  }

  void refuse_writing(std::string_view sql) const {
    if (!read_only_) {
      return;
    }
    const std::string word = leading_word(sql);
    bool reads = false;
    for (const std::string_view read : kReads) {
      reads = reads || word == read;
    }
    if (!reads || !is_single_statement(sql)) {
      throw_read_only(session_.settings(), "only one plain read at a time is let through", "");
    }
  }

  template <class Handler>
  std::vector<ResultColumn> read(std::string_view sql, std::span<const Value> parameters,
                                 const ExecuteOptions& options, std::int64_t& affected,
                                 const Handler& handler) {
    refuse_writing(sql);
    const EndRead end(*this);
    Statement statement(session_, options.timeout_seconds);
    if (parameters.empty()) {
      statement.execute(sql);
    } else {
      statement.execute(sql, parameters);
    }
    std::vector<ResultColumn> columns = statement.columns();
    if (columns.empty()) {
      affected = statement.affected();
      return columns;
    }
    Row row;
    while (statement.fetch(row)) {
      if (!handler(row)) {
        break;
      }
    }
    return columns;
  }

  Session session_;
  schema::Engine engine_;
  bool read_only_ = false;
  bool in_transaction_ = false;
};

class OdbcConnector final : public Connector {
 public:
  std::unique_ptr<Connection> connect(const ConnectionSettings& settings) override {
    if (settings.connector == "odbc" && option_of(settings, "dsn").empty() &&
        option_of(settings, "connection_string").empty()) {
      throw Error(codes::ERR_CONFIG,
                  "connection '" + settings.name + "' has neither a dsn nor a connection_string");
    }
    return std::make_unique<OdbcConnection>(settings);
  }
};

}  // namespace

std::shared_ptr<Connector> make_odbc_connector() {
  return std::make_shared<OdbcConnector>();
}
std::shared_ptr<Connector> make_sqlserver_connector() {
  return std::make_shared<OdbcConnector>();
}

}  // namespace kedge::db
