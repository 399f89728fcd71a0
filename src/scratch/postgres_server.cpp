#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/file_system.h"
#include "base/text.h"
#include "kedge/codes.h"
#include "scratch/guarded_process.h"
#include "scratch/server.h"

namespace kedge::scratch {
namespace {

namespace fs = std::filesystem;

struct Programs {
  std::string initdb;
  std::string postgres;
};

std::optional<Programs> programs_in(const std::string& folder) {
  Programs programs{folder + "/initdb", folder + "/postgres"};
  const bool there = ::access(programs.initdb.c_str(), X_OK) == 0 &&
                     ::access(programs.postgres.c_str(), X_OK) == 0;
  return there ? std::optional(programs) : std::nullopt;
}

// Folders named after their version, the highest first.
std::vector<std::string> versioned_folders(const std::string& root, const std::string& prefix) {
  std::map<double, std::string, std::greater<>> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root, error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(prefix)) {
      found[std::strtod(name.c_str() + prefix.size(), nullptr)] = entry.path() / "bin";
    }
  }
  std::vector<std::string> result;
  for (const auto& [version, folder] : found) {
    result.push_back(folder);
  }
  return result;
}

std::vector<std::string> folders_to_try(const base::Environment& environment) {
  std::vector<std::string> folders;
  if (const auto own = environment.get("KEDGE_PG_BIN")) {
    folders.push_back(*own);
  }
  for (const std::string& folder : base::split(environment.get("PATH").value_or(""), ':')) {
    folders.push_back(folder);
  }
  if (const auto config = base::find_program(environment, "pg_config")) {
    const ToolResult result = run_tool({*config, "--bindir"}, "/", std::nullopt);
    folders.emplace_back(base::trim(result.output));
  }
  for (const auto& [root, prefix] :
       {std::pair("/usr/lib/postgresql", ""), std::pair("/opt/homebrew/opt", "postgresql@"),
        std::pair("/usr/local/opt", "postgresql@")}) {
    const auto more = versioned_folders(root, prefix);
    folders.insert(folders.end(), more.begin(), more.end());
  }
  return folders;
}

Programs find_programs(const base::Environment& environment, const std::string& only) {
  if (!only.empty()) {
    if (const auto programs = programs_in(fs::absolute(only))) {
      return *programs;
    }
    fail_unavailable(schema::Dialect::Postgres, "'" + only + "' holds no initdb and postgres");
  }
  for (const std::string& folder : folders_to_try(environment)) {
    if (const auto programs = programs_in(folder); programs && !folder.empty()) {
      // PATH may hold a link to one of the programs: the others lie beside the real one.
      const std::string real = fs::canonical(programs->initdb).parent_path();
      return programs_in(real).value_or(*programs);
    }
  }
  for (const std::string& folder : folders_to_try(environment)) {
    std::error_code error;
    const fs::path real = fs::canonical(folder + "/initdb", error);
    if (const auto programs = error ? std::nullopt : programs_in(real.parent_path())) {
      return *programs;
    }
  }
  fail_unavailable(schema::Dialect::Postgres, "no initdb and postgres were found");
}

// Postgres refuses to run as root.
std::optional<Account> postgres_account(const std::string& wanted) {
  if (::geteuid() != 0) {
    return std::nullopt;
  }
  if (!wanted.empty()) {
    if (auto account = find_account(wanted); account && account->user != 0) {
      return account;
    }
    fail_unavailable(schema::Dialect::Postgres, "there is no unprivileged user '" + wanted + "'");
  }
  for (const char* name : {"postgres", "nobody"}) {
    if (auto account = find_account(name)) {
      return account;
    }
  }
  fail_unavailable(schema::Dialect::Postgres,
                   "PostgreSQL does not run as root, and there is no user to change to");
}

class PostgresServer final : public Server {
 public:
  PostgresServer(const db::Registry& registry, base::Environment& environment,
                 const db::ScratchOptions& options)
      : account_(postgres_account(options.user)) {
    const Programs programs = find_programs(environment, options.pg_bin);
    GuardedFolder home(account_, GuardedFolder::AtEnd::Delete);
    folder_ = home.path();
    try {
      prepare(programs, cache_folder(environment));
      start(programs, options);
      home.release();  // the server watches over it now
      wait_until_ready(registry, administration(), *process_);
    } catch (const Error&) {
      process_.reset();
      remove_folder(folder_);
      throw;
    }
  }

  db::ConnectionSettings administration() const override {
    db::ConnectionSettings settings;
    settings.name = "throw-away postgres";
    settings.connector = "postgres";
    settings.options = {{"host", folder_},
                        {"user", "kedge"},
                        {"database", "postgres"},
                        {"port", "5432"},
                        {"ssl_mode", "disable"}};
    settings.access = db::AccessMode::ReadWrite;
    return settings;
  }

 private:
  void prepare(const Programs& programs, const std::string& cache) {
    const std::string data = folder_ + "/data";
    const ToolResult version = run_tool({programs.postgres, "--version"}, folder_, account_);
    const std::vector<std::string> words =
        base::split(std::string(base::trim(version.output)), ' ');  // postgres (PostgreSQL) 15.20
    const std::string number = words.size() > 2 ? words[2] : "unknown";
    copy_template(cache, "pg-" + number, data, account_, [&](const std::string& target) {
      const ToolResult made =
          run_tool({programs.initdb, "-D", target, "-A", "trust", "-U", "kedge", "-E", "UTF8",
                    "--locale=C", "--no-sync", "--no-instructions", "--wal-segsize=1"},
                   folder_, account_);
      if (made.exit_code != 0) {
        fail_unavailable(schema::Dialect::Postgres, "initdb failed: " + made.output);
      }
    });
  }

  void start(const Programs& programs, const db::ScratchOptions& options) {
    std::vector<std::string> command = {programs.postgres, "-D", folder_ + "/data"};
    for (const std::string& setting :
         {std::string("listen_addresses="), "unix_socket_directories=" + folder_,
          std::string("port=5432"), std::string("fsync=off"), std::string("full_page_writes=off"),
          std::string("synchronous_commit=off"), std::string("shared_buffers=32MB"),
          std::string("max_wal_size=1GB"), std::string("wal_level=minimal"),
          std::string("max_wal_senders=0"), std::string("autovacuum=off"), std::string("jit=off"),
          std::string("log_min_messages=fatal"), std::string("max_connections=60")}) {
      command.insert(command.end(), {"-c", setting});
    }
    process_ = std::make_unique<GuardedProcess>(
        command, folder_, account_, "INT",
        options.keep ? GuardedProcess::AtEnd::KeepFolder : GuardedProcess::AtEnd::DeleteFolder);
  }

  std::optional<Account> account_;
  std::string folder_;
  std::unique_ptr<GuardedProcess> process_;
};

}  // namespace

std::unique_ptr<Server> start_postgres(const db::Registry& registry, base::Environment& environment,
                                       const db::ScratchOptions& options) {
  return std::make_unique<PostgresServer>(registry, environment, options);
}

}  // namespace kedge::scratch
