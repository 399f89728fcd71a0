// A small service over the harbour database: it checks itself against the model that it was deployed
// with and against the live database, and only then serves. Arguments: model file, database file.
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "harbour/rows.hpp"
#include "harbour/tables.hpp"
#include "kedge/startup_sqlite.hpp"
#include "kedge_startup.hpp"

namespace {

// Reads one row of a statement by column name: all that the generated from_row() asks for.
class SqliteRow {
 public:
  explicit SqliteRow(sqlite3_stmt* statement) : statement_(statement) {}
  bool is_null(std::string_view column) const {
    return sqlite3_column_type(statement_, index(column)) == SQLITE_NULL;
  }
  template <class T>
  T get(std::string_view column) const {
    if constexpr (std::is_same_v<T, std::string>) {
      return reinterpret_cast<const char*>(sqlite3_column_text(statement_, index(column)));
    } else {
      return static_cast<T>(sqlite3_column_int64(statement_, index(column)));
    }
  }

 private:
  int index(std::string_view column) const {
    for (int i = 0; i < sqlite3_column_count(statement_); ++i) {
      if (column == sqlite3_column_name(statement_, i)) {
        return i;
      }
    }
    throw std::runtime_error("no column " + std::string(column));
  }
  sqlite3_stmt* statement_;
};

void serve(sqlite3* database) {
  const std::string sql =
      "SELECT * FROM " + std::string(harbour::tables::Vessel::kTable) + " ORDER BY 1";
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    SqliteRow row(statement);
    harbour::Vessel vessel;
    harbour::from_row(row, vessel);
    std::printf("%s %s\n", vessel.call_sign.c_str(), vessel.name.c_str());
  }
  sqlite3_finalize(statement);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: harbour-service MODEL DATABASE\n");
    return 2;
  }
  sqlite3* database = nullptr;
  if (sqlite3_open_v2(argv[2], &database, SQLITE_OPEN_READONLY, nullptr) != SQLITE_OK) {
    std::fprintf(stderr, "%s\n", sqlite3_errmsg(database));
    return 2;
  }
  try {
    kedge::require_startup(harbour::kedge_tables(), kedge::model_file(argv[1]));
    kedge::require_startup(kedge::check_startup_database(harbour::kedge_tables(), database));
  } catch (const kedge::StartupDriftError& error) {
    std::fprintf(stderr, "not started:\n%s\n", error.what());
    sqlite3_close(database);
    return 1;
  }
  std::puts("started");
  serve(database);
  sqlite3_close(database);
}
