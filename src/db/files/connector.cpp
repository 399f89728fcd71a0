#include "db/files/connector.h"

#include <array>
#include <map>
#include <utility>

#include "base/file_system.h"
#include "base/text.h"
#include "db/bulk.h"
#include "db/duckdb/connector.h"
#include "db/failure.h"
#include "kedge/codes.h"

namespace kedge::db {
namespace {

std::string quoted(const std::string& text, const std::string& quote) {
  return quote + base::replace_all(text, quote, quote + quote) + quote;
}

// Which DuckDB function reads a file, by its extension; empty: none.
std::string reader_of(const std::string& path) {
  std::string name = base::to_lower(path);
  if (name.ends_with(".gz")) {
    name.resize(name.size() - 3);
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kReaders = {
      {{".csv", "read_csv"},
       {".tsv", "read_csv"},
       {".json", "read_json"},
       {".ndjson", "read_json"},
       {".jsonl", "read_json"},
       {".parquet", "read_parquet"}}};
  for (const auto& [end, function] : kReaders) {
    if (name.ends_with(end)) {
      return std::string(function);
    }
  }
  return "";
}

std::string view_name(const std::string& root, const std::string& path) {
  std::string name = path.substr(root.size() + 1);
  for (const std::string_view end :
       {".gz", ".csv", ".tsv", ".ndjson", ".jsonl", ".json", ".parquet"}) {
    if (base::to_lower(name).ends_with(end)) {
      name.resize(name.size() - end.size());
    }
  }
  return name;
}

// DuckDB in memory; a view over a file is made when a statement fails for want of it, so that
// opening a folder of many large files costs nothing.
class FilesConnection final : public Connection, public BulkConnection {
 public:
  FilesConnection(std::unique_ptr<Connection> inner, const ConnectionSettings& settings,
                  std::string root)
      : inner_(std::move(inner)), settings_(settings), root_(std::move(root)) {
    inner_->execute("SET file_search_path = " + quoted(root_, "'"));
    const auto files = base::make_file_system();
    for (const std::string& path : base::list_files(*files, root_)) {
      const std::string reader = reader_of(path);
      if (!reader.empty()) {
        missing_.emplace(view_name(root_, path), reader + "(" + quoted(path, "'") + ")");
      }
    }
  }

  schema::Dialect dialect() const override { return schema::Dialect::Duckdb; }

  const schema::Engine& engine() override {
    make_all_views();  // whoever asks for the engine is about to read the catalog
    return inner_->engine();
  }

  ResultSet query(std::string_view sql, std::span<const Value> parameters,
                  const ExecuteOptions& options) override {
    refuse_writing(sql);
    return with_views([&] { return inner_->query(sql, parameters, options); });
  }
  std::vector<ResultColumn> stream(std::string_view sql, const RowHandler& handler,
                                   const ExecuteOptions& options) override {
    refuse_writing(sql);
    return with_views([&] { return inner_->stream(sql, handler, options); });
  }
  std::vector<ResultColumn> describe(std::string_view sql) override {
    refuse_writing(sql);
    return with_views([&] { return inner_->describe(sql); });
  }
  std::vector<ResultColumn> bulk_read(std::string_view sql, const ChunkHandler& handler,
                                      const ReadOptions& options) override {
    refuse_writing(sql);
    return with_views([&] { return read_chunks(*inner_, sql, handler, options); });
  }
  std::unique_ptr<ChunkWriter> bulk_write(const BulkTarget&) override { refuse(); }

  void execute(std::string_view sql) override {
    refuse_writing(sql);
    with_views([&] { return inner_->query(sql, {}, {}); });
  }
  void begin() override { inner_->begin(); }
  void commit() override { inner_->commit(); }
  void rollback() override { inner_->rollback(); }
  bool in_transaction() const override { return inner_->in_transaction(); }
  void cancel() override { inner_->cancel(); }

 private:
  [[noreturn]] void refuse() const {
    throw_read_only(settings_, "files are written by pipelines, not by statements", "");
  }

  // One statement at a time: query() refuses more. What is not a read cannot change a file but by
  // COPY and EXPORT, and nothing is kept in memory.
  void refuse_writing(std::string_view sql) const {
    const std::string word = leading_word(sql);
    constexpr std::array<std::string_view, 11> kReads = {
        "SELECT", "WITH",     "VALUES",    "TABLE",  "FROM", "EXPLAIN",
        "SHOW",   "DESCRIBE", "SUMMARIZE", "PRAGMA", "SET"};
    for (const std::string_view read : kReads) {
      if (word == read) {
        return;
      }
    }
    refuse();
  }

  template <class Work>
  auto with_views(const Work& work) -> decltype(work()) {
    try {
      return work();
    } catch (const DatabaseError& error) {
      if (error.failure() != FailureClass::Schema || missing_.empty() || inner_->in_transaction()) {
        throw;
      }
    }
    make_all_views();
    return work();
  }

  // A file that cannot be read has no view; a statement that needs it fails by its name.
  void make_all_views() {
    for (const auto& [name, source] : std::exchange(missing_, {})) {
      try {
        inner_->execute("CREATE VIEW " + quoted(name, "\"") + " AS SELECT * FROM " + source);
      } catch (const DatabaseError& error) {
        if (error.failure() == FailureClass::Cancelled) {
          throw;
        }
      }
    }
  }

  std::unique_ptr<Connection> inner_;
  ConnectionSettings settings_;
  std::string root_;
  std::map<std::string, std::string> missing_;  // view name -> table function
};

class FilesConnector final : public Connector {
 public:
  std::unique_ptr<Connection> connect(const ConnectionSettings& settings) override {
    std::string root = option_of(settings, "root", ".");
    while (root.size() > 1 && root.ends_with('/')) {
      root.pop_back();
    }
    if (base::make_file_system()->kind(root) != base::EntryKind::Folder) {
      throw_failure(settings,
                    {codes::ERR_CONNECT,
                     "connection '" + settings.name + "': there is no folder '" + root + "'",
                     "the folder does not exist",
                     FailureClass::Connection,
                     "",
                     "",
                     {}});
    }
    ConnectionSettings memory = settings;
    memory.connector = "duckdb";
    memory.options["path"] = ":memory:";
    memory.access = AccessMode::Create;
    return std::make_unique<FilesConnection>(make_duckdb_connector()->connect(memory), settings,
                                             std::move(root));
  }
};

}  // namespace

std::shared_ptr<Connector> make_files_connector() {
  return std::make_shared<FilesConnector>();
}

}  // namespace kedge::db
