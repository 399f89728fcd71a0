#include "db/mysql/writer.h"

#include <algorithm>

#include "base/text.h"
#include "db/mysql/parameters.h"

namespace kedge::db::mysql {
namespace {

constexpr std::size_t kMostRows = 500;
constexpr std::size_t kMostPlaces = 65'000;  // the protocol counts them in 16 bits

struct CloseStatement {
  const Api* api = nullptr;
  void operator()(MYSQL_STMT* statement) const { api->mysql_stmt_close(statement); }
};
using Prepared = std::unique_ptr<MYSQL_STMT, CloseStatement>;

class Writer final : public ChunkWriter {
 public:
  Writer(Session& session, const BulkTarget& target, std::vector<ResultColumn> columns)
      : session_(session), columns_(std::move(columns)) {
    head_ = "INSERT INTO ";
    if (!target.table.schema.empty()) {
      head_ += quoted(target.table.schema.text()) + ".";
    }
    head_ += quoted(target.table.name.text()) + " (";
    for (std::size_t i = 0; i < target.columns.size(); ++i) {
      head_ += (i == 0 ? "" : ", ") + quoted(target.columns[i]);
    }
    head_ += ") VALUES ";
    several_ = std::clamp<std::size_t>(kMostPlaces / std::max<std::size_t>(columns_.size(), 1), 1,
                                       kMostRows);
    session_.run(
        "SET @kedge_sql_mode = @@SESSION.sql_mode, "
        "SESSION sql_mode = CONCAT(@@SESSION.sql_mode, ',STRICT_ALL_TABLES')");
    own_transaction_ = !session_.in_transaction();
    if (own_transaction_) {
      session_.run("START TRANSACTION");
    }
  }

  ~Writer() override {
    try {
      if (own_transaction_) {
        session_.run("ROLLBACK");
      }
      restore_mode();
    } catch (const Error&) {
      // The connection is lost: the server has rolled back.
    }
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void write(const Chunk& chunk) override {
    for (std::size_t begin = 0; begin < chunk.rows; begin += several_) {
      const std::size_t end = std::min(chunk.rows, begin + several_);
      insert(chunk, begin, end);
      rows_ += static_cast<std::int64_t>(end - begin);
    }
  }

  std::int64_t finish() override {
    if (own_transaction_) {
      session_.run("COMMIT");
      own_transaction_ = false;
    }
    return rows_;
  }

 private:
  void restore_mode() { session_.run("SET SESSION sql_mode = @kedge_sql_mode"); }

  void insert(const Chunk& chunk, std::size_t begin, std::size_t end) {
    std::vector<Value> values;
    values.reserve((end - begin) * columns_.size());
    for (std::size_t row = begin; row < end; ++row) {
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        values.push_back(value(chunk.columns[i], row, i, row - begin));
      }
    }
    Prepared fresh(nullptr, CloseStatement{&session_.api()});
    const bool full = end - begin == several_;
    if (full && many_ == nullptr) {
      many_ = prepare(several_);
    } else if (!full) {
      fresh = prepare(end - begin);
    }
    MYSQL_STMT* statement = full ? many_.get() : fresh.get();
    Parameters bound(values);
    if (session_.api().mysql_stmt_bind_param(statement, bound.data()) != 0 ||
        session_.api().mysql_stmt_execute(statement) != 0) {
      session_.fail(statement);
    }
  }

  Value value(const ColumnChunk& column, std::size_t row, std::size_t i, std::size_t place) {
    if (column.valid[row] == 0) {
      return {};
    }
    if (would_round(column, row, columns_[i].type, 0)) {
      fail_cell(static_cast<std::size_t>(rows_) + place + 1, columns_[i].name,
                columns_[i].native_type);
    }
    // The session works in UTC: its times have no zone.
    return column.kind == schema::TypeKind::TimestampTz
               ? Value(format_timestamp(column.integers[row]))
               : value_at(column, row);
  }

  Prepared prepare(std::size_t rows) {
    std::string one = "(";
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      one += i == 0 ? "?" : ", ?";
    }
    one += ")";
    std::string sql = head_;
    for (std::size_t i = 0; i < rows; ++i) {
      sql += (i == 0 ? "" : ", ") + one;
    }
    Prepared statement(session_.api().mysql_stmt_init(session_.raw()),
                       CloseStatement{&session_.api()});
    if (session_.api().mysql_stmt_prepare(statement.get(), sql.data(),
                                          static_cast<unsigned long>(sql.size())) != 0) {
      session_.fail(statement.get());
    }
    return statement;
  }

  Session& session_;
  std::vector<ResultColumn> columns_;
  std::string head_;
  std::size_t several_ = 1;
  Prepared many_{nullptr, CloseStatement{}};
  bool own_transaction_ = false;
  std::int64_t rows_ = 0;
};

}  // namespace

std::string quoted(const std::string& name) {
  return "`" + base::replace_all(name, "`", "``") + "`";
}

std::unique_ptr<ChunkWriter> make_writer(Session& session, const BulkTarget& target,
                                         std::vector<ResultColumn> columns) {
  return std::make_unique<Writer>(session, target, std::move(columns));
}

}  // namespace kedge::db::mysql
