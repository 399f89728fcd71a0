#include "dialect/view_graph.h"

#include <map>
#include <set>

#include "base/text.h"
#include "dialect/dialect.h"
#include "sql/analysis.h"

namespace kedge::dialect {
namespace {

using schema::Name;

// Relations by folded name, so that `FROM Orders` finds orders.
class RelationNames {
 public:
  explicit RelationNames(const schema::Schema& schema) : schema_(schema) {
    for (const schema::Table& table : schema.tables) {
      names_[key(table.name)] = table.name;
    }
    for (const schema::View& view : schema.views) {
      names_[key(view.name)] = view.name;
    }
  }

  // "t", "schema.t", "catalog.schema.t"; the view's own schema is looked at first.
  const Name* find(const std::vector<sql::NamePart>& parts, const Name& view) const {
    if (parts.empty()) {
      return nullptr;
    }
    Name wanted{view.schema, Identifier(parts.back().text)};
    if (parts.size() > 1) {
      const std::string& space = parts[parts.size() - 2].text;
      const bool is_default = base::equals_ignoring_case(space, schema_.default_schema.text());
      wanted.schema = Identifier(is_default ? "" : space);
    }
    auto found = names_.find(key(wanted));
    if (found == names_.end() && parts.size() == 1) {
      found = names_.find(key({{}, wanted.name}));
    }
    return found == names_.end() ? nullptr : &found->second;
  }

 private:
  static std::string key(const Name& name) {
    return base::to_lower(name.schema.text()) + '\x1f' + base::to_lower(name.name.text());
  }

  const schema::Schema& schema_;
  std::map<std::string, Name> names_;
};

void set_depends_on(const schema::Schema& schema, const RelationNames& names, schema::View& view) {
  std::set<Name> found;
  for (const auto& parts : sql::analyse_query(view.body, schema.engine.dialect).relations) {
    const Name* name = names.find(parts, view.name);
    if (name != nullptr && *name != view.name) {
      found.insert(*name);
    }
  }
  view.depends_on.assign(found.begin(), found.end());
}

using Readers = std::map<Name, std::vector<const schema::View*>>;

void collect_readers(const Readers& readers, const Name& name,
                     std::map<Name, const schema::View*>& found) {
  std::vector<Name> waiting = {name};
  while (!waiting.empty()) {
    const Name current = std::move(waiting.back());
    waiting.pop_back();
    const auto direct = readers.find(current);
    if (direct == readers.end()) {
      continue;
    }
    for (const schema::View* view : direct->second) {
      if (found.emplace(view->name, view).second) {
        waiting.push_back(view->name);
      }
    }
  }
  found.erase(name);
}

}  // namespace

void link_views(schema::Schema& schema) {
  const RelationNames names(schema);
  for (schema::View& view : schema.views) {
    if (view.depends_on.empty()) {
      set_depends_on(schema, names, view);
    }
  }
  Readers readers;
  for (const schema::View& view : schema.views) {
    for (const Name& base : view.depends_on) {
      readers[base].push_back(&view);
    }
  }
  for (schema::View& view : schema.views) {
    std::map<Name, const schema::View*> found;
    collect_readers(readers, view.name, found);
    for (const auto& [name, reader] : found) {
      view.dependents.push_back(
          {name, reader->materialized ? "materialized view" : "view", !reader->stamp.empty()});
    }
  }
}

void read_view_columns(std::string_view definition, schema::Dialect dialect, schema::View& view) {
  std::size_t begin = 0;
  int open = 0;
  for (const sql::Token& token : sql::tokenize(definition, dialect)) {
    const std::string_view word = definition.substr(token.begin, token.end - token.begin);
    if (token.kind == sql::TokenKind::Identifier && open == 0 &&
        base::equals_ignoring_case(word, "as")) {
      return;
    }
    if (word == "(" && ++open == 1) {
      begin = token.end;
    } else if (word == ")" && --open == 0) {
      view.options["columns"] = base::trim(definition.substr(begin, token.begin - begin));
      return;
    }
  }
}

}  // namespace kedge::dialect
