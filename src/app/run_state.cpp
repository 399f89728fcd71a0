#include "app/run_state.h"

#include <algorithm>

#include "base/text.h"
#include "contracts/check.h"
#include "contracts/type_name.h"
#include "kedge/codes.h"
#include "project/project.h"

namespace kedge::app {
namespace {

using document::Json;

pipeline::State open_state(Context& context) {
  const project::ProjectLoad load =
      project::load_project(context.files, context.environment, context.folder);
  return {context.files, context.folder, load.project.state_dir.text};
}

// The value that the run recorded for the entity.
pipeline::StoredCursor recorded_cursor(const pipeline::State& state, const CursorChange& change) {
  const std::optional<pipeline::RunRecord> record = state.record(change.run_id);
  if (!record) {
    throw Error(codes::PZ0502, "there is no run '" + change.run_id + "'");
  }
  for (const pipeline::NodeRecord& node : record->nodes) {
    if (node.watermark && node.connection + "." + node.entity == change.key) {
      return {node.watermark->cursor, node.watermark->type, node.watermark->value, change.run_id,
              ""};
    }
  }
  throw Error(codes::PZ0502,
              "run '" + change.run_id + "' recorded no cursor for '" + change.key + "'");
}

// A cursor of another type would only be found by the next run.
void require_value(const Context& context, const pipeline::StoredCursor& cursor,
                   const std::string& value) {
  const contracts::ParsedType type = contracts::parse_type_name(cursor.type);
  if (!type.type) {
    return;
  }
  const std::unique_ptr<db::Connection> connection = context.registry.connect(
      {"analysis", "duckdb", {{"path", ":memory:"}}, {}, db::AccessMode::ReadWrite});
  const db::Value text = value;
  const db::ResultSet result = connection->query(
      "SELECT TRY_CAST(?::VARCHAR AS " + contracts::type_name(*type.type) + ") IS NOT NULL",
      std::span<const db::Value>(&text, 1));
  if (!db::to_boolean(result.rows.at(0).at(0))) {
    throw Error(codes::ERR_USAGE, "'" + value + "' is no " + contracts::type_name(*type.type) +
                                      ", the type of cursor '" + cursor.cursor + "'");
  }
}

void audit(pipeline::State& state, const CursorChange& change, const CursorResult& result,
           const std::string& at) {
  static const std::map<CursorAction, std::string> kWords = {
      {CursorAction::Set, "state set"},
      {CursorAction::Rollback, "state rollback"},
      {CursorAction::Clear, "state clear"}};
  Json line;
  line.set("at", at);
  line.set("action", kWords.at(change.action));
  line.set("entity", change.key);
  line.set("from", result.before ? Json(*result.before) : Json());
  line.set("to", result.after ? Json(*result.after) : Json());
  if (!change.reason.empty()) {
    line.set("reason", change.reason);
  }
  state.append_audit(line);
}

}  // namespace

std::vector<RunSummary> list_runs(Context& context) {
  const pipeline::State state = open_state(context);
  std::vector<RunSummary> runs;
  std::vector<std::string> ids = state.run_ids();
  std::reverse(ids.begin(), ids.end());
  for (const std::string& id : ids) {
    if (std::optional<pipeline::RunRecord> record = state.record(id)) {
      RunSummary summary;
      summary.drifts =
          std::count_if(record->nodes.begin(), record->nodes.end(),
                        [](const pipeline::NodeRecord& node) { return node.drift.has_value(); });
      summary.record = std::move(*record);
      runs.push_back(std::move(summary));
    }
  }
  return runs;
}

pipeline::Cursors show_cursors(Context& context, const std::vector<std::string>& keys) {
  pipeline::Cursors all = open_state(context).cursors();
  if (keys.empty()) {
    return all;
  }
  pipeline::Cursors wanted;
  for (const std::string& key : keys) {
    const auto found = all.find(key);
    if (found == all.end()) {
      throw Error(codes::PZ0210, "no cursor is stored for '" + key + "'");
    }
    wanted.insert(*found);
  }
  return wanted;
}

CursorResult change_cursor(Context& context, const CursorChange& change) {
  pipeline::State state = open_state(context);
  const auto lock = state.lock(0);
  pipeline::Cursors cursors = state.cursors();
  const auto found = cursors.find(change.key);
  CursorResult result{change.key, std::nullopt, std::nullopt, false};
  if (found != cursors.end()) {
    result.before = found->second.value;
  } else if (change.action != CursorAction::Rollback) {
    throw Error(codes::PZ0210, "no cursor is stored for '" + change.key + "'");
  }
  const std::string at = base::format_utc(context.clock.now_milliseconds());
  if (change.action == CursorAction::Clear) {
    cursors.erase(change.key);
  } else if (change.action == CursorAction::Set) {
    require_value(context, found->second, change.value);
    found->second.value = change.value;
    found->second.at = at;
    result.after = change.value;
  } else {
    pipeline::StoredCursor cursor = recorded_cursor(state, change);
    cursor.at = at;
    result.after = cursor.value;
    cursors[change.key] = std::move(cursor);
  }
  if (change.consent == Consent::Ask) {
    throw Error(codes::ERR_USAGE, "changing a cursor needs --yes (or --dry-run to look first)");
  }
  if (change.consent == Consent::Given) {
    state.store(cursors);
    audit(state, change, result, at);
    result.stored = true;
  }
  return result;
}

std::vector<std::string> clean_runs(Context& context, const CleanRequest& request) {
  const pipeline::State state = open_state(context);
  const auto lock = state.lock(0);
  std::vector<std::string> ids = state.run_ids();
  const auto keep = static_cast<std::size_t>(request.keep_last.value_or(0));
  ids.resize(ids.size() > keep ? ids.size() - keep : 0);
  if (request.older_than) {
    const std::optional<std::int64_t> age = base::parse_duration(*request.older_than);
    if (!age) {
      throw Error(codes::ERR_USAGE, "--older-than needs a duration such as 12h or 7d");
    }
    const std::string limit = base::format_utc_compact(context.clock.now_milliseconds() - *age);
    std::erase_if(ids, [&](const std::string& id) { return id >= limit; });
  }
  std::vector<std::string> removed;
  for (const std::string& id : ids) {
    if (state.is_going_on(id)) {
      continue;
    }
    const std::string folder = state.run_folder(id);
    for (const std::string& file : base::list_files(context.files, state.path(folder))) {
      const std::string name = base::file_name(file);
      if (request.purge == Purge::Runs || name.starts_with("staging.duckdb")) {
        removed.push_back(folder + "/" + name);
        if (request.consent == Consent::Given) {
          state.remove(file);
        }
      }
    }
    if (request.purge == Purge::Runs && request.consent == Consent::Given) {
      state.remove(folder + "/rejected");
      state.remove(folder);
    }
  }
  return removed;
}

}  // namespace kedge::app
