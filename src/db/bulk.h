// Moving many rows: column chunks out of a query and into a table, with the fast path of each
// engine (postgres binary COPY, DuckDB data chunks, prepared inserts elsewhere). Memory is bounded
// by one chunk, whatever the number of rows. Nothing is rounded, cut or turned into NULL silently:
// a value that does not fit its column is an Error of class Data naming row and column.
//
//   into a table   : open_writer(connection, target) -> write(chunk)... -> finish()
//   out of a query : read_chunks(connection, sql, handler)
//   both           : copy_rows(source, sql, destination, target)
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "db/connection.h"

namespace kedge::db {

// How the values of a kind are held in a column chunk.
enum class Storage {
  Integers,  // Boolean, Int8..Int64, UInt8..UInt32, Date, Time, Timestamp, TimestampTz
  Reals,     // Real4, Real8
  Raw        // everything else in the text form of Value (decimals, uuid, json, arrays); Blob raw
};
Storage storage_of(schema::TypeKind kind);

// One column of a chunk. Dates are days since 1970-01-01, times microseconds since midnight,
// timestamps microseconds since 1970-01-01 (UTC for TimestampTz); kInfinity and -kInfinity (dates:
// the same for 32 bits) stand for the infinities. Entries of NULL rows are zero or empty.
struct ColumnChunk {
  schema::TypeKind kind = schema::TypeKind::Text;
  int scale = -1;  // Numeric as `integers` times 10^-scale; -1: as text, like every Raw kind
  std::vector<std::uint8_t> valid;     // 1 per row; 0 = NULL
  std::vector<std::int64_t> integers;  // Storage::Integers
  std::vector<double> reals;           // Storage::Reals
  std::vector<std::uint32_t> offsets;  // Storage::Raw: rows + 1 places in `bytes`
  std::string bytes;

  // Empties it, keeps the memory.
  void start(schema::TypeKind new_kind, int new_scale = -1);
  Storage storage() const { return scale >= 0 ? Storage::Integers : storage_of(kind); }
  void add_null();
  void add_integer(std::int64_t value);
  void add_real(double value);
  void add_bytes(std::string_view value);
  std::string_view text(std::size_t row) const {
    return std::string_view(bytes).substr(offsets[row], offsets[row + 1] - offsets[row]);
  }
};

inline constexpr std::int64_t kInfinity = INT64_MAX;
inline constexpr std::int64_t kInfiniteDate = INT32_MAX;

struct Chunk {
  std::size_t rows = 0;
  std::vector<ColumnChunk> columns;
};

// Only valid during the call; return false to stop.
using ChunkHandler = std::function<bool(const Chunk&)>;

// Scaled: decimals of up to 18 digits are delivered as integers where the source has them so.
enum class DecimalForm { Text, Scaled };

struct ReadOptions {
  std::size_t rows = 8192;  // of a chunk, at most
  // The kinds to deliver, one a column; empty: those of the result (Unknown is delivered as Text).
  // A value that cannot be converted without loss is an Error.
  std::vector<schema::TypeKind> kinds;
  DecimalForm decimals = DecimalForm::Text;
  double timeout_seconds = 0;
};

// Streams the result of one SELECT. Returns its columns as the server names and types them, also
// when there are no rows.
std::vector<ResultColumn> read_chunks(Connection& connection, std::string_view sql,
                                      const ChunkHandler& handler, const ReadOptions& options = {});

struct BulkTarget {
  schema::Name table;                // quoted by the writer; an empty schema is the default one
  std::vector<std::string> columns;  // in the order of the chunks' columns; others get defaults
};

// Appends rows to a table. Belongs to its connection, which must not be used for anything else
// until finish(). Destroyed without finish(), what was written is given up where the engine can
// (postgres) and otherwise left to the transaction around it: write inside one.
class ChunkWriter {
 public:
  virtual ~ChunkWriter() = default;
  virtual void write(const Chunk& chunk) = 0;
  virtual std::int64_t finish() = 0;                                  // the number of rows written
  virtual DecimalForm decimals() const { return DecimalForm::Text; }  // the form it takes
};

std::unique_ptr<ChunkWriter> open_writer(Connection& connection, const BulkTarget& target);

// Reads with one connection and writes with another. Returns the number of rows.
std::int64_t copy_rows(Connection& source, std::string_view sql, Connection& destination,
                       const BulkTarget& target, const ReadOptions& options = {});

// The way of read_chunks() that works with every connection: describe(), then stream().
std::vector<ResultColumn> read_chunks_by_row(Connection& connection, std::string_view sql,
                                             const ChunkHandler& handler,
                                             const ReadOptions& options);

// Would a column of the type round the cell? Decimals by scale, times by their fraction digits (an
// absent precision means `default_digits`).
bool would_round(const ColumnChunk& column, std::size_t row, const schema::Type& type,
                 int default_digits);
// Throws the Error of a cell that does not fit, of class Data.
[[noreturn]] void fail_cell(std::size_t row, const std::string& column, const std::string& type);

// What a connector implements when it has a faster way than rows; found by the functions above.
class BulkConnection {
 public:
  virtual ~BulkConnection() = default;
  virtual std::vector<ResultColumn> bulk_read(std::string_view sql, const ChunkHandler& handler,
                                              const ReadOptions& options) = 0;
  virtual std::unique_ptr<ChunkWriter> bulk_write(const BulkTarget& target) = 0;
};

// Text <-> the integers of a chunk; nullopt for a text that is none.
std::optional<std::int64_t> parse_date(std::string_view text);       // 2027-03-14, infinity
std::optional<std::int64_t> parse_time(std::string_view text);       // 08:15[:02[.123456]]
std::optional<std::int64_t> parse_timestamp(std::string_view text);  // with 'T' and zone too
// The date of a day counted from 1970-01-01, in the proleptic Gregorian calendar; year 0 is 1 BC.
struct CalendarDate {
  std::int64_t year = 0;
  std::int64_t month = 1;
  std::int64_t day = 1;
};
CalendarDate calendar_date(std::int64_t days);
std::string format_date(std::int64_t days);
std::string format_time(std::int64_t microseconds);
std::string format_timestamp(std::int64_t microseconds);  // 2027-03-14 08:15:02[.123456]

// A cell as a value: integers of dates and times become text; TimestampTz ends in "+00".
Value value_at(const ColumnChunk& column, std::size_t row);
// Appends a value, converted to the column's kind; false when that would lose something.
bool add_value(ColumnChunk& column, const Value& value);

}  // namespace kedge::db
