#include "project/project.h"

#include <gtest/gtest.h>

#include "base/file_system.h"
#include "test_environment.h"

namespace kedge::project {
namespace {

ProjectLoad load(const std::string& text, std::map<std::string, std::string> variables = {}) {
  const auto files = base::make_memory_file_system();
  files->write("/p/project.yml", text);
  return load_project(*files, TestEnvironment(std::move(variables)), "/p");
}

TEST(ProjectTest, AMissingOrEmptyFileGivesTheDefaults) {
  const auto files = base::make_memory_file_system();
  const ProjectLoad missing = load_project(*files, TestEnvironment({}), "/p");
  EXPECT_FALSE(missing.project.present);
  EXPECT_TRUE(missing.problems.empty());
  const ProjectLoad empty = load("# nothing\n");
  EXPECT_TRUE(empty.project.present);
  EXPECT_EQ(empty.project.engine.threads, 4);
  EXPECT_EQ(empty.project.keep_last, 10);
  EXPECT_EQ(empty.project.state_dir.text, ".kedge/state");
  EXPECT_EQ(require_identity(empty.project).size(), 2U);
}

TEST(ProjectTest, ReadsEveryKeyOfEveryChapter) {
  const ProjectLoad read = load(
      "name: a\nversion: 1.2.0\non_source_drift: warn\nvars: {x: 5, y: [a, b]}\n"
      "engine: {threads: 2, chunk_rows: 10, check_samples: false, node_timeout: 5m,\n"
      "  duckdb: {memory_limit: 2GiB, threads: 3, temp_directory: tmp}}\n"
      "retention: off\nrequire_contracts: all\nstate_dir: state\n"
      "events: {on: [check_failed], command: [./notify.sh]}\n"
      "data_source_priority: [a, b]\n"
      "metadata: {sources: [{path: m}], column_naming: literal, strict: false, strict_nodes: "
      "true,\n"
      "  tph_required_checks: true, sqlite_uuid: rfc4122, array_enum_checks: true}\n"
      "migrate: {target: db, dialect: postgres, dir: mig, format: flat, allow: [drop-table],\n"
      "  on_ambiguous: rename, scope: ['a::**'], schemas: [s], ignore_tables: [t], lock_timeout: "
      "off,\n"
      "  statement_timeout: 3s, online: true, manage_comments: false,\n"
      "  ledger: {schema: public, table: l, lock_name: null, lock_wait: 1s},\n"
      "  d1: {binding: B, remote: true, wrangler_config: w, auto_apply: true, carry_sequence: "
      "false},\n"
      "  scratch: {url: null, pg_bin: /x, user: u, keep_on_failure: true}}\n"
      "gen: {targets: [{name: t, pack: cpp, out: o, include: [a], exclude: [b], options: {n: 1},\n"
      "  formatter: {command: [cat]}}], state: s, eol: crlf, bases: local, orphans: keep}\n"
      "docs: {out: d}\ntemplates: {root: r, report_unused: true, limits: {partial_depth: 3}}\n");
  for (const Problem& problem : read.problems) {
    ADD_FAILURE() << to_string(*problem.where) << " " << problem.message;
  }
  EXPECT_EQ(read.project.engine.node_timeout_ms, 300'000);
  EXPECT_FALSE(read.project.keep_last);
  EXPECT_FALSE(read.project.migrate.lock_timeout);
  EXPECT_EQ(read.project.migrate.ledger.lock_wait_ms, 1'000);
  EXPECT_EQ(read.project.gen.targets.at(0).formatter.at(0), "cat");
  EXPECT_EQ(read.project.templates.limits.partial_depth, 3);
  EXPECT_EQ(read.project.metadata.sources.at(0).text, "m");
}

struct Wrong {
  std::string text;
  std::string place;
  std::string code;
  std::string words;
};

TEST(ProjectTest, RefusesEachMistakeAtItsPlaceWithItsCode) {
  const std::vector<Wrong> cases = {
      {"on_source_drift: banana\n", "1:18", "PZ0126", "ignore, warn or fail"},
      {"on_source_drfit: warn\n", "1:1", "PZ0101", "on_source_drift"},
      {"version: 1.10\n", "1:10", "PZ0101", "\"1.10\""},
      {"vars: [a]\n", "1:7", "PZ0102", "mapping"},
      {"vars: {a: {b: 1}}\n", "1:11", "PZ0102", "scalar"},
      {"engine:\n  thread: 2\n", "2:3", "PZ0120", "threads"},
      {"engine: {threads: 0}\n", "1:19", "PZ0120", "at least 1"},
      {"engine: {check_samples: Yes}\n", "1:25", "PZ0120", "true or false"},
      {"engine: {node_timeout: soon}\n", "1:24", "PZ0120", "duration"},
      {"retention: {keep_last: 0}\n", "1:24", "PZ0123", "keep_last"},
      {"retention: never\n", "1:12", "PZ0123", "off"},
      {"require_contracts: some\n", "1:20", "PZ0101", "none, files or all"},
      {"state_dir: ../x\n", "1:12", "PZ0101", "inside"},
      {"outputs: {}\n", "1:1", "PZ0347", "outputs"},
      {"metadata: {colum_naming: literal}\n", "1:12", "ERR_CONFIG", "column_naming"},
      {"migrate: {dirr: x}\n", "1:11", "ERR_CONFIG", "dir"},
      {"migrate: {ledger: {tabel: x}}\n", "1:20", "ERR_CONFIG", "table"},
      {"migrate: {lock_timeout: 5}\n", "1:25", "ERR_CONFIG", "duration"},
      {"gen: {targets: [{name: A, pack: cpp, out: o}]}\n", "1:24", "ERR_CONFIG", "lower-case"},
      {"gen: {targets: [{name: a, pack: cpp}]}\n", "1:17", "ERR_CONFIG", "out: is missing"},
      {"docs: {outt: x}\n", "1:8", "ERR_CONFIG", "out"},
      {"templates: {limits: {steps: 0}}\n", "1:29", "ERR_CONFIG", "steps"},
      {"- a\n", "1:1", "PZ0101", "mapping"},
      {"a: 1\n---\nb: 1\n", "2:1", "PZ0101", "document"},
      {"vars: {a: \"${NOPE}\"}\n", "1:11", "PZ0103", "NOPE"},
  };
  for (const Wrong& wrong : cases) {
    const ProjectLoad read = load(wrong.text);
    bool found = false;
    for (const Problem& problem : read.problems) {
      found = found || (to_string(*problem.where) == "project.yml:" + wrong.place &&
                        problem.code.name() == wrong.code &&
                        (problem.message + problem.hint).find(wrong.words) != std::string::npos);
    }
    EXPECT_TRUE(found) << wrong.text
                       << (read.problems.empty() ? "nothing reported"
                                                 : read.problems[0].message + " at " +
                                                       to_string(*read.problems[0].where));
  }
}

TEST(ProjectTest, ReportsAllProblemsInFileOrder) {
  const ProjectLoad read = load("name: [a]\nversion: 1\nengine: {x: 1}\nretention: 5\n");
  ASSERT_EQ(read.problems.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(read.problems[i].where->line, i + 1);
  }
}

TEST(ProjectTest, ExpandsVariablesOfVarsAndTypesOnlyWhatLosesNothing) {
  const ProjectLoad read = load("vars:\n a: ${N}\n b: ${Z}\n c: '${N}'\n d: $${N}\n e: x${N}y\n",
                                {{"N", "5432"}, {"Z", "0123"}});
  const std::vector<Variable>& vars = read.project.vars;
  EXPECT_EQ(vars[0].value.kind, document::Kind::Integer);
  EXPECT_EQ(vars[1].value.kind, document::Kind::String);
  EXPECT_EQ(vars[2].value.kind, document::Kind::String);
  EXPECT_EQ(vars[3].value.text, "${N}");
  EXPECT_EQ(vars[4].value.text, "x5432y");
}

TEST(ProjectTest, WarnsAboutAFileThatIsNotRead) {
  const auto files = base::make_memory_file_system();
  files->write("/p/project.yaml", "name: x\n");
  EXPECT_EQ(load_project(*files, TestEnvironment({}), "/p").warnings.at(0).problem.code.name(),
            "PZ0135");
}

}  // namespace
}  // namespace kedge::project
