// Dated snapshots of shapes (issue: `kedge record`, `kedge log`, SRC@DATE). The store is content
// addressed: a shape that did not change costs one line. It lies in .kedge/history, or in a schema
// of a Postgres database that a team shares.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/context.h"
#include "kedge/change.h"
#include "kedge/schema.h"

namespace kedge::app {

struct HistoryEntry {
  std::string source;       // connection name
  std::int64_t time = 0;    // milliseconds since 1970 UTC
  std::string fingerprint;  // 64 hex
  bool operator==(const HistoryEntry&) const = default;
};

// Where snapshots are kept. Entries come back sorted by time, then source.
class HistoryStore {
 public:
  virtual ~HistoryStore() = default;
  virtual std::vector<HistoryEntry> entries(const std::string& source) = 0;  // "": of all sources
  virtual void add(const HistoryEntry& entry, const std::string& snapshot) = 0;
  virtual std::string snapshot(const std::string& fingerprint) = 0;
};

std::unique_ptr<HistoryStore> make_file_history(const Context& context);
// The tables are made on first use, in the schema given (default "kedge_history").
std::unique_ptr<HistoryStore> make_database_history(std::unique_ptr<db::Connection> connection,
                                                    const std::string& schema_name);

struct Recorded {
  HistoryEntry entry;
  bool changed = false;  // differs from the entry before it, or is the first
};

// Always adds an entry: that a shape was the same at that time is worth knowing.
Recorded record(HistoryStore& store, const std::string& source, const schema::Schema& shape,
                std::int64_t time);

// The newest entry that is not younger than `time`; nullopt when all are.
std::optional<HistoryEntry> find_entry(HistoryStore& store, const std::string& source,
                                       std::int64_t time);

// "2027-03-14", "2027-03-14T08:15:02Z", with optional fraction; a day alone means its end. Throws
// ERR_SOURCE.
std::int64_t parse_date(const std::string& text);

// "NAME@2027-03-14": what the file history keeps of a connection at that date.
bool is_recorded_name(const std::string& text);
schema::Schema load_recorded(const Context& context, const std::string& text);

struct LogRow {
  HistoryEntry entry;
  std::vector<Change> changes;  // since the row before it of the same source
  bool first = false;
};

struct LogRequest {
  std::string source;   // "": all
  std::string subject;  // "table" or "table.column": only rows in which it changes; "": all
  bool only_changes = true;
};

// In order of time. With a subject the first row that has it tells when it appeared. Throws
// ERR_SOURCE for a source that nothing was recorded of.
std::vector<LogRow> history_log(HistoryStore& store, const LogRequest& request);

}  // namespace kedge::app
