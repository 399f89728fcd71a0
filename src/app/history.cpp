#include "app/history.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "base/text.h"
#include "db/connection.h"
#include "kedge/codes.h"
#include "kedge/diff.h"
#include "schema/snapshot.h"

namespace kedge::app {
namespace {

// Reads exactly `digits` digits at `at`.
std::optional<int> number_at(std::string_view text, std::size_t at, std::size_t digits) {
  if (at + digits > text.size()) {
    return std::nullopt;
  }
  int value = 0;
  const char* const begin = text.data() + at;
  const auto [end, error] = std::from_chars(begin, begin + digits, value);
  return error == std::errc() && end == begin + digits && *begin != '-' ? std::optional(value)
                                                                        : std::nullopt;
}

// Days since 1970-01-01 in the proleptic Gregorian calendar.
std::int64_t days_of(int year, int month, int day) {
  const int shifted = month <= 2 ? year - 1 : year;
  const std::int64_t era = (shifted >= 0 ? shifted : shifted - 399) / 400;
  const std::int64_t year_of_era = shifted - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         719468;
}

int days_in(int year, int month) {
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && leap ? 29 : kDays[month - 1];
}

[[noreturn]] void bad_date(const std::string& text) {
  throw Error(codes::ERR_SOURCE, "'" + text + "' is no date",
              "write 2027-03-14 or 2027-03-14T08:15:02Z");
}

bool is_about(const Change& change, const std::string& subject) {
  const std::string table = to_string(subject_of(change));
  const std::string part = part_of(change);
  if (subject == table || (!part.empty() && subject == table + "." + part)) {
    return true;
  }
  // A created or dropped table brings and takes its columns.
  const auto holds = [&](const schema::Table& made) {
    const std::string prefix = to_string(made.name) + ".";
    return subject.starts_with(prefix) &&
           schema::find_column(made, Identifier(subject.substr(prefix.size()))) != nullptr;
  };
  if (const auto* create = std::get_if<change::CreateTable>(&change)) {
    return holds(create->object);
  }
  if (const auto* drop = std::get_if<change::DropTable>(&change)) {
    return holds(drop->object);
  }
  return false;
}

}  // namespace

std::int64_t parse_date(const std::string& text) {
  const auto year = number_at(text, 0, 4);
  const auto month = number_at(text, 5, 2);
  const auto day = number_at(text, 8, 2);
  if (!year || !month || !day || text[4] != '-' || text[7] != '-' || *month < 1 || *month > 12 ||
      *day < 1 || *day > days_in(*year, *month)) {
    bad_date(text);
  }
  constexpr std::int64_t kDay = 86'400'000;
  const std::int64_t midnight = days_of(*year, *month, *day) * kDay;
  if (text.size() == 10) {
    return midnight + kDay - 1;
  }
  const auto hour = number_at(text, 11, 2);
  const auto minute = number_at(text, 14, 2);
  const auto second = number_at(text, 17, 2);
  if ((text[10] != 'T' && text[10] != ' ') || !hour || !minute || !second || text[13] != ':' ||
      text[16] != ':' || *hour > 23 || *minute > 59 || *second > 59) {
    bad_date(text);
  }
  std::int64_t milliseconds = 0;
  std::size_t at = 19;
  if (at < text.size() && text[at] == '.') {
    std::int64_t scale = 100;
    for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, scale /= 10) {
      milliseconds += (text[at] - '0') * scale;
    }
  }
  if (at < text.size() && text.substr(at) != "Z") {
    bad_date(text);
  }
  return midnight + ((*hour * 60 + *minute) * 60 + *second) * std::int64_t{1000} + milliseconds;
}

Recorded record(HistoryStore& store, const std::string& source, const schema::Schema& shape,
                std::int64_t time) {
  const std::vector<HistoryEntry> before = store.entries(source);
  Recorded recorded;
  recorded.entry = {source, time, schema::fingerprint(shape)};
  recorded.changed = before.empty() || before.back().fingerprint != recorded.entry.fingerprint;
  store.add(recorded.entry, schema::write_snapshot(shape));
  return recorded;
}

std::optional<HistoryEntry> find_entry(HistoryStore& store, const std::string& source,
                                       std::int64_t time) {
  std::optional<HistoryEntry> found;
  for (const HistoryEntry& entry : store.entries(source)) {
    if (entry.time <= time) {
      found = entry;
    }
  }
  return found;
}

bool is_recorded_name(const std::string& text) {
  // Not a URL: those have a colon before any '@'.
  const std::size_t at = text.rfind('@');
  return at != std::string::npos && at > 0 && text.find(':') > at && text.size() > at + 1;
}

schema::Schema load_recorded(const Context& context, const std::string& text) {
  const std::size_t at = text.rfind('@');
  const std::string name = text.substr(0, at);
  const auto store = make_file_history(context);
  const std::optional<HistoryEntry> entry =
      find_entry(*store, name, parse_date(text.substr(at + 1)));
  if (!entry) {
    throw Error(codes::ERR_SOURCE, "nothing of '" + name + "' was recorded by then",
                "kedge log " + name + " lists what was");
  }
  return schema::read_snapshot(text, store->snapshot(entry->fingerprint));
}

namespace {

// An answer of nothing would pass for "nothing changed".
void require_recorded(HistoryStore& store, const std::string& source) {
  if (source.empty() || !store.entries(source).empty()) {
    return;
  }
  std::vector<std::string> known;
  for (const HistoryEntry& entry : store.entries("")) {
    known.push_back(entry.source);
  }
  throw Error(codes::ERR_SOURCE,
              "nothing of '" + db::redact_url(source) + "' was recorded" +
                  base::did_you_mean(source, known),
              "kedge log lists all that was; kedge record keeps a snapshot");
}

}  // namespace

std::vector<LogRow> history_log(HistoryStore& store, const LogRequest& request) {
  require_recorded(store, request.source);
  std::vector<LogRow> rows;
  std::map<std::string, std::string> last;  // source -> fingerprint
  const auto load = [&](const std::string& fingerprint) {
    return schema::read_snapshot("history:" + fingerprint, store.snapshot(fingerprint));
  };
  for (const HistoryEntry& entry : store.entries(request.source)) {
    LogRow row;
    row.entry = entry;
    const auto before = last.find(entry.source);
    row.first = before == last.end();
    const bool changed = row.first || before->second != entry.fingerprint;
    if (!row.first && changed) {
      const schema::Schema after = load(entry.fingerprint);
      diff::Options options;
      options.dialect = after.engine.dialect;
      row.changes = diff::compare(load(before->second), after, options).changes;
    } else if (row.first && !request.subject.empty()) {
      const schema::Schema after = load(entry.fingerprint);
      schema::Schema nothing;
      nothing.engine = after.engine;
      nothing.default_schema = after.default_schema;
      diff::Options options;
      options.dialect = after.engine.dialect;
      row.changes = diff::compare(nothing, after, options).changes;
    }
    last[entry.source] = entry.fingerprint;
    if (!request.subject.empty()) {
      std::erase_if(row.changes,
                    [&](const Change& change) { return !is_about(change, request.subject); });
      if (row.changes.empty()) {
        continue;
      }
    } else if (request.only_changes && !changed) {
      continue;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace kedge::app
