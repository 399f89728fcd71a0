#include <limits>

#include "db/duckdb/bulk.h"
#include "kedge/codes.h"

namespace kedge::db::duckdb {
namespace {

using schema::TypeKind;

[[noreturn]] void fail_value(std::size_t row, const std::string& column, const std::string& what) {
  Problem problem{codes::ERR_STATEMENT,
                  "row " + std::to_string(row) + ", column '" + column + "': " + what,
                  std::nullopt,
                  "",
                  {{"a value cannot be converted without loss", std::nullopt}}};
  throw DatabaseError(std::move(problem), FailureClass::Data, "");
}

void mark_valid(ColumnChunk& column, const VectorReader& reader, std::size_t rows) {
  const std::size_t first = column.valid.size();
  column.valid.resize(first + rows, 1);
  if (reader.has_nulls()) {
    for (std::size_t row = 0; row < rows; ++row) {
      column.valid[first + row] = reader.is_null(row) ? 0 : 1;
    }
  }
}

// Column by column without a call a value: what a NULL row holds becomes zero.
template <class T, class U>
void copy_numbers(std::vector<U>& numbers, ColumnChunk& column, const VectorReader& reader,
                  std::size_t rows) {
  const std::size_t first = numbers.size();
  mark_valid(column, reader, rows);
  numbers.resize(first + rows);
  const T* from = &reader.at<T>(0);
  const std::uint8_t* valid = &column.valid[first];
  U* to = &numbers[first];
  for (std::size_t row = 0; row < rows; ++row) {
    to[row] = valid[row] != 0 ? static_cast<U>(from[row]) : U{};
  }
}

template <class T>
void copy_integers(ColumnChunk& column, const VectorReader& reader, std::size_t rows) {
  copy_numbers<T>(column.integers, column, reader, rows);
}

template <class T>
void copy_reals(ColumnChunk& column, const VectorReader& reader, std::size_t rows) {
  copy_numbers<T>(column.reals, column, reader, rows);
}

void copy_decimals(ColumnChunk& column, const VectorReader& reader, std::size_t rows) {
  switch (static_cast<int>(reader.shape().internal)) {
    case DUCKDB_TYPE_SMALLINT:
      return copy_integers<std::int16_t>(column, reader, rows);
    case DUCKDB_TYPE_INTEGER:
      return copy_integers<std::int32_t>(column, reader, rows);
    default:
      return copy_integers<std::int64_t>(column, reader, rows);
  }
}

void copy_bytes(ColumnChunk& column, const VectorReader& reader, std::size_t rows) {
  for (std::size_t row = 0; row < rows; ++row) {
    if (reader.is_null(row)) {
      column.add_null();
    } else {
      column.add_bytes(reader.bytes(row));
    }
  }
}

void copy_texts(ColumnChunk& column, const VectorReader& reader, std::size_t rows) {
  for (std::size_t row = 0; row < rows; ++row) {
    if (reader.is_null(row)) {
      column.add_null();
    } else {
      column.add_bytes(reader.text(row));
    }
  }
}

// Seconds, milliseconds or nanoseconds to microseconds.
bool copy_scaled(ColumnChunk& column, const VectorReader& reader, std::size_t rows,
                 std::int64_t multiply, std::int64_t divide) {
  for (std::size_t row = 0; row < rows; ++row) {
    const std::int64_t value = reader.is_null(row) ? 0 : reader.at<std::int64_t>(row);
    const bool infinite = value == kInfinity || value == -kInfinity;
    if (reader.is_null(row)) {
      column.add_null();
    } else if (infinite) {
      column.add_integer(value);
    } else if (value % divide != 0 || value > std::numeric_limits<std::int64_t>::max() / multiply ||
               value < std::numeric_limits<std::int64_t>::min() / multiply) {
      return false;
    } else {
      column.add_integer(value / divide * multiply);
    }
  }
  return true;
}

void copy_column(ColumnChunk& column, const VectorReader& reader, std::size_t rows,
                 std::size_t first_row, const std::string& name) {
  if (column.scale >= 0) {
    return copy_decimals(column, reader, rows);
  }
  switch (static_cast<int>(reader.shape().id)) {
    case DUCKDB_TYPE_BOOLEAN:
      return copy_integers<std::uint8_t>(column, reader, rows);
    case DUCKDB_TYPE_TINYINT:
      return copy_integers<std::int8_t>(column, reader, rows);
    case DUCKDB_TYPE_SMALLINT:
      return copy_integers<std::int16_t>(column, reader, rows);
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_DATE:
      return copy_integers<std::int32_t>(column, reader, rows);
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_TIME:
    case DUCKDB_TYPE_TIMESTAMP:
    case DUCKDB_TYPE_TIMESTAMP_TZ:
      return copy_integers<std::int64_t>(column, reader, rows);
    case DUCKDB_TYPE_UTINYINT:
      return copy_integers<std::uint8_t>(column, reader, rows);
    case DUCKDB_TYPE_USMALLINT:
      return copy_integers<std::uint16_t>(column, reader, rows);
    case DUCKDB_TYPE_UINTEGER:
      return copy_integers<std::uint32_t>(column, reader, rows);
    case DUCKDB_TYPE_FLOAT:
      return copy_reals<float>(column, reader, rows);
    case DUCKDB_TYPE_DOUBLE:
      return copy_reals<double>(column, reader, rows);
    case DUCKDB_TYPE_VARCHAR:
    case DUCKDB_TYPE_BLOB:
      return copy_bytes(column, reader, rows);
    case DUCKDB_TYPE_TIMESTAMP_S:
      if (copy_scaled(column, reader, rows, 1'000'000, 1)) {
        return;
      }
      break;
    case DUCKDB_TYPE_TIMESTAMP_MS:
      if (copy_scaled(column, reader, rows, 1000, 1)) {
        return;
      }
      break;
    case DUCKDB_TYPE_TIMESTAMP_NS:
      if (copy_scaled(column, reader, rows, 1, 1000)) {
        return;
      }
      break;
    default:
      return copy_texts(column, reader, rows);
  }
  fail_value(first_row + column.valid.size() + 1, name,
             "the timestamp has no exact value in microseconds");
}

class Reader {
 public:
  Reader(const Api& api, const ChunkHandler& handler, const ReadOptions& options)
      : api_(api), handler_(handler), options_(options) {}

  void start(const Session::Outcome& outcome) {
    outcome_ = outcome;
    chunk_.columns.resize(outcome.shapes.size());
    for (std::size_t i = 0; i < outcome.shapes.size(); ++i) {
      const TypeKind own = type_of(outcome.shapes[i]).kind;
      own_.push_back(own == TypeKind::Unknown ? TypeKind::Text : own);
      kinds_.push_back(i < options_.kinds.size() ? options_.kinds[i] : own_.back());
      scales_.push_back(scale_of(outcome.shapes[i], kinds_.back()));
    }
    restart();
  }

  bool add(duckdb_data_chunk data, std::size_t rows) {
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      const VectorReader reader(api_, outcome_.shapes[i], api_.data_chunk_get_vector(data, i));
      if (kinds_[i] == own_[i]) {
        copy_column(chunk_.columns[i], reader, rows, delivered_, outcome_.names[i]);
      } else {
        convert(i, reader, rows);
      }
    }
    chunk_.rows += rows;
    return chunk_.rows < options_.rows || deliver();
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
  // -1: as text.
  int scale_of(const TypeShape& shape, TypeKind kind) const {
    const bool scaled = options_.decimals == DecimalForm::Scaled && kind == TypeKind::Numeric &&
                        shape.id == DUCKDB_TYPE_DECIMAL && shape.internal != DUCKDB_TYPE_HUGEINT;
    return scaled ? shape.scale : -1;
  }

  void convert(std::size_t i, const VectorReader& reader, std::size_t rows) {
    for (std::size_t row = 0; row < rows; ++row) {
      if (!add_value(chunk_.columns[i], reader.value(row))) {
        schema::Type wanted;
        wanted.kind = kinds_[i];
        fail_value(delivered_ + chunk_.rows + row + 1, outcome_.names[i],
                   "the value is no " + schema::to_string(wanted));
      }
    }
  }

  void restart() {
    chunk_.rows = 0;
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      chunk_.columns[i].start(kinds_[i], scales_[i]);
    }
  }

  const Api& api_;
  const ChunkHandler& handler_;
  const ReadOptions& options_;
  Session::Outcome outcome_;
  std::vector<TypeKind> own_;
  std::vector<TypeKind> kinds_;
  std::vector<int> scales_;
  Chunk chunk_;
  std::size_t delivered_ = 0;
};

}  // namespace

std::vector<ResultColumn> read_bulk(Session& session, std::string_view sql,
                                    const ChunkHandler& handler, const ReadOptions& options) {
  const auto statement = session.prepare_one(sql);
  if (statement == nullptr) {
    return {};
  }
  Reader reader(session.api(), handler, options);
  bool go_on = true;
  const auto outcome = session.run(
      *statement, options.timeout_seconds,
      [&](const Session::Outcome& started) { reader.start(started); },
      [&](duckdb_data_chunk chunk, std::size_t rows) { return go_on = reader.add(chunk, rows); });
  if (go_on) {
    reader.deliver();
  }
  std::vector<ResultColumn> columns;
  for (std::size_t i = 0; i < outcome.names.size(); ++i) {
    schema::Type type = type_of(outcome.shapes[i]);
    std::string native = type.native;
    columns.push_back({outcome.names[i], std::move(type), std::move(native)});
  }
  return columns;
}

}  // namespace kedge::db::duckdb
