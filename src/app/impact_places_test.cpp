#include "app/impact_places.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "app/connections.h"
#include "servers.h"

namespace kedge::app {
namespace {

class NoScratch final : public db::ScratchProvider {
 public:
  std::unique_ptr<db::ScratchDatabase> create(schema::Dialect, const db::ScratchOptions&) override {
    return nullptr;
  }
};

using Names = std::vector<std::string>;

class PlacesTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    files_->write(folder_.path() + "/" + name, text);
  }
  Names names(const std::string& target) const { return names_of_target(context_, target); }

  base::TemporaryFolder folder_;
  std::unique_ptr<base::FileSystem> files_ = base::make_file_system();
  std::unique_ptr<base::Clock> clock_ = base::make_clock();
  std::unique_ptr<base::Environment> environment_ = base::make_environment();
  std::unique_ptr<base::ProcessRunner> processes_ = base::make_process_runner();
  db::Registry databases_ = test::make_test_registry();
  NoScratch scratch_;
  Context context_{folder_.path(), *files_,    *clock_, *environment_,
                   *processes_,    databases_, scratch_};
};

TEST_F(PlacesTest, AFileIsOneHoweverItIsWritten) {
  write("data/a.db", "");
  std::filesystem::create_symlink(folder_.path() + "/data/a.db", folder_.path() + "/link.db");
  write("connections.yml",
        "a: {connector: sqlite, path: data/a.db}\n"
        "b: {connector: sqlite, path: ./data/../data/a.db}\n"
        "c: {connector: sqlite, path: link.db}\n"
        "d: {connector: sqlite, path: data/d.db}\n"
        "e: {connector: duckdb, path: data/a.db}\n"
        "m: {connector: sqlite, path: ':memory:'}\n"
        "n: {connector: sqlite, path: ':memory:'}\n");
  EXPECT_EQ(names("c"), (Names{"c", "a", "b"}));
  EXPECT_EQ(names("sqlite:data/a.db"), (Names{"a", "b", "c"}));
  EXPECT_EQ(names("m"), Names{"m"});
  EXPECT_EQ(names("sqlite:none.db"), Names{});
  EXPECT_EQ(names("nobody"), Names{});
}

TEST_F(PlacesTest, AServerIsOneWhateverUserPortAndSchemaSay) {
  write("connections.yml",
        "a: {connector: postgres, host: localhost, database: d, user: u}\n"
        "b: {connector: postgres, host: 127.0.0.1, port: 5432, database: d, user: v, schema: s2}\n"
        "c: {connector: postgres, host: localhost, port: 5433, database: d}\n"
        "d: {connector: postgres, host: localhost, database: other}\n"
        "e: {connector: mysql, host: LOCALHOST, port: 3306, database: d}\n"
        "f: {connector: mysql, host: 127.0.0.1, database: d}\n");
  EXPECT_EQ(names("a"), (Names{"a", "b"}));
  EXPECT_EQ(names("postgresql://w@localhost/d"), (Names{"a", "b"}));
  EXPECT_EQ(names("f"), (Names{"f", "e"}));
}

TEST_F(PlacesTest, OdbcConnectionsDifferByTheirStrings) {
  write("connections.yml",
        "a: {connector: odbc, connection_string: 'Driver=X;Database=a.db'}\n"
        "b: {connector: odbc, connection_string: 'Driver=X;Database=b.db'}\n"
        "c: {connector: odbc, dsn: one}\n"
        "d: {connector: odbc, dsn: one, user: u}\n"
        "e: {connector: d1, database: D}\n"
        "f: {connector: d1, database: D, local: false}\n");
  EXPECT_EQ(names("a"), Names{"a"});
  EXPECT_EQ(names("c"), (Names{"c", "d"}));
  EXPECT_EQ(names("e"), Names{"e"});
}

TEST_F(PlacesTest, MetadataIsAboutWhatMigrateSays) {
  write("data/a.db", "");
  write("connections.yml",
        "a: {connector: sqlite, path: data/a.db}\nb: {connector: sqlite, path: b.db}\n"
        "c: {connector: sqlite, path: c.db}\n");
  const auto judged = [&](const std::string& target) {
    const Names all = names(target);
    return metadata_name(context_, target, all.empty() ? Names{"url"} : all);
  };
  EXPECT_EQ(judged("b"), "b");  // nothing says otherwise
  write("project.yml",
        "name: p\nversion: 1.0.0\nmigrate: {target: 'sqlite:data/a.db', check: [c]}\n");
  EXPECT_EQ(judged("a"), "a");
  EXPECT_EQ(judged("sqlite:./data/a.db"), "a");
  EXPECT_EQ(judged("c"), "c");
  EXPECT_EQ(judged("b"), std::nullopt);
  EXPECT_EQ(judged("sqlite:b.db"), std::nullopt);
}

TEST_F(PlacesTest, AnotherDefaultSchemaSeesOtherNames) {
  write("connections.yml",
        "a: {connector: postgres, host: h, database: d}\n"
        "b: {connector: postgres, host: h, database: d, schema: s2}\n");
  ShapeChange change;
  change.before.default_schema = Identifier("public");
  schema::Table here;
  here.name = {Identifier(), Identifier("t")};
  schema::Table there;
  there.name = {Identifier("s2"), Identifier("orders")};
  there.foreign_keys.emplace_back().referenced_table = here.name;
  change.before.tables = {here, there};
  change.after = change.before;
  change.steps = {DropColumn{there.name, Identifier("k")}};
  const ShapeChange seen = seen_through(context_, "a", change, "b");
  EXPECT_EQ(seen.before.default_schema.text(), "s2");
  EXPECT_EQ(to_string(seen.before.tables[0].name), "public.t");
  EXPECT_EQ(to_string(seen.before.tables[1].name), "orders");
  EXPECT_EQ(to_string(seen.after.tables[1].foreign_keys[0].referenced_table), "public.t");
  EXPECT_EQ(step_text(seen.steps[0]), "drop column orders.k");
  // And back again.
  const ShapeChange again = seen_through(context_, "b", seen, "a");
  EXPECT_EQ(again.before.tables, change.before.tables);
}

}  // namespace
}  // namespace kedge::app
