// Column chunks: what a cell holds, and values into and out of it without loss.
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "db/bulk.h"
#include "kedge/codes.h"

namespace kedge::db {
namespace {

using schema::TypeKind;

struct Limits {
  std::int64_t least = INT64_MIN;
  std::int64_t most = INT64_MAX;
};

Limits limits_of(TypeKind kind) {
  switch (static_cast<int>(kind)) {
    case static_cast<int>(TypeKind::Int8):
      return {INT8_MIN, INT8_MAX};
    case static_cast<int>(TypeKind::Int16):
      return {INT16_MIN, INT16_MAX};
    case static_cast<int>(TypeKind::Int32):
      return {INT32_MIN, INT32_MAX};
    case static_cast<int>(TypeKind::UInt8):
      return {0, UINT8_MAX};
    case static_cast<int>(TypeKind::UInt16):
      return {0, UINT16_MAX};
    case static_cast<int>(TypeKind::UInt32):
      return {0, UINT32_MAX};
    case static_cast<int>(TypeKind::Boolean):
      return {0, 1};
    default:
      return {};
  }
}

std::optional<std::int64_t> truth_of(std::string_view text) {
  const std::string lower = base::to_lower(base::trim(text));
  for (const char* word : {"t", "true", "1", "yes"}) {
    if (lower == word) {
      return 1;
    }
  }
  for (const char* word : {"f", "false", "0", "no"}) {
    if (lower == word) {
      return 0;
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> integer_of(TypeKind kind, const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  switch (static_cast<int>(kind)) {
    case static_cast<int>(TypeKind::Date):
      return text == nullptr ? std::nullopt : parse_date(*text);
    case static_cast<int>(TypeKind::Time):
      return text == nullptr ? std::nullopt : parse_time(*text);
    case static_cast<int>(TypeKind::Timestamp):
    case static_cast<int>(TypeKind::TimestampTz):
      return text == nullptr ? std::nullopt : parse_timestamp(*text);
    case static_cast<int>(TypeKind::Boolean):
      return text == nullptr ? to_integer(value) : truth_of(*text);
    default:
      return to_integer(value);
  }
}

std::optional<double> real_of(const Value& value) {
  if (const auto* real = std::get_if<double>(&value)) {
    return *real;
  }
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    constexpr std::int64_t kExact = std::int64_t{1} << 53U;
    return *integer >= -kExact && *integer <= kExact ? std::optional(static_cast<double>(*integer))
                                                     : std::nullopt;
  }
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) {
    return std::nullopt;
  }
  const std::string_view trimmed = base::trim(*text);
  double real = 0;
  const auto [end, error] = std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), real);
  return !trimmed.empty() && error == std::errc() && end == trimmed.data() + trimmed.size()
             ? std::optional(real)
             : std::nullopt;
}

std::string decimal_text(std::int64_t value, int scale) {
  const bool negative = value < 0;
  std::string digits = std::to_string(negative ? -static_cast<std::uint64_t>(value)
                                               : static_cast<std::uint64_t>(value));
  const auto places = static_cast<std::size_t>(scale);
  if (digits.size() <= places) {
    digits.insert(0, places + 1 - digits.size(), '0');
  }
  if (places > 0) {
    digits.insert(digits.size() - places, ".");
  }
  return negative ? "-" + digits : digits;
}

}  // namespace

Storage storage_of(TypeKind kind) {
  switch (kind) {
    case TypeKind::Boolean:
    case TypeKind::Int8:
    case TypeKind::Int16:
    case TypeKind::Int32:
    case TypeKind::Int64:
    case TypeKind::UInt8:
    case TypeKind::UInt16:
    case TypeKind::UInt32:
    case TypeKind::Date:
    case TypeKind::Time:
    case TypeKind::Timestamp:
    case TypeKind::TimestampTz:
      return Storage::Integers;
    case TypeKind::Real4:
    case TypeKind::Real8:
      return Storage::Reals;
    case TypeKind::Unknown:
    case TypeKind::Int128:
    case TypeKind::UInt64:
    case TypeKind::UInt128:
    case TypeKind::Numeric:
    case TypeKind::Text:
    case TypeKind::Char:
    case TypeKind::Blob:
    case TypeKind::Bit:
    case TypeKind::TimeTz:
    case TypeKind::Interval:
    case TypeKind::Uuid:
    case TypeKind::Json:
    case TypeKind::Inet:
    case TypeKind::Array:
    case TypeKind::Struct:
    case TypeKind::Map:
    case TypeKind::Enum:
    case TypeKind::Domain:
    case TypeKind::Native:
      return Storage::Raw;
  }
  return Storage::Raw;
}

void ColumnChunk::start(TypeKind new_kind, int new_scale) {
  kind = new_kind;
  scale = new_scale;
  valid.clear();
  integers.clear();
  reals.clear();
  bytes.clear();
  offsets.clear();
  if (storage() == Storage::Raw) {
    offsets.push_back(0);
  }
}

void ColumnChunk::add_null() {
  valid.push_back(0);
  switch (storage()) {
    case Storage::Integers:
      integers.push_back(0);
      break;
    case Storage::Reals:
      reals.push_back(0);
      break;
    case Storage::Raw:
      offsets.push_back(offsets.back());
      break;
  }
}

void ColumnChunk::add_integer(std::int64_t value) {
  valid.push_back(1);
  integers.push_back(value);
}

void ColumnChunk::add_real(double value) {
  valid.push_back(1);
  reals.push_back(value);
}

void ColumnChunk::add_bytes(std::string_view value) {
  valid.push_back(1);
  bytes += value;
  if (bytes.size() > UINT32_MAX) {
    throw Error(codes::ERR_LIMIT, "the texts of one chunk are larger than 4 GB");
  }
  offsets.push_back(static_cast<std::uint32_t>(bytes.size()));
}

bool add_value(ColumnChunk& column, const Value& value) {
  if (is_null(value)) {
    column.add_null();
    return true;
  }
  switch (storage_of(column.kind)) {
    case Storage::Integers: {
      const auto integer = integer_of(column.kind, value);
      const Limits limits = limits_of(column.kind);
      if (!integer || *integer < limits.least || *integer > limits.most) {
        return false;
      }
      column.add_integer(*integer);
      return true;
    }
    case Storage::Reals: {
      const auto real = real_of(value);
      if (!real) {
        return false;
      }
      column.add_real(*real);
      return true;
    }
    case Storage::Raw:
      break;
  }
  if (const auto* bytes = std::get_if<Bytes>(&value); bytes != nullptr) {
    if (column.kind != TypeKind::Blob) {
      return false;
    }
    column.add_bytes({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
    return true;
  }
  column.add_bytes(to_text(value));
  return true;
}

Value value_at(const ColumnChunk& column, std::size_t row) {
  if (column.valid[row] == 0) {
    return std::monostate();
  }
  if (column.scale >= 0) {
    return decimal_text(column.integers[row], column.scale);
  }
  switch (static_cast<int>(column.kind)) {
    case static_cast<int>(TypeKind::Boolean):
      return column.integers[row] != 0;
    case static_cast<int>(TypeKind::Date):
      return format_date(column.integers[row]);
    case static_cast<int>(TypeKind::Time):
      return format_time(column.integers[row]);
    case static_cast<int>(TypeKind::Timestamp):
      return format_timestamp(column.integers[row]);
    case static_cast<int>(TypeKind::TimestampTz):
      return format_timestamp(column.integers[row]) + "+00";
    case static_cast<int>(TypeKind::Blob): {
      const std::string_view text = column.text(row);
      const auto* data = reinterpret_cast<const std::byte*>(text.data());
      return Bytes(data, data + text.size());
    }
    default:
      break;
  }
  switch (storage_of(column.kind)) {
    case Storage::Integers:
      return column.integers[row];
    case Storage::Reals:
      return column.reals[row];
    case Storage::Raw:
      break;
  }
  return std::string(column.text(row));
}

bool would_round(const ColumnChunk& column, std::size_t row, const schema::Type& type,
                 int default_digits) {
  if (type.kind == TypeKind::Numeric && type.scale && storage_of(column.kind) == Storage::Raw) {
    const std::string_view text = column.text(row);
    const std::size_t point = text.find('.');
    const std::size_t kept = point + 1 + static_cast<std::size_t>(*type.scale);
    return point != std::string_view::npos && kept < text.size() &&
           text.find_first_not_of('0', kept) != std::string_view::npos;
  }
  const bool has_fraction = type.kind == TypeKind::Time || type.kind == TypeKind::Timestamp ||
                            type.kind == TypeKind::TimestampTz;
  if (!has_fraction || storage_of(column.kind) != Storage::Integers) {
    return false;
  }
  std::int64_t unit = 1;
  for (int digits = type.precision.value_or(default_digits); digits < 6; ++digits) {
    unit *= 10;
  }
  const std::int64_t value = column.integers[row];
  return value != kInfinity && value != -kInfinity && value % unit != 0;
}

}  // namespace kedge::db
