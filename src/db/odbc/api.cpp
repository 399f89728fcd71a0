#include "db/odbc/api.h"

#include <array>
#include <mutex>
#include <string>

#include "db/library.h"

namespace kedge::db::odbc {

const Api& api(const ConnectionSettings& settings) {
  static std::mutex mutex;
  static Api functions;
  static bool loaded = false;
  const std::scoped_lock lock(mutex);
  if (!loaded) {
    const std::array<std::string, 3> names = {"libodbc.so.2", "libodbc.so.1", "libodbc.so"};
    const Library library(settings, "unixODBC", names);
#define KEDGE_ODBC_LOAD(name) library.load(functions.name, #name);
    KEDGE_ODBC_FUNCTIONS(KEDGE_ODBC_LOAD)
#undef KEDGE_ODBC_LOAD
    loaded = true;
  }
  return functions;
}

}  // namespace kedge::db::odbc
