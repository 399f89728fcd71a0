#include "db/duckdb/api.h"

#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "db/library.h"

namespace kedge::db::duckdb {
namespace {

std::vector<std::string> places() {
  const std::string here = program_folder();
  std::vector<std::string> result;
  if (const char* own = std::getenv("KEDGE_DUCKDB_LIB"); own != nullptr && *own != '\0') {
    result.emplace_back(own);
  }
  for (const char* folder : {"", "/../lib", "/../lib/kedge"}) {
    result.push_back(here + folder + "/libduckdb.so");
  }
  result.emplace_back(KEDGE_DUCKDB_LIBRARY);
  result.emplace_back("libduckdb.so");
  return result;
}

}  // namespace

const Api& api(const ConnectionSettings& settings) {
  static std::mutex mutex;
  static Api functions;
  static bool loaded = false;
  const std::scoped_lock lock(mutex);
  if (!loaded) {
    const std::vector<std::string> names = places();
    const Library library(settings, "libduckdb", names);
#define KEDGE_DUCKDB_LOAD(name) library.load(functions.name, "duckdb_" #name);
    KEDGE_DUCKDB_FUNCTIONS(KEDGE_DUCKDB_LOAD)
#undef KEDGE_DUCKDB_LOAD
    loaded = true;
  }
  return functions;
}

}  // namespace kedge::db::duckdb
