#include "project/connections.h"

#include <gtest/gtest.h>

#include "base/file_system.h"
#include "test_environment.h"

namespace kedge::project {
namespace {

ConnectionsLoad load(const std::string& text, std::map<std::string, std::string> variables = {},
                     UnsetOptions unset = UnsetOptions::Refuse) {
  const auto files = base::make_memory_file_system();
  files->write("/p/connections.yml", text);
  return load_connections(*files, TestEnvironment(std::move(variables)), "/p", unset);
}

TEST(ConnectionsTest, ReadsConnectionsEntitiesAndExpandsSecrets) {
  const ConnectionsLoad read = load(
      "port:\n  connector: postgres\n  host: ${H}\n  database: d\n  password: ${P}\n  port: ${N}\n"
      "  retry: {max_attempts: 2, base_delay: 500ms}\n  max_concurrency: 3\n"
      "  entities:\n    public.a:\n      read: {columns: {x: bigint}, query: select 1}\n"
      "      write: {strategy: merge, keys: [x], on_delete: soft}\n    bare:\n"
      "yard: {connector: localfiles, entities: {c: {read: {path: c.csv, format: csv, delimiter: "
      ";}}}}\n"
      "edge: {connector: d1, database: DB}\n",
      {{"H", "example"}, {"P", "s3/cret"}, {"N", "5433"}});
  ASSERT_TRUE(read.problems.empty()) << read.problems[0].message;
  const Connection& port = *read.connections.find("port");
  EXPECT_EQ(port.options.at("port").text, "5433");
  EXPECT_EQ(port.retry.max_attempts, 2);
  EXPECT_EQ(port.entities[0].read.columns->value.entries[0].key.text, "x");
  EXPECT_EQ(port.entities[0].write.keys[0].text, "x");
  EXPECT_EQ(std::count(port.secrets.begin(), port.secrets.end(), "s3/cret"), 1);
  EXPECT_EQ(read.connections.find("yard")->settings("/p").at("root"), "/p");
  EXPECT_EQ(read.connections.find("edge")->settings("/p").at("folder"), "/p");
}

TEST(ConnectionsTest, EverySecretKeyOfAConnectionStringIsOne) {
  for (const char* key : {"PWD", "passwd", "Password", "Passphrase", "AuthToken"}) {
    const ConnectionsLoad read = load(std::string("far: {connector: odbc, connection_string: '") +
                                      key + "=hidden;UID=u'}\n");
    ASSERT_EQ(read.warnings.size(), 1U) << key;
    EXPECT_EQ(read.warnings[0].problem.code.name(), "PZ0601");
    const std::vector<std::string>& secrets = read.connections.find("far")->secrets;
    EXPECT_EQ(std::count(secrets.begin(), secrets.end(), "hidden"), 1) << key;
  }
}

struct Wrong {
  std::string text;
  std::string place;
  std::string code;
  std::string words;
};

TEST(ConnectionsTest, RefusesEachMistakeAtItsPlaceWithItsCode) {
  const std::string lite = "a:\n  connector: sqlite\n  path: a.db\n";
  const std::string files = "a:\n  connector: localfiles\n";
  const std::vector<Wrong> cases = {
      {"a: {path: x}\n", "1:1", "PZ0101", "connector: is missing"},
      {"a: {connector: postgress, host: h}\n", "1:16", "PZ0305", "postgres"},
      {files + "  rooot: x\n", "3:3", "PZ0301", "root"},
      {"a: {connector: postgres, host: h}\n", "1:1", "PZ0301", "database"},
      {"a: {connector: odbc}\n", "1:1", "PZ0301", "dsn"},
      {"a: {connector: sqlite, path: .kedge/x.db}\n", "1:30", "PZ0301", ".kedge"},
      {"2 a: {connector: localfiles}\n", "1:1", "PZ0136", "c_2_a"},
      {"a__b: {connector: localfiles}\n", "1:1", "PZ0136", "a_b"},
      {lite + "  max_concurrency: 0\n", "4:20", "PZ0122", "at least 1"},
      {lite + "  retry: {max_attempts: 0}\n", "4:25", "PZ0121", "max_attempts"},
      {lite + "  retry: {tries: 1}\n", "4:11", "PZ0121", "tries"},
      {lite + "  rate_limit: 1\n", "4:3", "PZ0318", "rate_limit"},
      {lite + "  entities: [x]\n", "4:13", "PZ0101", "mapping"},
      {lite + "  entities:\n    a.b.c:\n", "5:5", "PZ0344", "two parts"},
      {lite + "  entities:\n    'a b':\n", "5:5", "PZ0344", "blank"},
      {lite + "  entities:\n    x: {reed: {}}\n", "5:9", "PZ0101", "read"},
      {lite + "  entities:\n    x: {schema: s}\n", "5:9", "PZ0348", "schema"},
      {lite + "  entities:\n    x: {read: {incremental: c}}\n", "5:16", "PZ0332", "sync"},
      {lite + "  entities:\n    x: {read: {colums: {}}}\n", "5:16", "PZ0101", "columns"},
      {lite + "  entities:\n    x: {read: {format: csv}}\n", "5:16", "PZ0301", "localfiles"},
      {lite + "  entities:\n    x: {read: {on_source_drift: no}}\n", "5:33", "PZ0126", "ignore"},
      {lite + "  entities:\n    x: {write: {mode: append}}\n", "5:17", "PZ0333", "strategy"},
      {lite + "  entities:\n    x: {write: {strategy: upsert}}\n", "5:27", "PZ0334", "merge"},
      {lite + "  entities:\n    x: {write: {schema_polcy: evolve}}\n", "5:17", "PZ0334",
       "schema_policy"},
      {lite + "  entities:\n    x: {write: {batch_size: 5}}\n", "5:17", "PZ0301", "batch_size"},
      {lite + "  entities:\n    x: {write: {strategy: replace, on_delete: soft}}\n", "5:47",
       "PZ0334", "merge"},
      {lite + "  entities:\n    x: {write: {keys: x}}\n", "5:23", "PZ0101", "list"},
      {lite + "  entities:\n    x:\n    X:\n", "6:5", "PZ0110", "case"},
      {files + "  entities:\n    x: {read: {query: select 1}}\n", "4:16", "PZ0301", "query"},
      {files + "  entities:\n    x: {read: {delimiter: ab}}\n", "4:27", "PZ0301", "one character"},
      {lite + "  entities:\n    x: {read: {query: 'select ${Q}'}}\n", "5:23", "PZ0103", "Q"},
  };
  for (const Wrong& wrong : cases) {
    const ConnectionsLoad read = load(wrong.text);
    bool found = false;
    for (const Problem& problem : read.problems) {
      found = found || (to_string(*problem.where) == "connections.yml:" + wrong.place &&
                        problem.code.name() == wrong.code &&
                        (problem.message + problem.hint).find(wrong.words) != std::string::npos);
    }
    EXPECT_TRUE(found) << wrong.text
                       << (read.problems.empty() ? "nothing reported"
                                                 : read.problems[0].message + " at " +
                                                       to_string(*read.problems[0].where));
  }
}

TEST(ConnectionsTest, AnEmptyValueIsAcceptedForPasswordsOnly) {
  const std::string text =
      "a: {connector: postgres, host: \"${E}\", database: d, password: '${E}'}\n";
  const ConnectionsLoad read = load(text, {{"E", ""}});
  ASSERT_EQ(read.problems.size(), 1U);
  EXPECT_EQ(to_string(*read.problems[0].where), "connections.yml:1:32");
}

TEST(ConnectionsTest, UnsetOptionsAreNotesWhereNoConnectionIsOpened) {
  const std::string text =
      "a: {connector: sqlite, path: '${A}', entities: {x: {read: {query: '${B}'}}}}\n";
  const ConnectionsLoad read = load(text, {}, UnsetOptions::Note);
  ASSERT_EQ(read.problems.size(), 1U);
  EXPECT_NE(read.problems[0].message.find("'B'"), std::string::npos);
  EXPECT_EQ(read.warnings.at(0).severity, Severity::Note);
}

TEST(ConnectionsTest, WarnsAboutLiteralCredentialsWithoutShowingThem) {
  const ConnectionsLoad read =
      load("a: {connector: postgres, host: h, database: d, password: hunter2}\n");
  ASSERT_EQ(read.warnings.size(), 1U);
  EXPECT_EQ(read.warnings[0].problem.code.name(), "PZ0601");
  EXPECT_EQ(read.warnings[0].problem.message.find("hunter2"), std::string::npos);
}

TEST(ConnectionsTest, NeverShowsASecretInAProblem) {
  const ConnectionsLoad read =
      load("a: {connector: postgres, host: h, database: d, port: '${P}', password: [hunter2]}\n",
           {{"P", "hunter3"}});
  ASSERT_EQ(read.problems.size(), 2U);
  for (const Problem& problem : read.problems) {
    EXPECT_EQ(problem.message.find("hunter"), std::string::npos);
  }
}

}  // namespace
}  // namespace kedge::project
