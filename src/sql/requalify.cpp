#include "sql/requalify.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "sql/ast.h"

namespace kedge::sql {
namespace {

class Requalifier {
 public:
  Requalifier(std::string_view query, const Syntax& syntax, std::string_view schema)
      : query_(query), syntax_(syntax), schema_(schema) {
    for (const Token& token : tokenize(query, syntax)) {
      if (token.kind != TokenKind::Comment) {
        tokens_.push_back(token);
      }
    }
    const Parsed parsed = parse_query(query, syntax.flavour());
    if (parsed.ok) {
      find_in(parsed.root);
    } else {
      find_by_tokens();
    }
  }

  std::string write(const std::function<std::string(const NamePart&)>& replace) const {
    std::string text;
    std::size_t done = 0;
    for (const std::size_t at : places_) {
      text.append(query_.substr(done, tokens_[at].begin - done));
      text += replace(*name(at + 2));
      done = tokens_[at + 2].end;
    }
    return text.append(query_.substr(done));
  }

 private:
  std::string_view raw(std::size_t at) const {
    return at < tokens_.size()
               ? query_.substr(tokens_[at].begin, tokens_[at].end - tokens_[at].begin)
               : std::string_view();
  }
  std::optional<NamePart> name(std::size_t at) const { return as_identifier(raw(at), syntax_); }
  bool is_word(std::size_t at, std::string_view word) const {
    return base::equals_ignoring_case(raw(at), word);
  }
  bool is_schema(const NamePart& part) const {
    return base::equals_ignoring_case(part.text, schema_);
  }
  // Does `schema.name` stand here?
  bool stands_at(std::size_t at) const {
    const auto first = name(at);
    return first && is_schema(*first) && raw(at + 1) == "." && name(at + 2);
  }

  void find_in(const Node& node) {
    const std::size_t least = node.kind == NodeKind::Column ? 3 : 2;
    const bool named = node.kind == NodeKind::Relation || node.kind == NodeKind::Column ||
                       node.kind == NodeKind::Star;
    if (named && node.names.size() >= least && is_schema(node.names[0])) {
      const auto begin = std::lower_bound(
          tokens_.begin(), tokens_.end(), node.begin,
          [](const Token& token, std::size_t offset) { return token.begin < offset; });
      auto at = static_cast<std::size_t>(begin - tokens_.begin());
      while (is_word(at, "lateral") || is_word(at, "only")) {
        ++at;
      }
      if (stands_at(at)) {
        places_.insert(at);
      }
    }
    for (const Node& item : node.items) {
      find_in(item);
    }
  }

  // What cannot be parsed: only what nothing but a table can be.
  void find_by_tokens() {
    for (std::size_t at = 1; at < tokens_.size(); ++at) {
      const bool first = raw(at - 1) != ".";
      const bool relation = is_word(at - 1, "from") || is_word(at - 1, "join") ||
                            is_word(at - 1, "only") || is_word(at - 1, "table");
      if (first && stands_at(at) && (relation || raw(at + 3) == ".")) {
        places_.insert(at);
      }
    }
  }

  std::string_view query_;
  Syntax syntax_;
  std::string_view schema_;
  std::vector<Token> tokens_;
  std::set<std::size_t> places_;  // of the schema's token
};

}  // namespace

std::string requalify(std::string_view query, const Syntax& syntax, std::string_view schema,
                      const std::function<std::string(const NamePart&)>& replace) {
  return Requalifier(query, syntax, schema).write(replace);
}

}  // namespace kedge::sql
