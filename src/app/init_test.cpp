#include "app/init.h"

#include <gtest/gtest.h>

#include "kedge/codes.h"

namespace kedge::app {
namespace {

class NoScratch final : public db::ScratchProvider {
 public:
  std::unique_ptr<db::ScratchDatabase> create(schema::Dialect, const db::ScratchOptions&) override {
    return nullptr;
  }
};

struct World {
  std::unique_ptr<base::FileSystem> files = base::make_memory_file_system();
  std::unique_ptr<base::Clock> clock = base::make_clock();
  std::unique_ptr<base::Environment> environment = base::make_environment();
  std::unique_ptr<base::ProcessRunner> processes = base::make_process_runner();
  db::Registry registry;
  NoScratch scratch;
  Context context{"/srv/harbour", *files, *clock, *environment, *processes, registry, scratch};
  std::string read(const std::string& name) const {
    return files->read("/srv/harbour/" + name).value_or("(none)");
  }
};

TEST(InitTest, WritesTheTwoFilesAndKeepsTheStateOutOfTheRepository) {
  World world;
  const InitResult result = init_project(world.context, {});
  EXPECT_EQ(result.written,
            (std::vector<std::string>{".gitignore", "connections.yml", "project.yml"}));
  EXPECT_NE(world.read("project.yml").find("name: \"harbour\"\n"), std::string::npos);
  EXPECT_EQ(world.read(".gitignore"), ".kedge/\n");
}

TEST(InitTest, LeavesWhatIsThereAsItIs) {
  World world;
  world.files->write("/srv/harbour/project.yml", "name: mine\n");
  world.files->write("/srv/harbour/.gitignore", "build");
  const InitResult result = init_project(world.context, {});
  EXPECT_EQ(result.kept, (std::vector<std::string>{"project.yml"}));
  EXPECT_EQ(world.read("project.yml"), "name: mine\n");
  EXPECT_EQ(world.read(".gitignore"), "build\n.kedge/\n");
  EXPECT_EQ(init_project(world.context, {}).written, std::vector<std::string>{});
  EXPECT_EQ(world.read(".gitignore"), "build\n.kedge/\n");
}

TEST(InitTest, APasswordGoesToTheEnvironment) {
  World world;
  init_project(world.context, {"x", "postgres://app:s3cret@db.example/harbour"});
  const std::string text = world.read("connections.yml");
  EXPECT_EQ(text.find("s3cret"), std::string::npos) << text;
  EXPECT_NE(text.find("  password: ${KEDGE_PASSWORD}\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  connector: postgres\n"), std::string::npos) << text;
}

TEST(InitTest, RefusesWhatIsNoUrlAndWritesNothing) {
  World world;
  EXPECT_THROW(init_project(world.context, {"x", "what is this"}), Error);
  EXPECT_EQ(world.read("project.yml"), "(none)");
}

}  // namespace
}  // namespace kedge::app
