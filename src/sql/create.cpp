// What stored CREATE texts say beyond the catalog: tables, indexes, views (spec/migrate.md 4).
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "sql/analysis.h"
#include "sql/lexer.h"

namespace kedge::sql {

namespace {

// A cursor over the significant tokens of one statement.
class Cursor {
 public:
  Cursor(std::string_view sql, Flavour flavour)
      : sql_(sql), flavour_(flavour), tokens_(significant_tokens(sql, flavour)) {}

  const Token& token() const { return tokens_[at_]; }
  std::string_view raw() const { return text(token().begin, token().end); }
  std::string_view text(std::size_t begin, std::size_t end) const {
    return sql_.substr(begin, end - begin);
  }
  bool at_end() const { return token().kind == TokenKind::End; }
  bool is(std::string_view word) const {
    return (token().kind == TokenKind::Identifier || token().kind == TokenKind::Operator) &&
           base::equals_ignoring_case(raw(), word);
  }
  bool next_is(std::string_view word) const {
    const Token& next = tokens_[std::min(at_ + 1, tokens_.size() - 1)];
    return base::equals_ignoring_case(text(next.begin, next.end), word);
  }
  bool accept(std::string_view word) {
    const bool found = is(word);
    if (found) {
      advance();
    }
    return found;
  }
  void advance() { at_ += at_ + 1 < tokens_.size() ? 1 : 0; }
  std::size_t previous_end() const { return at_ == 0 ? 0 : tokens_[at_ - 1].end; }
  bool is_name() const {
    return token().kind == TokenKind::Identifier || token().kind == TokenKind::QuotedIdentifier ||
           token().kind == TokenKind::String;  // sqlite takes 'name' too
  }
  std::string name() {
    std::string result;
    if (token().kind == TokenKind::QuotedIdentifier) {
      result = decode_name(raw());
    } else if (token().kind == TokenKind::String) {
      result = decode_string(raw(), flavour_);
    } else {
      result = std::string(raw());
    }
    advance();
    return result;
  }
  // From '(' over its matching ')': the text between, trimmed; empty when there is no '('.
  std::string parenthesis() {
    if (!is("(")) {
      return {};
    }
    const std::size_t begin = token().end;
    std::size_t open = 0;
    do {
      open += is("(") ? 1U : 0U;
      open -= is(")") ? 1U : 0U;
      if (open == 0) {
        break;
      }
      advance();
    } while (!at_end());
    const std::size_t end = std::max(begin, token().begin);
    balanced_ = balanced_ && !at_end();
    advance();
    return std::string(base::trim(text(begin, end)));
  }
  // The names of a column list; the cursor stands on '('.
  std::vector<std::string> names() {
    std::vector<std::string> list;
    if (!accept("(")) {
      return list;
    }
    while (!at_end() && !is(")")) {
      list.push_back(name());
      while (!at_end() && !is(",") && !is(")")) {
        advance();
      }
      accept(",");
    }
    accept(")");
    return list;
  }
  bool balanced() const { return balanced_; }

 private:
  std::string_view sql_;
  Flavour flavour_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  bool balanced_ = true;
};

bool skip_to(Cursor& cursor, std::string_view word) {
  while (!cursor.at_end() && !cursor.is(word)) {
    cursor.advance();
  }
  return cursor.accept(word);
}

void skip_name_path(Cursor& cursor) {
  if (cursor.accept("if")) {
    cursor.accept("not");
    cursor.accept("exists");
  }
  cursor.name();
  while (cursor.accept(".")) {
    cursor.name();
  }
}

class TableReader {
 public:
  TableReader(std::string_view sql, Flavour flavour) : cursor_(sql, flavour) {}

  CreateTableFacts run() {
    if (!skip_to(cursor_, "table")) {
      facts_.opaque = true;
      return std::move(facts_);
    }
    skip_name_path(cursor_);
    if (!cursor_.accept("(")) {
      facts_.opaque = true;
      return std::move(facts_);
    }
    while (!cursor_.at_end() && !cursor_.is(")")) {
      definition();
      while (!cursor_.at_end() && !cursor_.is(",") && !cursor_.is(")")) {
        skip_one();
      }
      cursor_.accept(",");
    }
    facts_.opaque = !cursor_.accept(")") || !cursor_.balanced();
    options();
    return std::move(facts_);
  }

 private:
  void skip_one() {
    if (cursor_.is("(")) {
      cursor_.parenthesis();
    } else {
      cursor_.advance();
    }
  }

  bool starts_table_constraint() const {
    return cursor_.is("constraint") || cursor_.is("check") || cursor_.is("foreign") ||
           cursor_.is("unique") || cursor_.is("primary") || cursor_.is("exclude");
  }

  void definition() {
    const std::string column = starts_table_constraint() ? std::string() : cursor_.name();
    std::string constraint;
    while (!cursor_.at_end() && !cursor_.is(",") && !cursor_.is(")")) {
      if (cursor_.accept("constraint")) {
        constraint = cursor_.name();
      } else if (part(column, constraint)) {
        constraint.clear();
      } else {
        skip_one();
      }
    }
  }

  // One constraint of the column, or of the table when `column` is empty.
  bool part(const std::string& column, const std::string& name) {
    if (cursor_.accept("check")) {
      facts_.checks.push_back({name, cursor_.parenthesis(), column});
      return true;
    }
    if (cursor_.accept("collate")) {
      facts_.collations.emplace_back(column, cursor_.name());
      return true;
    }
    if (cursor_.accept("primary")) {
      cursor_.accept("key");
      facts_.primary_key_name = name;
      if (column.empty()) {
        cursor_.parenthesis();
      } else if (!cursor_.accept("asc")) {
        cursor_.accept("desc");
      }
      facts_.primary_key_conflict = conflict();
      return true;
    }
    if (!column.empty() && cursor_.is("not") && cursor_.next_is("null")) {
      cursor_.advance();
      cursor_.advance();
      if (std::string action = conflict(); !action.empty()) {
        facts_.not_null_conflicts.emplace_back(column, std::move(action));
      }
      return true;
    }
    if (cursor_.accept("autoincrement") || cursor_.accept("auto_increment")) {
      facts_.autoincrement_column = column;
      return true;
    }
    if (cursor_.accept("unique")) {
      std::vector<std::string> columns = column.empty() ? cursor_.names() : std::vector{column};
      if (!name.empty() && !columns.empty()) {
        facts_.unique_names.emplace_back(name, columns[0]);
      }
      if (std::string action = conflict(); !action.empty()) {
        facts_.unique_conflicts.emplace_back(std::move(columns), std::move(action));
      }
      return true;
    }
    if (cursor_.accept("generated")) {
      cursor_.accept("always");
      cursor_.accept("as");
      facts_.generated.emplace_back(column, cursor_.parenthesis());
      return true;
    }
    if (!column.empty() && cursor_.is("as")) {
      cursor_.advance();
      facts_.generated.emplace_back(column, cursor_.parenthesis());
      return true;
    }
    if (cursor_.accept("default")) {
      skip_one();  // a value, a name or a parenthesis: never a constraint of its own
      return true;
    }
    return foreign_key(column, name);
  }

  // "ON CONFLICT action", when it stands here.
  std::string conflict() {
    if (!cursor_.is("on") || !cursor_.next_is("conflict")) {
      return {};
    }
    cursor_.advance();
    cursor_.advance();
    std::string action = base::to_lower(cursor_.name());
    return action == "abort" ? std::string() : action;
  }

  bool foreign_key(const std::string& column, const std::string& name) {
    CreateTableFacts::ForeignKeyText key;
    key.name = name;
    if (cursor_.accept("foreign")) {
      cursor_.accept("key");
      key.columns = cursor_.names();
    } else if (!column.empty() && cursor_.is("references")) {
      key.columns = {column};
    } else {
      return false;
    }
    if (cursor_.accept("references")) {
      cursor_.name();
      while (cursor_.accept(".")) {
        cursor_.name();
      }
      cursor_.parenthesis();
    }
    foreign_key_options(key);
    facts_.foreign_keys.push_back(std::move(key));
    return true;
  }

  void foreign_key_options(CreateTableFacts::ForeignKeyText& key) {
    while (!cursor_.at_end()) {
      if (cursor_.accept("on")) {
        cursor_.advance();
        if (cursor_.accept("set") || cursor_.accept("no")) {
          cursor_.advance();
        } else {
          cursor_.advance();
        }
      } else if (cursor_.accept("match")) {
        cursor_.advance();
      } else if (cursor_.accept("deferrable")) {
        key.deferrable = true;
      } else if (cursor_.accept("initially")) {
        key.initially_deferred = cursor_.is("deferred");
        cursor_.advance();
      } else if (cursor_.is("not")) {
        if (!cursor_.next_is("deferrable")) {
          return;  // NOT NULL of the column
        }
        cursor_.advance();
        cursor_.advance();
      } else {
        return;
      }
    }
  }

  void options() {
    while (!cursor_.at_end()) {
      if (cursor_.accept("strict")) {
        facts_.strict = true;
      } else if (cursor_.accept("without")) {
        facts_.without_rowid = facts_.without_rowid || cursor_.accept("rowid");
      } else {
        cursor_.advance();
      }
    }
  }

  Cursor cursor_;
  CreateTableFacts facts_;
};

// One index part: its text without COLLATE, ASC, DESC and NULLS, and whether it is an expression.
std::pair<std::string, bool> index_part(Cursor& cursor) {
  const std::size_t begin = cursor.token().begin;
  std::size_t end = begin;
  std::size_t count = 0;
  bool name = false;
  while (!cursor.at_end() && !cursor.is(",") && !cursor.is(")")) {
    const bool tail =
        cursor.is("collate") || cursor.is("asc") || cursor.is("desc") || cursor.is("nulls");
    if (tail && count > 0) {
      break;
    }
    name = count == 0 && cursor.is_name();
    ++count;
    if (cursor.is("(")) {
      cursor.parenthesis();
    } else {
      cursor.advance();
    }
    end = cursor.previous_end();
  }
  while (!cursor.at_end() && !cursor.is(",") && !cursor.is(")")) {
    cursor.advance();
  }
  return {std::string(cursor.text(begin, end)), !name};
}

}  // namespace

CreateTableFacts analyse_create_table(std::string_view sql, const Syntax& syntax) {
  return TableReader(sql, syntax.flavour()).run();
}

CreateIndexFacts analyse_create_index(std::string_view sql, const Syntax& syntax) {
  Cursor cursor(sql, syntax.flavour());
  CreateIndexFacts facts;
  if (!skip_to(cursor, "index") || !skip_to(cursor, "on") || !skip_to(cursor, "(")) {
    return facts;
  }
  while (!cursor.at_end() && !cursor.is(")")) {
    auto [text, expression] = index_part(cursor);
    if (expression) {
      facts.parts.push_back(text);
    }
    facts.all_parts.push_back(std::move(text));
    cursor.accept(",");
  }
  if (cursor.accept(")") && skip_to(cursor, "where")) {
    const std::size_t begin = cursor.previous_end();
    while (!cursor.at_end() && !cursor.is(";")) {
      cursor.advance();
    }
    facts.where = std::string(base::trim(cursor.text(begin, cursor.previous_end())));
  }
  return facts;
}

std::string view_body(std::string_view sql, const Syntax& syntax) {
  Cursor cursor(sql, syntax.flavour());
  if (!skip_to(cursor, "view")) {
    return {};
  }
  skip_name_path(cursor);
  cursor.parenthesis();
  while (!cursor.at_end() && !cursor.is("as")) {
    cursor.is("(") ? static_cast<void>(cursor.parenthesis()) : cursor.advance();
  }
  if (!cursor.accept("as")) {
    return {};
  }
  std::string_view body = base::trim(sql.substr(cursor.previous_end()));
  while (body.ends_with(';')) {
    body = base::trim(body.substr(0, body.size() - 1));
  }
  return std::string(body);
}

}  // namespace kedge::sql
