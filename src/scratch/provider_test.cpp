#include "scratch/provider.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "base/file_system.h"
#include "kedge/codes.h"
#include "servers.h"

namespace kedge::scratch {
namespace {

namespace fs = std::filesystem;
using db::to_text;

class ProviderTest : public testing::Test {
 protected:
  std::unique_ptr<db::ScratchProvider> provider() {
    return make_provider(registry_, *environment_);
  }
  db::Registry registry_ = test::make_test_registry();
  std::unique_ptr<base::Environment> environment_ = base::make_environment();
};

std::string folder_of(const db::ScratchDatabase& database) {
  return database.settings().options.at("host");
}

bool disappears(const std::string& path) {
  for (int i = 0; i < 500 && fs::exists(path); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return !fs::exists(path);
}

TEST_F(ProviderTest, GivesAnEmptySqliteFileThatDisappears) {
  const auto scratch = provider();
  auto database = scratch->create(schema::Dialect::Sqlite, {});
  const std::string path = database->settings().options.at("path");

  registry_.connect(database->settings())->execute("CREATE TABLE a (id INTEGER)");
  EXPECT_TRUE(fs::exists(path));
  EXPECT_EQ(fs::status(fs::path(path).parent_path()).permissions(), fs::perms::owner_all);

  database.reset();
  EXPECT_FALSE(fs::exists(fs::path(path).parent_path()));
}

TEST_F(ProviderTest, GivesSeveralPostgresDatabasesOutOfOneCluster) {
  const auto scratch = provider();
  const auto first = scratch->create(schema::Dialect::Postgres, {});
  const auto second = scratch->create(schema::Dialect::Postgres, {});

  EXPECT_EQ(folder_of(*first), folder_of(*second));
  EXPECT_NE(first->settings().options.at("database"), second->settings().options.at("database"));
  registry_.connect(first->settings())->execute("CREATE TABLE a (id int)");
  EXPECT_EQ(to_text(registry_.connect(second->settings())
                        ->query("SELECT count(*) FROM pg_class WHERE relname = 'a'")
                        .rows.at(0)
                        .at(0)),
            "0");
}

TEST_F(ProviderTest, StopsPostgresAndDeletesItsFolder) {
  auto scratch = provider();
  auto database = scratch->create(schema::Dialect::Postgres, {});
  const std::string folder = folder_of(*database);
  ASSERT_TRUE(fs::exists(folder));

  database.reset();
  scratch.reset();

  EXPECT_FALSE(fs::exists(folder));
}

TEST_F(ProviderTest, GivesMysqlDatabasesThatDisappear) {
  auto scratch = provider();
  auto database = scratch->create(schema::Dialect::Mysql, {});
  const std::string folder = fs::path(database->settings().options.at("socket")).parent_path();
  registry_.connect(database->settings())->execute("CREATE TABLE a (id INT)");

  database.reset();
  scratch.reset();

  EXPECT_FALSE(fs::exists(folder));
}

TEST_F(ProviderTest, GivesDuckdbFilesAndNothingForOtherEngines) {
  const auto scratch = provider();
  const auto database = scratch->create(schema::Dialect::Duckdb, {});
  registry_.connect(database->settings())->execute("CREATE TABLE a (id INTEGER)");
  EXPECT_THROW(scratch->create(schema::Dialect::Ansi, {}), Error);
}

TEST_F(ProviderTest, KeepsWhatItIsAskedToKeep) {
  db::ScratchOptions options;
  options.keep = true;
  auto database = provider()->create(schema::Dialect::Sqlite, options);
  const std::string path = database->settings().options.at("path");
  registry_.connect(database->settings())->execute("CREATE TABLE a (id INTEGER)");
  database.reset();
  EXPECT_TRUE(fs::exists(path));
  fs::remove_all(fs::path(path).parent_path());
}

class CacheEnvironment final : public base::Environment {
 public:
  explicit CacheEnvironment(std::string folder) : folder_(std::move(folder)) {}
  std::optional<std::string> get(const std::string& name) const override {
    return name == "XDG_CACHE_HOME" ? std::optional(folder_) : real_->get(name);
  }
  std::string random_hex(std::size_t digits) override { return real_->random_hex(digits); }

 private:
  std::string folder_;
  std::unique_ptr<base::Environment> real_ = base::make_environment();
};

TEST_F(ProviderTest, MakesTheTemplateAgainWhenItIsNotComplete) {
  const base::TemporaryFolder cache;
  CacheEnvironment environment(cache.path());
  const auto start = [&] {
    make_provider(registry_, environment)->create(schema::Dialect::Postgres, {});
  };
  start();
  std::string kept;
  for (const auto& entry : fs::directory_iterator(cache.path() + "/kedge")) {
    kept = entry.is_directory() ? entry.path().string() : kept;
  }
  ASSERT_TRUE(fs::exists(kept + "/.kedge-complete"));
  EXPECT_EQ(fs::status(kept).permissions(), fs::perms::owner_all);

  fs::remove(kept + "/.kedge-complete");
  fs::remove(kept + "/PG_VERSION");
  start();

  EXPECT_TRUE(fs::exists(kept + "/.kedge-complete"));
  EXPECT_TRUE(fs::exists(kept + "/PG_VERSION"));
}

TEST_F(ProviderTest, WorksWithoutACache) {
  CacheEnvironment environment("/proc/nothing-can-be-made-here");
  const auto scratch = make_provider(registry_, environment);
  const auto database = scratch->create(schema::Dialect::Postgres, {});
  EXPECT_NO_THROW(registry_.connect(database->settings()));
}

// A child of ours starts a cluster, tells its folder and dies by the signal.
std::string folder_left_by(int signal, const db::Registry& registry,
                           base::Environment& environment) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto scratch = make_provider(registry, environment);
    const auto database = scratch->create(schema::Dialect::Postgres, {});
    const std::string folder = folder_of(*database);
    if (::write(ends[1], folder.data(), folder.size()) < 0) {
      ::_exit(1);
    }
    ::kill(::getpid(), signal);
    ::pause();
  }
  ::close(ends[1]);
  std::array<char, 200> buffer{};
  const ssize_t count = ::read(ends[0], buffer.data(), buffer.size());
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return std::string(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
}

class KilledProgramTest : public ProviderTest, public testing::WithParamInterface<int> {};

TEST_P(KilledProgramTest, LeavesNoClusterBehind) {
  const std::string folder = folder_left_by(GetParam(), registry_, *environment_);

  ASSERT_FALSE(folder.empty());
  EXPECT_TRUE(disappears(folder));
}
INSTANTIATE_TEST_SUITE_P(Signals, KilledProgramTest, testing::Values(SIGTERM, SIGINT, SIGKILL));

TEST_F(ProviderTest, LooksOnlyInTheFolderOfPgBin) {
  const auto scratch = provider();
  db::ScratchOptions options;
  options.pg_bin = "./does-not-exist";
  try {
    scratch->create(schema::Dialect::Postgres, options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), codes::ERR_SCRATCH_UNAVAILABLE);
    EXPECT_NE(error.problem().hint.find("--pg-bin"), std::string::npos);
    EXPECT_NE(error.problem().hint.find("--scratch-url"), std::string::npos);
  }
}

TEST_F(ProviderTest, MakesAndDropsDatabasesOnAGivenServer) {
  const db::ConnectionSettings server = test::PostgresServer::shared().database();
  db::ScratchOptions options;
  options.url = "postgres://kedge@/postgres?host=" + server.options.at("host") + "&port=5432";
  const auto scratch = provider();

  auto database = scratch->create(schema::Dialect::Postgres, options);
  const std::string name = database->settings().options.at("database");
  EXPECT_TRUE(name.starts_with("kedge_scratch_"));
  EXPECT_EQ(name.size(), std::string("kedge_scratch_").size() + 12);
  const auto count = [&] {
    return to_text(registry_.connect(server)
                       ->query("SELECT count(*) FROM pg_database WHERE datname LIKE 'kedge_s%' AND "
                               "datname = $1",
                               std::vector<db::Value>{name})
                       .rows.at(0)
                       .at(0));
  };
  EXPECT_EQ(count(), "1");
  database.reset();
  EXPECT_EQ(count(), "0");
}

TEST_F(ProviderTest, RefusesAScratchUrlOfAnotherKind) {
  const auto scratch = provider();
  db::ScratchOptions options;
  options.url = "mysql://root:hush@localhost/x";
  try {
    scratch->create(schema::Dialect::Postgres, options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), codes::ERR_USAGE);
    EXPECT_EQ(std::string(error.what()).find("hush"), std::string::npos);
  }
}

}  // namespace
}  // namespace kedge::scratch
