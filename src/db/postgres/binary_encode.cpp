#include "db/postgres/binary.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "base/text.h"
#include "db/postgres/binary_constants.h"

namespace kedge::db::postgres {
namespace {

using namespace wire;  // NOLINT(google-build-using-namespace): constants only
using schema::TypeKind;

template <class T>
void put(std::string& out, T value) {
  char bytes[sizeof(T)];
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    bytes[sizeof(T) - 1 - i] =
        static_cast<char>(static_cast<std::make_unsigned_t<T>>(value) >> (8 * i));
  }
  out.append(bytes, sizeof(T));
}

// Digits of a decimal text, the sign and the point taken off.
struct Decimal {
  bool negative = false;
  std::string_view whole;     // without leading zeros
  std::string_view fraction;  // as written
};

bool all_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<Decimal> parse_decimal(std::string_view text) {
  text = base::trim(text);
  Decimal decimal;
  decimal.negative = text.starts_with('-');
  if (decimal.negative || text.starts_with('+')) {
    text.remove_prefix(1);
  }
  const std::size_t point = text.find('.');
  decimal.whole = text.substr(0, point);
  decimal.fraction = point == std::string_view::npos ? "" : text.substr(point + 1);
  if ((decimal.whole.empty() && decimal.fraction.empty()) || !all_digits(decimal.whole) ||
      !all_digits(decimal.fraction)) {
    return std::nullopt;
  }
  decimal.whole.remove_prefix(std::min(decimal.whole.find_first_not_of('0'), decimal.whole.size()));
  return decimal;
}

void put_special(std::string& out, std::uint16_t sign) {
  put<std::int32_t>(out, 8);
  put<std::int16_t>(out, 0);
  put<std::int16_t>(out, 0);
  put<std::int16_t>(out, static_cast<std::int16_t>(sign));
  put<std::int16_t>(out, 0);
}

bool encode_numeric(std::string_view text, std::string& out) {
  if (text == "NaN" || text == "nan") {
    put_special(out, kNaN);
    return true;
  }
  const auto decimal = parse_decimal(text);
  if (!decimal || decimal->whole.size() > 100'000 || decimal->fraction.size() > 16'383) {
    return false;
  }
  const std::size_t whole_groups = (decimal->whole.size() + 3) / 4;
  const std::size_t fraction_groups = (decimal->fraction.size() + 3) / 4;
  const std::size_t start = out.size();
  put<std::int32_t>(out, 0);  // the length, known at the end
  put<std::int16_t>(out, 0);  // the number of groups
  put<std::int16_t>(out, static_cast<std::int16_t>(static_cast<int>(whole_groups) - 1));
  put<std::int16_t>(out, decimal->negative ? kNegative : 0);
  put<std::int16_t>(out, static_cast<std::int16_t>(decimal->fraction.size()));
  const std::size_t padding = whole_groups * 4 - decimal->whole.size();
  const auto digit = [](std::string_view digits, std::size_t at) {
    return at < digits.size() ? digits[at] - '0' : 0;
  };
  for (std::size_t group = 0; group < whole_groups; ++group) {
    int value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t at = group * 4 + i;
      value = value * 10 + (at < padding ? 0 : digit(decimal->whole, at - padding));
    }
    put<std::int16_t>(out, static_cast<std::int16_t>(value));
  }
  for (std::size_t group = 0; group < fraction_groups; ++group) {
    int value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      value = value * 10 + digit(decimal->fraction, group * 4 + i);
    }
    put<std::int16_t>(out, static_cast<std::int16_t>(value));
  }
  std::string sizes;
  put<std::int32_t>(sizes, static_cast<std::int32_t>(out.size() - start - 4));
  put<std::int16_t>(sizes, static_cast<std::int16_t>(whole_groups + fraction_groups));
  out.replace(start, 6, sizes);
  return true;
}

bool encode_uuid(std::string_view text, std::string& out) {
  std::string bytes;
  int high = -1;
  for (const char c : text) {
    if (c == '-' || c == '{' || c == '}') {
      continue;
    }
    const char lower = static_cast<char>(c | 0x20);
    const int value = c >= '0' && c <= '9'           ? c - '0'
                      : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10
                                                     : -1;
    if (value < 0) {
      return false;
    }
    if (high >= 0) {
      bytes += static_cast<char>(high * 16 + value);
      high = -1;
    } else {
      high = value;
    }
  }
  if (bytes.size() != 16 || high >= 0) {
    return false;
  }
  put<std::int32_t>(out, 16);
  out += bytes;
  return true;
}

bool is_text(const TargetType& type) {
  return type.oid == kText || type.oid == kVarchar || type.oid == kBpchar || type.oid == kName ||
         type.oid == kJson || type.is_enum;
}

bool is_number(std::uint32_t oid) {
  return oid == kInt2 || oid == kInt4 || oid == kInt8 || oid == kNumeric;
}

void put_bytes(std::string& out, std::string_view bytes) {
  put<std::int32_t>(out, static_cast<std::int32_t>(bytes.size()));
  out += bytes;
}

template <class T>
Encoded put_integer(std::string& out, std::int64_t value) {
  if (!std::in_range<T>(value)) {
    return Encoded::DoesNotFit;
  }
  put<std::int32_t>(out, sizeof(T));
  put<T>(out, static_cast<T>(value));
  return Encoded::Yes;
}

Encoded put_stamp(std::string& out, std::int64_t value) {
  if (value == kInfinity || value == -kInfinity) {
    value = value > 0 ? INT64_MAX : INT64_MIN;
  } else if (__builtin_sub_overflow(value, kMicrosecondsTo2000, &value)) {
    return Encoded::DoesNotFit;
  }
  put<std::int32_t>(out, 8);
  put<std::int64_t>(out, value);
  return Encoded::Yes;
}

Encoded put_date(std::string& out, std::int64_t days) {
  const bool infinite = days == kInfiniteDate || days == -kInfiniteDate;
  if (!infinite && !std::in_range<std::int32_t>(days - kDaysTo2000)) {
    return Encoded::DoesNotFit;
  }
  put<std::int32_t>(out, 4);
  put<std::int32_t>(out, infinite ? (days > 0 ? INT32_MAX : INT32_MIN)
                                  : static_cast<std::int32_t>(days - kDaysTo2000));
  return Encoded::Yes;
}

Encoded encode_integer(std::int64_t value, const TargetType& type, std::string& out) {
  switch (type.oid) {
    case kBool:
      put<std::int32_t>(out, 1);
      out += static_cast<char>(value != 0 ? 1 : 0);
      return Encoded::Yes;
    case kInt2:
      return put_integer<std::int16_t>(out, value);
    case kInt4:
      return put_integer<std::int32_t>(out, value);
    case kInt8:
    case kTime:
      return put_integer<std::int64_t>(out, value);
    case kDate:
      return put_date(out, value);
    case kTimestamp:
    case kTimestampTz:
      return put_stamp(out, value);
    case kNumeric:
      return encode_numeric(std::to_string(value), out) ? Encoded::Yes : Encoded::DoesNotFit;
    default:
      put_bytes(out, std::to_string(value));
      return Encoded::Yes;
  }
}

Encoded encode_real(double value, const TargetType& type, std::string& out) {
  if (type.oid == kFloat4) {
    if (std::isfinite(value) && std::fabs(value) > std::numeric_limits<float>::max()) {
      return Encoded::DoesNotFit;
    }
    put<std::int32_t>(out, 4);
    put<std::int32_t>(out, std::bit_cast<std::int32_t>(static_cast<float>(value)));
  } else {
    put<std::int32_t>(out, 8);
    put<std::int64_t>(out, std::bit_cast<std::int64_t>(value));
  }
  return Encoded::Yes;
}

Encoded encode_raw(std::string_view text, const TargetType& type, std::string& out) {
  const auto checked = [](bool good) { return good ? Encoded::Yes : Encoded::DoesNotFit; };
  switch (type.oid) {
    case kUuid:
      return checked(encode_uuid(text, out));
    case kNumeric:
      return checked(encode_numeric(text, out));
    case kInt2:
    case kInt4:
    case kInt8: {
      const auto integer = to_integer(Value(std::string(text)));
      return integer ? encode_integer(*integer, type, out) : Encoded::DoesNotFit;
    }
    case kJsonb:
      put<std::int32_t>(out, static_cast<std::int32_t>(text.size() + 1));
      out += '\x01';
      out += text;
      return Encoded::Yes;
    default:
      put_bytes(out, text);
      return Encoded::Yes;
  }
}

}  // namespace

bool can_encode(TypeKind kind, const TargetType& type) {
  switch (kind) {
    case TypeKind::Boolean:
      return type.oid == kBool;
    case TypeKind::Date:
      return type.oid == kDate;
    case TypeKind::Time:
      return type.oid == kTime;
    case TypeKind::Timestamp:
    case TypeKind::TimestampTz:
      return is_stamp(type.oid);
    case TypeKind::Real4:
    case TypeKind::Real8:
      return type.oid == kFloat4 || type.oid == kFloat8;
    case TypeKind::Blob:
      return type.oid == kBytea;
    case TypeKind::Int8:
    case TypeKind::Int16:
    case TypeKind::Int32:
    case TypeKind::Int64:
    case TypeKind::UInt8:
    case TypeKind::UInt16:
    case TypeKind::UInt32:
      return is_number(type.oid) || is_text(type);
    case TypeKind::Unknown:
    case TypeKind::Int128:
    case TypeKind::UInt64:
    case TypeKind::UInt128:
    case TypeKind::Numeric:
    case TypeKind::Text:
    case TypeKind::Char:
    case TypeKind::Uuid:
    case TypeKind::Json:
    case TypeKind::Enum:
      return is_text(type) || is_number(type.oid) || type.oid == kUuid || type.oid == kJsonb;
    case TypeKind::Bit:
    case TypeKind::TimeTz:
    case TypeKind::Interval:
    case TypeKind::Inet:
    case TypeKind::Array:
    case TypeKind::Struct:
    case TypeKind::Map:
    case TypeKind::Domain:
    case TypeKind::Native:
      return is_text(type) || type.oid == kJsonb;
  }
  return false;
}

Encoded encode_field(const ColumnChunk& column, std::size_t row, const TargetType& type,
                     std::string& out) {
  switch (storage_of(column.kind)) {
    case Storage::Integers:
      return encode_integer(column.integers[row], type, out);
    case Storage::Reals:
      return encode_real(column.reals[row], type, out);
    case Storage::Raw:
      return encode_raw(column.text(row), type, out);
  }
  return Encoded::DoesNotFit;
}

bool would_round(const ColumnChunk& column, std::size_t row, const TargetType& type) {
  if (type.modifier < 0) {
    return false;
  }
  if (type.oid == kNumeric && column.storage() == Storage::Integers && column.scale >= 0) {
    ColumnChunk text;
    text.start(TypeKind::Numeric);
    text.add_bytes(to_text(value_at(column, row)));
    return would_round(text, 0, type);
  }
  if (type.oid == kNumeric && storage_of(column.kind) == Storage::Raw) {
    constexpr int kHeader = 4;
    const int scale = (((type.modifier - kHeader) & 0x7ff) ^ 1024) - 1024;
    const auto decimal = parse_decimal(column.text(row));
    if (!decimal || scale < 0 || decimal->fraction.size() <= static_cast<std::size_t>(scale)) {
      return false;
    }
    return decimal->fraction.find_first_not_of('0', static_cast<std::size_t>(scale)) !=
           std::string_view::npos;
  }
  if ((is_stamp(type.oid) || type.oid == kTime) && storage_of(column.kind) == Storage::Integers) {
    std::int64_t unit = 1;
    for (int digits = type.modifier; digits < 6; ++digits) {
      unit *= 10;
    }
    const std::int64_t value = column.integers[row];
    return value != kInfinity && value != -kInfinity && value % unit != 0;
  }
  return false;
}

}  // namespace kedge::db::postgres
