#include "pipeline/compile.h"

#include <gtest/gtest.h>

#include "kedge/codes.h"
#include "pipeline/graph.h"
#include "pipeline/render.h"

namespace kedge::pipeline {
namespace {

class CompileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    write("project.yml", "name: p\nversion: 1.0.0\nvars: { low: 3 }\n");
    write("connections.yml", "c: { connector: localfiles, root: in }\n");
  }
  void write(const std::string& name, const std::string& text) {
    files_->write("/p/" + name, text);
  }
  Compilation compile() { return compile_project({*files_, *environment_, "/p", {}, {}}); }

  std::unique_ptr<base::FileSystem> files_ = base::make_memory_file_system();
  std::unique_ptr<base::Environment> environment_ = base::make_environment();
};

TEST_F(CompileTest, OrdersTheGraphByItsCalls) {
  write("pipelines/b.sql", "SELECT * FROM {{ source('c', 'x') }}");
  write("pipelines/a.sql",
        "INSERT INTO {{ sink('c', 'out') }} SELECT * FROM {{ ref('b') }} WHERE n > {{ var('low') "
        "}};");
  const Compilation result = compile();
  ASSERT_TRUE(result.ok());
  std::vector<Problem> problems;
  std::vector<std::string> names;
  for (const GraphNode& node : build_graph(*result.workspace, problems).nodes) {
    names.push_back(node.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"src_c__x", "b", "a", "c.out"}));
  const RenderContext context{
      *result.workspace, *environment_, "r", "t", {}, EnvironmentValues::Real, {}};
  EXPECT_EQ(render_pipeline(context, 0), "SELECT * FROM staging.\"b\" WHERE n > 3");
}

TEST_F(CompileTest, OnlyCommentsStandBeforeTheStatementOfASink) {
  const auto compiles = [&](const std::string& before) {
    write("pipelines/a.sql", before + " {{ sink('c', 'out') }} SELECT 1 AS n");
    return compile().ok();
  };
  EXPECT_TRUE(compiles("-- it's what lands\nINSERT /*/ one */ INTO"));
  EXPECT_TRUE(compiles("/* outer /* inner */ still */ insert into"));
  EXPECT_FALSE(compiles("SELECT 1; INSERT INTO"));
  EXPECT_FALSE(compiles("'--' INSERT INTO"));
}

TEST_F(CompileTest, WrapsEphemeralPipelinesAsNamedQueries) {
  write("pipelines/e.sql", "SELECT 1 AS n");
  write("pipelines/configs/e.yml", "pipeline: e\nmaterialization: ephemeral\n");
  write("pipelines/a.sql", "SELECT * FROM {{ ref('e') }} -- last");
  const Compilation result = compile();
  ASSERT_TRUE(result.ok());
  const RenderContext context{
      *result.workspace, *environment_, "r", "t", {}, EnvironmentValues::Real, {}};
  EXPECT_EQ(render_pipeline(context, 0),
            "WITH \"e\" AS (\nSELECT 1 AS n\n)\nSELECT * FROM (\nSELECT * FROM \"e\" -- last\n)");
}

TEST_F(CompileTest, NamesTheMembersOfACircleInOrder) {
  write("pipelines/a.sql", "SELECT * FROM {{ ref('b') }}");
  write("pipelines/b.sql", "SELECT * FROM {{ ref('c') }}");
  write("pipelines/c.sql", "SELECT * FROM {{ ref('a') }}");
  const Compilation result = compile();
  ASSERT_EQ(result.compile.problems.size(), 1U);
  EXPECT_EQ(result.compile.problems[0].code, codes::PZ0202);
  EXPECT_NE(result.compile.problems[0].message.find("a -> b -> c -> a"), std::string::npos);
}

TEST_F(CompileTest, SelectsAncestorsAndDescendants) {
  write("pipelines/a.sql", "SELECT * FROM {{ source('c', 'x') }}");
  write("pipelines/b.sql", "SELECT * FROM {{ ref('a') }}");
  write("pipelines/z.sql", "SELECT 1 AS n");
  const Compilation result = compile();
  std::vector<Problem> problems;
  const FlowGraph graph = build_graph(*result.workspace, problems);
  EXPECT_EQ(select_nodes(graph, {{"a"}, {}, Scope::Default}).size(), 3U);
  EXPECT_EQ(select_nodes(graph, {{}, {"a"}, Scope::Default}).size(), 2U);
  EXPECT_EQ(select_nodes(graph, {{}, {"z b"}, Scope::Default}).size(), 4U);
  EXPECT_THROW(select_nodes(graph, {{}, {"q"}, Scope::Default}), Error);
  EXPECT_THROW(select_nodes(graph, {{}, {}, Scope::Default}), Error);
}

}  // namespace
}  // namespace kedge::pipeline
