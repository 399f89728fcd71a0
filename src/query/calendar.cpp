#include <array>
#include <cstdio>

#include "query/words.h"

namespace kedge::query {
namespace {

struct Day {
  std::int64_t year = 1970;
  std::int64_t month = 1;
  std::int64_t day = 1;
};

std::int64_t to_days(Day d) {
  d.year -= d.month <= 2 ? 1 : 0;
  const std::int64_t era = (d.year >= 0 ? d.year : d.year - 399) / 400;
  const std::int64_t year = d.year - era * 400;
  const std::int64_t day = (153 * (d.month + (d.month > 2 ? -3 : 9)) + 2) / 5 + d.day - 1;
  return era * 146097 + year * 365 + year / 4 - year / 100 + day - 719468;
}

Day from_days(std::int64_t days) {
  days += 719468;
  const std::int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const std::int64_t of_era = days - era * 146097;
  const std::int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const std::int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
  const std::int64_t month = (5 * of_year + 2) / 153;
  const std::int64_t day = of_year - (153 * month + 2) / 5 + 1;
  const std::int64_t real = month < 10 ? month + 3 : month - 9;
  return {year + era * 400 + (real <= 2 ? 1 : 0), real, day};
}

std::string show(const Day& d) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02d", static_cast<int>(d.year),
                static_cast<int>(d.month), static_cast<int>(d.day));
  return text.data();
}

std::optional<Day> parse(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') {
    return std::nullopt;
  }
  const auto number = [&](std::size_t from, std::size_t count) {
    std::int64_t value = 0;
    for (std::size_t i = from; i < from + count; ++i) {
      if (text[i] < '0' || text[i] > '9') {
        return std::int64_t{-1};
      }
      value = value * 10 + (text[i] - '0');
    }
    return value;
  };
  const Day day{number(0, 4), number(5, 2), number(8, 2)};
  const bool fine = day.year >= 0 && day.month >= 1 && day.month <= 12 && day.day >= 1 &&
                    day.day <= 31 && show(from_days(to_days(day))) == text;
  return fine ? std::optional(day) : std::nullopt;
}

Day add_months(Day day, std::int64_t months) {
  const std::int64_t count = day.year * 12 + day.month - 1 + months;
  const std::int64_t year = count >= 0 ? count / 12 : (count - 11) / 12;
  Day moved{year, count - year * 12 + 1, day.day};
  const Day next = moved.month == 12 ? Day{year + 1, 1, 1} : Day{year, moved.month + 1, 1};
  const std::int64_t last = from_days(to_days(next) - 1).day;
  moved.day = moved.day > last ? last : moved.day;
  return moved;
}

// 0 = Monday.
std::int64_t weekday(std::int64_t days) {
  return ((days + 3) % 7 + 7) % 7;
}

}  // namespace

bool is_day_or_more(Granularity granularity) {
  return granularity != Granularity::Second && granularity != Granularity::Minute &&
         granularity != Granularity::Hour;
}

std::optional<std::string> next_day(std::string_view date) {
  const auto day = parse(date);
  return day ? std::optional(show(from_days(to_days(*day) + 1))) : std::nullopt;
}

std::optional<std::string> shift_date(std::string_view date, std::int64_t count,
                                      Granularity granularity) {
  const auto day = parse(date);
  if (!day || count > 1'000'000 || count < -1'000'000) {
    return std::nullopt;
  }
  switch (granularity) {
    case Granularity::Second:
    case Granularity::Minute:
    case Granularity::Hour:
      return std::nullopt;
    case Granularity::Day:
      return show(from_days(to_days(*day) + count));
    case Granularity::Week:
    case Granularity::WeekSunday:
      return show(from_days(to_days(*day) + 7 * count));
    case Granularity::Month:
      return show(add_months(*day, count));
    case Granularity::Quarter:
      return show(add_months(*day, 3 * count));
    case Granularity::Year:
      return show(add_months(*day, 12 * count));
  }
  return std::nullopt;
}

std::string start_of_period(std::int64_t unix_milliseconds, Granularity granularity) {
  const std::int64_t seconds =
      unix_milliseconds >= 0 ? unix_milliseconds / 1000 : (unix_milliseconds - 999) / 1000;
  const std::int64_t days = seconds >= 0 ? seconds / 86400 : (seconds - 86399) / 86400;
  const std::int64_t rest = seconds - days * 86400;
  Day day = from_days(days);
  std::array<char, 16> time{};
  const int hour = static_cast<int>(rest / 3600);
  const int minute = granularity == Granularity::Hour ? 0 : static_cast<int>(rest / 60 % 60);
  const int second = granularity == Granularity::Second ? static_cast<int>(rest % 60) : 0;
  std::snprintf(time.data(), time.size(), " %02d:%02d:%02d", hour, minute, second);
  switch (granularity) {
    case Granularity::Second:
    case Granularity::Minute:
    case Granularity::Hour:
      return show(day) + time.data();
    case Granularity::Day:
      return show(day);
    case Granularity::Week:
      return show(from_days(days - weekday(days)));
    case Granularity::WeekSunday:
      return show(from_days(days - (weekday(days) + 1) % 7));
    case Granularity::Month:
      return show({day.year, day.month, 1});
    case Granularity::Quarter:
      return show({day.year, (day.month - 1) / 3 * 3 + 1, 1});
    case Granularity::Year:
      return show({day.year, 1, 1});
  }
  return show(day);
}

}  // namespace kedge::query
