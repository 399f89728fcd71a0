#include "migrate/emission.h"

#include <algorithm>
#include <tuple>

#include "base/graph.h"
#include "base/text.h"
#include "kedge/codes.h"
#include "sql/analysis.h"
#include "sql/lexer.h"

namespace kedge::migrate {
namespace {

template <class Item, class Edges>
std::map<schema::Name, std::size_t> rank_all(const std::vector<const Item*>& items,
                                             const Edges& edges) {
  std::map<schema::Name, std::size_t> numbers;
  for (std::size_t i = 0; i < items.size(); ++i) {
    numbers.emplace(items[i]->name, i);
  }
  base::Graph graph(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (const schema::Name& before : edges(*items[i])) {
      const auto found = numbers.find(before);
      if (found != numbers.end() && found->second != i) {
        graph.add_edge(found->second, i);
      }
    }
  }
  std::map<schema::Name, std::size_t> ranks;
  std::size_t rank = 1;
  for (const std::size_t node : base::sort_topologically(graph).order) {
    ranks[items[node]->name] = rank++;
  }
  return ranks;
}

// Everything of both sides, `first` wins; sorted by name so that ranks are stable.
template <class Item>
std::vector<const Item*> union_of(const std::vector<Item>& first, const std::vector<Item>& second) {
  std::map<schema::Name, const Item*> all;
  for (const auto* list : {&first, &second}) {
    for (const Item& item : *list) {
      all.emplace(item.name, &item);
    }
  }
  std::vector<const Item*> items;
  for (const auto& [name, item] : all) {
    items.push_back(item);
  }
  return items;
}

}  // namespace

namespace {

// Somebody's text may end in a comment that would take the ';' along.
bool ends_in_line_comment(const std::string& sql) {
  const std::size_t line = sql.rfind('\n');
  const std::string_view last =
      line == std::string::npos ? std::string_view(sql) : std::string_view(sql).substr(line + 1);
  return last.find("--") != std::string_view::npos || last.find('#') != std::string_view::npos;
}

}  // namespace

PlanStatement& Draft::add(Keys keys, std::string sql, std::optional<std::size_t> change) {
  PlanStatement statement;
  statement.sql = std::move(sql);
  if (ends_in_line_comment(statement.sql)) {
    statement.sql += "\n;";
  } else if (statement.sql.empty() || statement.sql.back() != ';') {
    statement.sql += ';';
  }
  statement.change = change;
  statement.stage = keys.stage;
  items_.push_back({std::move(keys), items_.size(), std::move(statement)});
  return items_.back().statement;
}

std::vector<PlanStatement> Draft::sorted() {
  std::stable_sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) {
    return std::tie(a.keys.stage, a.keys.rank, a.keys.name, a.order) <
           std::tie(b.keys.stage, b.keys.rank, b.keys.name, b.order);
  });
  std::vector<PlanStatement> statements;
  for (Item& item : items_) {
    statements.push_back(std::move(item.statement));
  }
  items_.clear();
  return statements;
}

std::size_t Emission::rank_of(const schema::Name& table) const {
  const auto found = table_rank.find(table);
  return found == table_rank.end() ? 0 : found->second;
}

Keys Emission::rename_place(const change::RenameTable& rename) const {
  std::size_t before = 0;
  for (schema::Name name = rename.to; before <= changes.size(); ++before) {
    const auto leaves = std::find_if(old_table_names.begin(), old_table_names.end(),
                                     [&](const auto& entry) { return entry.second == name; });
    if (leaves == old_table_names.end()) {
      break;
    }
    name = leaves->first;
  }
  return {stage::kRenameTable, before * (table_rank.size() + 1) + rank_of(rename.from),
          rename.from.name.text()};
}

void Emission::refuse(std::size_t change, std::string reason, std::string hint) {
  Status status;
  status.state = State::Blocked;
  status.reason = std::move(reason);
  status.hint = std::move(hint);
  status.code = codes::ERR_UNSUPPORTED;
  impossible.emplace(change, std::move(status));
}

void prepare(Emission& emission) {
  emission.table_rank =
      rank_all(union_of(emission.to.tables, emission.from.tables), [](const schema::Table& table) {
        std::vector<schema::Name> before = table.inherits;
        for (const schema::ForeignKey& key : table.foreign_keys) {
          before.push_back(key.referenced_table);
        }
        if (table.partition && table.partition->parent) {
          before.push_back(*table.partition->parent);
        }
        return before;
      });
  emission.view_rank = rank_all(
      union_of(emission.to.views, emission.from.views),
      [](const schema::View& view) -> const auto& { return view.depends_on; });
  emission.object_rank = rank_all(
      union_of(emission.to.objects, emission.from.objects),
      [](const schema::DefinedObject& object) -> const auto& { return object.depends_on; });
  for (const Change& change : emission.changes) {
    if (const auto* rename = std::get_if<change::RenameTable>(&change)) {
      emission.old_table_names[rename->to] = rename->from;
    }
  }
  emission.remaps = find_remaps(emission);
}

bool is_referenced(const schema::Schema& from, const std::vector<Change>& changes,
                   const schema::Name& before, const schema::Name& after) {
  return std::any_of(from.tables.begin(), from.tables.end(),
                     [&](const schema::Table& table) {
                       return std::any_of(
                           table.foreign_keys.begin(), table.foreign_keys.end(),
                           [&](const auto& key) { return key.referenced_table == before; });
                     }) ||
         std::any_of(changes.begin(), changes.end(), [&](const Change& change) {
           const auto* key = std::get_if<change::AddForeignKey>(&change);
           return key != nullptr && key->part.referenced_table == after;
         });
}

Identifier column_before(const std::vector<Change>& changes, const schema::Name& table,
                         const Identifier& column) {
  for (const Change& change : changes) {
    const auto* rename = std::get_if<change::RenameColumn>(&change);
    if (rename != nullptr && rename->table == table && rename->to == column) {
      return rename->from;
    }
  }
  return column;
}

Identifier column_after(const std::vector<Change>& changes, const schema::Name& table,
                        const Identifier& column) {
  for (const Change& change : changes) {
    const auto* rename = std::get_if<change::RenameColumn>(&change);
    if (rename != nullptr && rename->table == table && rename->from == column) {
      return rename->to;
    }
  }
  return column;
}

schema::Name name_before(const Emission& emission, const schema::Name& table) {
  const auto old = emission.old_table_names.find(table);
  return old == emission.old_table_names.end() ? table : old->second;
}

bool is_counted(const schema::Column& column) {
  return column.identity && column.identity->kind != schema::Identity::Kind::Uuid;
}

const schema::Table* table_before(const Emission& emission, const schema::Name& table) {
  return find_table(emission.from, name_before(emission, table));
}

bool mentions(std::string_view text, std::string_view identifier, schema::Dialect dialect) {
  for (const sql::Token& token : sql::tokenize(text, dialect)) {
    const std::string_view word = text.substr(token.begin, token.end - token.begin);
    if (token.kind == sql::TokenKind::QuotedIdentifier && sql::decode_name(word) == identifier) {
      return true;
    }
    if (token.kind == sql::TokenKind::Identifier && base::equals_ignoring_case(word, identifier)) {
      return true;
    }
  }
  return false;
}

namespace {

// On the way back postgres replaces a view only by one that has all of its columns, in this order.
bool keeps_columns(const change::ReplaceView& c) {
  const std::vector<schema::ViewColumn>& now = c.before.columns;
  const std::vector<schema::ViewColumn>& then = c.after.columns;
  return !now.empty() && now.size() <= then.size() &&
         std::equal(now.begin(), now.end(), then.begin(),
                    [](const auto& a, const auto& b) { return a.name == b.name; });
}

}  // namespace

std::set<schema::Name> views_in_the_way(const Emission& emission,
                                        const std::vector<Touched>& touched) {
  std::set<schema::Name> found;
  for (const Change& change : emission.changes) {
    if (const auto* drop = std::get_if<change::DropView>(&change)) {
      found.insert(drop->view.name);
    }
    const auto* swap = std::get_if<change::ReplaceView>(&change);
    if (swap != nullptr && !emission.up() && !keeps_columns(*swap) &&
        emission.options.dialect == schema::Dialect::Postgres) {
      found.insert(swap->after.name);
    }
  }
  std::map<schema::Name, std::set<std::string>> by_table;
  std::set<schema::Name> whole;
  for (const Touched& one : touched) {
    by_table[one.table].insert(one.columns.begin(), one.columns.end());
    if (one.columns.empty()) {
      whole.insert(one.table);
    }
  }
  for (const schema::View& view : emission.from.views) {
    if (whole.contains(view.name)) {
      found.insert(view.name);
    }
  }
  const auto reads = [&](const schema::View& view, const schema::Name& source) {
    const auto table = by_table.find(source);
    return table != by_table.end() &&
           (whole.contains(source) ||
            std::any_of(table->second.begin(), table->second.end(), [&](const auto& column) {
              return mentions(view.body, column, emission.options.dialect);
            }));
  };
  for (bool grew = true; grew;) {
    grew = false;
    for (const schema::View& view : emission.from.views) {
      const bool in_the_way = std::any_of(view.depends_on.begin(), view.depends_on.end(),
                                          [&](const schema::Name& source) {
                                            return found.contains(source) || reads(view, source);
                                          });
      grew = (in_the_way && found.insert(view.name).second) || grew;
    }
  }
  return found;
}

}  // namespace kedge::migrate
