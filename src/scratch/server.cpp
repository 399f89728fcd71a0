#include "scratch/server.h"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/file_system.h"
#include "base/text.h"
#include "kedge/codes.h"
#include "scratch/guarded_process.h"

namespace kedge::scratch {
namespace {

namespace fs = std::filesystem;
using Steady = std::chrono::steady_clock;

constexpr auto kStart = std::chrono::seconds(30);
constexpr double kLockSeconds = 60;
constexpr const char* kComplete = ".kedge-complete";  // written last

}  // namespace

void fail_unavailable(schema::Dialect dialect, const std::string& reason) {
  const bool postgres = dialect == schema::Dialect::Postgres;
  Problem problem{codes::ERR_SCRATCH_UNAVAILABLE,
                  "no throw-away " + schema::to_string(dialect) + " engine can be had",
                  std::nullopt,
                  postgres ? "install the PostgreSQL server programs or name their folder with "
                             "--pg-bin, or give a server that may create databases with "
                             "--scratch-url"
                           : "install the MariaDB or MySQL server programs, or give a server that "
                             "may create databases with --scratch-url",
                  {{reason, std::nullopt}}};
  throw Error(std::move(problem));
}

void wait_until_ready(const db::Registry& registry, const db::ConnectionSettings& settings,
                      GuardedProcess& process) {
  const auto deadline = Steady::now() + kStart;
  const schema::Dialect dialect =
      settings.connector == "mysql" ? schema::Dialect::Mysql : schema::Dialect::Postgres;
  while (true) {
    try {
      registry.connect(settings);
      return;
    } catch (const db::DatabaseError& error) {
      if (Steady::now() > deadline) {
        fail_unavailable(dialect, "the server did not answer: " + error.driver_message());
      }
    }
    if (process.has_ended()) {
      fail_unavailable(dialect, "the server has stopped: " + process.log());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

std::string cache_folder(const base::Environment& environment) {
  const std::string home = environment.get("HOME").value_or("");
  std::string root = environment.get("XDG_CACHE_HOME").value_or("");
  if (root.empty() || root.front() != '/') {
    root = home.empty() ? "" : home + "/.cache";
  }
  if (root.empty()) {
    return "";
  }
  const std::string folder = root + "/kedge";
  std::error_code error;
  fs::create_directories(folder, error);
  ::chmod(folder.c_str(), S_IRWXU);
  return is_private_folder(folder) ? folder : "";
}

bool is_private_folder(const std::string& folder) {
  struct stat info {};
  return ::lstat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
         info.st_uid == ::geteuid() && (info.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

void copy_template(const std::string& cache, const std::string& name, const std::string& data,
                   const std::optional<Account>& account,
                   const std::function<void(const std::string&)>& make) {
  if (cache.empty()) {
    make(data);
    return;
  }
  const std::string kept = cache + "/" + name;
  const base::FileLock lock(cache + "/" + name + ".lock", kLockSeconds,
                            codes::ERR_SCRATCH_UNAVAILABLE);
  if (is_private_folder(kept) && fs::exists(kept + "/" + kComplete)) {
    copy_folder(kept, data, account);
    std::error_code ignored;
    fs::remove(data + "/" + kComplete, ignored);
    return;
  }
  remove_folder(kept);
  make(data);
  try {
    copy_folder(data, kept, std::nullopt);
    std::ofstream(kept + "/" + kComplete) << name << '\n';
  } catch (const std::exception&) {
    remove_folder(kept);  // a full disk: this use has its engine, the next one makes it again
  }
}

}  // namespace kedge::scratch
