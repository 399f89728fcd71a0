// Numbers of PostgreSQL's binary format that never change.
#pragma once

#include <cstdint>

namespace kedge::db::postgres::wire {

// OIDs that never change.
inline constexpr std::uint32_t kBool = 16;
inline constexpr std::uint32_t kBytea = 17;
inline constexpr std::uint32_t kName = 19;
inline constexpr std::uint32_t kInt8 = 20;
inline constexpr std::uint32_t kInt2 = 21;
inline constexpr std::uint32_t kInt4 = 23;
inline constexpr std::uint32_t kText = 25;
inline constexpr std::uint32_t kJson = 114;
inline constexpr std::uint32_t kFloat4 = 700;
inline constexpr std::uint32_t kFloat8 = 701;
inline constexpr std::uint32_t kBpchar = 1042;
inline constexpr std::uint32_t kVarchar = 1043;
inline constexpr std::uint32_t kDate = 1082;
inline constexpr std::uint32_t kTime = 1083;
inline constexpr std::uint32_t kTimestamp = 1114;
inline constexpr std::uint32_t kTimestampTz = 1184;
inline constexpr std::uint32_t kNumeric = 1700;
inline constexpr std::uint32_t kUuid = 2950;
inline constexpr std::uint32_t kJsonb = 3802;

inline bool is_stamp(std::uint32_t oid) {
  return oid == kTimestamp || oid == kTimestampTz;
}

inline constexpr std::int64_t kDaysTo2000 = 10'957;
inline constexpr std::int64_t kMicrosecondsTo2000 = kDaysTo2000 * 86'400'000'000;

inline constexpr std::uint16_t kNegative = 0x4000;
inline constexpr std::uint16_t kNaN = 0xC000;
inline constexpr std::uint16_t kPlusInfinity = 0xD000;
inline constexpr std::uint16_t kMinusInfinity = 0xF000;

}  // namespace kedge::db::postgres::wire
