// What the databases of one run hold, each introspected once however many look at it: the first
// reader of a database introspects, the others wait for its result. Thread-safe; lives as long as
// the run, so nothing is ever out of date for longer than that.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "db/connection.h"
#include "dialect/dialect.h"

namespace kedge::dialect {

enum class Detail {
  Shapes,      // relations and types: enough for models and contracts
  Definitions  // functions, triggers, policies too: what metadata is compared with
};

class Catalogs {
 public:
  explicit Catalogs(Detail detail) : detail_(detail) {}
  // Everything in the database that `settings` lead to, read over `connection` unless it is known.
  // A failure is the reader's own: the others then try for themselves, with the detail they need.
  std::shared_ptr<const schema::Schema> read(db::Connection& connection,
                                             const db::ConnectionSettings& settings, Detail needed);
  // A shape that the caller has read already.
  void put(const db::ConnectionSettings& settings, schema::Schema shape);

 private:
  using Shape = std::shared_ptr<const schema::Schema>;
  Detail detail_;
  std::mutex mutex_;
  std::map<std::string, std::shared_future<Shape>> shapes_;
};

}  // namespace kedge::dialect
