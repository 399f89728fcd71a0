// Throw-away engines as an interface (spec/migrate.md 16). src/scratch implements it; migrate,
// diff and app only see this.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "db/connection.h"

namespace kedge::db {

// A fresh, empty database that disappears with this object, on every way out.
class ScratchDatabase {
 public:
  virtual ~ScratchDatabase() = default;
  virtual ConnectionSettings settings() const = 0;  // ReadWrite
  // The server disappears too, so what belongs to the whole server (roles) may be made on it.
  virtual bool owns_server() const { return false; }
};

struct ScratchOptions {
  std::string url;     // --scratch-url: a server that may create databases
  std::string pg_bin;  // --pg-bin: the only place looked at
  std::string user;    // scratch.user, when run as root
  bool keep = false;
};

class ScratchProvider {
 public:
  virtual ~ScratchProvider() = default;
  // Throws ERR_SCRATCH_UNAVAILABLE naming both remedies. One server is started per provider and
  // dialect and shared by the databases it gives out.
  virtual std::unique_ptr<ScratchDatabase> create(schema::Dialect dialect,
                                                  const ScratchOptions& options) = 0;
};

}  // namespace kedge::db
