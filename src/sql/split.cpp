// The statement splitter (spec/migrate.md 12.3).
#include <algorithm>
#include <string>

#include "base/text.h"
#include "sql/analysis.h"
#include "sql/ast.h"
#include "sql/lexer.h"

namespace kedge::sql {

namespace {

class Splitter {
 public:
  Splitter(std::string_view script, Flavour flavour) : script_(script), flavour_(flavour) {}

  std::vector<Statement> run() {
    while (at_ < script_.size()) {
      step();
    }
    close(script_.size());
    return std::move(statements_);
  }

 private:
  void step() {
    const Token token = next_token(script_, at_, flavour_);
    if (token.kind == TokenKind::End) {
      at_ = script_.size();
      return;
    }
    const bool fresh = !open_;
    if (fresh && (client_line(token) || comment_only(token))) {
      return;
    }
    const auto raw = script_.substr(token.begin, token.end - token.begin);
    const auto rest = script_.substr(token.begin);
    if (rest.starts_with(delimiter_) && depth_ == 0 && open_parentheses_ == 0 &&
        token.kind != TokenKind::String) {
      close(token.begin);
      at_ = token.begin + delimiter_.size();
      return;
    }
    at_ = token.end;
    if (token.kind == TokenKind::Comment && !raw.starts_with("/*!")) {
      return;
    }
    if (fresh) {
      begin_ = token.begin;
      open_ = true;
    }
    last_ = token.end;
    // CREATE RULE .. DO ALSO (a; b): psql waits for the parenthesis too.
    if (flavour_ == Flavour::Postgres && token.kind == TokenKind::Operator) {
      open_parentheses_ += raw == "(" ? 1 : 0;
      open_parentheses_ -= raw == ")" && open_parentheses_ > 0 ? 1 : 0;
    }
    if (token.kind == TokenKind::Identifier) {
      track(base::to_lower(raw));
    } else {
      previous_.clear();
    }
  }

  bool comment_only(const Token& token) {
    if (token.kind != TokenKind::Comment || script_.substr(token.begin).starts_with("/*!")) {
      return false;
    }
    at_ = token.end;
    return true;
  }

  std::size_t line_end(std::size_t from) const {
    return std::min(script_.find('\n', from), script_.size());
  }

  // DELIMITER of the mysql client, backslash commands of psql.
  bool client_line(const Token& token) {
    const auto word = base::to_lower(script_.substr(token.begin, token.end - token.begin));
    if (flavour_ == Flavour::Mysql && word == "delimiter") {
      const std::size_t end = line_end(token.end);
      const auto mark = base::trim(script_.substr(token.end, end - token.end));
      delimiter_ = mark.empty() ? ";" : std::string(mark);
      at_ = end;
      return true;
    }
    if (script_[token.begin] == '\\' && flavour_ != Flavour::Mysql) {
      const std::size_t end = line_end(token.begin);
      begin_ = token.begin;
      last_ = end;
      open_ = true;
      kind_ = Statement::Kind::MetaCommand;
      close(end);
      at_ = end;
      return true;
    }
    return false;
  }

  // Statements with ';' inside: trigger and routine bodies, and postgres' BEGIN ATOMIC.
  void track(std::string word) {
    ++words_;
    if (words_ == 1) {
      create_ = word == "create" || word == "alter";
    }
    const bool routine = word == "trigger" || (word == "procedure" && flavour_ == Flavour::Mysql) ||
                         (word == "function" && flavour_ == Flavour::Mysql) ||
                         (word == "event" && flavour_ == Flavour::Mysql);
    compound_ = compound_ || (create_ && depth_ == 0 && routine && delimiter_ == ";" &&
                              flavour_ != Flavour::Postgres);
    if (word == "atomic" && previous_ == "begin" && create_) {
      compound_ = true;
      depth_ += 1;
    }
    if (!compound_) {
      previous_ = std::move(word);
      return;
    }
    const bool begins = word == "begin" && flavour_ != Flavour::Postgres;
    if (begins || (word == "case" && previous_ != "end" && depth_ > 0)) {
      depth_ += 1;
    } else if (word == "end" && depth_ > 0) {
      depth_ -= 1;
    } else if (previous_ == "end" &&
               (word == "if" || word == "loop" || word == "while" || word == "repeat")) {
      depth_ += 1;  // END IF closes no BEGIN
    }
    previous_ = std::move(word);
  }

  void close(std::size_t) {
    if (open_) {
      while (counted_ < begin_) {
        line_ += script_[counted_++] == '\n' ? 1U : 0U;
      }
      Statement statement;
      statement.kind = kind_;
      statement.begin = begin_;
      statement.end = last_;
      statement.line = line_;
      statements_.push_back(statement);
    }
    open_ = false;
    compound_ = false;
    create_ = false;
    depth_ = 0;
    open_parentheses_ = 0;
    words_ = 0;
    kind_ = Statement::Kind::Sql;
    previous_.clear();
  }

  std::string_view script_;
  Flavour flavour_;
  std::vector<Statement> statements_;
  std::string delimiter_ = ";";
  std::string previous_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;
  std::size_t last_ = 0;
  std::size_t line_ = 1;
  std::size_t counted_ = 0;
  std::size_t words_ = 0;
  int depth_ = 0;
  int open_parentheses_ = 0;
  bool open_ = false;
  bool create_ = false;
  bool compound_ = false;
  Statement::Kind kind_ = Statement::Kind::Sql;
};

}  // namespace

std::vector<Statement> split_statements(std::string_view script, const Syntax& syntax) {
  return Splitter(script, syntax.flavour()).run();
}

}  // namespace kedge::sql
