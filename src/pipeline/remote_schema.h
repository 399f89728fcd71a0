// The working schema of a run inside a database that pipelines are pushed down to. A session of the
// run holds an advisory lock on its name, so that the next run can tell a schema whose run was
// killed from one that is at work, and drops the first.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pipeline/engine.h"

namespace kedge::pipeline {

std::string remote_schema(const Engine& engine);
std::string remote_table(const Engine& engine, const std::string& name);  // quoted
void make_remote_schema(const Engine& engine, db::Connection& connection);

class RemoteSchemas {
 public:
  explicit RemoteSchemas(const Engine& engine) : engine_(engine) {}
  // Takes the lock in each of these connections and drops what killed runs left there.
  void open(const std::vector<std::string>& connections);
  void close();  // drops the run's own; what cannot be dropped is a warning

 private:
  void sweep(db::Connection& connection);
  void warn(const std::string& connection, const Error& error) const;

  struct Held {
    std::string name;
    Engine::Held connection;
  };
  const Engine& engine_;
  std::vector<Held> held_;
};

}  // namespace kedge::pipeline
