#include "db/bulk.h"

#include <algorithm>

#include "base/text.h"
#include "kedge/codes.h"

namespace kedge::db {
namespace {

using schema::TypeKind;

TypeKind delivered_kind(TypeKind kind) {
  return kind == TypeKind::Unknown ? TypeKind::Text : kind;
}

[[noreturn]] void fail_value(std::size_t row, const std::string& column, TypeKind kind) {
  schema::Type type;
  type.kind = kind;
  Problem problem{codes::ERR_STATEMENT,
                  "row " + std::to_string(row) + ", column '" + column + "': the value is no " +
                      schema::to_string(type),
                  std::nullopt,
                  "",
                  {{"a value cannot be converted without loss", std::nullopt}}};
  throw DatabaseError(std::move(problem), FailureClass::Data, "");
}

// Rows of any connection gathered into chunks.
class Gatherer {
 public:
  Gatherer(std::vector<ResultColumn> columns, const ReadOptions& options,
           const ChunkHandler& handler)
      : columns_(std::move(columns)), options_(options), handler_(handler) {
    chunk_.columns.resize(columns_.size());
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      kinds_.push_back(
          delivered_kind(i < options.kinds.size() ? options.kinds[i] : columns_[i].type.kind));
    }
    restart();
  }

  bool add(const Row& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!add_value(chunk_.columns[i], row[i])) {
        fail_value(delivered_ + chunk_.rows + 1, columns_[i].name, kinds_[i]);
      }
    }
    return ++chunk_.rows < options_.rows || deliver();
  }

  bool deliver() {
    if (chunk_.rows == 0) {
      return true;
    }
    const bool go_on = handler_(chunk_);
    delivered_ += chunk_.rows;
    restart();
    return go_on;
  }

 private:
  void restart() {
    chunk_.rows = 0;
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      chunk_.columns[i].start(kinds_[i]);
    }
  }

  std::vector<ResultColumn> columns_;
  std::vector<TypeKind> kinds_;
  const ReadOptions& options_;
  const ChunkHandler& handler_;
  Chunk chunk_;
  std::size_t delivered_ = 0;
};

std::string quoted(schema::Dialect dialect, const std::string& name) {
  const std::string quote = dialect == schema::Dialect::Mysql ? "`" : "\"";
  return quote + base::replace_all(name, quote, quote + quote) + quote;
}

// One INSERT of several rows at a time through Connection::query.
class RowWriter final : public ChunkWriter {
 public:
  RowWriter(Connection& connection, const BulkTarget& target)
      : connection_(connection), columns_(target.columns.size()) {
    const schema::Dialect dialect = connection.dialect();
    head_ = "INSERT INTO ";
    if (!target.table.schema.empty()) {
      head_ += quoted(dialect, target.table.schema.text()) + ".";
    }
    head_ += quoted(dialect, target.table.name.text()) + " (";
    for (std::size_t i = 0; i < columns_; ++i) {
      head_ += (i == 0 ? "" : ", ") + quoted(dialect, target.columns[i]);
    }
    head_ += ") VALUES ";
    several_ = dialect == schema::Dialect::Ansi ? 1 : std::max<std::size_t>(1, 900 / columns_);
  }

  void write(const Chunk& chunk) override {
    for (std::size_t row = 0; row < chunk.rows; row += several_) {
      const std::size_t end = std::min(chunk.rows, row + several_);
      std::vector<Value> values;
      for (std::size_t at = row; at < end; ++at) {
        for (const ColumnChunk& column : chunk.columns) {
          values.push_back(value_at(column, at));
        }
      }
      connection_.query(statement(end - row), values);
    }
    rows_ += static_cast<std::int64_t>(chunk.rows);
  }

  std::int64_t finish() override { return rows_; }

 private:
  std::string statement(std::size_t rows) const {
    std::string one = "(";
    for (std::size_t i = 0; i < columns_; ++i) {
      one += i == 0 ? "?" : ", ?";
    }
    one += ")";
    std::string sql = head_;
    for (std::size_t i = 0; i < rows; ++i) {
      sql += (i == 0 ? "" : ", ") + one;
    }
    return sql;
  }

  Connection& connection_;
  std::size_t columns_;
  std::size_t several_ = 1;
  std::string head_;
  std::int64_t rows_ = 0;
};

}  // namespace

std::vector<ResultColumn> read_chunks(Connection& connection, std::string_view sql,
                                      const ChunkHandler& handler, const ReadOptions& options) {
  auto* bulk = dynamic_cast<BulkConnection*>(&connection);
  return bulk != nullptr ? bulk->bulk_read(sql, handler, options)
                         : read_chunks_by_row(connection, sql, handler, options);
}

void fail_cell(std::size_t row, const std::string& column, const std::string& type) {
  Problem problem{
      codes::ERR_STATEMENT,
      "row " + std::to_string(row) + ", column '" + column + "': the value does not fit " + type,
      std::nullopt,
      "",
      {{"a value cannot be converted without loss", std::nullopt}}};
  throw DatabaseError(std::move(problem), FailureClass::Data, "");
}

std::vector<ResultColumn> read_chunks_by_row(Connection& connection, std::string_view sql,
                                             const ChunkHandler& handler,
                                             const ReadOptions& options) {
  const std::vector<ResultColumn> columns = connection.describe(sql);
  Gatherer gatherer(columns, options, handler);
  bool go_on = true;
  connection.stream(sql, [&](const Row& row) { return go_on = gatherer.add(row); },
                    {options.timeout_seconds});
  if (go_on) {
    gatherer.deliver();
  }
  return columns;
}

std::unique_ptr<ChunkWriter> open_writer(Connection& connection, const BulkTarget& target) {
  if (auto* bulk = dynamic_cast<BulkConnection*>(&connection)) {
    return bulk->bulk_write(target);
  }
  return std::make_unique<RowWriter>(connection, target);
}

std::int64_t copy_rows(Connection& source, std::string_view sql, Connection& destination,
                       const BulkTarget& target, const ReadOptions& options) {
  const auto writer = open_writer(destination, target);
  ReadOptions own = options;
  own.decimals = writer->decimals();
  read_chunks(
      source, sql,
      [&](const Chunk& chunk) {
        writer->write(chunk);
        return true;
      },
      own);
  return writer->finish();
}

}  // namespace kedge::db
