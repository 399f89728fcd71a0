#include "db/postgres/row_encoder.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "db/postgres/binary_constants.h"

namespace kedge::db::postgres {
namespace {

using namespace wire;  // NOLINT(google-build-using-namespace): constants only
using schema::TypeKind;

template <class T>
void store(char* at, T value) {
  static_assert(std::endian::native == std::endian::little);
  using Bits = std::make_unsigned_t<T>;
  Bits bits = static_cast<Bits>(value);
  if constexpr (sizeof(T) == 2) {
    bits = __builtin_bswap16(bits);
  } else if constexpr (sizeof(T) == 4) {
    bits = __builtin_bswap32(bits);
  } else {
    bits = __builtin_bswap64(bits);
  }
  std::memcpy(at, &bits, sizeof(T));
}

// Length and value of a field of fixed size.
template <class T>
void put(SendBuffer& out, T value) {
  char* at = out.room(4 + sizeof(T));
  store<std::int32_t>(at, sizeof(T));
  store<T>(at + 4, value);
  out.take(4 + sizeof(T));
}

template <class T>
bool put_checked(SendBuffer& out, std::int64_t value) {
  if (!std::in_range<T>(value)) {
    return false;
  }
  put<T>(out, static_cast<T>(value));
  return true;
}

void put_bytes(SendBuffer& out, std::string_view text) {
  char* at = out.room(4 + text.size());
  store<std::int32_t>(at, static_cast<std::int32_t>(text.size()));
  std::memcpy(at + 4, text.data(), text.size());
  out.take(4 + text.size());
}

constexpr std::array<std::uint64_t, 19> kPowers = [] {
  std::array<std::uint64_t, 19> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) {
    powers[i] = powers[i - 1] * 10;
  }
  return powers;
}();

// Base-10000 groups of the whole part, then of the fraction, aligned at the point.
void put_decimal(SendBuffer& out, std::int64_t value, int scale) {
  const bool negative = value < 0;
  const auto size =
      negative ? -static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  const auto places = static_cast<std::size_t>(scale);
  std::uint64_t whole = size / kPowers[places];
  const std::size_t fraction_groups = (places + 3) / 4;
  std::uint64_t fraction = size % kPowers[places];
  std::array<std::int16_t, 10> groups{};
  std::size_t count = 0;
  for (; whole != 0; whole /= 10'000) {
    groups[count++] = static_cast<std::int16_t>(whole % 10'000);
  }
  const std::size_t whole_groups = count;
  char* at = out.room(12 + 2 * (whole_groups + fraction_groups));
  const std::size_t bytes = 8 + 2 * (whole_groups + fraction_groups);
  store<std::int32_t>(at, static_cast<std::int32_t>(bytes));
  store<std::int16_t>(at + 4, static_cast<std::int16_t>(whole_groups + fraction_groups));
  store<std::int16_t>(at + 6, static_cast<std::int16_t>(static_cast<int>(whole_groups) - 1));
  store<std::int16_t>(at + 8, static_cast<std::int16_t>(negative ? kNegative : 0));
  store<std::int16_t>(at + 10, static_cast<std::int16_t>(scale));
  at += 12;
  for (std::size_t i = whole_groups; i-- > 0; at += 2) {
    store<std::int16_t>(at, groups[i]);
  }
  std::size_t left = places;  // digits of the fraction not yet written
  for (std::size_t i = 0; i < fraction_groups; ++i, at += 2) {
    const std::size_t rest = left > 4 ? left - 4 : 0;
    const std::uint64_t group = fraction / kPowers[rest] * kPowers[left < 4 ? 4 - left : 0];
    store<std::int16_t>(at, static_cast<std::int16_t>(group));
    fraction %= kPowers[rest];
    left = rest;
  }
  out.take(bytes + 4);
}

std::int64_t unit_of(int digits) {
  std::int64_t unit = 1;
  for (; digits >= 0 && digits < 6; ++digits) {
    unit *= 10;
  }
  return unit;
}

std::int64_t stamp_of(std::int64_t value) {
  if (value == kInfinity || value == -kInfinity) {
    return value > 0 ? INT64_MAX : INT64_MIN;
  }
  return value - kMicrosecondsTo2000;
}

std::int32_t date_of(std::int64_t days) {
  if (days == kInfiniteDate || days == -kInfiniteDate) {
    return days > 0 ? INT32_MAX : INT32_MIN;
  }
  return static_cast<std::int32_t>(days - kDaysTo2000);
}

bool fits_real4(double value) {
  return !std::isfinite(value) || std::fabs(value) <= std::numeric_limits<float>::max();
}

}  // namespace

RowEncoder::Plan RowEncoder::plan_for(const ColumnChunk& column, const TargetType& type) const {
  Plan plan;
  switch (column.storage()) {
    case Storage::Integers:
      if (column.scale >= 0) {
        if (type.oid != kNumeric) {
          return plan;
        }
        plan.way = Way::Decimal;
        constexpr int kHeader = 4;
        const int kept =
            type.modifier < 0 ? column.scale : (((type.modifier - kHeader) & 0x7ff) ^ 1024) - 1024;
        plan.divisor =
            kept < 0 || kept >= column.scale
                ? 1
                : static_cast<std::int64_t>(kPowers[static_cast<std::size_t>(column.scale - kept)]);
        return plan;
      }
      plan.unit = (is_stamp(type.oid) || type.oid == kTime) && type.modifier >= 0
                      ? unit_of(type.modifier)
                      : 1;
      plan.way = type.oid == kBool                        ? Way::Bool
                 : type.oid == kInt2                      ? Way::Int2
                 : type.oid == kInt4                      ? Way::Int4
                 : type.oid == kInt8 || type.oid == kTime ? Way::Int8
                 : type.oid == kDate                      ? Way::Date
                 : is_stamp(type.oid)                     ? Way::Stamp
                                                          : Way::Other;
      return plan;
    case Storage::Reals:
      plan.way = type.oid == kFloat4 ? Way::Real4 : Way::Real8;
      return plan;
    case Storage::Raw:
      break;
  }
  const bool text = type.oid == kText || type.oid == kVarchar || type.oid == kBpchar ||
                    type.oid == kName || type.oid == kJson || type.oid == kBytea || type.is_enum;
  plan.way = text ? Way::Bytes : Way::Other;
  plan.checked = !text;
  return plan;
}

void RowEncoder::start(const Chunk& chunk) {
  plans_.clear();
  for (std::size_t i = 0; i < types_.size(); ++i) {
    plans_.push_back(plan_for(chunk.columns[i], types_[i]));
  }
}

std::optional<std::size_t> RowEncoder::add(const Chunk& chunk, std::size_t row, SendBuffer& out) {
  store<std::int16_t>(out.room(2), static_cast<std::int16_t>(types_.size()));
  out.take(2);
  for (std::size_t i = 0; i < types_.size(); ++i) {
    const ColumnChunk& column = chunk.columns[i];
    if (column.valid[row] == 0) {
      store<std::int32_t>(out.room(4), -1);
      out.take(4);
    } else if (!add_field(column, row, i, out)) {
      return i;
    }
  }
  return std::nullopt;
}

bool RowEncoder::add_field(const ColumnChunk& column, std::size_t row, std::size_t i,
                           SendBuffer& out) {
  const Plan& plan = plans_[i];
  switch (plan.way) {
    case Way::Bool: {
      char* at = out.room(5);
      store<std::int32_t>(at, 1);
      at[4] = static_cast<char>(column.integers[row] != 0 ? 1 : 0);
      out.take(5);
      return true;
    }
    case Way::Int2:
      return put_checked<std::int16_t>(out, column.integers[row]);
    case Way::Int4:
      return put_checked<std::int32_t>(out, column.integers[row]);
    case Way::Int8:
      put<std::int64_t>(out, column.integers[row]);
      return plan.unit == 1 || column.integers[row] % plan.unit == 0;
    case Way::Date:
      put<std::int32_t>(out, date_of(column.integers[row]));
      return true;
    case Way::Stamp: {
      const std::int64_t value = column.integers[row];
      put<std::int64_t>(out, stamp_of(value));
      return plan.unit == 1 || value == kInfinity || value == -kInfinity || value % plan.unit == 0;
    }
    case Way::Real4:
      put<std::int32_t>(out, std::bit_cast<std::int32_t>(static_cast<float>(column.reals[row])));
      return fits_real4(column.reals[row]);
    case Way::Real8:
      put<std::int64_t>(out, std::bit_cast<std::int64_t>(column.reals[row]));
      return true;
    case Way::Bytes:
      put_bytes(out, column.text(row));
      return true;
    case Way::Decimal:
      put_decimal(out, column.integers[row], column.scale);
      return plan.divisor == 1 || column.integers[row] % plan.divisor == 0;
    case Way::Other:
      break;
  }
  return add_other(column, row, i, out);
}

bool RowEncoder::add_other(const ColumnChunk& column, std::size_t row, std::size_t i,
                           SendBuffer& out) {
  if (column.scale >= 0) {
    put_bytes(out, to_text(value_at(column, row)));  // a decimal into a text
    return true;
  }
  scratch_.clear();
  if ((plans_[i].checked && would_round(column, row, types_[i])) ||
      encode_field(column, row, types_[i], scratch_) == Encoded::DoesNotFit) {
    return false;
  }
  out.add(scratch_);
  return true;
}

}  // namespace kedge::db::postgres
