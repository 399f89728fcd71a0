// Keys, foreign keys, checks and indexes: paired by name, then by shape where the engine does not
// keep names; what is left over on both sides with one shape is a rename where the engine has one.
#include <set>

#include "diff/passes.h"

namespace kedge::diff {
namespace {

using schema::Check;
using schema::Dialect;
using schema::ForeignKey;
using schema::Index;
using schema::Name;
using schema::Table;

bool keeps_names(Dialect dialect) {
  return dialect == Dialect::Postgres || dialect == Dialect::Mysql || dialect == Dialect::Ansi;
}

bool was_renamed(const Passes& passes, const Name& table) {
  return std::any_of(passes.renames.tables.begin(), passes.renames.tables.end(),
                     [&](const auto& entry) { return entry.second == table; });
}

bool same_foreign_key(const Options& options, const ForeignKey& a, const ForeignKey& e) {
  const bool exact = options.equality == Equality::Exact;
  return a.columns == e.columns && a.referenced_table == e.referenced_table &&
         a.referenced_columns == e.referenced_columns && a.on_delete == e.on_delete &&
         a.on_update == e.on_update && a.set_columns == e.set_columns &&
         (!exact || a.match_full == e.match_full) && a.deferrable == e.deferrable &&
         a.initially_deferred == e.initially_deferred;
}

template <class Item>
struct Leftovers {
  std::vector<const Item*> gone;
  std::vector<const Item*> added;
};

// Takes out of the leftovers what `same` pairs; gives each pair to `found`.
template <class Item, class Same, class Found>
void pair_by_shape(Leftovers<Item>& left, const Same& same, const Found& found) {
  for (auto gone = left.gone.begin(); gone != left.gone.end();) {
    const auto match = std::find_if(left.added.begin(), left.added.end(),
                                    [&](const Item* added) { return same(**gone, *added); });
    if (match == left.added.end()) {
      ++gone;
      continue;
    }
    found(**gone, **match);
    left.added.erase(match);
    gone = left.gone.erase(gone);
  }
}

void validate(Passes& passes, const Name& table, const ForeignKey& was, const ForeignKey& is) {
  if (!was.validated && is.validated) {
    passes.add(change::ValidateConstraint{table, is, std::nullopt});
  } else if (was.validated && !is.validated && passes.meaning.exact()) {
    passes.add(change::DropForeignKey{table, was});
    passes.add(change::AddForeignKey{table, is});
  }
  passes.comment("constraint", table, is.name, was.comment, is.comment);
}
void validate(Passes& passes, const Name& table, const Check& was, const Check& is) {
  if (!was.validated && is.validated) {
    passes.add(change::ValidateConstraint{table, std::nullopt, is});
  } else if (was.validated && !is.validated && passes.meaning.exact()) {
    passes.add(change::DropCheck{table, was});
    passes.add(change::AddCheck{table, is});
  }
  passes.comment("constraint", table, is.name, was.comment, is.comment);
}

}  // namespace

bool same_check(Meaning& meaning, const Check& a, const Check& e) {
  if (a.no_inherit != e.no_inherit || a.enforced != e.enforced) {
    return false;
  }
  if (!a.members.empty() && !e.members.empty() && a.column == e.column) {
    return std::set<std::string>(a.members.begin(), a.members.end()) ==
           std::set<std::string>(e.members.begin(), e.members.end());
  }
  return meaning.same_expression(a.expression, e.expression);
}

bool same_index(Meaning& meaning, const Index& a, const Index& e) {
  const bool exact = meaning.exact();
  if (a.parts.size() != e.parts.size() || a.unique != e.unique ||
      a.nulls_not_distinct != e.nulls_not_distinct || a.include != e.include ||
      a.deferrable != e.deferrable || a.initially_deferred != e.initially_deferred ||
      a.exclusion != e.exclusion || (!a.valid && e.valid)) {
    return false;
  }
  if (exact && (a.constraint != e.constraint || a.options != e.options)) {
    return false;
  }
  // A reference of DuckDB stands on a constraint only; a constraint that nothing needs does no
  // harm.
  if (meaning.options().dialect == Dialect::Duckdb && a.constraint == Index::Constraint::None &&
      e.constraint == Index::Constraint::Unique) {
    return false;
  }
  // InnoDB takes the word HASH and makes a tree.
  const bool no_hash = !exact && meaning.options().dialect == Dialect::Mysql;
  const auto method = [&](const Index& index) {
    return index.method == "btree" || (no_hash && index.method == "hash") ? "" : index.method;
  };
  const bool ignores_method = !exact && (meaning.is_sqlite() || e.method.empty());
  if ((!ignores_method && method(a) != method(e)) || !meaning.same_expression(a.where, e.where)) {
    return false;
  }
  const bool orders = exact || meaning.options().dialect != Dialect::Duckdb;
  for (std::size_t i = 0; i < a.parts.size(); ++i) {
    const schema::IndexPart& was = a.parts[i];
    const schema::IndexPart& is = e.parts[i];
    if (was.column != is.column || (orders && was.descending != is.descending) ||
        !meaning.same_expression(was.expression, is.expression) || was.prefix != is.prefix) {
      return false;
    }
    if (exact && (was.nulls != is.nulls || was.collation != is.collation ||
                  was.operator_class != is.operator_class)) {
      return false;
    }
  }
  return true;
}

void compare_primary_keys(Passes& passes, const Table& actual, const Table& expected) {
  const auto& was = actual.primary_key;
  const auto& is = expected.primary_key;
  if (was && is && was->columns == is->columns && was->deferrable == is->deferrable &&
      was->initially_deferred == is->initially_deferred && was->include == is->include) {
    const bool renamed = passes.meaning.exact() || was_renamed(passes, expected.name);
    if (renamed && passes.options.dialect == Dialect::Postgres && was->name != is->name &&
        !was->name.empty() && !is->name.empty()) {
      passes.add(change::RenameConstraint{expected.name, was->name, is->name});
    }
    passes.comment("constraint", expected.name, is->name, was->comment, is->comment);
    return;
  }
  if (was) {
    passes.add(change::DropPrimaryKey{expected.name, *was});
  }
  if (is) {
    passes.add(change::AddPrimaryKey{expected.name, *is});
  }
}

void compare_foreign_keys(Passes& passes, const Table& actual, const Table& expected) {
  const Options& options = passes.options;
  Leftovers<ForeignKey> left{pointers(actual.foreign_keys), pointers(expected.foreign_keys)};
  const auto pair = [&](const ForeignKey& was, const ForeignKey& is) {
    if (same_foreign_key(options, was, is)) {
      validate(passes, expected.name, was, is);
    } else {
      passes.add(change::DropForeignKey{expected.name, was});
      passes.add(change::AddForeignKey{expected.name, is});
    }
  };
  if (keeps_names(options.dialect)) {
    pair_by_shape(
        left, [](const auto& a, const auto& e) { return a.name == e.name; }, pair);
  } else {
    pair_by_shape(
        left, [&](const auto& a, const auto& e) { return same_foreign_key(options, a, e); }, pair);
    pair_by_shape(
        left, [](const auto& a, const auto& e) { return a.columns == e.columns; }, pair);
  }
  if (options.dialect == Dialect::Postgres) {
    pair_by_shape(
        left, [&](const auto& a, const auto& e) { return same_foreign_key(options, a, e); },
        [&](const ForeignKey& was, const ForeignKey& is) {
          passes.add(change::RenameConstraint{expected.name, was.name, is.name});
          validate(passes, expected.name, was, is);
        });
  }
  for (const ForeignKey* key : left.gone) {
    passes.add(change::DropForeignKey{expected.name, *key});
  }
  for (const ForeignKey* key : left.added) {
    passes.add(change::AddForeignKey{expected.name, *key});
  }
}

void compare_checks(Passes& passes, const Table& actual, const Table& expected) {
  Meaning& meaning = passes.meaning;
  Leftovers<Check> left{pointers(actual.checks), pointers(expected.checks)};
  const auto same = [&](const Check& a, const Check& e) { return same_check(meaning, a, e); };
  const auto keep = [&](const Check& was, const Check& is) {
    validate(passes, expected.name, was, is);
  };
  if (!keeps_names(passes.options.dialect)) {
    pair_by_shape(
        left, [&](const auto& a, const auto& e) { return a.name == e.name && same(a, e); }, keep);
    pair_by_shape(left, same, keep);
  }
  pair_by_shape(
      left, [](const auto& a, const auto& e) { return a.name == e.name && !e.name.empty(); },
      [&](const Check& was, const Check& is) {
        if (same(was, is)) {
          keep(was, is);
          return;
        }
        passes.add(change::DropCheck{expected.name, was});
        passes.add(change::AddCheck{expected.name, is});
      });
  if (passes.options.dialect == Dialect::Postgres) {
    pair_by_shape(left, same, [&](const Check& was, const Check& is) {
      passes.add(change::RenameConstraint{expected.name, was.name, is.name});
      keep(was, is);
    });
  }
  for (const Check* check : left.gone) {
    passes.add(change::DropCheck{expected.name, *check});
  }
  for (const Check* check : left.added) {
    passes.add(change::AddCheck{expected.name, *check});
  }
}

void compare_indexes(Passes& passes, const Name& table, const std::vector<Index>& actual,
                     const std::vector<Index>& expected) {
  Meaning& meaning = passes.meaning;
  Leftovers<Index> left{pointers(actual), pointers(expected)};
  const auto same = [&](const Index& a, const Index& e) { return same_index(meaning, a, e); };
  const auto is_named_by_engine = [&](const Index& one) {
    return one.generated_name || (passes.options.dialect == Dialect::Duckdb &&
                                  one.constraint == Index::Constraint::Unique);
  };
  const auto comment = [&](const Index& was, const Index& is) {
    passes.comment(is.constraint == Index::Constraint::None ? "index" : "constraint", table,
                   is.name, was.comment, is.comment);
  };
  pair_by_shape(
      left,
      [&](const Index& a, const Index& e) {
        return a.name == e.name && !is_named_by_engine(a) && !is_named_by_engine(e);
      },
      [&](const Index& was, const Index& is) {
        if (same(was, is)) {
          comment(was, is);
          return;
        }
        passes.add(change::DropIndex{table, was});
        passes.add(change::AddIndex{table, is});
      });
  pair_by_shape(
      left,
      [&](const Index& a, const Index& e) {
        return (is_named_by_engine(a) || is_named_by_engine(e)) && same(a, e);
      },
      comment);
  const Dialect dialect = passes.options.dialect;
  if (dialect == Dialect::Postgres || dialect == Dialect::Mysql) {
    pair_by_shape(left, same, [&](const Index& was, const Index& is) {
      if (was.constraint == Index::Constraint::None) {
        passes.add(change::RenameIndex{table, was.name, is.name});
      } else {
        passes.add(change::RenameConstraint{table, was.name, is.name});
      }
      comment(was, is);
    });
  }
  for (const Index* index : left.gone) {
    passes.add(change::DropIndex{table, *index});
  }
  for (const Index* index : left.added) {
    passes.add(change::AddIndex{table, *index});
  }
}

}  // namespace kedge::diff
