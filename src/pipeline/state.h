// What kedge remembers of a project under .kedge (spec/contracts.md 1, 8.5): baselines, cursors,
// what the last --connect fetched, run records and the audit trail. Every file is rewritten whole,
// aside and renamed, under the lock; unchanged content keeps its bytes. What the system refuses is
// PZ0531 or PZ0532.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "contracts/baseline.h"
#include "pipeline/record.h"

namespace kedge::pipeline {

struct StoredCursor {
  std::string cursor;
  std::string type;
  std::string value;
  std::string run_id;
  std::string at;
  bool operator==(const StoredCursor&) const = default;
};
using Cursors = std::map<std::string, StoredCursor>;  // by "connection.entity"

class State {
 public:
  // `state_dir` is relative to the folder, or absolute.
  State(base::FileSystem& files, std::string folder, std::string state_dir);

  contracts::Baselines baselines() const;
  void store(const contracts::Baselines& baselines);
  Cursors cursors() const;
  void store(const Cursors& cursors);
  // {"connection.entity": shape}; an unreadable file counts as empty, it is only a memory.
  std::map<std::string, contracts::Shape> fetched() const;
  void store_fetched(const std::map<std::string, contracts::Shape>& fetched);
  void append_audit(const document::Json& line);

  // The process of the run lives: it holds the lock in its folder.
  bool is_going_on(const std::string& run_id) const;
  std::vector<std::string> run_ids() const;                 // oldest first
  std::string run_folder(const std::string& run_id) const;  // relative to the project
  std::string path(const std::string& relative) const;      // absolute
  std::optional<RunRecord> record(const std::string& run_id) const;
  void store(const RunRecord& record);
  // Newest first; records that cannot be read are errors.
  std::optional<RunRecord> latest() const;
  std::optional<RunRecord> latest_finished() const;  // not `running`
  // Held by whoever changes state; waits as long as said, then PZ0533.
  std::unique_ptr<base::FileLock> lock(double seconds) const;
  void remove(const std::string& relative) const;

 private:
  void write_if_changed(const std::string& path, const std::string& text);
  std::optional<std::string> read_state(const std::string& name) const;

  base::FileSystem& files_;
  std::string folder_;
  std::string state_dir_;
};

}  // namespace kedge::pipeline
