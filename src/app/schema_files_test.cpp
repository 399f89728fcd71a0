// The tables of app/schema_tables.h against the loaders: every key is given to its loader, which
// must know it, and where a loader lists the keys it knows the lists must be the same.
#include "app/schema_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "app/schema_tables.h"
#include "base/text.h"
#include "contracts/check.h"
#include "contracts/contract.h"
#include "kedge/codes.h"
#include "models/reader.h"
#include "pipeline/compile.h"
#include "project/connections.h"
#include "project/project.h"

namespace kedge::app {
namespace {

using Keys = std::set<std::string>;

Keys keys_of(std::span<const ShapeRow> rows, std::string_view shape) {
  Keys keys;
  for (const ShapeRow& row : rows) {
    const std::vector<std::string> shapes = base::split(row.shapes, ' ');
    if (std::find(shapes.begin(), shapes.end(), shape) != shapes.end()) {
      keys.emplace(row.key);
    }
  }
  return keys;
}

document::Node parsed(const std::string& text) {
  return document::read_document("a.yml", text, document::Format::Yaml).root;
}

// The frame with a mapping of the keys, each without a value, where its @ stands.
std::string filled(const std::string& frame, const Keys& keys) {
  std::string body = "{";
  for (const std::string& key : keys) {
    body += (body.size() > 1 ? ", " : "") + key + ": ~";
  }
  return base::replace_all(frame, "@", body + "}");
}

std::vector<std::string> unknown_keys(const std::vector<Problem>& problems) {
  std::vector<std::string> found;
  for (const Problem& problem : problems) {
    if (problem.message.find("unknown key") != std::string::npos ||
        problem.message.find("unknown option") != std::string::npos ||
        problem.message.find("is not a setting") != std::string::npos) {
      found.push_back(problem.message);
    }
  }
  return found;
}

struct Frame {
  std::string shape;
  std::string text;  // '@' is where a mapping of the shape stands
};

const std::vector<std::string> kNone;

TEST(SchemaFilesTest, TheModelTableHasExactlyTheKeysOfTheReader) {
  const std::vector<Frame> frames = {
      {"model", "{nosuch: 1}"},
      {"column", "columns: [{nosuch: 1}]"},
      {"format", "columns: [{name: a, format: {nosuch: 1}}]"},
      {"measure", "measures: [{nosuch: 1}]"},
      {"aggregation", "aggregations: [{nosuch: 1}]"},
      {"parameter", "aggregations: [{name: a, params: [{nosuch: 1}]}]"},
      {"join", "joins: [{nosuch: 1}]"},
      {"query", "source_queries: [{nosuch: 1}]"},
      {"extension", "source_queries: [{source_model: {source_name: a, nosuch: 1}}]"},
      {"query_measure", "source_queries: [{source_model: a, measures: [{nosuch: 1}]}]"},
      {"dimension", "source_queries: [{source_model: a, dimensions: [{nosuch: 1}]}]"},
      {"time_dimension", "source_queries: [{source_model: a, time_dimensions: [{nosuch: 1}]}]"},
      {"order_item", "source_queries: [{source_model: a, order: [{column: b, nosuch: 1}]}]"}};
  for (const Frame& frame : frames) {
    const auto read = models::read_model(parsed(frame.text), {"a.yml", "main", {}});
    const auto error = std::find_if(read.errors.begin(), read.errors.end(),
                                    [](const Problem& p) { return p.code == codes::unknown_key; });
    ASSERT_NE(error, read.errors.end()) << frame.shape;
    const std::string list = base::replace_all(error->hint, "known keys: ", "");
    const std::vector<std::string> known = base::split(base::replace_all(list, ", ", ","), ',');
    EXPECT_EQ(keys_of(model_rows(), frame.shape), Keys(known.begin(), known.end())) << frame.shape;
  }
}

TEST(SchemaFilesTest, TheProjectLoaderKnowsEveryKeyOfTheTable) {
  const std::vector<Frame> frames = {{"project", "@"},
                                     {"engine", "engine: @"},
                                     {"duckdb", "engine: {duckdb: @}"},
                                     {"retention", "retention: @"},
                                     {"events", "events: @"},
                                     {"metadata", "metadata: @"},
                                     {"source", "metadata: {sources: [@]}"},
                                     {"migrate", "migrate: @"},
                                     {"ledger", "migrate: {ledger: @}"},
                                     {"d1", "migrate: {d1: @}"},
                                     {"scratch", "migrate: {scratch: @}"},
                                     {"gen", "gen: @"},
                                     {"gen_target", "gen: {targets: [@]}"},
                                     {"formatter", "gen: {targets: [{formatter: @}]}"},
                                     {"docs", "docs: @"},
                                     {"templates", "templates: @"},
                                     {"limits", "templates: {limits: @}"}};
  const auto environment = base::make_environment();
  const auto problems = [&](const Frame& frame, Keys keys) {
    const auto files = base::make_memory_file_system();
    files->write("/p/project.yml", filled(frame.text, keys));
    return unknown_keys(project::load_project(*files, *environment, "/p").problems);
  };
  for (const Frame& frame : frames) {
    Keys keys = keys_of(project_rows(), frame.shape);
    EXPECT_FALSE(keys.empty()) << frame.shape;
    EXPECT_EQ(problems(frame, keys), kNone) << frame.shape;
    keys.insert("nosuch");
    EXPECT_EQ(problems(frame, keys).size(), 1U) << frame.shape;
  }
}

TEST(SchemaFilesTest, TheConnectionLoaderKnowsEveryKeyOfTheTable) {
  const std::string database = "a: {connector: sqlite, path: x, entities: {t: ";
  const std::string files_of = "a: {connector: localfiles, root: x, entities: {t: ";
  const std::vector<Frame> frames = {{"retry", "a: {connector: sqlite, path: x, retry: @}"},
                                     {"entity.database", database + "@}}"},
                                     {"entity.files", files_of + "@}}"},
                                     {"read.database", database + "{read: @}}}"},
                                     {"read.files", files_of + "{read: @}}}"},
                                     {"write.database", database + "{write: @}}}"},
                                     {"write.files", files_of + "{write: @}}}"}};
  const auto environment = base::make_environment();
  const auto problems = [&](const Frame& frame, const Keys& keys) {
    const auto files = base::make_memory_file_system();
    files->write("/p/connections.yml", filled(frame.text, keys));
    return unknown_keys(project::load_connections(*files, *environment, "/p").problems);
  };
  for (const Frame& frame : frames) {
    Keys keys = keys_of(connection_rows(), frame.shape);
    EXPECT_FALSE(keys.empty()) << frame.shape;
    EXPECT_EQ(problems(frame, keys), kNone) << frame.shape;
    keys.insert("nosuch");
    EXPECT_EQ(problems(frame, keys).size(), 1U) << frame.shape;
  }
}

TEST(SchemaFilesTest, TheContractReadersKnowEveryKeyOfTheTables) {
  const auto connections = connection_rows();
  std::vector<Problem> problems;
  contracts::read_contract("a.yml", parsed(filled("c: @", keys_of(connections, "column"))),
                           problems);
  contracts::read_expectations("a.yml", parsed(filled("@", keys_of(connections, "expect"))),
                               problems);
  const document::Node sync = parsed(filled("sync: @", keys_of(connections, "sync")));
  pipeline::read_sync("a.yml", sync.entries.front(), "a.t", problems);
  for (const std::string& check : keys_of(sidecar_rows(), "check")) {
    const bool columns = check == "not_null" || check == "unique";
    if (check == "severity" || check == "sample_values" || check == "max_violations") {
      continue;
    }
    const Keys keys = keys_of(sidecar_rows(), columns ? "columns" : check);
    contracts::read_checks("a.yml", parsed(filled("- {" + check + ": @}", keys)), problems);
  }
  EXPECT_FALSE(problems.empty());  // nothing is no value; but no key may be unknown
  for (const Problem& problem : problems) {
    EXPECT_EQ(problem.message.find("nknown"), std::string::npos) << problem.message;
    EXPECT_EQ(problem.message.find("no key"), std::string::npos) << problem.message;
  }
}

TEST(SchemaFilesTest, TheSidecarLoaderKnowsEveryKeyOfTheTable) {
  const auto environment = base::make_environment();
  const auto problems = [&](const std::string& sidecar) {
    const auto files = base::make_memory_file_system();
    files->write("/p/project.yml", "name: a\nversion: 1.0.0\n");
    files->write("/p/connections.yml", "{}\n");
    files->write("/p/pipelines/a.sql", "SELECT 1 AS one");
    files->write("/p/pipelines/configs/a.yml", sidecar);
    const auto result = pipeline::compile_project({*files, *environment, "/p", {}, {}});
    return unknown_keys(result.load.problems);
  };
  Keys keys = keys_of(sidecar_rows(), "sidecar");
  EXPECT_EQ(problems(filled("@", keys)), kNone);
  keys.insert("nosuch");
  EXPECT_EQ(problems(filled("@", keys)).size(), 1U);
  Keys engine = keys_of(sidecar_rows(), "engine");
  EXPECT_EQ(problems(filled("{pipeline: a, engine: @}", engine)), kNone);
  engine.insert("nosuch");
  EXPECT_EQ(problems(filled("{pipeline: a, engine: @}", engine)).size(), 1U);
}

TEST(SchemaFilesTest, AreTheSameEachTimeAndNameTheirDraft) {
  const std::vector<SchemaFile> first = schema_files();
  const std::vector<SchemaFile> second = schema_files();
  ASSERT_EQ(first.size(), 5U);
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(document::write_json(first[i].schema), document::write_json(second[i].schema));
    ASSERT_NE(first[i].schema.find("$schema"), nullptr);
    EXPECT_EQ(*first[i].schema.find("$schema")->as_string(),
              "https://json-schema.org/draft/2020-12/schema");
  }
}

}  // namespace
}  // namespace kedge::app
