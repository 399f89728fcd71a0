#include "db/postgres/binary.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/text.h"
#include "db/postgres/binary_constants.h"

namespace kedge::db::postgres {
namespace {

using namespace wire;  // NOLINT(google-build-using-namespace): constants only
using schema::TypeKind;
__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using)

template <class T>
T get(std::string_view field, std::size_t at) {
  T value{};
  std::memcpy(&value, field.data() + at, sizeof(T));
  if constexpr (sizeof(T) == 2) {
    return __builtin_bswap16(value);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bswap32(value);
  } else {
    return __builtin_bswap64(value);
  }
}

std::int64_t signed_64(std::string_view field) {
  return static_cast<std::int64_t>(get<std::uint64_t>(field, 0));
}
std::int32_t signed_32(std::string_view field) {
  return static_cast<std::int32_t>(get<std::uint32_t>(field, 0));
}

// Base-10000 digits: `weight` is the power of the first one, `scale` the decimal places to show.
void decode_numeric(std::string_view field, std::string& out) {
  const auto count = get<std::uint16_t>(field, 0);
  const auto weight = static_cast<std::int16_t>(get<std::uint16_t>(field, 2));
  const auto sign = get<std::uint16_t>(field, 4);
  const auto scale = get<std::uint16_t>(field, 6);
  if (sign == kNaN || sign == kPlusInfinity || sign == kMinusInfinity) {
    out += sign == kNaN ? "NaN" : sign == kPlusInfinity ? "Infinity" : "-Infinity";
    return;
  }
  const auto group = [&](int place) {  // place = power of 10000
    const int index = weight - place;
    return index >= 0 && index < count
               ? get<std::uint16_t>(field, 8 + 2 * static_cast<std::size_t>(index))
               : std::uint16_t{0};
  };
  out += sign == kNegative ? "-" : "";
  const auto four = [&](unsigned digits) {
    for (const unsigned by : {1000U, 100U, 10U, 1U}) {
      out += static_cast<char>('0' + digits / by % 10);
    }
  };
  const std::size_t begin = out.size();
  for (int place = std::max<int>(weight, 0); place >= 0; --place) {
    four(group(place));
  }
  const std::size_t first = std::min(out.find_first_not_of('0', begin), out.size() - 1);
  out.erase(begin, first - begin);
  if (scale > 0) {
    out += '.';
    const std::size_t point = out.size();
    for (int place = -1; out.size() - point < scale; --place) {
      four(group(place));
    }
    out.resize(point + scale);
  }
}

void decode_uuid(std::string_view field, std::string& out) {
  const std::string hex = base::to_hex(field);
  out += hex.substr(0, 8) + "-" + hex.substr(8, 4) + "-" + hex.substr(12, 4) + "-" +
         hex.substr(16, 4) + "-" + hex.substr(20);
}

}  // namespace

bool decode_scaled_numeric(std::string_view field, ColumnChunk& column) {
  const auto count = get<std::uint16_t>(field, 0);
  const auto weight = static_cast<std::int16_t>(get<std::uint16_t>(field, 2));
  const auto sign = get<std::uint16_t>(field, 4);
  if (sign != 0 && sign != kNegative) {
    return false;
  }
  // Groups of four digits from the first one down to the one that holds the last decimal place.
  const int last = -((column.scale + 3) / 4);
  Wide value = 0;
  for (int place = weight; place >= last; --place) {
    const int index = weight - place;
    value =
        value * 10'000 +
        (index < count ? get<std::uint16_t>(field, 8 + 2 * static_cast<std::size_t>(index)) : 0);
  }
  for (int i = column.scale; i % 4 != 0; ++i) {
    value /= 10;  // the padding of the last group
  }
  column.add_integer(static_cast<std::int64_t>(sign == kNegative ? -value : value));
  return true;
}

std::optional<TypeKind> find_binary_kind(std::uint32_t oid) {
  switch (oid) {
    case kBool:
      return TypeKind::Boolean;
    case kInt2:
      return TypeKind::Int16;
    case kInt4:
      return TypeKind::Int32;
    case kInt8:
      return TypeKind::Int64;
    case kFloat4:
      return TypeKind::Real4;
    case kFloat8:
      return TypeKind::Real8;
    case kText:
    case kVarchar:
    case kName:
      return TypeKind::Text;
    case kBpchar:
      return TypeKind::Char;
    case kBytea:
      return TypeKind::Blob;
    case kDate:
      return TypeKind::Date;
    case kTime:
      return TypeKind::Time;
    case kTimestamp:
      return TypeKind::Timestamp;
    case kTimestampTz:
      return TypeKind::TimestampTz;
    case kNumeric:
      return TypeKind::Numeric;
    case kUuid:
      return TypeKind::Uuid;
    case kJson:
    case kJsonb:
      return TypeKind::Json;
    default:
      return std::nullopt;
  }
}

namespace {

// Microseconds since 1970 reach less far into the future than those since 2000.
bool decode_stamp(std::string_view field, ColumnChunk& column) {
  std::int64_t value = signed_64(field);
  if (value == INT64_MAX || value == INT64_MIN) {
    value = value > 0 ? kInfinity : -kInfinity;
  } else if (__builtin_add_overflow(value, kMicrosecondsTo2000, &value) || value == kInfinity) {
    return false;
  }
  column.add_integer(value);
  return true;
}

void decode_other(std::uint32_t oid, std::string_view field, ColumnChunk& column) {
  const auto with_text = [&](auto&& write) {
    std::string text;
    write(text);
    column.add_bytes(text);
  };
  switch (oid) {
    case kBool:
      return column.add_integer(field[0] != 0 ? 1 : 0);
    case kInt2:
      return column.add_integer(static_cast<std::int16_t>(get<std::uint16_t>(field, 0)));
    case kInt4:
      return column.add_integer(signed_32(field));
    case kInt8:
    case kTime:
      return column.add_integer(signed_64(field));
    case kFloat4:
      return column.add_real(double{std::bit_cast<float>(signed_32(field))});
    case kFloat8:
      return column.add_real(std::bit_cast<double>(signed_64(field)));
    case kDate: {
      const std::int32_t days = signed_32(field);
      const bool infinite = days == INT32_MAX || days == INT32_MIN;
      return column.add_integer(infinite ? (days > 0 ? kInfiniteDate : -kInfiniteDate)
                                         : days + kDaysTo2000);
    }
    case kNumeric:
      return with_text([&](std::string& text) { decode_numeric(field, text); });
    case kUuid:
      return with_text([&](std::string& text) { decode_uuid(field, text); });
    case kJsonb:
      return column.add_bytes(field.substr(1));  // the version of the format
    default:
      return column.add_bytes(field);
  }
}

}  // namespace

bool decode_field(std::uint32_t oid, std::string_view field, ColumnChunk& column) {
  if (oid == kTimestamp || oid == kTimestampTz) {
    return decode_stamp(field, column);
  }
  decode_other(oid, field, column);
  return true;
}

}  // namespace kedge::db::postgres
