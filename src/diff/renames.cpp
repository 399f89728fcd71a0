// Renames: declared ones must be pending, hints are used when they are, everything else that looks
// like one is a question (spec/migrate.md 5.3). Tables first, then columns of each pair.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/text.h"
#include "diff/passes.h"
#include "kedge/codes.h"

namespace kedge::diff {
namespace {

using schema::Column;
using schema::Name;
using schema::Table;

using ColumnList = std::vector<const Column*>;

template <class Item>
const Item* take(std::vector<const Item*>& list, const auto& name) {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const Item* item) { return item->name == name; });
  if (found == list.end()) {
    return nullptr;
  }
  const Item* item = *found;
  list.erase(found);
  return item;
}
template <class Item>
bool holds(const std::vector<const Item*>& list, const auto& name) {
  return std::any_of(list.begin(), list.end(),
                     [&](const Item* item) { return item->name == name; });
}

[[noreturn]] void refuse_declared(const std::string& what, const std::string& from,
                                  const std::string& to, bool old_live, bool new_wanted) {
  std::string why = !old_live && !new_wanted ? "it is already applied, or neither name exists"
                    : !old_live ? "'" + from + "' is not in the database, or is declared too"
                                : "'" + to + "' is not declared, or exists already";
  throw Error(
      codes::ERR_DECLARED_RENAME,
      "the declared rename of " + what + " " + from + " to " + to + " is not pending: " + why,
      "take the rename off the command line or correct its names");
}

// The renames by which `to` gets its values, in their order: a name that stays may be one that
// another takes, once it has been left. Empty: the old names lead nowhere.
template <class Name, class Hint, class IsGone, class Stays>
std::vector<std::pair<Name, Name>> chain_to(const Name& to, const std::vector<Hint>& hints,
                                            const IsGone& is_gone, const Stays& stays) {
  std::vector<std::pair<Name, Name>> chain;
  std::set<Name> seen{to};
  for (const Name* name = &to; name != nullptr;) {
    const Name* next = nullptr;
    for (const Hint& hint : hints) {
      if (hint.to != *name || seen.contains(hint.from)) {
        continue;
      }
      if (is_gone(hint.from)) {
        chain.emplace_back(hint.from, hint.to);
        return chain;
      }
      if (next == nullptr && stays(hint.from)) {
        next = &hint.from;
      }
    }
    if (next != nullptr) {
      chain.emplace_back(*next, *name);
      seen.insert(*next);
    }
    name = next;
  }
  return {};
}

void pair_table(Passes& passes, TablePairs& pairs, const Name& from, const Name& to) {
  const Table* actual = take(pairs.gone, from);
  const Table* expected = take(pairs.added, to);
  passes.renames.tables[from] = to;
  pairs.both.emplace_back(actual, expected);
  passes.add(change::RenameTable{from, to});
}

void hinted_tables(Passes& passes, TablePairs& pairs, const Name& to) {
  const auto pair_of = [&](const Name& name) {
    return std::find_if(pairs.both.begin(), pairs.both.end(), [&](const auto& pair) {
      return pair.first->name == name && pair.second->name == name;
    });
  };
  const auto chain = chain_to(
      to, passes.options.hints.tables, [&](const Name& name) { return holds(pairs.gone, name); },
      [&](const Name& name) { return pair_of(name) != pairs.both.end(); });
  for (const auto& [from, now] : chain) {
    if (const auto pair = pair_of(from); pair != pairs.both.end()) {
      pairs.gone.push_back(pair->first);
      pairs.added.push_back(pair->second);
      pairs.both.erase(pair);
    }
    pair_table(passes, pairs, from, now);
  }
}

void declared_tables(Passes& passes, TablePairs& pairs) {
  for (const RenameTable& rename : passes.options.declared.tables) {
    const bool old_live = holds(pairs.gone, rename.from);
    const bool new_wanted = holds(pairs.added, rename.to);
    if (!old_live || !new_wanted) {
      refuse_declared("table", to_string(rename.from), to_string(rename.to), old_live, new_wanted);
    }
    pair_table(passes, pairs, rename.from, rename.to);
  }
  for (const RenameTable& rename : passes.options.hints.tables) {
    if (holds(pairs.added, rename.to)) {
      hinted_tables(passes, pairs, rename.to);
    }
  }
}

using Features = std::set<std::tuple<std::string, schema::TypeKind, bool>>;
Features features_of(const Table& table) {
  Features features;
  for (const Column& column : table.columns) {
    features.emplace(column.name.text(), column.type.kind, column.nullable);
  }
  return features;
}
double similarity(const Features& a, const Features& b) {
  std::size_t shared = 0;
  for (const auto& feature : a) {
    shared += b.count(feature);
  }
  const std::size_t all = a.size() + b.size() - shared;
  return all == 0 ? 0 : static_cast<double>(shared) / static_cast<double>(all);
}

struct TableGuess {
  double similarity;
  Name from;
  Name to;
};

// Above this many pairs a rename is not guessed: the comparison stays linear.
constexpr std::size_t kMaximumGuesses = 4096;

std::vector<TableGuess> guess_tables(const TablePairs& pairs) {
  std::vector<TableGuess> guesses;
  if (pairs.gone.size() * pairs.added.size() > kMaximumGuesses) {
    return guesses;
  }
  for (const Table* gone : pairs.gone) {
    const Features features = features_of(*gone);
    for (const Table* added : pairs.added) {
      const double close =
          gone->name.schema == added->name.schema ? similarity(features, features_of(*added)) : 0;
      if (close >= 0.8) {
        guesses.push_back({close, gone->name, added->name});
      }
    }
  }
  std::stable_sort(guesses.begin(), guesses.end(), [](const TableGuess& a, const TableGuess& b) {
    return std::tie(b.similarity, a.from, a.to) < std::tie(a.similarity, b.from, b.to);
  });
  return guesses;
}

void guess_table_renames(Passes& passes, TablePairs& pairs) {
  std::set<Name> used;
  for (const TableGuess& guess : guess_tables(pairs)) {
    if (!used.insert(guess.from).second || !used.insert(guess.to).second) {
      continue;
    }
    passes.result.ambiguous.push_back({guess.from, {}, {}, guess.to});
    if (passes.options.on_ambiguous == OnAmbiguous::Rename) {
      pair_table(passes, pairs, guess.from, guess.to);
    }
  }
}

// Such an engine cannot hold both names: nothing is to be asked.
bool folds_tables(schema::Dialect dialect) {
  return schema::is_sqlite(dialect) || dialect == schema::Dialect::Duckdb;
}
bool folds_columns(schema::Dialect dialect) {
  return folds_tables(dialect) || dialect == schema::Dialect::Mysql;
}
std::string folded(const Name& name) {
  return base::to_lower(name.schema.text()) + "\n" + base::to_lower(name.name.text());
}
void respelled_tables(Passes& passes, TablePairs& pairs) {
  std::map<std::string, Name> gone;
  for (const Table* table : pairs.gone) {
    gone.emplace(folded(table->name), table->name);
  }
  std::vector<std::pair<Name, Name>> found;
  for (const Table* table : pairs.added) {
    if (const auto old = gone.find(folded(table->name)); old != gone.end()) {
      found.emplace_back(old->second, table->name);
    }
  }
  for (const auto& [from, to] : found) {
    pair_table(passes, pairs, from, to);
  }
}

// ---- columns

struct ColumnSides {
  ColumnList gone;
  ColumnList added;
};
ColumnSides unmatched(const Table& actual, const Table& expected) {
  ColumnSides sides;
  std::set<Identifier> live;
  std::set<Identifier> wanted;
  for (const Column& column : actual.columns) {
    live.insert(column.name);
  }
  for (const Column& column : expected.columns) {
    wanted.insert(column.name);
    if (!live.contains(column.name)) {
      sides.added.push_back(&column);
    }
  }
  for (const Column& column : actual.columns) {
    if (!wanted.contains(column.name)) {
      sides.gone.push_back(&column);
    }
  }
  return sides;
}
bool same_names(const Table& actual, const Table& expected) {
  return actual.columns.size() == expected.columns.size() &&
         std::equal(actual.columns.begin(), actual.columns.end(), expected.columns.begin(),
                    [](const Column& a, const Column& b) { return a.name == b.name; });
}

void rename_column(Passes& passes, const Name& table, ColumnSides& sides, const Identifier& from,
                   const Identifier& to) {
  take(sides.gone, from);
  take(sides.added, to);
  passes.renames.columns[table][from] = to;
  passes.add(change::RenameColumn{table, from, to});
}

void respelled_columns(Passes& passes, const Name& table, ColumnSides& sides) {
  const ColumnList added = sides.added;
  for (const Column* is : added) {
    const auto was = std::find_if(sides.gone.begin(), sides.gone.end(), [&](const Column* one) {
      return base::equals_ignoring_case(one->name.text(), is->name.text());
    });
    if (was != sides.gone.end()) {
      rename_column(passes, table, sides, (*was)->name, is->name);
    }
  }
}

void guess_columns(Passes& passes, const Name& table, ColumnSides& sides) {
  std::vector<std::tuple<std::size_t, Identifier, Identifier>> guesses;
  for (const Column* gone : sides.gone) {
    for (const Column* added : sides.added) {
      const std::string& a = gone->name.text();
      const std::string& b = added->name.text();
      const std::size_t limit = std::max<std::size_t>(2, std::min(a.size(), b.size()) / 3);
      if (gone->nullable == added->nullable && passes.meaning.same_type(gone->type, added->type)) {
        const std::size_t distance = base::edit_distance(a, b);
        if (distance <= limit) {
          guesses.emplace_back(distance, gone->name, added->name);
        }
      }
    }
  }
  std::sort(guesses.begin(), guesses.end());
  for (const auto& [distance, from, to] : guesses) {
    if (!holds(sides.gone, from) || !holds(sides.added, to)) {
      continue;
    }
    passes.result.ambiguous.push_back({table, from, to, std::nullopt});
    if (passes.options.on_ambiguous == OnAmbiguous::Rename) {
      rename_column(passes, table, sides, from, to);
    } else {
      take(sides.gone, from);
      take(sides.added, to);
    }
  }
}

void hinted_columns(Passes& passes, const Table& actual, const Table& expected,
                    ColumnSides& sides) {
  std::vector<RenameColumn> hints;
  for (const RenameColumn& rename : passes.options.hints.columns) {
    if (rename.table == expected.name) {
      hints.push_back(rename);
    }
  }
  const ColumnNames& used = passes.renames.columns[expected.name];
  const auto stays = [&](const Identifier& name) {
    return !used.contains(name) && find_column(actual, name) != nullptr &&
           find_column(expected, name) != nullptr;
  };
  for (const RenameColumn& rename : hints) {
    if (!holds(sides.added, rename.to)) {
      continue;
    }
    const auto chain = chain_to(
        rename.to, hints, [&](const Identifier& name) { return holds(sides.gone, name); }, stays);
    for (const auto& [from, now] : chain) {
      rename_column(passes, expected.name, sides, from, now);
    }
  }
  if (used.empty()) {
    passes.renames.columns.erase(expected.name);
  }
}

void column_renames(Passes& passes, const Table& actual, const Table& expected) {
  const Options& options = passes.options;
  if (same_names(actual, expected) && options.declared.columns.empty()) {
    return;
  }
  ColumnSides sides = unmatched(actual, expected);
  for (const RenameColumn& rename : options.declared.columns) {
    if (rename.table == expected.name) {
      const bool old_live = holds(sides.gone, rename.from);
      const bool new_wanted = holds(sides.added, rename.to);
      if (!old_live || !new_wanted) {
        refuse_declared("column", to_string(rename.table) + "." + rename.from.text(),
                        rename.to.text(), old_live, new_wanted);
      }
      rename_column(passes, expected.name, sides, rename.from, rename.to);
    }
  }
  hinted_columns(passes, actual, expected, sides);
  if (folds_columns(options.dialect)) {
    respelled_columns(passes, expected.name, sides);
  }
  if (!sides.gone.empty() && !sides.added.empty()) {
    guess_columns(passes, expected.name, sides);
  }
}

void refuse_unknown_tables(const Passes& passes, const TablePairs& pairs) {
  for (const RenameColumn& rename : passes.options.declared.columns) {
    const bool known = std::any_of(pairs.both.begin(), pairs.both.end(), [&](const auto& pair) {
      return pair.second->name == rename.table;
    });
    if (!known) {
      refuse_declared("column", to_string(rename.table) + "." + rename.from.text(),
                      rename.to.text(), false, false);
    }
  }
}

[[noreturn]] void refuse_ambiguous(const std::vector<Ambiguity>& questions) {
  Problem problem{codes::ERR_AMBIGUOUS_RENAME, "", std::nullopt, "", {}};
  std::vector<std::string> lines;
  for (const Ambiguity& one : questions) {
    const std::string from =
        one.to_table ? to_string(one.table) : to_string(one.table) + "." + one.from.text();
    const std::string to = one.to_table ? to_string(*one.to_table) : one.to.text();
    lines.push_back(from + " -> " + to);
    const std::string flag = one.to_table ? "--rename-table " : "--rename-column ";
    problem.notes.push_back({flag + from + "=" + to + "   or   --on-ambiguous drop-add", {}});
  }
  problem.message = "is this a rename, or a drop and an add? " + base::join(lines, ", ");
  problem.hint = problem.notes.front().text;
  throw Error(std::move(problem));
}

Identifier renamed(const Identifier& name, const ColumnNames* names) {
  if (names == nullptr) {
    return name;
  }
  const auto found = names->find(name);
  return found == names->end() ? name : found->second;
}
void rename_all(std::vector<Identifier>& columns, const ColumnNames* names) {
  for (Identifier& column : columns) {
    column = renamed(column, names);
  }
}

class Translator {
 public:
  Translator(const Passes& passes, const Name& table) : passes_(passes), own_(columns_of(table)) {}
  const ColumnNames* columns_of(const Name& table) const {
    const auto found = passes_.renames.columns.find(table);
    return found == passes_.renames.columns.end() ? nullptr : &found->second;
  }
  const ColumnNames* own() const { return own_; }
  void expression(std::string& sql) const {
    if (own_ == nullptr || sql.empty() || !passes_.options.rename_columns) {
      return;
    }
    std::map<std::string, std::string> names;
    for (const auto& [from, to] : *own_) {
      names[from.text()] = to.text();
    }
    sql = passes_.options.rename_columns(sql, names);
  }
  void foreign_key(schema::ForeignKey& key) const {
    rename_all(key.columns, own_);
    rename_all(key.set_columns, own_);
    const auto table = passes_.renames.tables.find(key.referenced_table);
    if (table != passes_.renames.tables.end()) {
      key.referenced_table = table->second;
    }
    rename_all(key.referenced_columns, columns_of(key.referenced_table));
  }
  void index(schema::Index& one) const {
    for (schema::IndexPart& part : one.parts) {
      part.column = renamed(part.column, own_);
      expression(part.expression);
    }
    rename_all(one.include, own_);
    expression(one.where);
  }

 private:
  const Passes& passes_;
  const ColumnNames* own_;
};

}  // namespace

Table translate(const Table& table, const Name& new_name, const Passes& passes) {
  Table out = table;
  const Translator translator(passes, new_name);
  out.name = new_name;
  for (Column& column : out.columns) {
    column.name = renamed(column.name, translator.own());
    if (column.generated) {
      translator.expression(column.generated->expression);
    }
  }
  if (out.primary_key) {
    rename_all(out.primary_key->columns, translator.own());
  }
  for (schema::ForeignKey& key : out.foreign_keys) {
    translator.foreign_key(key);
  }
  for (schema::Index& index : out.indexes) {
    translator.index(index);
  }
  for (schema::Check& check : out.checks) {
    translator.expression(check.expression);
    check.column = renamed(check.column, translator.own());
  }
  return out;
}

void find_renames(Passes& passes, TablePairs& pairs) {
  declared_tables(passes, pairs);
  if (folds_tables(passes.options.dialect)) {
    respelled_tables(passes, pairs);
  }
  if (!pairs.gone.empty() && !pairs.added.empty()) {
    guess_table_renames(passes, pairs);
  }
  std::sort(pairs.both.begin(), pairs.both.end(),
            [](const auto& a, const auto& b) { return a.second->name < b.second->name; });
  refuse_unknown_tables(passes, pairs);
  for (const auto& [actual, expected] : pairs.both) {
    column_renames(passes, *actual, *expected);
  }
  if (passes.options.on_ambiguous == OnAmbiguous::Abort && !passes.result.ambiguous.empty()) {
    refuse_ambiguous(passes.result.ambiguous);
  }
}

}  // namespace kedge::diff
