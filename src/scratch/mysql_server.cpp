#include <unistd.h>

#include <array>
#include <filesystem>

#include "base/text.h"
#include "kedge/codes.h"
#include "scratch/guarded_process.h"
#include "scratch/server.h"

namespace kedge::scratch {
namespace {

std::optional<std::string> find_in(const std::string& folders, std::string_view name) {
  for (const std::string& folder : base::split(folders, ':')) {
    const std::string path = folder + "/" + std::string(name);
    if (!folder.empty() && ::access(path.c_str(), X_OK) == 0) {
      return path;
    }
  }
  return std::nullopt;
}

std::optional<std::string> find_any(const base::Environment& environment,
                                    std::span<const std::string_view> names) {
  const std::string folders = environment.get("PATH").value_or("") +
                              ":/usr/sbin:/usr/local/sbin:/usr/libexec:/usr/local/mysql/bin";
  for (const std::string_view name : names) {
    if (auto found = find_in(folders, name)) {
      return found;
    }
  }
  return std::nullopt;
}

std::optional<Account> mysql_account(const std::string& wanted) {
  if (::geteuid() != 0) {
    return std::nullopt;
  }
  for (const std::string& name : {wanted, std::string("mysql"), std::string("nobody")}) {
    if (auto account = name.empty() ? std::nullopt : find_account(name)) {
      return account;
    }
  }
  fail_unavailable(schema::Dialect::Mysql,
                   "the server does not run as root, and there is no user to change to");
}

constexpr std::array<std::string_view, 2> kServers = {"mariadbd", "mysqld"};
constexpr std::array<std::string_view, 2> kInstallers = {"mariadb-install-db", "mysql_install_db"};

class MysqlServer final : public Server {
 public:
  MysqlServer(const db::Registry& registry, base::Environment& environment,
              const db::ScratchOptions& options)
      : account_(mysql_account(options.user)) {
    const auto program = find_any(environment, kServers);
    if (!program) {
      fail_unavailable(schema::Dialect::Mysql, "no mariadbd or mysqld was found");
    }
    GuardedFolder home(account_, GuardedFolder::AtEnd::Delete);
    folder_ = home.path();
    try {
      prepare(*program, environment);
      start(*program, options);
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
    settings.name = "throw-away mysql";
    settings.connector = "mysql";
    settings.options = {
        {"socket", folder_ + "/s"}, {"host", "localhost"}, {"user", "root"}, {"database", "mysql"}};
    settings.access = db::AccessMode::ReadWrite;
    return settings;
  }

 private:
  void prepare(const std::string& program, const base::Environment& environment) {
    const ToolResult version = run_tool({program, "--version"}, folder_, account_);
    const bool maria = base::to_lower(version.output).find("mariadb") != std::string::npos;
    const auto installer = maria ? find_any(environment, kInstallers) : std::nullopt;
    const std::string name = "mysql-" + base::md5_hex(program + version.output).substr(0, 12);
    copy_template(cache_folder(environment), name, folder_ + "/data", account_,
                  [&](const std::string& target) { initialise(program, installer, target); });
  }

  void initialise(const std::string& program, const std::optional<std::string>& installer,
                  const std::string& target) {
    std::vector<std::string> command = {program, "--no-defaults", "--initialize-insecure",
                                        "--datadir=" + target};
    if (installer) {
      command = {*installer,
                 "--no-defaults",
                 "--datadir=" + target,
                 "--skip-test-db",
                 "--skip-name-resolve",
                 "--auth-root-authentication-method=normal",
                 "--innodb-log-file-size=4M",
                 "--innodb-flush-method=nosync"};
    }
    // A server that starts clears the temporary tables of all others in a shared folder.
    command.push_back("--tmpdir=" + folder_);
    const ToolResult made = run_tool(command, folder_, account_);
    if (made.exit_code != 0) {
      fail_unavailable(schema::Dialect::Mysql, "the data folder could not be made: " + made.output);
    }
  }

  void start(const std::string& program, const db::ScratchOptions& options) {
    const std::vector<std::string> command = {program,
                                              "--no-defaults",
                                              "--datadir=" + folder_ + "/data",
                                              "--socket=" + folder_ + "/s",
                                              "--pid-file=" + folder_ + "/pid",
                                              "--tmpdir=" + folder_,
                                              "--skip-networking",
                                              "--skip-name-resolve",
                                              "--skip-log-bin",
                                              "--character-set-server=utf8mb4",
                                              "--default-time-zone=+00:00",
                                              "--innodb-buffer-pool-size=32M",
                                              "--innodb-log-file-size=4M",
                                              "--innodb-flush-log-at-trx-commit=0",
                                              "--loose-innodb-flush-method=nosync",
                                              "--loose-innodb-doublewrite=0",
                                              "--loose-mysqlx=0"};
    process_ = std::make_unique<GuardedProcess>(
        command, folder_, account_, "TERM",
        options.keep ? GuardedProcess::AtEnd::KeepFolder : GuardedProcess::AtEnd::DeleteFolder);
  }

  std::optional<Account> account_;
  std::string folder_;
  std::unique_ptr<GuardedProcess> process_;
};

}  // namespace

std::unique_ptr<Server> start_mysql(const db::Registry& registry, base::Environment& environment,
                                    const db::ScratchOptions& options) {
  return std::make_unique<MysqlServer>(registry, environment, options);
}

}  // namespace kedge::scratch
