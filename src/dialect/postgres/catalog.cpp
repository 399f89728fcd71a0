#include "dialect/postgres/catalog.h"

#include <charconv>

#include "base/text.h"

namespace kedge::dialect::postgres {
namespace {

constexpr std::string_view kText = "''";

// E'a\\b' has its escapes; every other literal is plain.
bool read_literal(std::string_view text, std::string& content) {
  if (!text.starts_with('E')) {
    return read_string_literal(text, content);
  }
  const bool read = read_string_literal(text.substr(1), content);
  content = base::replace_all(std::move(content), "\\\\", "\\");
  return read;
}

// 'x'::character varying: where the literal ends, when what follows is one cast to a type name.
std::size_t literal_end(std::string_view text) {
  std::size_t at = text.starts_with('E') ? 2 : 1;
  while (at < text.size()) {
    if (text.substr(at).starts_with(kText)) {
      at += 2;
    } else if (text[at] == '\'') {
      return at + 1;
    } else {
      ++at;
    }
  }
  return text.size();
}

bool is_one_cast(std::string_view rest) {
  return rest.empty() || (rest.starts_with("::") && rest.find("::", 2) == std::string_view::npos &&
                          rest.find_first_of("+-*/|'<>=") == std::string_view::npos);
}

std::string pattern_condition(const std::string& column, std::string_view pattern) {
  if (pattern == "*") {
    return "true";
  }
  std::string like;
  for (const char character : pattern) {
    like += character == '*' ? "%"
            : character == '%' || character == '_' || character == '\\'
                ? std::string("\\") + character
                : std::string(1, character);
  }
  return column + " LIKE " + get_dialect(schema::Dialect::Postgres).literal(like);
}

}  // namespace

std::uint64_t key_of(Oid first, int second) {
  return (std::uint64_t{first} << 32U) | static_cast<std::uint32_t>(second);
}

schema::Name Catalog::name_of(Oid space, const std::string& name) const {
  const auto found = namespaces.find(space);
  const bool named = found != namespaces.end() && found->second != schema.default_schema.text();
  return {named ? Identifier(found->second) : Identifier(), Identifier(name)};
}

const Relation* Catalog::find(Oid relation) const {
  const auto found = relations.find(relation);
  return found == relations.end() ? nullptr : &found->second;
}

schema::Table* Catalog::table(Oid relation) {
  const Relation* found = find(relation);
  return found != nullptr && found->kind == Relation::Kind::Table ? &schema.tables[found->place]
                                                                  : nullptr;
}

Identifier Catalog::column(Oid relation, int number) const {
  if (const Relation* found = find(relation)) {
    for (const Attribute& attribute : found->attributes) {
      if (attribute.number == number) {
        return attribute.name;
      }
    }
  }
  return {};
}

const schema::Type& Catalog::type(Oid type, int modifier) const {
  static const schema::Type kUnknown;
  const auto found = types.find(key_of(type, modifier));
  return found == types.end() ? kUnknown : found->second;
}

std::string Catalog::collation_of(Oid collation, Oid type) const {
  const auto own = type_collations.find(type);
  if (collation == 0 || (own != type_collations.end() && own->second == collation)) {
    return "";
  }
  const auto found = collations.find(collation);
  return found == collations.end() ? "" : found->second;
}

std::optional<schema::Default> default_of(const std::string& expression) {
  using schema::Default;
  const std::string_view text = base::trim(expression);
  if (text.empty() || text == "NULL" || text.starts_with("NULL::")) {
    return std::nullopt;
  }
  if (is_number(text) || text == "true" || text == "false") {
    return Default{Default::Kind::Literal, std::string(text)};
  }
  if (text.starts_with('\'') || text.starts_with("E'")) {
    const std::size_t end = literal_end(text);
    std::string content;
    if (is_one_cast(text.substr(end)) && read_literal(text.substr(0, end), content)) {
      return Default{Default::Kind::Literal, std::move(content)};
    }
  }
  return Default{Default::Kind::Expression, std::string(without_outer_parentheses(text))};
}

std::vector<std::int64_t> numbers_of(std::string_view text) {
  std::vector<std::int64_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    std::int64_t value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error == std::errc()) {
      numbers.push_back(value);
      at = next;
    } else {
      ++at;
    }
  }
  return numbers;
}

std::string table_condition(const std::vector<std::string>& patterns) {
  std::string condition;
  for (const std::string& pattern : patterns) {
    const std::size_t dot = pattern.find('.');
    const std::string table = dot == std::string::npos
                                  ? pattern_condition("c.relname", pattern)
                                  : pattern_condition("n.nspname", pattern.substr(0, dot)) +
                                        " AND " +
                                        pattern_condition("c.relname", pattern.substr(dot + 1));
    condition += (condition.empty() ? "(" : " OR (") + table + ")";
  }
  return condition;
}

}  // namespace kedge::dialect::postgres
