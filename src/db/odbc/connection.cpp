#include <array>

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

class OdbcConnection final : public Connection, public CatalogConnection {
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
