#include "report/history.h"

#include "base/environment.h"
#include "report/problem.h"

namespace kedge::report {
namespace {

using document::Json;

Json entry_json(const app::HistoryEntry& entry) {
  Json json;
  json.set("source", entry.source).set("time", base::format_utc(entry.time));
  json.set("fingerprint", entry.fingerprint);
  return json;
}

std::string entry_text(const app::HistoryEntry& entry) {
  return base::format_utc(entry.time) + "  " + entry.fingerprint.substr(0, 12) + "  " +
         entry.source;
}

}  // namespace

std::string recorded_text(const app::Recorded& recorded) {
  return entry_text(recorded.entry) + (recorded.changed ? "  (changed)" : "  (as before)") + "\n";
}

Json recorded_json(const app::Recorded& recorded) {
  Json json = entry_json(recorded.entry);
  json.set("changed", recorded.changed);
  return json;
}

std::string log_text(const std::vector<app::LogRow>& rows, const std::string& about) {
  std::string text;
  for (const app::LogRow& row : rows) {
    text += entry_text(row.entry) + (row.first ? "  (first record)" : "") + "\n";
    for (const Change& change : row.changes) {
      text += "    " + describe(change) + "\n";
    }
  }
  if (text.empty()) {
    return about.empty() ? "nothing is recorded\n"
                         : "nothing that was recorded is about '" + printable(about) + "'\n";
  }
  return text;
}

Json log_json(const std::vector<app::LogRow>& rows) {
  Json list = Json::array();
  for (const app::LogRow& row : rows) {
    Json changes = Json::array();
    for (const Change& change : row.changes) {
      changes.push(describe(change));
    }
    Json json = entry_json(row.entry);
    json.set("first", row.first).set("changes", std::move(changes));
    list.push(std::move(json));
  }
  return list;
}

}  // namespace kedge::report
