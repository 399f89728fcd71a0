#include "pipeline/transfer.h"

#include <algorithm>
#include <charconv>

#include "base/overloaded.h"
#include "pipeline/render.h"

namespace kedge::pipeline {
namespace {

// Enough for one statement of any engine.
constexpr std::size_t kMostParameters = 16'000;

std::string quote_for(const db::Connection& connection, const std::string& name) {
  if (connection.dialect() == schema::Dialect::Mysql) {
    std::string quoted = "`";
    for (const char c : name) {
      quoted += c == '`' ? "``" : std::string(1, c);
    }
    return quoted + "`";
  }
  return quote_name(name);
}

std::string number_text(double value) {
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return error == std::errc() ? std::string(buffer, end) : std::to_string(value);
}

db::Value as_text(const db::Value& value) {
  return std::visit(
      base::Overloaded{[](std::monostate) { return db::Value{}; },
                       [](bool truth) { return db::Value{std::string(truth ? "true" : "false")}; },
                       [](std::int64_t number) { return db::Value{std::to_string(number)}; },
                       [](double number) { return db::Value{number_text(number)}; },
                       [](const std::string& text) { return db::Value{text}; },
                       [](const db::Bytes& bytes) { return db::Value{bytes}; }},
      value);
}

// Multi-row inserts: one statement a chunk.
class InsertSink {
 public:
  InsertSink(db::Connection& connection, const TransferTarget& target)
      : connection_(connection),
        target_(target),
        rows_per_statement_(std::max<std::size_t>(
            1, std::min(kMostParameters / std::max<std::size_t>(1, target.columns.size()),
                        static_cast<std::size_t>(target.chunk_rows)))) {}

  void append(const db::Row& row) {
    for (const db::Value& value : row) {
      values_.push_back(target_.form == ValueForm::Text ? as_text(value) : value);
    }
    if (++rows_ == rows_per_statement_) {
      flush();
    }
  }

  void flush() {
    if (rows_ == 0) {
      return;
    }
    connection_.query(statement(rows_), values_);
    values_.clear();
    rows_ = 0;
  }

 private:
  std::string statement(std::size_t rows) const {
    std::string sql = "INSERT INTO " + target_.table + " (";
    for (std::size_t i = 0; i < target_.columns.size(); ++i) {
      sql += (i == 0 ? "" : ", ") + quote_for(connection_, target_.columns[i]);
    }
    sql += ") VALUES ";
    const bool numbered = connection_.dialect() == schema::Dialect::Postgres;
    std::size_t number = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      sql += r == 0 ? "(" : ", (";
      for (std::size_t c = 0; c < target_.columns.size(); ++c) {
        ++number;
        sql += std::string(c == 0 ? "" : ", ") + (numbered ? "$" + std::to_string(number) : "?");
      }
      sql += ")";
    }
    return sql;
  }

  db::Connection& connection_;
  const TransferTarget& target_;
  std::size_t rows_per_statement_;
  std::vector<db::Value> values_;
  std::size_t rows_ = 0;
};

}  // namespace

std::int64_t copy_rows(db::Connection& from, const std::string& query, db::Connection& to,
                       const TransferTarget& target) {
  InsertSink sink(to, target);
  std::int64_t rows = 0;
  from.stream(query, [&](const db::Row& row) {
    sink.append(row);
    ++rows;
    return true;
  });
  sink.flush();
  return rows;
}

}  // namespace kedge::pipeline
