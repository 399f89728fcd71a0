#include "app/simulate.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "app/simulate_views.h"
#include "base/overloaded.h"
#include "base/text.h"
#include "dialect/dialect.h"
#include "kedge/codes.h"
#include "sql/analysis.h"

namespace kedge::app {
namespace {

using schema::Name;

std::vector<std::string> relation_names(const schema::Schema& shape) {
  std::vector<std::string> names;
  for (const schema::Table& table : shape.tables) {
    names.push_back(to_string(table.name));
  }
  for (const schema::View& view : shape.views) {
    names.push_back(to_string(view.name));
  }
  return names;
}

bool mentions(const schema::Schema& shape, const std::string& expression,
              const Identifier& column) {
  for (const sql::ColumnReference& reference :
       sql::analyse_expression(expression, shape.engine.dialect).references) {
    if (same(shape, column.text(), reference.parts.back().text)) {
      return true;
    }
  }
  return false;
}

bool uses(const schema::Schema& shape, const schema::Index& index, const Identifier& column) {
  const bool part =
      std::any_of(index.parts.begin(), index.parts.end(), [&](const schema::IndexPart& candidate) {
        return candidate.column == column ||
               (!candidate.expression.empty() && mentions(shape, candidate.expression, column));
      });
  const bool included =
      std::find(index.include.begin(), index.include.end(), column) != index.include.end();
  return part || included || (!index.where.empty() && mentions(shape, index.where, column));
}

void remove_column(schema::Schema& shape, const Name& table_name, const Identifier& column) {
  for (schema::Table& table : shape.tables) {
    if (table.name == table_name) {
      std::vector<Identifier> generated;
      for (const schema::Column& candidate : table.columns) {
        if (candidate.generated && mentions(shape, candidate.generated->expression, column)) {
          generated.push_back(candidate.name);
        }
      }
      std::erase_if(table.columns, [&](const schema::Column& candidate) {
        return candidate.name == column || contains(generated, candidate.name);
      });
      std::erase_if(table.indexes,
                    [&](const schema::Index& index) { return uses(shape, index, column); });
      std::erase_if(table.checks, [&](const schema::Check& check) {
        return mentions(shape, check.expression, column);
      });
      std::erase_if(table.foreign_keys,
                    [&](const schema::ForeignKey& key) { return contains(key.columns, column); });
      if (table.primary_key && contains(table.primary_key->columns, column)) {
        table.primary_key.reset();
      }
    }
    std::erase_if(table.foreign_keys, [&](const schema::ForeignKey& key) {
      return qualified(shape, key.referenced_table) == table_name &&
             contains(key.referenced_columns, column);
    });
  }
}

void remove_table(schema::Schema& shape, const Name& name) {
  std::erase_if(shape.tables, [&](const schema::Table& table) { return table.name == name; });
  std::erase_if(shape.views, [&](const schema::View& view) { return view.name == name; });
  std::erase_if(shape.objects, [&](const schema::DefinedObject& object) {
    return object.table && qualified(shape, *object.table) == name;
  });
  for (schema::Table& table : shape.tables) {
    std::erase_if(table.foreign_keys, [&](const schema::ForeignKey& key) {
      return qualified(shape, key.referenced_table) == name;
    });
  }
}

void rename_in(std::vector<Identifier>& names, const Identifier& from, const Identifier& to) {
  std::replace(names.begin(), names.end(), from, to);
}

// The expression as the engine keeps it after the rename: bare references follow.
std::string renamed_expression(const schema::Schema& shape, std::string text,
                               const RenameColumn& step) {
  const std::vector<sql::ColumnReference> references =
      sql::analyse_expression(text, shape.engine.dialect).references;
  const std::string name = dialect::get_dialect(shape.engine.dialect).quote(step.to);
  for (auto reference = references.rbegin(); reference != references.rend(); ++reference) {
    if (reference->parts.size() == 1 &&
        same(shape, step.from.text(), reference->parts.front().text)) {
      text.replace(reference->begin, reference->end - reference->begin, name);
    }
  }
  return text;
}

void rename_in_expressions(const schema::Schema& shape, schema::Table& table,
                           const RenameColumn& step) {
  for (schema::Check& check : table.checks) {
    check.expression = renamed_expression(shape, check.expression, step);
    check.column = check.column == step.from ? step.to : check.column;
  }
  for (schema::Index& index : table.indexes) {
    index.where = renamed_expression(shape, index.where, step);
    for (schema::IndexPart& part : index.parts) {
      part.expression = renamed_expression(shape, part.expression, step);
    }
  }
}

void rename_column(schema::Schema& shape, const RenameColumn& step) {
  for (schema::Table& table : shape.tables) {
    for (schema::ForeignKey& key : table.foreign_keys) {
      if (qualified(shape, key.referenced_table) == step.table) {
        rename_in(key.referenced_columns, step.from, step.to);
      }
    }
    if (table.name != step.table) {
      continue;
    }
    for (schema::Column& column : table.columns) {
      if (column.name == step.from) {
        column.name = step.to;
      }
    }
    for (schema::ForeignKey& key : table.foreign_keys) {
      rename_in(key.columns, step.from, step.to);
    }
    for (schema::Index& index : table.indexes) {
      rename_in(index.include, step.from, step.to);
      for (schema::IndexPart& part : index.parts) {
        part.column = part.column == step.from ? step.to : part.column;
      }
    }
    if (table.primary_key) {
      rename_in(table.primary_key->columns, step.from, step.to);
    }
    rename_in_expressions(shape, table, step);
  }
}

// A view, or a file, whose own column is made another one.
schema::ViewColumn* view_column(schema::Schema& shape, const Name& name, const Identifier& column) {
  for (schema::View& view : shape.views) {
    for (schema::ViewColumn& candidate : view.columns) {
      if (view.name == name && candidate.name == column) {
        return &candidate;
      }
    }
  }
  return nullptr;
}

void drop_view_column(schema::Schema& shape, const DropColumn& step) {
  for (schema::View& view : shape.views) {
    if (view.name == step.table) {
      std::erase_if(view.columns, [&](const auto& one) { return one.name == step.column; });
    }
  }
}

void retype_column(Simulation& simulation, const RetypeColumn& step, const schema::Schema& before) {
  const schema::Type type = dialect::get_dialect(before.engine.dialect).parse_type(step.type);
  for (schema::Table& table : simulation.after.tables) {
    for (schema::Column& column : table.columns) {
      if (table.name == step.table && column.name == step.column) {
        retype_in_views(simulation, table.name, {column.name, column.type, type}, before);
        column.type = type;
      }
    }
  }
  if (schema::ViewColumn* column = view_column(simulation.after, step.table, step.column)) {
    const schema::Type old = std::exchange(column->type, type);
    retype_in_views(simulation, step.table, {step.column, old, type}, before);
  }
}

}  // namespace

std::string step_text(const Step& step) {
  return std::visit(base::Overloaded{
                        [](const DropColumn& drop) {
                          return "drop column " + to_string(drop.table) + "." + drop.column.text();
                        },
                        [](const DropTable& drop) { return "drop table " + to_string(drop.table); },
                        [](const RenameColumn& rename) {
                          return "rename column " + to_string(rename.table) + "." +
                                 rename.from.text() + " to " + rename.to.text();
                        },
                        [](const RetypeColumn& retype) {
                          return "retype column " + to_string(retype.table) + "." +
                                 retype.column.text() + " to " + retype.type;
                        },
                    },
                    step);
}

schema::Name parse_relation(const schema::Schema& shape, const std::string& text) {
  for (const schema::Table& table : shape.tables) {
    if (same(shape, to_string(table.name), text)) {
      return table.name;
    }
  }
  for (const schema::View& view : shape.views) {
    if (same(shape, to_string(view.name), text)) {
      return view.name;
    }
  }
  const std::string prefix = shape.default_schema.text() + ".";
  if (prefix.size() > 1 && text.starts_with(prefix)) {
    return parse_relation(shape, text.substr(prefix.size()));
  }
  throw Error(codes::ERR_SOURCE,
              "there is no table '" + text + "'" + base::did_you_mean(text, relation_names(shape)));
}

DropColumn parse_column(const schema::Schema& shape, const std::string& text) {
  const std::size_t dot = text.rfind('.');
  if (dot == std::string::npos) {
    throw Error(codes::ERR_USAGE, "'" + text + "' names no column", "write table.column");
  }
  const Name name = parse_relation(shape, text.substr(0, dot));
  const std::string wanted = text.substr(dot + 1);
  std::vector<std::string> known;
  for (const Identifier& column : column_names(shape, name)) {
    if (same(shape, column.text(), wanted)) {
      return {name, column};
    }
    known.push_back(column.text());
  }
  throw Error(codes::ERR_SOURCE, "table '" + to_string(name) + "' has no column '" + wanted + "'" +
                                     base::did_you_mean(wanted, known));
}

Simulation simulate(const schema::Schema& before, const std::vector<Step>& steps) {
  Simulation simulation;
  simulation.after = before;
  for (const Step& step : steps) {
    const schema::Schema current = simulation.after;
    std::visit(base::Overloaded{
                   [&](const DropColumn& drop) {
                     drop_in_views(simulation, drop.table, drop.column, current);
                     remove_column(simulation.after, drop.table, drop.column);
                     drop_view_column(simulation.after, drop);
                   },
                   [&](const DropTable& drop) {
                     break_views(simulation, drop.table, Identifier(), current);
                     remove_table(simulation.after, drop.table);
                   },
                   [&](const RenameColumn& rename) {
                     rename_in_views(simulation, rename, current);
                     rename_column(simulation.after, rename);
                     if (auto* own = view_column(simulation.after, rename.table, rename.from)) {
                       own->name = rename.to;
                     }
                   },
                   [&](const RetypeColumn& retype) { retype_column(simulation, retype, current); },
               },
               step);
  }
  std::sort(simulation.broken.begin(), simulation.broken.end(),
            [](const BrokenView& a, const BrokenView& b) { return a.view < b.view; });
  schema::normalise(simulation.after);
  return simulation;
}

namespace {

// The relations and the columns that changes are about.
struct Touched {
  std::set<Name> relations;
  std::set<std::pair<Name, std::string>> columns;
};

Touched touched_by(const schema::Schema& shape, const std::vector<Change>& changes) {
  Touched touched;
  for (const Change& change : changes) {
    const Name name = qualified(shape, subject_of(change));
    touched.relations.insert(name);
    touched.columns.emplace(name, part_of(change));
    if (const auto* table = std::get_if<change::RenameTable>(&change)) {
      touched.relations.insert({qualified(shape, table->from), qualified(shape, table->to)});
    } else if (const auto* column = std::get_if<change::RenameColumn>(&change)) {
      touched.columns.emplace(name, column->from.text());
      touched.columns.emplace(name, column->to.text());
    }
  }
  return touched;
}

// Every one of `before` that `changed` does not name, in place of the other's own.
template <class Item, class Changed>
void take_over(const std::vector<Item>& before, std::vector<Item>& after, const Changed& changed) {
  for (const Item& item : before) {
    if (changed(item)) {
      continue;
    }
    const auto found = std::find_if(after.begin(), after.end(), [&](const Item& candidate) {
      return candidate.name == item.name;
    });
    if (found == after.end()) {
      after.push_back(item);
    } else {
      *found = item;
    }
  }
}

}  // namespace

schema::Schema keep_unchanged(const schema::Schema& before, schema::Schema after,
                              const std::vector<Change>& changes) {
  const Touched touched = touched_by(before, changes);
  const auto is_touched = [&](const auto& relation) {
    return touched.relations.contains(qualified(before, relation.name));
  };
  take_over(before.tables, after.tables, is_touched);
  take_over(before.views, after.views, is_touched);
  const auto by_name = [](const auto& a, const auto& b) { return a.name < b.name; };
  std::sort(after.tables.begin(), after.tables.end(), by_name);
  std::sort(after.views.begin(), after.views.end(), by_name);
  for (schema::Table& table : after.tables) {
    const schema::Table* old = table_of(before, table.name);
    if (old != nullptr && is_touched(table)) {
      take_over(old->columns, table.columns, [&](const schema::Column& column) {
        return touched.columns.contains({qualified(before, table.name), column.name.text()});
      });
    }
  }
  return after;
}

}  // namespace kedge::app
