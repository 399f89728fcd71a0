#include <cstdlib>

#include "base/text.h"
#include "db/failure.h"
#include "db/postgres/bulk.h"
#include "db/postgres/connector.h"
#include "db/postgres/session.h"
#include "db/postgres/types.h"
#include "kedge/codes.h"

namespace kedge::db {
namespace {

using postgres::Result;
using postgres::Session;
using postgres::TypeKey;

// Read-only cannot be left by a statement. Every transaction is READ ONLY; one whose snapshot is
// taken cannot be made READ WRITE any more, so a statement that might try (anything but a plain
// read) runs alone inside BEGIN READ ONLY and a first SELECT, statements that end a transaction are
// refused, and the session default is put back whenever the server reports it changed (14+).
class ReadOnlyGuard {
 public:
  explicit ReadOnlyGuard(Session& session)
      : session_(session), active_(session.settings().access == AccessMode::ReadOnly) {}

  void refuse_control(std::string_view sql) const {
    const std::string word = active_ ? leading_word(sql) : "";
    for (const std::string_view refused : {"COMMIT", "END", "ROLLBACK", "ABORT", "COPY"}) {
      if (word == refused) {
        throw_read_only(session_.settings(), word + " is refused on a read-only connection", "");
      }
    }
  }

  bool needs_wrap(std::string_view sql) const {
    if (!active_ || session_.pq().PQtransactionStatus(session_.raw()) != PQTRANS_IDLE) {
      return false;
    }
    const char* mode =
        session_.pq().PQparameterStatus(session_.raw(), "default_transaction_read_only");
    if (mode == nullptr) {
      return true;  // before 14 the server does not say
    }
    if (std::string_view(mode) != "on") {
      session_.run("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY");
    }
    const std::string word = leading_word(sql);
    return word != "SELECT" && word != "WITH" && word != "VALUES" && word != "TABLE" &&
           word != "SHOW";
  }

 private:
  Session& session_;
  bool active_;
};

// A statement of its own inside a read-only transaction, when one is needed.
class Wrap {
 public:
  Wrap(Session& session, bool needed) : session_(session), needed_(needed) {
    if (needed_) {
      session_.run("BEGIN READ ONLY; SELECT 1");
    }
  }
  ~Wrap() {
    if (needed_) {
      try {
        session_.start_clock(0);  // the statement's own time may be over
        session_.run("ROLLBACK");
      } catch (const Error&) {
        // The connection is lost, and with it the transaction.
      }
    }
  }
  Wrap(const Wrap&) = delete;
  Wrap& operator=(const Wrap&) = delete;
  void finish() {
    if (needed_) {
      needed_ = false;
      session_.run("COMMIT");
    }
  }

 private:
  Session& session_;
  bool needed_;
};

struct DrainAtEnd {
  Session& session;
  ~DrainAtEnd() { session.drain(); }
};

struct RawColumn {
  std::string name;
  TypeKey type;
};

class PostgresConnection final : public Connection, public BulkConnection {
 public:
  explicit PostgresConnection(const ConnectionSettings& settings)
      : session_(settings), guard_(session_) {}

  schema::Dialect dialect() const override { return schema::Dialect::Postgres; }

  const schema::Engine& engine() override {
    if (engine_.major == 0) {
      engine_.dialect = schema::Dialect::Postgres;
      engine_.product = "PostgreSQL";
      engine_.major = session_.pq().PQserverVersion(session_.raw()) / 10000;
      const char* version = session_.pq().PQparameterStatus(session_.raw(), "server_version");
      engine_.version = base::split(version == nullptr ? "" : version, ' ').front();
    }
    return engine_;
  }

  ResultSet query(std::string_view sql, std::span<const Value> parameters,
                  const ExecuteOptions& options) override {
    session_.start_clock(options.timeout_seconds);
    guard_.refuse_control(sql);
    Wrap wrap(session_, guard_.needs_wrap(sql));
    session_.send(std::string(sql), parameters);
    ResultSet set;
    std::vector<RawColumn> columns;
    while (const Result result = session_.next_checked()) {
      refuse_copy(result.get());
      columns = columns_of(result.get());
      append_rows(result.get(), columns, set.rows);
      set.affected = std::atoll(session_.pq().PQcmdTuples(result.get()));
    }
    set.affected = set.rows.empty() ? set.affected : 0;
    wrap.finish();
    set.columns = typed(columns);
    return set;
  }

  std::vector<ResultColumn> stream(std::string_view sql, const RowHandler& handler,
                                   const ExecuteOptions& options) override {
    session_.start_clock(options.timeout_seconds);
    guard_.refuse_control(sql);
    Wrap wrap(session_, guard_.needs_wrap(sql));
    std::vector<RawColumn> columns;
    explicit_transaction_ = in_transaction();
    {
      session_.send(std::string(sql), {});
      session_.pq().PQsetSingleRowMode(session_.raw());
      const DrainAtEnd drain{session_};
      columns = read_rows(handler);
    }
    wrap.finish();
    return typed(columns);
  }

  std::vector<ResultColumn> describe(std::string_view sql) override {
    return typed(describe_raw(sql));
  }

  std::vector<ResultColumn> bulk_read(std::string_view sql, const ChunkHandler& handler,
                                      const ReadOptions& options) override {
    const std::vector<RawColumn> raw = describe_raw(sql);
    std::vector<ResultColumn> columns = typed(raw);
    const std::vector<postgres::BulkColumn> bulk = bulk_columns(raw, columns);
    if (bulk.empty()) {
      return columns;
    }
    session_.start_clock(options.timeout_seconds);
    Wrap wrap(session_, guard_.needs_wrap("COPY"));
    postgres::read_bulk(session_, sql, bulk, handler, options);
    wrap.finish();
    return columns;
  }

  std::unique_ptr<ChunkWriter> bulk_write(const BulkTarget& target) override {
    guard_.refuse_control("COPY");
    std::string sql = "SELECT ";
    for (std::size_t i = 0; i < target.columns.size(); ++i) {
      sql += (i == 0 ? "" : ", ") + postgres::quoted(target.columns[i]);
    }
    sql += " FROM ";
    if (!target.table.schema.empty()) {
      sql += postgres::quoted(target.table.schema.text()) + ".";
    }
    sql += postgres::quoted(target.table.name.text());
    const std::vector<RawColumn> raw = describe_raw(sql);
    return postgres::write_bulk(session_, target, bulk_columns(raw, typed(raw)));
  }

  void execute(std::string_view sql) override {
    if (session_.settings().access == AccessMode::ReadOnly) {
      query(sql, {}, {});  // the extended protocol takes one statement only
      return;
    }
    session_.start_clock(0);
    session_.run(std::string(sql));
  }

  void begin() override {
    session_.start_clock(0);
    session_.run(session_.settings().access == AccessMode::ReadOnly
                     ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1"
                     : "BEGIN");
  }
  void commit() override {
    session_.start_clock(0);
    session_.run("COMMIT");
  }
  void rollback() override {
    session_.start_clock(0);
    session_.run("ROLLBACK");
  }
  bool in_transaction() const override {
    const PGTransactionStatusType status = session_.pq().PQtransactionStatus(session_.raw());
    return status != PQTRANS_IDLE && status != PQTRANS_UNKNOWN;
  }
  void cancel() override { session_.cancel(); }

 private:
  std::vector<RawColumn> describe_raw(std::string_view sql) {
    session_.start_clock(0);
    guard_.refuse_control(sql);
    session_.send_describe(std::string(sql));
    std::vector<RawColumn> columns;
    while (const Result result = session_.next_checked()) {
      columns = columns_of(result.get());
    }
    return columns;
  }

  static std::vector<postgres::BulkColumn> bulk_columns(const std::vector<RawColumn>& raw,
                                                        const std::vector<ResultColumn>& typed) {
    std::vector<postgres::BulkColumn> columns;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      columns.push_back({raw[i].type.oid, raw[i].type.modifier, raw[i].name, typed[i].type});
    }
    return columns;
  }

  void refuse_copy(const PGresult* result) {
    const ExecStatusType status = session_.pq().PQresultStatus(result);
    if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT) {
      if (status == PGRES_COPY_IN) {
        session_.pq().PQputCopyEnd(session_.raw(), "no data here");
      }
      session_.drain();
      throw_statement_failure(session_.settings(),
                              "COPY from or to the client is not possible here",
                              FailureClass::Other, "");
    }
  }

  std::vector<RawColumn> columns_of(const PGresult* result) const {
    const postgres::Api& pq = session_.pq();
    std::vector<RawColumn> columns;
    const int count = pq.PQnfields(result);
    for (int i = 0; i < count; ++i) {
      columns.push_back({pq.PQfname(result, i), {pq.PQftype(result, i), pq.PQfmod(result, i)}});
    }
    return columns;
  }

  void read_row(const PGresult* result, int row, const std::vector<RawColumn>& columns,
                Row& values) const {
    const postgres::Api& pq = session_.pq();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const int column = static_cast<int>(i);
      if (pq.PQgetisnull(result, row, column) != 0) {
        values[i] = std::monostate();
      } else {
        values[i] =
            postgres::value_of(columns[i].type.oid, pq.PQgetvalue(result, row, column),
                               static_cast<std::size_t>(pq.PQgetlength(result, row, column)));
      }
    }
  }

  void append_rows(const PGresult* result, const std::vector<RawColumn>& columns,
                   std::vector<Row>& rows) const {
    const int count = session_.pq().PQntuples(result);
    rows.reserve(rows.size() + static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      rows.emplace_back(columns.size());
      read_row(result, i, columns, rows.back());
    }
  }

  // Stopping early costs reading the rest inside a transaction (a cancel would abort it).
  std::vector<RawColumn> read_rows(const RowHandler& handler) {
    std::vector<RawColumn> columns;
    Row values;
    while (const Result result = session_.next_checked()) {
      session_.extend();
      refuse_copy(result.get());
      if (columns.empty()) {
        columns = columns_of(result.get());
        values.resize(columns.size());
      }
      const int count = session_.pq().PQntuples(result.get());
      for (int i = 0; i < count; ++i) {
        read_row(result.get(), i, columns, values);
        if (!handler(values)) {
          if (session_.pq().PQtransactionStatus(session_.raw()) == PQTRANS_ACTIVE &&
              !explicit_transaction_) {
            session_.cancel();
          }
          return columns;
        }
      }
    }
    return columns;
  }

  std::vector<ResultColumn> typed(const std::vector<RawColumn>& columns) {
    look_up(columns);
    std::vector<ResultColumn> result;
    for (const RawColumn& column : columns) {
      const schema::Type& type = types_[column.type];
      result.push_back({column.name, type, type.native});
    }
    return result;
  }

  // Fills the cache; types the server has to be asked for come in one query.
  void look_up(const std::vector<RawColumn>& columns) {
    std::string oids;
    std::string modifiers;
    for (const RawColumn& column : columns) {
      if (types_.contains(column.type)) {
        continue;
      }
      const auto builtin = postgres::find_builtin(column.type);
      types_[column.type] = builtin.value_or(schema::Type{});
      if (!builtin) {
        oids += (oids.empty() ? "" : ",") + std::to_string(column.type.oid);
        modifiers += (modifiers.empty() ? "" : ",") + std::to_string(column.type.modifier);
      }
    }
    if (oids.empty() || session_.pq().PQtransactionStatus(session_.raw()) == PQTRANS_INERROR) {
      return;
    }
    const Row parameters = {"{" + oids + "}", "{" + modifiers + "}"};
    for (const Row& row : query(postgres::kTypeQuery, parameters, {}).rows) {
      const TypeKey key{static_cast<std::uint32_t>(to_integer(row.at(0)).value_or(0)),
                        static_cast<int>(to_integer(row.at(1)).value_or(-1))};
      types_[key] = postgres::type_of_row(row);
    }
  }

  Session session_;
  ReadOnlyGuard guard_;
  bool explicit_transaction_ = false;  // as of the start of a stream
  schema::Engine engine_;
  std::map<TypeKey, schema::Type> types_;
};

class PostgresConnector final : public Connector {
 public:
  std::unique_ptr<Connection> connect(const ConnectionSettings& settings) override {
    return std::make_unique<PostgresConnection>(settings);
  }
};

}  // namespace

std::shared_ptr<Connector> make_postgres_connector() {
  return std::make_shared<PostgresConnector>();
}

}  // namespace kedge::db
