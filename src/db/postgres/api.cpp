#include "db/postgres/api.h"

#include <array>
#include <mutex>
#include <string>

#include "db/library.h"

namespace kedge::db::postgres {

const Api& api(const ConnectionSettings& settings) {
  static std::mutex mutex;
  static Api functions;
  static bool loaded = false;
  const std::scoped_lock lock(mutex);
  if (!loaded) {
    const std::array<std::string, 2> names = {"libpq.so.5", "libpq.so"};
    const Library library(settings, "libpq", names);
#define KEDGE_PQ_LOAD(name) library.load(functions.name, #name);
    KEDGE_PQ_FUNCTIONS(KEDGE_PQ_LOAD)
#undef KEDGE_PQ_LOAD
    loaded = true;
  }
  return functions;
}

}  // namespace kedge::db::postgres
