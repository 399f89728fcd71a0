#include "scratch/provider.h"

#include <mutex>

#include "base/file_system.h"
#include "kedge/codes.h"
#include "scratch/end_guard.h"
#include "scratch/guarded_process.h"
#include "scratch/server.h"

namespace kedge::scratch {
namespace {

constexpr std::size_t kRandomDigits = 12;

// A server given with --scratch-url: only what we made in it is ours.
class ForeignServer final : public Server {
 public:
  explicit ForeignServer(db::ConnectionSettings settings) : settings_(std::move(settings)) {
    settings_.access = db::AccessMode::ReadWrite;
    if (settings_.connector == "postgres") {
      settings_.options.try_emplace("database", "postgres");
    }
  }
  db::ConnectionSettings administration() const override { return settings_; }
  bool outlives_us() const override { return true; }

 private:
  db::ConnectionSettings settings_;
};

// A file database in a private folder.
class FileDatabase final : public db::ScratchDatabase {
 public:
  FileDatabase(std::string connector, bool keep)
      : folder_(std::nullopt, keep ? GuardedFolder::AtEnd::Keep : GuardedFolder::AtEnd::Delete) {
    settings_.name = "throw-away " + connector;
    settings_.options["path"] = folder_.path() + "/scratch." + connector;
    settings_.connector = std::move(connector);
    settings_.access = db::AccessMode::Create;
  }
  db::ConnectionSettings settings() const override { return settings_; }

 private:
  GuardedFolder folder_;
  db::ConnectionSettings settings_;
};

// A database of its own on a server. Its name is random, so that it is nobody else's.
class ServerDatabase final : public db::ScratchDatabase {
 public:
  ServerDatabase(const db::Registry& registry, std::shared_ptr<Server> server, std::string name,
                 bool keep)
      : registry_(registry), server_(std::move(server)), name_(std::move(name)), keep_(keep) {
    if (server_->outlives_us() && !keep_) {
      guard_.emplace([this] { drop("IF EXISTS "); });
    }
    // "CREATE DATABASE" without IF NOT EXISTS: an existing one is refused, never reused.
    registry_.connect(server_->administration())->execute("CREATE DATABASE " + name_);
  }
  ~ServerDatabase() override {
    if (!keep_) {
      drop("");
    }
  }
  ServerDatabase(const ServerDatabase&) = delete;
  ServerDatabase& operator=(const ServerDatabase&) = delete;
  db::ConnectionSettings settings() const override {
    db::ConnectionSettings settings = server_->administration();
    settings.options["database"] = name_;
    return settings;
  }
  bool owns_server() const override { return !server_->outlives_us(); }

 private:
  void drop(const std::string& if_exists) const noexcept {
    try {
      const auto connection = registry_.connect(server_->administration());
      const bool postgres = server_->administration().connector == "postgres";
      if (!postgres) {
        end_sessions(*connection);
      }
      connection->execute("DROP DATABASE " + if_exists + name_ + (postgres ? " WITH (FORCE)" : ""));
    } catch (const std::exception&) {
      return;  // the server is gone, or refuses: there is nobody to tell
    }
  }

  // A session that still runs a statement there would keep us waiting.
  void end_sessions(db::Connection& connection) const {
    const db::ResultSet sessions = connection.query(
        "SELECT ID FROM information_schema.PROCESSLIST WHERE DB = '" + name_ + "'");
    for (const db::Row& row : sessions.rows) {
      try {
        connection.execute("KILL " + db::to_text(row[0]));
      } catch (const db::DatabaseError&) {
        continue;  // it has ended by itself
      }
    }
  }

  const db::Registry& registry_;
  std::shared_ptr<Server> server_;
  std::string name_;
  bool keep_;
  std::optional<EndGuard> guard_;
};

class Provider final : public db::ScratchProvider {
 public:
  Provider(const db::Registry& registry, base::Environment& environment)
      : registry_(registry), environment_(environment) {}

  std::unique_ptr<db::ScratchDatabase> create(schema::Dialect dialect,
                                              const db::ScratchOptions& options) override {
    switch (dialect) {
      case schema::Dialect::Sqlite:
      case schema::Dialect::D1:
        return std::make_unique<FileDatabase>("sqlite", options.keep);
      case schema::Dialect::Duckdb:
        return std::make_unique<FileDatabase>("duckdb", options.keep);
      case schema::Dialect::Postgres:
      case schema::Dialect::Mysql:
        break;
      case schema::Dialect::Ansi:
        throw Error(codes::ERR_SCRATCH_UNAVAILABLE,
                    "there is no throw-away engine for this kind of database",
                    "only sqlite, duckdb, postgres, mysql and d1 have one");
    }
    return std::make_unique<ServerDatabase>(registry_, server_for(dialect, options), fresh_name(),
                                            options.keep);
  }

 private:
  std::string fresh_name() {
    const std::scoped_lock lock(mutex_);
    return "kedge_scratch_" + environment_.random_hex(kRandomDigits);
  }

  std::shared_ptr<Server> server_for(schema::Dialect dialect, const db::ScratchOptions& options) {
    const std::scoped_lock lock(mutex_);
    const Key key{dialect, options.url, options.pg_bin, options.user};
    std::shared_ptr<Server>& server = servers_[key];
    if (server == nullptr) {
      server = start(dialect, options);
    }
    return server;
  }

  std::shared_ptr<Server> start(schema::Dialect dialect, const db::ScratchOptions& options) {
    if (!options.url.empty()) {
      return std::make_shared<ForeignServer>(settings_of_url(dialect, options.url));
    }
    return dialect == schema::Dialect::Postgres ? start_postgres(registry_, environment_, options)
                                                : start_mysql(registry_, environment_, options);
  }

  static db::ConnectionSettings settings_of_url(schema::Dialect dialect, const std::string& url) {
    auto settings = db::parse_url(url);
    if (!settings || settings->connector != schema::to_string(dialect)) {
      throw Error(codes::ERR_USAGE, "the scratch URL '" + db::redact_url(url) +
                                        "' is no address of a " + schema::to_string(dialect) +
                                        " server");
    }
    return *settings;
  }

  struct Key {
    schema::Dialect dialect;
    std::string url;
    std::string pg_bin;
    std::string user;
    auto operator<=>(const Key&) const = default;
  };

  const db::Registry& registry_;
  base::Environment& environment_;
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<Server>> servers_;
};

}  // namespace

std::unique_ptr<db::ScratchProvider> make_provider(const db::Registry& registry,
                                                   base::Environment& environment) {
  return std::make_unique<Provider>(registry, environment);
}

}  // namespace kedge::scratch
