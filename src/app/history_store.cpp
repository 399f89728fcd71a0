#include <algorithm>

#include "app/history.h"
#include "base/text.h"
#include "document/json.h"
#include "kedge/codes.h"

namespace kedge::app {
namespace {

void sort_entries(std::vector<HistoryEntry>& entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const HistoryEntry& a, const HistoryEntry& b) {
                     return std::tie(a.time, a.source) < std::tie(b.time, b.source);
                   });
}

// .kedge/history/log.ndjson and objects/<2 hex>/<62 hex>.json
class FileHistory final : public HistoryStore {
 public:
  explicit FileHistory(const Context& context)
      : files_(context.files),
        folder_(base::join_path(context.folder, ".kedge/history")),
        lock_(base::join_path(context.folder, ".kedge/lock")) {}

  std::vector<HistoryEntry> entries(const std::string& source) override {
    std::vector<HistoryEntry> result;
    std::size_t number = 0;
    for (const std::string& line : base::split(files_.read(log_path()).value_or(""), '\n')) {
      ++number;
      if (line.empty()) {
        continue;
      }
      HistoryEntry entry = read_line(line, number);
      if (source.empty() || entry.source == source) {
        result.push_back(std::move(entry));
      }
    }
    sort_entries(result);
    return result;
  }

  void add(const HistoryEntry& entry, const std::string& snapshot) override {
    const base::FileLock lock(lock_, 30, codes::locked);
    const std::string object = object_path(entry.fingerprint);
    if (!files_.kind(object)) {
      files_.write(object, snapshot);
    }
    document::Json line;
    line.set("time", entry.time).set("source", entry.source).set("fingerprint", entry.fingerprint);
    std::string log = files_.read(log_path()).value_or("");
    log += document::write_json(line, -1) + "\n";
    files_.write(log_path(), log);
  }

  std::string snapshot(const std::string& fingerprint) override {
    const std::string path = object_path(fingerprint);
    std::optional<std::string> text = files_.read(path);
    if (!text) {
      throw Error(codes::ERR_SOURCE, "the history lacks the snapshot '" + path + "'");
    }
    return *std::move(text);
  }

 private:
  std::string log_path() const { return base::join_path(folder_, "log.ndjson"); }
  std::string object_path(const std::string& fingerprint) const {
    return base::join_path(
        folder_, "objects/" + fingerprint.substr(0, 2) + "/" + fingerprint.substr(2) + ".json");
  }

  HistoryEntry read_line(const std::string& line, std::size_t number) const {
    const document::Document read =
        document::read_document(log_path(), line, document::Format::Json);
    const document::Node* time = read.usable ? read.root.find("time") : nullptr;
    const document::Node* source = read.usable ? read.root.find("source") : nullptr;
    const document::Node* print = read.usable ? read.root.find("fingerprint") : nullptr;
    if (!read.problems.empty() || time == nullptr || source == nullptr || print == nullptr ||
        !time->as_integer() || print->text.size() != 64) {
      throw Error(Problem{codes::ERR_IO,
                          "a line of the history cannot be read",
                          Position{log_path(), number, 1},
                          "restore the file or remove the line",
                          {}});
    }
    return {source->text, *time->as_integer(), print->text};
  }

  base::FileSystem& files_;
  std::string folder_;
  std::string lock_;
};

class DatabaseHistory final : public HistoryStore {
 public:
  DatabaseHistory(std::unique_ptr<db::Connection> connection, const std::string& schema_name)
      : connection_(std::move(connection)),
        schema_("\"" + base::replace_all(schema_name, "\"", "\"\"") + "\"") {
    connection_->execute("CREATE SCHEMA IF NOT EXISTS " + schema_ +
                         "; CREATE TABLE IF NOT EXISTS " + schema_ +
                         ".snapshots (fingerprint text PRIMARY KEY, body text NOT NULL); CREATE "
                         "TABLE IF NOT EXISTS " +
                         schema_ +
                         ".entries (time bigint NOT NULL, source text NOT NULL, fingerprint text "
                         "NOT NULL REFERENCES " +
                         schema_ + ".snapshots, PRIMARY KEY (source, time))");
  }

  std::vector<HistoryEntry> entries(const std::string& source) override {
    const std::vector<db::Value> parameters = {source};
    const db::ResultSet rows =
        connection_->query("SELECT time, source, fingerprint FROM " + schema_ +
                               ".entries WHERE $1 = '' OR source = $1 ORDER BY time, source",
                           parameters);
    std::vector<HistoryEntry> result;
    for (const db::Row& row : rows.rows) {
      result.push_back(
          {db::to_text(row[1]), db::to_integer(row[0]).value_or(0), db::to_text(row[2])});
    }
    return result;
  }

  void add(const HistoryEntry& entry, const std::string& snapshot) override {
    db::Transaction transaction(*connection_);
    const std::vector<db::Value> body = {entry.fingerprint, snapshot};
    connection_->query("INSERT INTO " + schema_ +
                           ".snapshots (fingerprint, body) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                       body);
    const std::vector<db::Value> line = {entry.time, entry.source, entry.fingerprint};
    connection_->query(
        "INSERT INTO " + schema_ + ".entries (time, source, fingerprint) VALUES ($1, $2, $3)",
        line);
    transaction.commit();
  }

  std::string snapshot(const std::string& fingerprint) override {
    const std::vector<db::Value> parameters = {fingerprint};
    const db::ResultSet rows = connection_->query(
        "SELECT body FROM " + schema_ + ".snapshots WHERE fingerprint = $1", parameters);
    if (rows.rows.empty()) {
      throw Error(codes::ERR_SOURCE, "the history lacks the snapshot " + fingerprint);
    }
    return db::to_text(rows.rows.front().front());
  }

 private:
  std::unique_ptr<db::Connection> connection_;
  std::string schema_;
};

}  // namespace

std::unique_ptr<HistoryStore> make_file_history(const Context& context) {
  return std::make_unique<FileHistory>(context);
}

std::unique_ptr<HistoryStore> make_database_history(std::unique_ptr<db::Connection> connection,
                                                    const std::string& schema_name) {
  return std::make_unique<DatabaseHistory>(std::move(connection), schema_name);
}

}  // namespace kedge::app
