// Value types that generated code uses and the standard library lacks. Header only.
#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <cstdint>
#include <string>

namespace kedge {

using Timestamp = std::chrono::sys_time<std::chrono::milliseconds>;
using LocalTimestamp = std::chrono::local_time<std::chrono::milliseconds>;

struct TimeOfDay {
  std::chrono::milliseconds since_midnight{0};
  auto operator<=>(const TimeOfDay&) const = default;
};

struct Uuid {
  std::array<std::uint8_t, 16> bytes{};
  auto operator<=>(const Uuid&) const = default;
};

// A JSON text, not looked into.
struct Json {
  std::string text;
  auto operator<=>(const Json&) const = default;
};

}  // namespace kedge
