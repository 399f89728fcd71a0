#include <atomic>

#include "base/file_system.h"
#include "base/text.h"
#include "db/batch.h"
#include "db/d1/connector.h"
#include "db/d1/errors.h"
#include "db/d1/text.h"
#include "db/failure.h"
#include "db/sql_text.h"
#include "document/node.h"
#include "kedge/codes.h"

namespace kedge::db {
namespace {

using document::Node;

constexpr std::size_t kLongestCommand = 60'000;  // one argument of a program ends at 128 KB

Value value_of(const Node& node) {
  switch (node.kind) {
    case document::Kind::Null:
      return std::monostate();
    case document::Kind::Boolean:
      return node.as_boolean().value_or(false);
    case document::Kind::Integer:
      if (const auto integer = node.as_integer()) {
        return *integer;
      }
      return node.text;
    case document::Kind::Float:
      return node.as_number().value_or(0);
    case document::Kind::String:
      return node.text;
    case document::Kind::Sequence: {  // a blob: its bytes as numbers
      Bytes bytes;
      for (const Node& item : node.items) {
        bytes.push_back(static_cast<std::byte>(item.as_integer().value_or(0)));
      }
      return bytes;
    }
    case document::Kind::Mapping:
      return std::monostate();
  }
  return std::monostate();
}

ResultSet result_of(const Node& answer) {
  ResultSet set;
  const Node* rows = answer.find("results");
  if (rows != nullptr && rows->is_sequence()) {
    for (const Node& row : rows->items) {
      if (set.columns.empty()) {
        for (const document::Entry& entry : row.entries) {
          set.columns.push_back({entry.key.text, {}, ""});
        }
      }
      Row values;
      for (const document::Entry& entry : row.entries) {
        values.push_back(value_of(entry.value));
      }
      set.rows.push_back(std::move(values));
    }
  }
  if (const Node* meta = answer.find("meta")) {
    const Node* changes = meta->find("changes");
    set.affected = changes == nullptr ? 0 : changes->as_integer().value_or(0);
  }
  return set;
}

// Wrangler tells NULL and the text 'null' apart in no way, writes blobs as texts like "[1,2]", and
// JavaScript has no integers beyond 2^53.
bool is_doubtful(const Value& value) {
  constexpr std::int64_t kExact = std::int64_t{1} << 53U;
  if (const auto* text = std::get_if<std::string>(&value)) {
    return *text == "null" || (text->starts_with('[') && text->ends_with(']'));
  }
  if (const auto* real = std::get_if<double>(&value)) {
    return *real >= static_cast<double>(kExact) || *real <= -static_cast<double>(kExact);
  }
  const auto* integer = std::get_if<std::int64_t>(&value);
  return integer != nullptr && (*integer >= kExact || *integer <= -kExact);
}

bool is_doubtful(const ResultSet& set) {
  for (const Row& row : set.rows) {
    for (const Value& value : row) {
      if (is_doubtful(value)) {
        return true;
      }
    }
  }
  return false;
}

// The same rows with each value in the form of quote(), which leaves no doubt.
std::string quoting(const std::string& statement, const ResultSet& set) {
  std::string list;
  for (const ResultColumn& column : set.columns) {
    const std::string name = "\"" + base::replace_all(column.name, "\"", "\"\"") + "\"";
    list += (list.empty() ? "quote(q." : ", quote(q.") + name + ") AS " + name;
  }
  return "SELECT " + list + " FROM (" + statement + "\n) AS q";
}

class D1Connection final : public Connection, public BatchConnection {
 public:
  D1Connection(ConnectionSettings settings, std::shared_ptr<base::ProcessRunner> processes,
               const base::Environment& environment)
      : settings_(std::move(settings)), processes_(std::move(processes)) {
    program_ =
        option_of(settings_, "wrangler", environment.get("KEDGE_WRANGLER").value_or("wrangler"));
    default_seconds_ = seconds_of(settings_, "command_timeout_seconds", 0);
    const bool remote = option_of(settings_, "remote") == "true" ||
                        option_of(settings_, "local", "true") == "false";
    place_ = remote ? "--remote" : "--local";
  }

  schema::Dialect dialect() const override { return schema::Dialect::D1; }

  // D1 does not let sqlite_version() be asked for, and every question starts wrangler once more.
  const schema::Engine& engine() override { return engine_; }

  ResultSet query(std::string_view sql, std::span<const Value> parameters,
                  const ExecuteOptions& options) override {
    check(sql);
    const std::string statement =
        parameters.empty() ? std::string(sql) : d1::with_literals(sql, parameters);
    if (in_transaction_ && !d1::is_read(sql)) {
      waiting_ += without_semicolon(statement) + ";\n";
      return {};
    }
    std::vector<ResultSet> results = run(statement, options.timeout_seconds);
    if (results.size() == 1) {
      settle_doubts(std::span<const std::string>(&statement, 1), results);
    }
    return results.empty() ? ResultSet() : std::move(results.back());
  }

  std::vector<ResultSet> query_all(std::span<const std::string> statements) override {
    std::vector<ResultSet> results = run_all(statements);
    settle_doubts(statements, results);
    return results;
  }

 private:
  std::vector<ResultSet> run_all(std::span<const std::string> statements) {
    std::vector<ResultSet> results;
    std::string command;
    std::size_t pending = 0;
    const auto send = [&] {
      std::vector<ResultSet> more = command.empty() ? std::vector<ResultSet>() : run(command, 0);
      more.resize(pending);
      results.insert(results.end(), std::make_move_iterator(more.begin()),
                     std::make_move_iterator(more.end()));
      command.clear();
      pending = 0;
    };
    for (const std::string& statement : statements) {
      check(statement);
      if (command.size() + statement.size() > kLongestCommand) {
        send();
      }
      command += without_semicolon(statement) + "\n;\n";
      ++pending;
    }
    send();
    return results;
  }

  // Asks again, in one call, for those reads whose answers leave a doubt.
  void settle_doubts(std::span<const std::string> statements, std::vector<ResultSet>& results) {
    std::vector<std::string> again;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < results.size(); ++i) {
      const std::string word = leading_word(statements[i]);
      const bool can_nest = word == "SELECT" || word == "WITH" || word == "VALUES";
      if (can_nest && is_doubtful(results[i])) {
        again.push_back(quoting(without_semicolon(statements[i]), results[i]));
        places.push_back(i);
      }
    }
    std::vector<ResultSet> answers = again.empty() ? std::vector<ResultSet>() : run_all(again);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      for (Row& row : answers[i].rows) {
        for (Value& value : row) {
          value = d1::unquoted(to_text(value));
        }
      }
      results[places[i]].rows = std::move(answers[i].rows);
    }
  }

 public:
  std::vector<ResultColumn> stream(std::string_view sql, const RowHandler& handler,
                                   const ExecuteOptions& options) override {
    const ResultSet set = query(sql, {}, options);
    for (const Row& row : set.rows) {
      if (!handler(row)) {
        break;
      }
    }
    return set.columns;
  }

  // An answer without rows has no columns: an outer join to nothing gives one row of all of them.
  std::vector<ResultColumn> describe(std::string_view sql) override {
    return query(
               "SELECT q.* FROM (SELECT 1) LEFT JOIN (" + without_semicolon(sql) + "\n) AS q ON 0",
               {}, {})
        .columns;
  }

  void execute(std::string_view sql) override {
    if (settings_.access == AccessMode::ReadOnly) {
      query(sql, {}, {});
    } else if (in_transaction_) {
      waiting_ += without_semicolon(sql) + "\n;\n";
    } else {
      run(std::string(sql), 0);
    }
  }

  void begin() override {
    in_transaction_ = true;
    waiting_.clear();
  }
  void commit() override {
    in_transaction_ = false;
    if (!waiting_.empty()) {
      run(std::exchange(waiting_, {}), 0);
    }
  }
  void rollback() override {
    in_transaction_ = false;
    waiting_.clear();
  }
  bool in_transaction() const override { return in_transaction_; }
  void cancel() override {}  // a call that runs cannot be stopped; it ends by its time limit

 private:
  void check(std::string_view sql) const {
    if (settings_.access != AccessMode::ReadOnly) {
      return;
    }
    if (!d1::is_read(sql) || !is_single_statement(sql)) {
      throw_read_only(settings_, "only one plain read at a time is let through", "");
    }
  }

  // WITH may lead an INSERT; inside a SELECT it cannot.
  std::string guarded(const std::string& sql) const {
    return settings_.access == AccessMode::ReadOnly && leading_word(sql) == "WITH"
               ? "SELECT * FROM (" + without_semicolon(sql) + "\n)"
               : sql;
  }

  std::vector<ResultSet> run(const std::string& sql, double seconds) {
    base::ProcessRequest request;
    request.arguments = {program_, "d1",     "execute", option_of(settings_, "database"),
                         place_,   "--json", "--yes"};
    if (const std::string config = option_of(settings_, "config"); !config.empty()) {
      request.arguments.insert(request.arguments.end(), {"--config", config});
    }
    request.environment = {{"CI", "1"}, {"NO_COLOR", "1"}, {"WRANGLER_SEND_METRICS", "false"}};
    request.working_folder = option_of(settings_, "folder");
    request.timeout_seconds = seconds > 0 ? seconds : default_seconds_;
    if (sql.size() <= kLongestCommand) {
      request.arguments.insert(request.arguments.end(), {"--command", guarded(sql)});
      return answer(request);
    }
    const base::TemporaryFolder folder("kedge-d1");
    const std::string file = folder.path() + "/batch.sql";
    base::make_file_system()->write(file, sql);
    request.arguments.insert(request.arguments.end(), {"--file", file});
    return answer(request);
  }

  std::vector<ResultSet> answer(const base::ProcessRequest& request) {
    base::ProcessResult result;
    try {
      result = processes_->run(request);
    } catch (const Error& error) {
      fail(error.what(), FailureClass::Connection,
           "install wrangler, or name the program with KEDGE_WRANGLER");
    }
    if (result.timed_out) {
      fail("wrangler did not end within the time allowed", FailureClass::Timeout, "");
    }
    document::ReadOptions options;
    options.limits.bytes = 1U << 30U;
    options.limits.nodes = 50'000'000;
    // Some versions print a notice before the document.
    const std::string& out = result.standard_output;
    const std::size_t begin = std::min(out.find_first_of("[{"), out.size());
    const document::Document reply =
        document::read_document("wrangler", out.substr(begin), document::Format::Json, options);
    if (result.exit_code != 0 || !reply.usable || !reply.root.is_sequence()) {
      fail_with(reply, result);
    }
    std::vector<ResultSet> results;
    for (const Node& item : reply.root.items) {
      const Node* success = item.find("success");
      if (success == nullptr || !success->as_boolean().value_or(false)) {
        fail_with(reply, result);
      }
      results.push_back(result_of(item));
    }
    return results;
  }

  [[noreturn]] void fail_with(const document::Document& reply, const base::ProcessResult& result) {
    std::string words;
    const Node* error = reply.usable ? reply.root.find("error") : nullptr;
    if (error != nullptr) {
      const Node* text = error->find("text");
      words = text != nullptr ? text->text : error->text;
      const Node* notes = error->find("notes");
      if (notes != nullptr && notes->is_sequence()) {
        for (const Node& note : notes->items) {
          const Node* more = note.find("text");
          words += more == nullptr ? "" : ": " + more->text;
        }
      }
    }
    if (words.empty()) {
      words = result.standard_error.empty() ? result.standard_output : result.standard_error;
    }
    fail(words, d1::classify(words), "");
  }

  [[noreturn]] void fail(const std::string& words, FailureClass failure, const std::string& hint) {
    throw_failure(settings_, {codes::ERR_WRANGLER,
                              "wrangler failed on connection '" + settings_.name + "'",
                              words,
                              failure,
                              "",
                              hint,
                              {}});
  }

  ConnectionSettings settings_;
  std::shared_ptr<base::ProcessRunner> processes_;
  std::string program_;
  std::string place_;
  double default_seconds_ = 0;
  schema::Engine engine_{schema::Dialect::D1, "D1", "", 3};
  bool in_transaction_ = false;
  std::string waiting_;  // writes since begin()
};

class D1Connector final : public Connector {
 public:
  D1Connector(std::shared_ptr<base::ProcessRunner> processes,
              std::shared_ptr<base::Environment> environment)
      : processes_(std::move(processes)), environment_(std::move(environment)) {}

  std::unique_ptr<Connection> connect(const ConnectionSettings& settings) override {
    if (option_of(settings, "database").empty()) {
      throw Error(codes::ERR_CONFIG, "connection '" + settings.name + "' names no D1 binding");
    }
    return std::make_unique<D1Connection>(settings, processes_, *environment_);
  }

 private:
  std::shared_ptr<base::ProcessRunner> processes_;
  std::shared_ptr<base::Environment> environment_;
};

}  // namespace

std::shared_ptr<Connector> make_d1_connector() {
  return make_d1_connector(base::make_process_runner(), base::make_environment());
}

std::shared_ptr<Connector> make_d1_connector(std::shared_ptr<base::ProcessRunner> processes,
                                             std::shared_ptr<base::Environment> environment) {
  return std::make_shared<D1Connector>(std::move(processes), std::move(environment));
}

}  // namespace kedge::db
