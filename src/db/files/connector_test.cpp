#include "db/files/connector.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/file_system.h"
#include "db/bulk.h"
#include "failure.h"

namespace kedge::db {
namespace {

using test::failure_of;

class FilesTest : public testing::Test {
 protected:
  FilesTest() {
    write("crates.csv", "id,kg\n1,2.5\n2,7\n");
    std::filesystem::create_directory(folder_.path() + "/yard");
    write("yard/moves.ndjson", "{\"id\": 1, \"to\": \"a\"}\n{\"id\": 2}\n");
    write("broken.json", "{");
    ConnectionSettings settings;
    settings.name = "yard";
    settings.connector = "localfiles";
    settings.options["root"] = folder_.path();
    connection_ = make_files_connector()->connect(settings);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() + "/" + name) << text;
  }
  std::string one(const std::string& sql) {
    return to_text(connection_->query(sql).rows.at(0).at(0));
  }
  base::TemporaryFolder folder_;
  std::unique_ptr<Connection> connection_;
};

TEST_F(FilesTest, HasAViewForEachFile) {
  EXPECT_EQ(one("SELECT sum(kg) FROM crates"), "9.5");
  EXPECT_EQ(one("SELECT count(*) FROM \"yard/moves\" WHERE \"to\" IS NULL"), "1");
  EXPECT_EQ(one("SELECT count(*) FROM duckdb_views() WHERE NOT internal"), "2");
}

TEST_F(FilesTest, ReadsByPathBelowTheRoot) {
  EXPECT_EQ(one("SELECT count(*) FROM read_csv('crates.csv')"), "2");
}

TEST_F(FilesTest, GivesChunks) {
  std::size_t rows = 0;
  read_chunks(*connection_, "SELECT * FROM crates", [&](const Chunk& chunk) {
    rows += chunk.rows;
    return true;
  });
  EXPECT_EQ(rows, 2U);
}

TEST_F(FilesTest, WritesNothing) {
  for (const std::string& sql :
       {"COPY crates TO '" + folder_.path() + "/out.csv'",
        std::string("CREATE TABLE t (a INTEGER)"), std::string("DROP VIEW crates")}) {
    EXPECT_EQ(failure_of([&] { connection_->execute(sql); }).code(), codes::ERR_READ_ONLY) << sql;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/out.csv"));
}

TEST_F(FilesTest, NamesWhatIsMissing) {
  EXPECT_EQ(failure_of([&] { connection_->query("SELECT * FROM nowhere"); }).failure(),
            FailureClass::Schema);
  ConnectionSettings settings;
  settings.name = "yard";
  settings.options["root"] = folder_.path() + "/none";
  EXPECT_EQ(failure_of([&] { make_files_connector()->connect(settings); }).code(),
            codes::ERR_CONNECT);
}

}  // namespace
}  // namespace kedge::db
