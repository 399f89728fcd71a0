#include "app/simulate_views.h"

#include <algorithm>
#include <map>

#include "dialect/dialect.h"
#include "sql/analysis.h"

namespace kedge::app {

using schema::Name;

bool same(const schema::Schema& shape, const std::string& live, const std::string& written) {
  return dialect::get_dialect(shape.engine.dialect).same_name(live, written, false) ||
         live == written;
}

Name qualified(const schema::Schema& shape, const Name& name) {
  return name.schema == shape.default_schema ? Name{Identifier(), name.name} : name;
}

const schema::Table* table_of(const schema::Schema& shape, const Name& name) {
  return schema::find_table(shape, qualified(shape, name));
}

std::vector<Identifier> column_names(const schema::Schema& shape, const Name& relation) {
  std::vector<Identifier> names;
  if (const schema::Table* table = table_of(shape, relation)) {
    for (const schema::Column& column : table->columns) {
      names.push_back(column.name);
    }
  } else if (const schema::View* view = schema::find_view(shape, relation)) {
    for (const schema::ViewColumn& column : view->columns) {
      names.push_back(column.name);
    }
  }
  return names;
}

namespace {

Name resolve(const schema::Schema& shape, const std::vector<sql::NamePart>& parts) {
  Name name{Identifier(), Identifier(parts.back().text)};
  if (parts.size() > 1) {
    name.schema = Identifier(parts[parts.size() - 2].text);
  }
  for (const schema::Table& table : shape.tables) {
    if (same(shape, to_string(table.name), to_string(qualified(shape, name)))) {
      return table.name;
    }
  }
  for (const schema::View& other : shape.views) {
    if (same(shape, to_string(other.name), to_string(qualified(shape, name)))) {
      return other.name;
    }
  }
  return qualified(shape, name);
}

// May the qualifier of the reference, if it has one, mean this relation of the scope?
bool may_mean(const schema::Schema& shape, const sql::ColumnReference& reference,
              const sql::ColumnReference::Scope& scope, std::size_t relation) {
  return reference.parts.size() < 2 || same(shape, scope.relation_aliases[relation],
                                            reference.parts[reference.parts.size() - 2].text);
}

}  // namespace

std::vector<ViewRead> reads_of(const schema::Schema& shape, const schema::View& view) {
  const sql::QueryFacts facts = sql::analyse_query(view.body, shape.engine.dialect);
  std::map<Name, ViewRead> found;
  if (facts.opaque) {
    for (const Name& name : view.depends_on) {
      found[name] = {qualified(shape, name), {}, true};
    }
  }
  for (const std::vector<sql::NamePart>& parts : facts.relations) {
    const Name name = resolve(shape, parts);
    found[name] = {name, {}, facts.has_star, facts.has_star};
  }
  for (const sql::ColumnReference& reference : facts.references) {
    for (const sql::ColumnReference::Scope& scope : reference.scopes) {
      for (std::size_t i = 0; i < scope.relation_aliases.size(); ++i) {
        const Name relation = resolve(shape, scope.relations[i]);
        for (const Identifier& column : may_mean(shape, reference, scope, i)
                                            ? column_names(shape, relation)
                                            : std::vector<Identifier>{}) {
          if (same(shape, column.text(), reference.parts.back().text)) {
            found[relation].relation = relation;
            found[relation].columns.push_back(column);
          }
        }
      }
    }
  }
  std::vector<ViewRead> result;
  for (auto& [name, read] : found) {
    std::sort(read.columns.begin(), read.columns.end());
    read.columns.erase(std::unique(read.columns.begin(), read.columns.end()), read.columns.end());
    result.push_back(std::move(read));
  }
  return result;
}

bool contains(const std::vector<Identifier>& names, const Identifier& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

namespace {

bool reads(const schema::Schema& shape, const schema::View& view, const Name& relation,
           const Identifier& column) {
  const std::vector<ViewRead> all = reads_of(shape, view);
  return std::any_of(all.begin(), all.end(), [&](const ViewRead& read) {
    return read.relation == relation &&
           (column.empty() || read.everything || contains(read.columns, column) ||
            column_names(shape, relation).empty());
  });
}

// Views that read what is gone go too, and what reads them, until nothing changes.
void break_view(Simulation& simulation, BrokenView broken, const schema::Schema& before) {
  const Name name = broken.view;
  if (schema::find_view(simulation.after, name) == nullptr) {
    return;
  }
  std::erase_if(simulation.after.views,
                [&](const schema::View& view) { return view.name == name; });
  simulation.broken.push_back(std::move(broken));
  break_views(simulation, name, Identifier(), before);
}

}  // namespace

void break_views(Simulation& simulation, const Name& relation, const Identifier& column,
                 const schema::Schema& before) {
  std::vector<BrokenView> lost;
  for (const schema::View& view : simulation.after.views) {
    if (reads(before, view, relation, column)) {
      lost.push_back({view.name, relation, column});
    }
  }
  for (BrokenView& broken : lost) {
    break_view(simulation, std::move(broken), before);
  }
}

namespace {

// Sqlite keeps a view as it was written: a star gives what its relations have now, and a rename is
// written into the text, so that a column without an alias has the new name outside as well.
bool keeps_view_text(const schema::Schema& shape) {
  return schema::is_sqlite(shape.engine.dialect);
}

enum class ViewUse { None, Star, Named };

ViewUse use_of(const schema::Schema& shape, const schema::View& view, const Name& relation,
               const Identifier& column) {
  for (const ViewRead& read : reads_of(shape, view)) {
    if (read.relation == relation) {
      const bool opaque = read.everything && !read.by_star;
      return opaque || contains(read.columns, column) ? ViewUse::Named
             : read.by_star                           ? ViewUse::Star
                                                      : ViewUse::None;
    }
  }
  return ViewUse::None;
}

schema::View* find_view(schema::Schema& shape, const Name& name) {
  const auto found = std::find_if(shape.views.begin(), shape.views.end(),
                                  [&](const schema::View& view) { return view.name == name; });
  return found == shape.views.end() ? nullptr : &*found;
}

// The innermost scope that knows the name decides whose column it is.
bool is_of(const schema::Schema& shape, const sql::ColumnReference& reference,
           const Name& relation) {
  for (const sql::ColumnReference::Scope& scope : reference.scopes) {
    for (std::size_t i = 0; i < scope.relation_aliases.size(); ++i) {
      const Name named = resolve(shape, scope.relations[i]);
      const std::vector<Identifier> columns = column_names(shape, named);
      if (may_mean(shape, reference, scope, i) &&
          std::any_of(columns.begin(), columns.end(), [&](const Identifier& column) {
            return same(shape, column.text(), reference.parts.back().text);
          })) {
        return named == relation;
      }
    }
  }
  return false;
}

// The query as the engine keeps it after the rename: what names the column follows.
std::string renamed_text(const schema::Schema& shape, std::string text, const RenameColumn& step) {
  std::vector<sql::ColumnReference> references =
      sql::analyse_query(text, shape.engine.dialect).references;
  std::sort(references.begin(), references.end(),
            [](const auto& a, const auto& b) { return a.begin > b.begin; });
  const dialect::Dialect& dialect = dialect::get_dialect(shape.engine.dialect);
  std::size_t behind = text.size();
  for (const sql::ColumnReference& reference : references) {
    if (reference.end > behind || !is_of(shape, reference, step.table) ||
        !same(shape, step.from.text(), reference.parts.back().text)) {
      continue;
    }
    std::string name;
    for (std::size_t i = 0; i + 1 < reference.parts.size(); ++i) {
      name += dialect.quote(Identifier(reference.parts[i].text)) + ".";
    }
    text.replace(reference.begin, reference.end - reference.begin, name + dialect.quote(step.to));
    behind = reference.begin;
  }
  return text;
}

// Which of its own columns the view has under another name once its text is `body`.
std::vector<std::size_t> renamed_outputs(const schema::Schema& before, const schema::View& view,
                                         const std::string& body) {
  const auto outputs_of = [&](const std::string& text) {
    return sql::analyse_query(text, before.engine.dialect).outputs;
  };
  const std::vector<std::optional<std::string>> was = outputs_of(view.body);
  const std::vector<std::optional<std::string>> is = outputs_of(body);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < was.size() && was.size() == is.size(); ++i) {
    if (was[i] && is[i] && *was[i] != *is[i] && was.size() == view.columns.size() &&
        same(before, view.columns[i].name.text(), *was[i])) {
      found.push_back(i);
    }
  }
  return found;
}

}  // namespace

std::optional<bool> hands_on(const schema::Schema& shape, const std::string& query,
                             const std::string& output, const Name& relation,
                             const Identifier& column) {
  const sql::QueryFacts facts = sql::analyse_query(query, shape.engine.dialect);
  for (std::size_t i = 0; i < facts.outputs.size() && i < facts.handed_on.size(); ++i) {
    if (!facts.outputs[i] || !facts.handed_on[i] || !same(shape, *facts.outputs[i], output)) {
      continue;
    }
    return std::any_of(
        facts.references.begin(), facts.references.end(), [&](const auto& reference) {
          return reference.begin == *facts.handed_on[i] && is_of(shape, reference, relation) &&
                 same(shape, column.text(), reference.parts.back().text);
        });
  }
  return std::nullopt;
}

void rename_in_views(Simulation& simulation, const RenameColumn& step,
                     const schema::Schema& before) {
  const auto& [relation, from, to] = step;
  if (before.engine.dialect == schema::Dialect::Postgres) {
    return;  // a view is bound to the column, and its own has a name of its own
  }
  if (!keeps_view_text(before)) {
    break_views(simulation, relation, from, before);
    return;
  }
  for (const schema::View& view : before.views) {
    schema::View* after = find_view(simulation.after, view.name);
    const ViewUse use = use_of(before, view, relation, from);
    if (after == nullptr || use == ViewUse::None) {
      continue;
    }
    // A view over a view is not rewritten: it names what is no longer there.
    if (use == ViewUse::Named && schema::find_view(before, relation) != nullptr) {
      break_view(simulation, {view.name, relation, from}, before);
      continue;
    }
    bool renamed = false;
    after->body = renamed_text(before, view.body, step);
    for (const std::size_t i : renamed_outputs(before, view, after->body)) {
      after->columns[i].name = to;
      renamed = true;
    }
    for (schema::ViewColumn& column : after->columns) {
      if (use == ViewUse::Star && column.name == from) {
        column.name = to;
        renamed = true;
      }
    }
    if (renamed) {
      rename_in_views(simulation, {view.name, from, to}, before);
    }
  }
}

void drop_in_views(Simulation& simulation, const Name& relation, const Identifier& column,
                   const schema::Schema& before) {
  if (!keeps_view_text(before)) {
    break_views(simulation, relation, column, before);
    return;
  }
  for (const schema::View& view : before.views) {
    schema::View* after = find_view(simulation.after, view.name);
    const ViewUse use = use_of(before, view, relation, column);
    if (after == nullptr || use == ViewUse::None) {
      continue;
    }
    if (use == ViewUse::Named) {
      break_view(simulation, {view.name, relation, column}, before);
    } else if (std::erase_if(after->columns, [&](const schema::ViewColumn& one) {
                 return same(before, one.name.text(), column.text());
               }) > 0) {
      drop_in_views(simulation, view.name, column, before);
    }
  }
}

// Views that hand a column on have its new type, as have the views over them.
// Duckdb refuses a view whose columns are no longer of the types that it was made with.
void retype_in_views(Simulation& simulation, const Name& relation, const Retyped& change,
                     const schema::Schema& before) {
  std::vector<std::pair<Name, Identifier>> found;
  for (schema::View& view : simulation.after.views) {
    for (schema::ViewColumn& column : view.columns) {
      if (column.type != change.from || column.type == change.to) {
        continue;
      }
      // What a star or an expression gives is taken for the column by its name.
      if (hands_on(before, view.body, column.name.text(), relation, change.name)
              .value_or(same(before, column.name.text(), change.name.text()) &&
                        reads(before, view, relation, change.name))) {
        column.type = change.to;
        found.emplace_back(view.name, column.name);
      }
    }
  }
  for (const auto& [view, column] : found) {
    if (before.engine.dialect == schema::Dialect::Duckdb) {
      if (dialect::to_duckdb(before.engine.dialect, change.from) ==
          dialect::to_duckdb(before.engine.dialect, change.to)) {
        continue;
      }
      break_view(simulation, {view, relation, change.name}, before);
    } else {
      retype_in_views(simulation, view, {column, change.from, change.to}, before);
    }
  }
}

}  // namespace kedge::app
