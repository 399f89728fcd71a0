#include "report/fleet.h"

#include <fmt/core.h>

#include "base/text.h"

namespace kedge::report {
namespace {

using document::Json;

constexpr std::size_t kShownMembers = 10;

Json texts(const std::vector<std::string>& list) {
  Json json = Json::array();
  for (const std::string& text : list) {
    json.push(text);
  }
  return json;
}

std::string group_line(const app::FleetGroup& group) {
  switch (group.state) {
    case app::FleetState::InLine:
      return fmt::format("{} in line\n", group.members.size());
    case app::FleetState::Drifted: {
      std::string text = fmt::format("{} need the same {} change(s):\n", group.members.size(),
                                     group.changes.size());
      for (const std::string& change : group.changes) {
        text += "    " + change + "\n";
      }
      return text;
    }
    case app::FleetState::Unreachable:
      return fmt::format("{} unreachable: {}\n", group.members.size(), group.message);
  }
  return "";
}

}  // namespace

std::string fleet_text(const app::FleetReport& report) {
  std::string text;
  for (const app::FleetGroup& group : report.groups) {
    text += group_line(group);
    if (group.state != app::FleetState::InLine) {
      for (std::size_t i = 0; i < group.members.size() && i < kShownMembers; ++i) {
        text += "  " + group.members[i] + "\n";
      }
      if (group.members.size() > kShownMembers) {
        text += fmt::format("  and {} more\n", group.members.size() - kShownMembers);
      }
    }
  }
  return text + fmt::format("{} databases in {:.1f} s\n", report.results.size(), report.seconds);
}

Json fleet_json(const app::FleetReport& report) {
  Json databases = Json::array();
  for (const app::FleetResult& result : report.results) {
    Json json;
    json.set("name", result.name).set("state", to_string(result.state));
    json.set("fingerprint", result.fingerprint).set("changes", texts(result.changes));
    if (!result.message.empty()) {
      json.set("message", result.message);
    }
    json.set("seconds", result.seconds).set("from_before", result.from_before);
    databases.push(std::move(json));
  }
  Json groups = Json::array();
  for (const app::FleetGroup& group : report.groups) {
    Json json;
    json.set("state", to_string(group.state)).set("count", group.members.size());
    if (!group.message.empty()) {
      json.set("message", group.message);
    }
    json.set("changes", texts(group.changes)).set("members", texts(group.members));
    groups.push(std::move(json));
  }
  Json json;
  json.set("databases", std::move(databases)).set("groups", std::move(groups));
  json.set("seconds", report.seconds);
  return json;
}

}  // namespace kedge::report
