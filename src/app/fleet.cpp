#include "app/fleet.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>

#include "base/text.h"
#include "dialect/dialect.h"
#include "document/json.h"
#include "schema/snapshot.h"

namespace kedge::app {
namespace {

// State file: one JSON line a database, begun by the fingerprint of what was wanted; a line of
// another wish is ignored.
class FleetMemory {
 public:
  FleetMemory(base::FileSystem& files, std::string path, std::string wanted)
      : files_(files), path_(std::move(path)), wanted_(std::move(wanted)) {
    if (!path_.empty()) {
      load();
    }
  }

  std::optional<FleetResult> find(const std::string& name) const {
    const auto found = done_.find(name);
    return found == done_.end() ? std::nullopt : std::optional(found->second);
  }

  void add(const FleetResult& result) {
    if (path_.empty() || result.state == FleetState::Unreachable) {
      return;  // an unreachable database is asked again
    }
    document::Json changes = document::Json::array();
    for (const std::string& change : result.changes) {
      changes.push(change);
    }
    document::Json line;
    line.set("wanted", wanted_).set("name", result.name).set("state", to_string(result.state));
    line.set("fingerprint", result.fingerprint).set("changes", std::move(changes));
    const std::lock_guard lock(mutex_);
    text_ += document::write_json(line, -1) + "\n";
    files_.write(path_, text_);
  }

 private:
  // nullopt for a line that says less, or other things, than add() writes: that database is checked
  // again.
  static std::optional<FleetResult> result_of(const document::Node& line) {
    const document::Node* changes = line.find("changes");
    FleetResult result;
    result.name = line.string_at("name");
    result.fingerprint = line.string_at("fingerprint");
    const std::string state = line.string_at("state");
    if (result.name.empty() || result.fingerprint.empty() || changes == nullptr ||
        !changes->is_sequence()) {
      return std::nullopt;
    }
    for (const document::Node& change : changes->items) {
      if (!change.is_string()) {
        return std::nullopt;
      }
      result.changes.push_back(change.text);
    }
    result.state = result.changes.empty() ? FleetState::InLine : FleetState::Drifted;
    return state == to_string(result.state) ? std::optional(std::move(result)) : std::nullopt;
  }

  void load() {
    for (const std::string& line : base::split(files_.read(path_).value_or(""), '\n')) {
      const document::Document read = document::read_document(path_, line, document::Format::Json);
      const document::Node* wanted = read.usable ? read.root.find("wanted") : nullptr;
      if (!read.problems.empty() || wanted == nullptr || wanted->text != wanted_) {
        continue;  // torn by a crash, or of another wish
      }
      std::optional<FleetResult> known = result_of(read.root);
      if (!known) {
        continue;  // edited by hand, or of another version
      }
      FleetResult result = *std::move(known);
      result.from_before = true;
      text_ += line + "\n";
      done_[result.name] = std::move(result);
    }
  }

  base::FileSystem& files_;
  std::string path_;
  std::string wanted_;
  std::string text_;
  std::map<std::string, FleetResult> done_;
  std::mutex mutex_;
};

FleetResult check_member(Context& context, const FleetRequest& request, const FleetMember& member) {
  FleetResult result;
  result.name = member.name;
  const std::int64_t begin = context.clock.monotonic_milliseconds();
  try {
    const auto connection = context.registry.connect(member.settings);
    const dialect::Dialect& dialect = dialect::get_dialect(connection->dialect());
    const schema::Schema live = dialect.introspect(*connection, {});
    result.fingerprint = schema::fingerprint(live);
    for (const Change& change : diff::compare(live, request.wanted, request.options).changes) {
      result.changes.push_back(describe(change));
    }
    result.state = result.changes.empty() ? FleetState::InLine : FleetState::Drifted;
  } catch (const Error& error) {
    result.state = FleetState::Unreachable;
    result.message = error.what();
  }
  result.seconds = static_cast<double>(context.clock.monotonic_milliseconds() - begin) / 1000.0;
  return result;
}

}  // namespace

std::string to_string(FleetState state) {
  switch (state) {
    case FleetState::InLine:
      return "in-line";
    case FleetState::Drifted:
      return "drifted";
    case FleetState::Unreachable:
      return "unreachable";
  }
  return "unreachable";
}

namespace {

// What is quoted is the database's own name or path: without it, one reason reads alike for all.
std::string reason_of(const FleetResult& result) {
  std::string text = result.message;
  for (std::size_t begin = text.find('\''); begin != std::string::npos;) {
    const std::size_t end = text.find('\'', begin + 1);
    if (end == std::string::npos) {
      break;
    }
    text.replace(begin, end + 1 - begin, "...");
    begin = text.find('\'', begin);
  }
  return text;
}

}  // namespace

std::vector<FleetGroup> group_fleet(const std::vector<FleetResult>& results) {
  std::map<std::tuple<FleetState, std::vector<std::string>, std::string>, FleetGroup> groups;
  for (const FleetResult& result : results) {
    FleetGroup& group = groups[{result.state, result.changes, reason_of(result)}];
    group.state = result.state;
    group.changes = result.changes;
    group.message = group.members.empty() ? result.message : group.message;
    group.members.push_back(result.name);
  }
  std::vector<FleetGroup> sorted;
  for (auto& [key, group] : groups) {
    std::sort(group.members.begin(), group.members.end());
    sorted.push_back(std::move(group));
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const FleetGroup& a, const FleetGroup& b) {
    return std::tuple(a.state, -static_cast<std::int64_t>(a.members.size())) <
           std::tuple(b.state, -static_cast<std::int64_t>(b.members.size()));
  });
  return sorted;
}

FleetReport check_fleet(Context& context, const FleetRequest& request) {
  const std::int64_t begin = context.clock.monotonic_milliseconds();
  FleetMemory memory(context.files, request.state_file, schema::fingerprint(request.wanted));
  FleetReport report;
  report.results.resize(request.members.size());
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;  // of the state file: rethrown once all threads have ended
  std::mutex failure_mutex;
  const auto work = [&]() noexcept {
    for (std::size_t i = next++; i < request.members.size(); i = next++) {
      const FleetMember& member = request.members[i];
      if (std::optional<FleetResult> before = memory.find(member.name)) {
        report.results[i] = *std::move(before);
        continue;
      }
      report.results[i] = check_member(context, request, member);
      try {
        memory.add(report.results[i]);
      } catch (const Error&) {
        const std::lock_guard lock(failure_mutex);
        failure = std::current_exception();
        return;
      }
    }
  };
  std::vector<std::thread> threads;
  const std::size_t count =
      std::min(std::max<std::size_t>(request.concurrency, 1), request.members.size());
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back(work);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
  report.groups = group_fleet(report.results);
  report.seconds = static_cast<double>(context.clock.monotonic_milliseconds() - begin) / 1000.0;
  return report;
}

}  // namespace kedge::app
