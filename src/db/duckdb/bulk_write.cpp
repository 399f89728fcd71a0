#include <cmath>
#include <limits>
#include <utility>

#include "base/text.h"
#include "db/duckdb/bulk.h"
#include "db/duckdb/errors.h"
#include "db/failure.h"
#include "kedge/codes.h"

namespace kedge::db::duckdb {
namespace {

using schema::TypeKind;

__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using)

// How a column is filled: directly in the table's type, or as text that DuckDB casts.
enum class Fill { Integer, Real, Bytes, DecimalText, DecimalInteger, DecimalScaled, Text };

struct Column {
  std::string name;
  TypeShape shape;  // of the table
  Fill fill = Fill::Text;
  duckdb_logical_type type = nullptr;  // of the vector; owned by the writer
};

bool is_integer(duckdb_type type) {
  switch (static_cast<int>(type)) {
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_UTINYINT:
    case DUCKDB_TYPE_USMALLINT:
    case DUCKDB_TYPE_UINTEGER:
    case DUCKDB_TYPE_UBIGINT:
      return true;
    default:
      return false;
  }
}

bool is_temporal(TypeKind kind) {
  return kind == TypeKind::Date || kind == TypeKind::Time || kind == TypeKind::Timestamp ||
         kind == TypeKind::TimestampTz;
}

Fill fill_of(const TypeShape& shape, const ColumnChunk& column) {
  const duckdb_type type = shape.id;
  const TypeKind kind = column.kind;
  if (column.scale >= 0) {
    return type == DUCKDB_TYPE_DECIMAL ? Fill::DecimalScaled : Fill::Text;
  }
  switch (storage_of(kind)) {
    case Storage::Integers: {
      const bool same = (type == DUCKDB_TYPE_DATE && kind == TypeKind::Date) ||
                        (type == DUCKDB_TYPE_TIME && kind == TypeKind::Time) ||
                        (type == DUCKDB_TYPE_TIMESTAMP && kind == TypeKind::Timestamp) ||
                        (type == DUCKDB_TYPE_TIMESTAMP_TZ && kind == TypeKind::TimestampTz) ||
                        (type == DUCKDB_TYPE_BOOLEAN && kind == TypeKind::Boolean);
      if (same || (is_integer(type) && !is_temporal(kind))) {
        return Fill::Integer;
      }
      return type == DUCKDB_TYPE_DECIMAL && !is_temporal(kind) ? Fill::DecimalInteger : Fill::Text;
    }
    case Storage::Reals:
      return type == DUCKDB_TYPE_DOUBLE || type == DUCKDB_TYPE_FLOAT ? Fill::Real : Fill::Text;
    case Storage::Raw:
      break;
  }
  if (type == DUCKDB_TYPE_BLOB || (type == DUCKDB_TYPE_VARCHAR && kind != TypeKind::Blob)) {
    return Fill::Bytes;
  }
  return type == DUCKDB_TYPE_DECIMAL ? Fill::DecimalText : Fill::Text;
}

// A decimal text as an integer of 10^-scale; nullopt when it is none or does not fit exactly.
std::optional<Wide> parse_decimal(std::string_view text, int width, int scale) {
  text = base::trim(text);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) {
    text.remove_prefix(1);
  }
  Wide value = 0;
  int digits = 0;
  int fraction = -1;
  for (const char c : text) {
    if (c == '.' && fraction < 0) {
      fraction = 0;
      continue;
    }
    if (c < '0' || c > '9') {
      return std::nullopt;
    }
    if (fraction >= scale && c != '0') {
      return std::nullopt;  // it would be rounded
    }
    if (fraction < scale) {
      value = value * 10 + (c - '0');
      digits += value != 0 ? 1 : 0;
      fraction += fraction >= 0 ? 1 : 0;
    }
    if (digits > width) {
      return std::nullopt;
    }
  }
  if (text.empty() || text == ".") {
    return std::nullopt;
  }
  for (int i = std::max(fraction, 0); i < scale; ++i) {
    value *= 10;
    digits += value != 0 ? 1 : 0;
  }
  return digits > width ? std::nullopt : std::optional(negative ? -value : value);
}

constexpr Wide kWideLimit = (~(Wide{1} << 127)) / 10;

// From one scale to another; nullopt when digits would be lost or are too many.
std::optional<Wide> rescale(Wide value, int from, int width, int to) {
  for (; from < to; ++from) {
    if (value > kWideLimit || value < -kWideLimit) {
      return std::nullopt;
    }
    value *= 10;
  }
  for (; from > to; --from) {
    if (value % 10 != 0) {
      return std::nullopt;
    }
    value /= 10;
  }
  Wide limit = 1;
  for (int i = 0; i < width; ++i) {
    limit *= 10;
  }
  return value < limit && value > -limit ? std::optional(value) : std::nullopt;
}

class AppenderWriter final : public ChunkWriter {
 public:
  AppenderWriter(Session& session, const BulkTarget& target)
      : session_(session), api_(session.api()) {
    const std::string schema = target.table.schema.text();
    try {
      open(schema, target);
    } catch (const Error&) {
      release();
      throw;
    }
    for (idx_t i = 0; i < target.columns.size(); ++i) {
      duckdb_logical_type type = api_.appender_column_type(appender_, i);
      columns_.push_back({target.columns[i], shape_of(api_, type), Fill::Text, type});
    }
  }

  ~AppenderWriter() override {
    release();
    for (Column& column : columns_) {
      api_.destroy_logical_type(&column.type);
    }
  }
  AppenderWriter(const AppenderWriter&) = delete;
  AppenderWriter& operator=(const AppenderWriter&) = delete;

  DecimalForm decimals() const override { return DecimalForm::Scaled; }

  void write(const Chunk& chunk) override {
    if (chunk_ == nullptr) {
      prepare(chunk);
    }
    const std::size_t most = api_.vector_size();
    for (std::size_t begin = 0; begin < chunk.rows; begin += most) {
      const std::size_t size = std::min(most, chunk.rows - begin);
      api_.data_chunk_reset(chunk_);
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        fill(columns_[i], chunk.columns[i], api_.data_chunk_get_vector(chunk_, i), begin, size);
      }
      api_.data_chunk_set_size(chunk_, size);
      if (api_.append_data_chunk(appender_, chunk_) != DuckDBSuccess) {
        fail_cast();
      }
      rows_ += static_cast<std::int64_t>(size);
    }
  }

  std::int64_t finish() override {
    if (api_.appender_close(appender_) != DuckDBSuccess) {
      fail();
    }
    release();
    return rows_;
  }

 private:
  void open(const std::string& schema, const BulkTarget& target) {
    if (api_.appender_create_ext(session_.raw(), nullptr, schema.empty() ? nullptr : schema.c_str(),
                                 target.table.name.text().c_str(), &appender_) != DuckDBSuccess) {
      fail();
    }
    for (const std::string& name : target.columns) {
      if (api_.appender_add_column(appender_, name.c_str()) != DuckDBSuccess) {
        fail();
      }
    }
  }

  void release() {
    if (chunk_ != nullptr) {
      api_.destroy_data_chunk(&chunk_);
    }
    if (appender_ != nullptr) {
      api_.appender_destroy(&appender_);
      appender_ = nullptr;
    }
  }

  [[noreturn]] void fail() {
    const char* words = api_.appender_error(appender_);
    const std::string message = words == nullptr ? "the rows cannot be appended" : words;
    session_.fail(message);
  }

  // A cast that fails while appending has a message without its kind.
  [[noreturn]] void fail_cast() {
    const char* words = api_.appender_error(appender_);
    const std::string message = words == nullptr ? "the rows cannot be appended" : words;
    if (classify(message) != FailureClass::Other) {
      session_.fail(message);
    }
    throw_statement_failure(session_.settings(), message, FailureClass::Data, "");
  }

  [[noreturn]] void fail_value(const Column& column, std::size_t row) {
    Problem problem{codes::ERR_STATEMENT,
                    "row " + std::to_string(static_cast<std::size_t>(rows_) + row + 1) +
                        ", column '" + column.name + "': the value does not fit " +
                        name_of(column.shape),
                    std::nullopt,
                    "",
                    {{"a value cannot be converted without loss", std::nullopt}}};
    throw DatabaseError(std::move(problem), FailureClass::Data, "");
  }

  void prepare(const Chunk& chunk) {
    std::vector<duckdb_logical_type> types;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      columns_[i].fill = fill_of(columns_[i].shape, chunk.columns.at(i));
      if (columns_[i].fill == Fill::Text) {
        api_.destroy_logical_type(&columns_[i].type);
        columns_[i].type = api_.create_logical_type(DUCKDB_TYPE_VARCHAR);
      }
      types.push_back(columns_[i].type);
    }
    chunk_ = api_.create_data_chunk(types.data(), types.size());
  }

  void fill(const Column& column, const ColumnChunk& source, duckdb_vector vector,
            std::size_t begin, std::size_t size) {
    mark_nulls(source, vector, begin, size);
    switch (column.fill) {
      case Fill::Integer:
        return fill_integers(column, source, api_.vector_get_data(vector), begin, size);
      case Fill::Real:
        return fill_reals(column, source, api_.vector_get_data(vector), begin, size);
      case Fill::Bytes:
        for (std::size_t i = 0; i < size; ++i) {
          if (source.valid[begin + i] != 0) {
            const std::string_view text = source.text(begin + i);
            api_.vector_assign_string_element_len(vector, i, text.data(), text.size());
          }
        }
        return;
      case Fill::DecimalText:
      case Fill::DecimalInteger:
      case Fill::DecimalScaled:
        return fill_decimals(column, source, api_.vector_get_data(vector), begin, size);
      case Fill::Text:
        for (std::size_t i = 0; i < size; ++i) {
          if (source.valid[begin + i] != 0) {
            const std::string text = to_text(value_at(source, begin + i));
            api_.vector_assign_string_element_len(vector, i, text.data(), text.size());
          }
        }
        return;
    }
  }

  void mark_nulls(const ColumnChunk& source, duckdb_vector vector, std::size_t begin,
                  std::size_t size) {
    std::uint64_t* validity = nullptr;
    for (std::size_t i = 0; i < size; ++i) {
      if (source.valid[begin + i] != 0) {
        continue;
      }
      if (validity == nullptr) {
        api_.vector_ensure_validity_writable(vector);
        validity = api_.vector_get_validity(vector);
      }
      validity[i / 64] &= ~(std::uint64_t{1} << (i % 64));
    }
  }

  template <class T>
  void copy(const Column& column, const ColumnChunk& source, void* data, std::size_t begin,
            std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      const std::int64_t value = source.integers[begin + i];
      static_cast<T*>(data)[i] = static_cast<T>(value);
      if (!std::in_range<T>(value) && source.valid[begin + i] != 0) {
        fail_value(column, i);
      }
    }
  }

  void fill_integers(const Column& column, const ColumnChunk& source, void* data, std::size_t begin,
                     std::size_t size) {
    switch (static_cast<int>(column.shape.id)) {
      case DUCKDB_TYPE_BOOLEAN:
        for (std::size_t i = 0; i < size; ++i) {
          static_cast<bool*>(data)[i] = source.integers[begin + i] != 0;
        }
        return;
      case DUCKDB_TYPE_TINYINT:
        return copy<std::int8_t>(column, source, data, begin, size);
      case DUCKDB_TYPE_SMALLINT:
        return copy<std::int16_t>(column, source, data, begin, size);
      case DUCKDB_TYPE_INTEGER:
      case DUCKDB_TYPE_DATE:
        return copy<std::int32_t>(column, source, data, begin, size);
      case DUCKDB_TYPE_UTINYINT:
        return copy<std::uint8_t>(column, source, data, begin, size);
      case DUCKDB_TYPE_USMALLINT:
        return copy<std::uint16_t>(column, source, data, begin, size);
      case DUCKDB_TYPE_UINTEGER:
        return copy<std::uint32_t>(column, source, data, begin, size);
      case DUCKDB_TYPE_UBIGINT:
        return copy<std::uint64_t>(column, source, data, begin, size);
      default:
        return copy<std::int64_t>(column, source, data, begin, size);
    }
  }

  void fill_reals(const Column& column, const ColumnChunk& source, void* data, std::size_t begin,
                  std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      const double value = source.reals[begin + i];
      if (column.shape.id == DUCKDB_TYPE_DOUBLE) {
        static_cast<double*>(data)[i] = value;
        continue;
      }
      if (std::isfinite(value) && std::fabs(value) > std::numeric_limits<float>::max()) {
        fail_value(column, i);
      }
      static_cast<float*>(data)[i] = static_cast<float>(value);
    }
  }

  void fill_decimals(const Column& column, const ColumnChunk& source, void* data, std::size_t begin,
                     std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      if (source.valid[begin + i] == 0) {
        continue;
      }
      const auto number =
          column.fill == Fill::DecimalText
              ? parse_decimal(source.text(begin + i), column.shape.width, column.shape.scale)
              : rescale(source.integers[begin + i], std::max(source.scale, 0), column.shape.width,
                        column.shape.scale);
      if (!number) {
        fail_value(column, i);
      }
      store_decimal(column.shape.internal, data, i, *number);
    }
  }

  static void store_decimal(duckdb_type internal, void* data, std::size_t i, Wide number) {
    switch (static_cast<int>(internal)) {
      case DUCKDB_TYPE_SMALLINT:
        static_cast<std::int16_t*>(data)[i] = static_cast<std::int16_t>(number);
        return;
      case DUCKDB_TYPE_INTEGER:
        static_cast<std::int32_t*>(data)[i] = static_cast<std::int32_t>(number);
        return;
      case DUCKDB_TYPE_BIGINT:
        static_cast<std::int64_t*>(data)[i] = static_cast<std::int64_t>(number);
        return;
      default:
        static_cast<duckdb_hugeint*>(data)[i] = {static_cast<std::uint64_t>(number),
                                                 static_cast<std::int64_t>(number >> 64)};
        return;
    }
  }

  Session& session_;
  const Api& api_;
  duckdb_appender appender_ = nullptr;
  duckdb_data_chunk chunk_ = nullptr;
  std::vector<Column> columns_;
  std::int64_t rows_ = 0;
};

}  // namespace

std::unique_ptr<ChunkWriter> write_bulk(Session& session, const BulkTarget& target) {
  return std::make_unique<AppenderWriter>(session, target);
}

}  // namespace kedge::db::duckdb
