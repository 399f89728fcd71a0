// Cells of DuckDB vectors as values and texts, spelled as DuckDB's own casts to VARCHAR do.
#include <array>
#include <charconv>
#include <limits>

#include "base/text.h"
#include "db/bulk.h"
#include "db/duckdb/types.h"

namespace kedge::db::duckdb {
namespace {

__extension__ typedef __int128 Wide;            // NOLINT(modernize-use-using)
__extension__ typedef unsigned __int128 UWide;  // NOLINT(modernize-use-using)

constexpr std::int64_t kInfinity = std::numeric_limits<std::int64_t>::max();

std::string digits_of(UWide value) {
  std::string text;
  do {
    text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  return text;
}

Wide wide_of(duckdb_hugeint value) {
  return static_cast<Wide>((static_cast<UWide>(static_cast<std::uint64_t>(value.upper)) << 64U) |
                           value.lower);
}

std::string text_of(Wide value) {
  return value < 0 ? "-" + digits_of(UWide{0} - static_cast<UWide>(value))
                   : digits_of(static_cast<UWide>(value));
}

std::string padded(std::int64_t value, std::size_t width) {
  std::string text = std::to_string(value);
  return text.size() < width ? std::string(width - text.size(), '0') + text : text;
}

std::string without_last_zeros(std::string text) {
  while (text.ends_with('0')) {
    text.pop_back();
  }
  return text;
}

std::string fraction_text(std::int64_t part, std::size_t width) {
  return part == 0 ? "" : "." + without_last_zeros(padded(part, width));
}

std::string clock_text(std::int64_t seconds) {
  return padded(seconds / 3600, 2) + ":" + padded(seconds / 60 % 60, 2) + ":" +
         padded(seconds % 60, 2);
}

std::int64_t floor_divide(std::int64_t value, std::int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

std::string offset_text(std::int32_t seconds) {
  std::string text = seconds < 0 ? "-" : "+";
  const std::int32_t size = seconds < 0 ? -seconds : seconds;
  text += padded(size / 3600, 2);
  if (size % 3600 != 0) {
    text += ":" + padded(size / 60 % 60, 2);
  }
  return text;
}

std::string interval_text(const duckdb_interval& interval) {
  std::string text;
  const auto add = [&](std::int64_t count, const char* unit) {
    if (count != 0) {
      text += (text.empty() ? "" : " ") + std::to_string(count) + " " + unit +
              (count == 1 || count == -1 ? "" : "s");
    }
  };
  add(interval.months / 12, "year");
  add(interval.months % 12, "month");
  add(interval.days, "day");
  if (interval.micros != 0 || text.empty()) {
    const std::int64_t size = interval.micros < 0 ? -interval.micros : interval.micros;
    text += (text.empty() ? "" : " ") + std::string(interval.micros < 0 ? "-" : "") +
            clock_text(size / 1'000'000) + fraction_text(size % 1'000'000, 6);
  }
  return text;
}

std::string uuid_text(const duckdb_hugeint& value) {
  const std::uint64_t high = static_cast<std::uint64_t>(value.upper) ^ (std::uint64_t{1} << 63U);
  std::string text;
  for (const std::uint64_t half : {high, value.lower}) {
    for (int shift = 60; shift >= 0; shift -= 4) {
      text += "0123456789abcdef"[(half >> static_cast<unsigned>(shift)) & 15U];
    }
  }
  for (const std::size_t place : {20U, 16U, 12U, 8U}) {
    text.insert(place, "-");
  }
  return text;
}

// The first byte says how many bits of the second are padding.
std::string bit_text(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 1; i < bytes.size(); ++i) {
    for (unsigned bit = 8; bit-- > 0;) {
      text += ((static_cast<unsigned char>(bytes[i]) >> bit) & 1U) != 0 ? '1' : '0';
    }
  }
  return bytes.empty() ? text : text.substr(static_cast<unsigned char>(bytes[0]));
}

std::string blob_text(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 32 || byte > 126 || c == '\\' || c == '\'' || c == '"') {
      text += "\\x" + base::to_upper(base::to_hex({&c, 1}));
    } else {
      text += c;
    }
  }
  return text;
}

template <class Real>
std::string real_text(Real value) {
  std::array<char, 40> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  std::string text(buffer.data(), end);
  return text.find_first_of(".einf") == std::string::npos ? text + ".0" : text;
}

// A text inside a list or struct is quoted when it could be misread.
std::string nested(const VectorReader& reader, std::size_t row) {
  if (reader.is_null(row)) {
    return "NULL";
  }
  std::string text = reader.text(row);
  const duckdb_type id = reader.shape().id;
  if (id != DUCKDB_TYPE_VARCHAR && id != DUCKDB_TYPE_ENUM) {
    return text;
  }
  const bool plain = !text.empty() && text == base::trim(text) &&
                     text.find_first_of("[]{}(),:='\"\\") == std::string::npos &&
                     !base::equals_ignoring_case(text, "null");
  return plain ? text
               : "'" + base::replace_all(base::replace_all(text, "\\", "\\\\"), "'", "\\'") + "'";
}

std::string timestamp_with_fraction(std::int64_t value, std::int64_t unit, std::size_t width) {
  if (value == kInfinity || value == -kInfinity) {
    return value > 0 ? "infinity" : "-infinity";
  }
  const std::int64_t day = floor_divide(value, unit * 86'400);
  const std::int64_t rest = value - day * unit * 86'400;
  return date_text(static_cast<std::int32_t>(day)) + " " + clock_text(rest / unit) +
         fraction_text(rest % unit, width);
}

}  // namespace

std::string date_text(std::int32_t days) {
  if (days == std::numeric_limits<std::int32_t>::max() ||
      days == -std::numeric_limits<std::int32_t>::max()) {
    return days > 0 ? "infinity" : "-infinity";
  }
  const CalendarDate date = calendar_date(days);
  const std::string text = "-" + padded(date.month, 2) + "-" + padded(date.day, 2);
  return date.year > 0 ? padded(date.year, 4) + text : padded(1 - date.year, 4) + text + " (BC)";
}

std::string time_text(std::int64_t microseconds) {
  return clock_text(microseconds / 1'000'000) + fraction_text(microseconds % 1'000'000, 6);
}

std::string timestamp_text(std::int64_t microseconds) {
  return timestamp_with_fraction(microseconds, 1'000'000, 6);
}

std::string decimal_text(duckdb_hugeint value, int scale) {
  const Wide wide = wide_of(value);
  std::string digits =
      digits_of(wide < 0 ? UWide{0} - static_cast<UWide>(wide) : static_cast<UWide>(wide));
  const auto places = static_cast<std::size_t>(scale);
  if (digits.size() <= places) {
    digits.insert(0, places + 1 - digits.size(), '0');
  }
  if (places > 0) {
    digits.insert(digits.size() - places, ".");
  }
  return wide < 0 ? "-" + digits : digits;
}

VectorReader::VectorReader(const Api& api, const TypeShape& shape, duckdb_vector vector)
    : api_(api),
      shape_(shape),
      data_(api.vector_get_data(vector)),
      validity_(api.vector_get_validity(vector)) {
  switch (static_cast<int>(shape.id)) {
    case DUCKDB_TYPE_LIST:
      children_.emplace_back(api, shape.children[0], api.list_vector_get_child(vector));
      break;
    case DUCKDB_TYPE_ARRAY:
      children_.emplace_back(api, shape.children[0], api.array_vector_get_child(vector));
      break;
    case DUCKDB_TYPE_MAP: {
      duckdb_vector entries = api.list_vector_get_child(vector);
      for (idx_t i = 0; i < 2; ++i) {
        children_.emplace_back(api, shape.children[i], api.struct_vector_get_child(entries, i));
      }
      break;
    }
    case DUCKDB_TYPE_STRUCT:
      for (idx_t i = 0; i < shape.children.size(); ++i) {
        children_.emplace_back(api, shape.children[i], api.struct_vector_get_child(vector, i));
      }
      break;
    default:
      break;
  }
}

bool VectorReader::is_null(std::size_t row) const {
  return validity_ != nullptr && ((validity_[row / 64] >> (row % 64)) & 1U) == 0;
}

std::string_view VectorReader::bytes(std::size_t row) const {
  const auto& text = at<duckdb_string_t>(row);
  return text.value.inlined.length <= 12
             ? std::string_view(text.value.inlined.inlined, text.value.inlined.length)
             : std::string_view(text.value.pointer.ptr, text.value.pointer.length);
}

Value VectorReader::value(std::size_t row) const {
  if (is_null(row)) {
    return std::monostate();
  }
  switch (static_cast<int>(shape_.id)) {
    case DUCKDB_TYPE_BOOLEAN:
      return at<bool>(row);
    case DUCKDB_TYPE_TINYINT:
      return std::int64_t{at<std::int8_t>(row)};
    case DUCKDB_TYPE_SMALLINT:
      return std::int64_t{at<std::int16_t>(row)};
    case DUCKDB_TYPE_INTEGER:
      return std::int64_t{at<std::int32_t>(row)};
    case DUCKDB_TYPE_BIGINT:
      return at<std::int64_t>(row);
    case DUCKDB_TYPE_UTINYINT:
      return std::int64_t{at<std::uint8_t>(row)};
    case DUCKDB_TYPE_USMALLINT:
      return std::int64_t{at<std::uint16_t>(row)};
    case DUCKDB_TYPE_UINTEGER:
      return std::int64_t{at<std::uint32_t>(row)};
    case DUCKDB_TYPE_FLOAT:
      return double{at<float>(row)};
    case DUCKDB_TYPE_DOUBLE:
      return at<double>(row);
    case DUCKDB_TYPE_BLOB: {
      const std::string_view text = bytes(row);
      const auto* data = reinterpret_cast<const std::byte*>(text.data());
      return Bytes(data, data + text.size());
    }
    default:
      return text(row);
  }
}

std::string VectorReader::list_text(std::size_t begin, std::size_t size) const {
  std::string text = "[";
  for (std::size_t i = begin; i < begin + size; ++i) {
    text += (i == begin ? "" : ", ") + nested(children_[0], i);
  }
  return text + "]";
}

std::string VectorReader::map_text(std::size_t row) const {
  const auto& entry = at<duckdb_list_entry>(row);
  std::string text = "{";
  for (std::size_t i = entry.offset; i < entry.offset + entry.length; ++i) {
    text +=
        (i == entry.offset ? "" : ", ") + nested(children_[0], i) + "=" + nested(children_[1], i);
  }
  return text + "}";
}

std::string VectorReader::struct_text(std::size_t row) const {
  std::string text = "{";
  for (std::size_t i = 0; i < children_.size(); ++i) {
    text += (i == 0 ? "'" : ", '") + shape_.labels[i] + "': " + nested(children_[i], row);
  }
  return text + "}";
}

std::string VectorReader::text(std::size_t row) const {
  switch (static_cast<int>(shape_.id)) {
    case DUCKDB_TYPE_BOOLEAN:
      return at<bool>(row) ? "true" : "false";
    case DUCKDB_TYPE_TINYINT:
      return std::to_string(at<std::int8_t>(row));
    case DUCKDB_TYPE_SMALLINT:
      return std::to_string(at<std::int16_t>(row));
    case DUCKDB_TYPE_INTEGER:
      return std::to_string(at<std::int32_t>(row));
    case DUCKDB_TYPE_BIGINT:
      return std::to_string(at<std::int64_t>(row));
    case DUCKDB_TYPE_UTINYINT:
      return std::to_string(at<std::uint8_t>(row));
    case DUCKDB_TYPE_USMALLINT:
      return std::to_string(at<std::uint16_t>(row));
    case DUCKDB_TYPE_UINTEGER:
      return std::to_string(at<std::uint32_t>(row));
    case DUCKDB_TYPE_UBIGINT:
      return std::to_string(at<std::uint64_t>(row));
    case DUCKDB_TYPE_HUGEINT:
      return text_of(wide_of(at<duckdb_hugeint>(row)));
    case DUCKDB_TYPE_UHUGEINT:
      return digits_of((static_cast<UWide>(at<duckdb_uhugeint>(row).upper) << 64U) |
                       at<duckdb_uhugeint>(row).lower);
    case DUCKDB_TYPE_FLOAT:
      return real_text(at<float>(row));
    case DUCKDB_TYPE_DOUBLE:
      return real_text(at<double>(row));
    case DUCKDB_TYPE_VARCHAR:
      return std::string(bytes(row));
    case DUCKDB_TYPE_BLOB:
      return blob_text(bytes(row));
    case DUCKDB_TYPE_BIT:
      return bit_text(bytes(row));
    case DUCKDB_TYPE_DECIMAL:
      return decimal_text(decimal(row), shape_.scale);
    case DUCKDB_TYPE_ENUM:
      return shape_.labels.at(enum_index(row));
    case DUCKDB_TYPE_DATE:
      return date_text(at<std::int32_t>(row));
    case DUCKDB_TYPE_TIME:
      return time_text(at<std::int64_t>(row));
    case DUCKDB_TYPE_TIME_TZ: {
      // 40 bits of microseconds above 24 bits of (16 h minus the offset in seconds).
      const std::uint64_t bits = at<std::uint64_t>(row);
      constexpr std::int32_t kMaximum = 16 * 3600 - 1;
      return time_text(static_cast<std::int64_t>(bits >> 24U)) +
             offset_text(kMaximum - static_cast<std::int32_t>(bits & 0xffffffU));
    }
    case DUCKDB_TYPE_TIMESTAMP:
      return timestamp_text(at<std::int64_t>(row));
    case DUCKDB_TYPE_TIMESTAMP_S:
      return timestamp_with_fraction(at<std::int64_t>(row), 1, 0);
    case DUCKDB_TYPE_TIMESTAMP_MS:
      return timestamp_with_fraction(at<std::int64_t>(row), 1000, 3);
    case DUCKDB_TYPE_TIMESTAMP_NS:
      return timestamp_with_fraction(at<std::int64_t>(row), 1'000'000'000, 9);
    case DUCKDB_TYPE_TIMESTAMP_TZ: {
      const std::string text = timestamp_text(at<std::int64_t>(row));
      return text.ends_with("infinity") ? text : text + "+00";
    }
    case DUCKDB_TYPE_INTERVAL:
      return interval_text(at<duckdb_interval>(row));
    case DUCKDB_TYPE_UUID:
      return uuid_text(at<duckdb_hugeint>(row));
    case DUCKDB_TYPE_LIST:
      return list_text(at<duckdb_list_entry>(row).offset, at<duckdb_list_entry>(row).length);
    case DUCKDB_TYPE_ARRAY:
      return list_text(row * shape_.array_size, shape_.array_size);
    case DUCKDB_TYPE_MAP:
      return map_text(row);
    case DUCKDB_TYPE_STRUCT:
      return struct_text(row);
    default:
      return "(" + name_of(shape_) + ")";
  }
}

duckdb_hugeint VectorReader::decimal(std::size_t row) const {
  const auto widened = [](std::int64_t value) {
    return duckdb_hugeint{static_cast<std::uint64_t>(value), value < 0 ? -1 : 0};
  };
  switch (static_cast<int>(shape_.internal)) {
    case DUCKDB_TYPE_SMALLINT:
      return widened(at<std::int16_t>(row));
    case DUCKDB_TYPE_INTEGER:
      return widened(at<std::int32_t>(row));
    case DUCKDB_TYPE_BIGINT:
      return widened(at<std::int64_t>(row));
    default:
      return at<duckdb_hugeint>(row);
  }
}

std::size_t VectorReader::enum_index(std::size_t row) const {
  switch (static_cast<int>(shape_.internal)) {
    case DUCKDB_TYPE_UTINYINT:
      return at<std::uint8_t>(row);
    case DUCKDB_TYPE_USMALLINT:
      return at<std::uint16_t>(row);
    default:
      return at<std::uint32_t>(row);
  }
}

}  // namespace kedge::db::duckdb
