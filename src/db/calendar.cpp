// Dates and times as the integers of a column chunk. Calendar arithmetic counts days in 400-year
// eras that begin on the first of March, so leap days come last.
#include <charconv>
#include <string>

#include "base/text.h"
#include "db/bulk.h"

namespace kedge::db {
namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kDay = 86'400 * kSecond;

std::int64_t floor_divide(std::int64_t value, std::int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

std::string padded(std::int64_t value, std::size_t width) {
  std::string text = std::to_string(value);
  return text.size() < width ? std::string(width - text.size(), '0') + text : text;
}

// Reads digits; between `least` and `most` of them.
std::optional<std::int64_t> take_number(std::string_view& text, std::size_t least,
                                        std::size_t most) {
  std::size_t size = 0;
  std::int64_t value = 0;
  while (size < text.size() && size < most && text[size] >= '0' && text[size] <= '9') {
    value = value * 10 + (text[size] - '0');
    ++size;
  }
  if (size < least) {
    return std::nullopt;
  }
  text.remove_prefix(size);
  return value;
}

bool take(std::string_view& text, char c) {
  const bool found = text.starts_with(c);
  text.remove_prefix(found ? 1 : 0);
  return found;
}

std::int64_t days_from(std::int64_t year, std::int64_t month, std::int64_t day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = floor_divide(year, 400);
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146'097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         719'468;
}

bool is_leap(std::int64_t year) {
  return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

std::int64_t days_in(std::int64_t year, std::int64_t month) {
  constexpr std::int64_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : kDays[month - 1];
}

struct DayPart {
  std::int64_t year = 0;
  std::int64_t month = 0;
  std::int64_t day = 0;
};

std::optional<DayPart> take_day(std::string_view& text) {
  const auto year = take_number(text, 4, 6);
  const bool first = year && take(text, '-');
  const auto month = first ? take_number(text, 1, 2) : std::nullopt;
  const bool second = month && take(text, '-');
  const auto day = second ? take_number(text, 1, 2) : std::nullopt;
  if (!day || *month < 1 || *month > 12 || *day < 1 || *day > days_in(*year, *month)) {
    return std::nullopt;
  }
  return DayPart{*year, *month, *day};
}

// A year before our era is written "0044-03-15 BC" or "0044-03-15 (BC)".
std::int64_t finish_day(DayPart part, std::string_view& text) {
  for (const std::string_view mark : {" (BC)", " BC"}) {
    if (text.ends_with(mark)) {
      text.remove_suffix(mark.size());
      part.year = 1 - part.year;
      break;
    }
  }
  return days_from(part.year, part.month, part.day);
}

// More than six digits of a second are refused unless they are zeros.
std::optional<std::int64_t> take_fraction(std::string_view& text) {
  std::int64_t value = 0;
  std::size_t digits = 0;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    if (digits >= 6 && text[0] != '0') {
      return std::nullopt;
    }
    value = digits < 6 ? value * 10 + (text[0] - '0') : value;
    ++digits;
    text.remove_prefix(1);
  }
  for (std::size_t i = digits; i < 6; ++i) {
    value *= 10;
  }
  return digits == 0 ? std::nullopt : std::optional(value);
}

std::optional<std::int64_t> take_time(std::string_view& text) {
  const auto hour = take_number(text, 1, 2);
  const auto minute = hour && take(text, ':') ? take_number(text, 2, 2) : std::nullopt;
  if (!minute || *minute > 59) {
    return std::nullopt;
  }
  std::int64_t value = (*hour * 60 + *minute) * 60 * kSecond;
  if (take(text, ':')) {
    const auto second = take_number(text, 2, 2);
    if (!second || *second > 59) {
      return std::nullopt;
    }
    value += *second * kSecond;
    if (take(text, '.')) {
      const auto fraction = take_fraction(text);
      if (!fraction) {
        return std::nullopt;
      }
      value += *fraction;
    }
  }
  return value <= kDay ? std::optional(value) : std::nullopt;
}

// "Z", "+02", "-03:30", "+0200"; nothing is UTC.
std::optional<std::int64_t> take_zone(std::string_view& text) {
  text = base::trim(text);
  if (text.empty() || text == "Z" || text == "z" || text == "UTC") {
    text = {};
    return 0;
  }
  const bool west = text[0] == '-';
  if (!take(text, '+') && !take(text, '-')) {
    return std::nullopt;
  }
  const auto hours = take_number(text, 2, 2);
  if (!hours) {
    return std::nullopt;
  }
  take(text, ':');
  const auto minutes = text.empty() ? std::optional<std::int64_t>(0) : take_number(text, 2, 2);
  if (!minutes || !text.empty()) {
    return std::nullopt;
  }
  const std::int64_t offset = (*hours * 60 + *minutes) * 60 * kSecond;
  return west ? -offset : offset;
}

}  // namespace

std::optional<std::int64_t> parse_date(std::string_view text) {
  text = base::trim(text);
  if (text == "infinity" || text == "-infinity") {
    return text[0] == '-' ? -kInfiniteDate : kInfiniteDate;
  }
  const auto day = take_day(text);
  if (!day) {
    return std::nullopt;
  }
  const std::int64_t days = finish_day(*day, text);
  return text.empty() ? std::optional(days) : std::nullopt;
}

std::optional<std::int64_t> parse_time(std::string_view text) {
  text = base::trim(text);
  const auto time = take_time(text);
  return text.empty() ? time : std::nullopt;
}

std::optional<std::int64_t> parse_timestamp(std::string_view text) {
  text = base::trim(text);
  if (text == "infinity" || text == "-infinity") {
    return text[0] == '-' ? -kInfinity : kInfinity;
  }
  const auto day = take_day(text);
  if (!day) {
    return std::nullopt;
  }
  const std::int64_t days = finish_day(*day, text);
  constexpr std::int64_t kMostDays = INT64_MAX / kDay - 2;
  if (days > kMostDays || days < -kMostDays) {
    return std::nullopt;
  }
  if (text.empty()) {
    return days * kDay;
  }
  if (!take(text, ' ') && !take(text, 'T')) {
    return std::nullopt;
  }
  const auto time = take_time(text);
  const auto zone = time ? take_zone(text) : std::nullopt;
  return zone ? std::optional(days * kDay + *time - *zone) : std::nullopt;
}

CalendarDate calendar_date(std::int64_t days) {
  const std::int64_t shifted = days + 719'468;
  const std::int64_t era = floor_divide(shifted, 146'097);
  const std::int64_t day_of_era = shifted - era * 146'097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t shifted_month = (5 * day_of_year + 2) / 153;
  const std::int64_t month = shifted_month + (shifted_month < 10 ? 3 : -9);
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month,
          day_of_year - (153 * shifted_month + 2) / 5 + 1};
}

std::string format_date(std::int64_t days) {
  if (days == kInfiniteDate || days == -kInfiniteDate) {
    return days > 0 ? "infinity" : "-infinity";
  }
  const CalendarDate date = calendar_date(days);
  const std::string rest = "-" + padded(date.month, 2) + "-" + padded(date.day, 2);
  return date.year > 0 ? padded(date.year, 4) + rest : padded(1 - date.year, 4) + rest + " BC";
}

std::string format_time(std::int64_t microseconds) {
  const std::int64_t seconds = microseconds / kSecond;
  std::string text = padded(seconds / 3600, 2) + ":" + padded(seconds / 60 % 60, 2) + ":" +
                     padded(seconds % 60, 2);
  if (const std::int64_t part = microseconds % kSecond; part != 0) {
    text += "." + padded(part, 6);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text;
}

std::string format_timestamp(std::int64_t microseconds) {
  if (microseconds == kInfinity || microseconds == -kInfinity) {
    return microseconds > 0 ? "infinity" : "-infinity";
  }
  const std::int64_t days = floor_divide(microseconds, kDay);
  std::string day = format_date(days);
  const bool before_our_era = day.ends_with(" BC");
  day.erase(before_our_era ? day.size() - 3 : day.size());
  return day + " " + format_time(microseconds - days * kDay) + (before_our_era ? " BC" : "");
}

}  // namespace kedge::db
