// A throw-away database server of one dialect, shared by the databases it gives out.
#pragma once

#include <memory>
#include <string>

#include "base/environment.h"
#include "db/connection.h"
#include "db/scratch.h"

namespace kedge::scratch {

class Server {
 public:
  virtual ~Server() = default;
  // How to reach its administrative database, for creating and dropping others.
  virtual db::ConnectionSettings administration() const = 0;
  // Is it there when we are gone, with what we left in it?
  virtual bool outlives_us() const { return false; }
};

// Both throw ERR_SCRATCH_UNAVAILABLE when no server program is found or it does not start.
std::unique_ptr<Server> start_postgres(const db::Registry& registry, base::Environment& environment,
                                       const db::ScratchOptions& options);
std::unique_ptr<Server> start_mysql(const db::Registry& registry, base::Environment& environment,
                                    const db::ScratchOptions& options);

// Waits until a connection can be made or the process ends; at most 30 seconds.
class GuardedProcess;
void wait_until_ready(const db::Registry& registry, const db::ConnectionSettings& settings,
                      GuardedProcess& process);

// What the error says when there is no engine: both remedies.
[[noreturn]] void fail_unavailable(schema::Dialect dialect, const std::string& reason);

// A private folder of the user's cache, or empty when there is none that can be written.
std::string cache_folder(const base::Environment& environment);
bool is_private_folder(const std::string& folder);  // ours alone, no link

// Copies the template `name` of the cache to `data`; `make(data)` fills `data` when there is none
// yet, and the result is cached. Safe between processes.
void copy_template(const std::string& cache, const std::string& name, const std::string& data,
                   const std::optional<struct Account>& account,
                   const std::function<void(const std::string&)>& make);

}  // namespace kedge::scratch
