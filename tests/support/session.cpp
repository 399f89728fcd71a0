// kedge as tests drive it. Not installed.
//
//   kedge_session                       many runs in one process: a JSON document a line in and out
//     {"argv": ["-C", DIR, "migrate"]}                 -> {"exit": 0, "out": "...", "err": "..."}
//     {"connector": "sqlite", "options": {"path": F}, "sql": ["..."]}
//                                                      -> {"rows": [[...]]} of the last, or
//                                                      {"error": "..."}
//   kedge_session --log FILE --at N [--lose|--lose-answer] -- ARGUMENTS
//     one run that writes every call of a database to FILE, and before call N (from 1) kills itself
//     without a farewell; with --lose the server cuts the connection before the call, with
//     --lose-answer when the call is done but not yet answered.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>

#include "cli/program.h"
#include "document/json.h"
#include "engine/connectors.h"
#include "memory_sink.h"
#include "observed_connection.h"

namespace {

using namespace kedge;  // NOLINT(google-build-using-namespace): the program's own file

class FileSink final : public base::Sink {
 public:
  explicit FileSink(std::FILE* file) : file_(file) {}
  void write(std::string_view bytes) override { std::fwrite(bytes.data(), 1, bytes.size(), file_); }

 private:
  std::FILE* file_;
};

std::optional<std::string> no_input(std::size_t) {
  return std::nullopt;
}

// --- many runs

class Session {
 public:
  document::Json answer(const document::Node& request) {
    try {
      return request.find("argv") != nullptr ? command(*request.find("argv")) : statements(request);
    } catch (const Error& error) {
      document::Json json = document::Json::object();
      std::string text = error.problem().message;
      for (const Note& note : error.problem().notes) {
        text += ": " + note.text;
      }
      json.set("error", text);
      // A connection that failed inside a transaction, or is gone, is of no further use.
      connections_.clear();
      return json;
    }
  }

 private:
  document::Json command(const document::Node& words) {
    // DuckDB lets one open a file once, and a server a dropped database not at all.
    connections_.clear();
    std::vector<std::string> argv;
    for (const document::Node& word : words.items) {
      argv.push_back(word.text);
    }
    test::MemorySink out;
    test::MemorySink err;
    cli::Terminal terminal{out, err, no_input};
    document::Json json = document::Json::object();
    json.set("exit", cli::run_program(argv, terminal, registry_));
    json.set("out", out.text());
    json.set("err", err.text());
    return json;
  }

  db::Connection& open(const document::Node& request) {
    db::ConnectionSettings settings;
    settings.connector = request.find("connector")->text;
    settings.access = db::AccessMode::Create;
    std::string key = settings.connector;
    for (const document::Entry& entry : request.find("options")->entries) {
      settings.options[entry.key.text] = entry.value.text;
      key += "\n" + entry.value.text;
    }
    settings.name = settings.connector;
    std::unique_ptr<db::Connection>& connection = connections_[key];
    if (connection == nullptr) {
      connection = registry_.connect(settings);
    }
    return *connection;
  }

  document::Json statements(const document::Node& request) {
    db::Connection& connection = open(request);
    document::Json rows = document::Json::array();
    for (const document::Node& sql : request.find("sql")->items) {
      const db::ResultSet result = connection.query(sql.text);
      rows = document::Json::array();
      for (const db::Row& row : result.rows) {
        document::Json cells = document::Json::array();
        for (const db::Value& value : row) {
          cells.push(db::is_null(value) ? document::Json() : document::Json(db::to_text(value)));
        }
        rows.push(std::move(cells));
      }
    }
    document::Json json = document::Json::object();
    json.set("rows", std::move(rows));
    return json;
  }

  const db::Registry registry_ = engine::make_registry();
  std::map<std::string, std::unique_ptr<db::Connection>> connections_;
};

int many() {
  Session session;
  for (std::string line; std::getline(std::cin, line);) {
    const document::Document request =
        document::read_document("request", line, document::Format::Json);
    std::cout << document::write_json(session.answer(request.root), -1) << std::endl;
  }
  return 0;
}

// --- one run that ends early

enum class End { Kill, Lose, LoseAnswer };

class Cut final : public test::Observer {
 public:
  Cut(const std::string& log, std::size_t at, End end) : log_(log), at_(at), end_(end) {}

  void connecting(const db::ConnectionSettings& settings) override { settings_ = settings; }
  void before(db::Connection& connection, std::string_view sql) override {
    std::string line(sql);
    std::replace(line.begin(), line.end(), '\n', ' ');
    log_ << line << std::endl;
    if (++calls_ != at_) {
      return;
    }
    if (end_ == End::Kill) {
      std::raise(SIGKILL);
    } else if (end_ == End::Lose) {
      disconnect(connection);
    }
  }
  void after(db::Connection& connection) override {
    if (calls_ == at_ && end_ == End::LoseAnswer) {
      disconnect(connection);
      connection.query("SELECT 1");  // fails as reading the answer would have
    }
  }

 private:
  void disconnect(db::Connection& connection) {
    const bool mysql = connection.dialect() == schema::Dialect::Mysql;
    const std::string id =
        db::to_text(connection.query(mysql ? "SELECT connection_id()" : "SELECT pg_backend_pid()")
                        .rows.at(0)
                        .at(0));
    const auto other = registry_.connect(settings_);
    other->query(mysql ? "KILL CONNECTION " + id : "SELECT pg_terminate_backend(" + id + ", 5000)");
  }

  std::ofstream log_;
  std::size_t at_;
  End end_;
  std::size_t calls_ = 0;
  const db::Registry registry_ = engine::make_registry();
  db::ConnectionSettings settings_;
};

int one(const std::vector<std::string>& words) {
  std::string log;
  std::size_t at = 0;
  End end = End::Kill;
  std::size_t i = 0;
  for (; i < words.size() && words[i] != "--"; ++i) {
    if (words[i] == "--log") {
      log = words.at(++i);
    } else if (words[i] == "--at") {
      at = std::stoul(words.at(++i));
    } else {
      end = words[i] == "--lose" ? End::Lose : End::LoseAnswer;
    }
  }
  const std::vector<std::string> argv(words.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                      words.end());
  Cut cut(log, at, end);
  const db::Registry inner = engine::make_registry();
  const db::Registry registry = test::observed(inner, cut);
  FileSink out(stdout);
  FileSink err(stderr);
  cli::Terminal terminal{out, err, no_input};
  return cli::run_program(argv, terminal, registry);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  return words.empty() ? many() : one(words);
}
