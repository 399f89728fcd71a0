// What a write hands over: the staged rows as the target is to see them, judged before the target
// is opened (spec/contracts.md 12.5).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "contracts/write_policy.h"
#include "pipeline/write.h"
#include "pipeline/write_sql.h"

namespace kedge::pipeline {

class WriteInput {
 public:
  WriteInput(const Engine& engine, const WriteSpec& write, db::Connection& staging);
  // Push-down: what is staged lies in the target's own database.
  WriteInput(const Engine& engine, const WriteSpec& write, db::Connection& staging,
             const RemoteStage& remote);

  // Keys that are missing or NULL, deletions that cannot be told, an empty input that would empty
  // the target: PZ0209, PZ0521, PZ0337. Warns of keys that occur more than once.
  void check();
  // Are keys that the input does not have gone at the source?
  bool is_full() const { return full_; }
  const std::vector<contracts::WriteColumn>& columns() const { return columns_; }
  // A database behind a general connector that keeps values in its own way.
  void goes_to(db::Connection& target);
  // NULLs, lengths and values out of range of these columns.
  std::map<std::string, contracts::ValueFacts> measure(const std::vector<std::string>& names);
  // Copies the rows into a table of the target; the last of equal keys wins.
  std::int64_t copy_to(db::Connection& target, const schema::Name& name,
                       const std::vector<std::string>& target_names, const std::string& condition);
  // Conditions on the input: rows to write, rows that the delete flag marks. Of equal keys only the
  // last row counts, so no key is in both.
  std::string rows_written() const;
  std::string rows_flagged() const;

 private:
  bool merges() const { return write_.strategy == contracts::Strategy::Merge; }
  std::string staged() const;
  std::string key_list() const;
  void check_flag();
  void check_keys();
  void check_empty();
  void warn_duplicates(std::int64_t groups, std::int64_t surplus);
  bool takes_everything();
  std::string out_of_range(const std::string& quoted, const schema::Type& type) const;
  std::string export_sql(const std::string& condition) const;
  std::int64_t copy_inside(db::Connection& target, const schema::Name& name,
                           const std::vector<std::string>& target_names,
                           const std::string& condition);

  const Engine& engine_;
  const WriteSpec& write_;
  db::Connection& staging_;
  System system_;
  bool sqlite_behind_ = false;  // its rules for values hold beside those of the connector
  std::string name_;            // of the staged table
  std::string remote_;          // push-down: the staged table, quoted
  std::vector<contracts::WriteColumn> columns_;
  bool full_ = true;
  bool has_doubles_ = false;  // merge keys that occur more than once
};

}  // namespace kedge::pipeline
