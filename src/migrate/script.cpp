#include "migrate/script.h"

#include "base/text.h"
#include "kedge/codes.h"
#include "migrate/files.h"
#include "sql/analysis.h"

namespace kedge::migrate {
namespace {

std::vector<std::string> leading_words(std::string_view sql, schema::Dialect dialect,
                                       std::size_t count) {
  std::vector<std::string> words;
  for (const sql::Token& token : sql::tokenize(sql, dialect)) {
    if (token.kind == sql::TokenKind::Comment) {
      continue;
    }
    if (words.size() >= count || token.kind == sql::TokenKind::End) {
      break;
    }
    words.push_back(base::to_lower(sql.substr(token.begin, token.end - token.begin)));
  }
  return words;
}

bool is_transaction_control(const std::vector<std::string>& words) {
  if (words.empty()) {
    return false;
  }
  const std::string& first = words[0];
  return first == "begin" || first == "commit" || first == "rollback" || first == "savepoint" ||
         first == "release" || first == "end" ||
         (first == "start" && words.size() > 1 && words[1] == "transaction");
}

}  // namespace

Script read_script(const std::string& name, std::string_view sql, schema::Dialect dialect) {
  Script script;
  script.lock_timeout = read_directives(sql).lock_timeout;
  if (!script.lock_timeout.empty() && !base::parse_duration(script.lock_timeout)) {
    throw Error(codes::ERR_APPLY_FAILED,
                "migration " + name + ": lock_timeout '" + script.lock_timeout + "' is no duration",
                "for instance -- kedge: lock_timeout 2s");
  }
  std::size_t number = 0;
  for (const sql::Statement& each : sql::split_statements(sql, dialect)) {
    ++number;
    const std::string_view text = each.text(sql);
    if (each.kind == sql::Statement::Kind::MetaCommand) {
      throw Error(codes::ERR_APPLY_FAILED,
                  "migration " + name + ", line " + std::to_string(each.line) +
                      ": a command of a client is no SQL",
                  "take the backslash command out");
    }
    const std::vector<std::string> words = leading_words(text, dialect, 4);
    if (is_transaction_control(words)) {
      continue;
    }
    ScriptStatement statement{std::string(text), number, each.line, false};
    if (schema::is_sqlite(dialect) && words.size() > 1 && words[0] == "pragma") {
      if (words[1] == "foreign_keys") {
        const std::string& value = words.back();
        script.keys_off = script.keys_off || value == "off" || value == "0" || value == "false";
        continue;
      }
      statement.is_key_check = words[1] == "foreign_key_check";
    }
    script.statements.push_back(std::move(statement));
  }
  return script;
}

bool changes_data(const ScriptStatement& statement, schema::Dialect dialect) {
  const std::vector<std::string> words = leading_words(statement.sql, dialect, 1);
  return !words.empty() && (words[0] == "insert" || words[0] == "update" || words[0] == "delete" ||
                            words[0] == "replace" || words[0] == "merge");
}

Code failure_code(const Error& error, Code otherwise) {
  if (error.code() == codes::ERR_READ_ONLY) {
    return error.code();
  }
  const auto* database = dynamic_cast<const db::DatabaseError*>(&error);
  if (database == nullptr) {
    return otherwise;
  }
  switch (database->failure()) {
    case db::FailureClass::Lock:
      return codes::ERR_LOCK_TIMEOUT;
    case db::FailureClass::Connection:  // a statement may name a database that is not there
      return database->native_code() == "1049" ? otherwise : codes::ERR_CONNECT;
    case db::FailureClass::Permission:
    case db::FailureClass::Schema:
    case db::FailureClass::Data:
    case db::FailureClass::Timeout:
    case db::FailureClass::Cancelled:
    case db::FailureClass::Resource:
    case db::FailureClass::Other:
      return otherwise;
  }
  return otherwise;
}

void run_statement(db::Connection& connection, const ScriptStatement& statement) {
  if (!statement.is_key_check) {
    connection.execute(statement.sql);
    return;
  }
  const db::ResultSet broken = connection.query(statement.sql);
  if (!broken.rows.empty()) {
    const db::Row& row = broken.rows.front();
    throw Error(codes::ERR_APPLY_FAILED, "a row of '" + db::to_text(row.at(0)) +
                                             "' references a row of '" + db::to_text(row.at(2)) +
                                             "' that does not exist");
  }
}

Problem statement_problem(Code code, const std::string& name, const std::string& path,
                          const ScriptStatement& statement, const Error& error) {
  Problem problem;
  problem.code = code;
  const auto* database = dynamic_cast<const db::DatabaseError*>(&error);
  const std::string words =
      database != nullptr ? database->driver_message() : error.problem().message;
  problem.message = "migration " + name + ", statement " + std::to_string(statement.number) +
                    " (line " + std::to_string(statement.line) + "): " + words;
  problem.where = Position{path, statement.line, 1};
  problem.notes.push_back({statement.sql.substr(0, 300), std::nullopt});
  return problem;
}

}  // namespace kedge::migrate
