#include "db/mysql/api.h"

#include <array>
#include <mutex>
#include <string>

#include "db/library.h"

namespace kedge::db::mysql {

const Api& api(const ConnectionSettings& settings) {
  static std::mutex mutex;
  static Api functions;
  static bool loaded = false;
  const std::scoped_lock lock(mutex);
  if (!loaded) {
    const std::array<std::string, 2> names = {"libmariadb.so.3", "libmariadb.so"};
    const Library library(settings, "libmariadb", names);
#define KEDGE_MYSQL_LOAD(name) library.load(functions.name, #name);
    KEDGE_MYSQL_FUNCTIONS(KEDGE_MYSQL_LOAD)
#undef KEDGE_MYSQL_LOAD
    loaded = true;
  }
  return functions;
}

}  // namespace kedge::db::mysql
