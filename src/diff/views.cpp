// Views: by text where both sides come from one engine, by fingerprint where one side is declared
// (spec/migrate.md 9.2).
#include <algorithm>
#include <set>
#include <variant>

#include "diff/passes.h"

namespace kedge::diff {
namespace {

using schema::Name;
using schema::View;

// The live columns are a prefix of the wanted ones; unknown columns prove nothing.
bool is_legal_replace(const Meaning& meaning, const View& actual, const View& expected) {
  if (actual.materialized || expected.materialized || actual.columns.empty() ||
      expected.columns.size() < actual.columns.size()) {
    return false;
  }
  for (std::size_t i = 0; i < actual.columns.size(); ++i) {
    const schema::ViewColumn& was = actual.columns[i];
    const schema::ViewColumn& is = expected.columns[i];
    const bool typed = was.type.kind != schema::TypeKind::Unknown &&
                       is.type.kind != schema::TypeKind::Unknown && !meaning.is_sqlite();
    if (was.name != is.name || (typed && !meaning.same_type(was.type, is.type))) {
      return false;
    }
  }
  return true;
}

void remake(Passes& passes, const View& actual, const View& expected, change::Adopt adopt,
            bool legal) {
  if (legal) {
    passes.add(change::ReplaceView{actual, expected, adopt});
    return;
  }
  passes.add(change::DropView{
      actual, adopt == change::Adopt::Yes ? change::DropReason::Adopt : change::DropReason::Shape});
  passes.add(change::CreateView{expected});
  for (const schema::Index& index : expected.indexes) {
    passes.add(change::AddIndex{expected.name, index});
  }
}

void compare_by_text(Passes& passes, const View& actual, const View& expected) {
  const bool same_columns =
      actual.columns.size() == expected.columns.size() &&
      std::equal(actual.columns.begin(), actual.columns.end(), expected.columns.begin(),
                 [&](const auto& a, const auto& e) {
                   return a.name == e.name &&
                          (passes.meaning.is_sqlite() || passes.meaning.same_type(a.type, e.type));
                 });
  if (actual.materialized != expected.materialized || actual.options != expected.options ||
      !same_columns || !passes.meaning.same_query(actual.body, expected.body)) {
    remake(passes, actual, expected, change::Adopt::No,
           is_legal_replace(passes.meaning, actual, expected));
    return;
  }
  compare_indexes(passes, expected.name, actual.indexes, expected.indexes);
  passes.comment(expected.materialized ? "materialized view" : "view", expected.name, {},
                 actual.comment, expected.comment);
  for (std::size_t i = 0; i < actual.columns.size(); ++i) {
    passes.comment("column", expected.name, expected.columns[i].name, actual.columns[i].comment,
                   expected.columns[i].comment);
  }
}

// A rename rewrites the engine's rendering of the views above: a column renamed by hand, which the
// comparison may see as one that went and one that came, says nothing about them
// (spec/migrate.md 9.1).
bool has_renamed_base_column(const Passes& passes, const View& view) {
  std::set<Name> lost;
  std::set<Name> gained;
  for (const Change& each : passes.result.changes) {
    if (const auto* renamed = std::get_if<change::RenameColumn>(&each)) {
      lost.insert(renamed->table);
      gained.insert(renamed->table);
    } else if (const auto* dropped = std::get_if<change::DropColumn>(&each)) {
      gained.insert(dropped->table);
    } else if (const auto* added = std::get_if<change::AddColumn>(&each)) {
      lost.insert(added->table);
    }
  }
  return std::any_of(view.depends_on.begin(), view.depends_on.end(), [&](const Name& base) {
    return lost.contains(base) && gained.contains(base);
  });
}

// Changed by hand under a stamp that still says otherwise. SQLite keeps the text of a view as it
// was written, so the text itself tells; elsewhere the hash of the engine's own rendering does.
bool is_tampered(Passes& passes, const View& actual, const View& expected) {
  if (passes.meaning.is_sqlite()) {
    return !actual.body.empty() && !expected.body.empty() &&
           !passes.meaning.same_query(actual.body, expected.body);
  }
  return actual.definition_hash == "changed" &&  // dialect/view_stamp.h, kChangedUnderStamp
         !has_renamed_base_column(passes, actual);
}

// Only the fingerprint and what tells a change under it decide.
void compare_by_stamp(Passes& passes, const View& actual, const View& expected) {
  if (actual.fingerprint) {
    if (actual.fingerprint == expected.fingerprint && !is_tampered(passes, actual, expected) &&
        actual.materialized == expected.materialized) {
      passes.comment("view", expected.name, {}, actual.comment, expected.comment);
      return;
    }
    remake(passes, actual, expected, change::Adopt::No,
           actual.fingerprint == expected.fingerprint ||
               is_legal_replace(passes.meaning, actual, expected));
    return;
  }
  // The engine's own rendering as the declared body: imported, never changed since.
  if (collapse(actual.body) == collapse(expected.body) ||
      (passes.meaning.is_sqlite() && passes.meaning.same_query(actual.body, expected.body))) {
    return;
  }
  // An @sql body without known columns tries to replace when it is adopted.
  const bool legal = expected.columns.empty() || is_legal_replace(passes.meaning, actual, expected);
  remake(passes, actual, expected, change::Adopt::Yes, legal && !actual.materialized);
}

void view_gone(Passes& passes, const View& view) {
  if (passes.options.views == Views::Stamped && view.stamp.empty() && !view.fingerprint) {
    passes.result.unmanaged.push_back(
        {view.materialized ? "materialized view" : "view", view.name});
    return;
  }
  passes.add(change::DropView{view, change::DropReason::Removed});
}

}  // namespace

void compare_views(Passes& passes, std::vector<const View*> actual,
                   std::vector<const View*> expected) {
  if (passes.options.views == Views::Ignore) {
    return;
  }
  const auto pairs = pair_by<View>(
      std::move(actual), std::move(expected),
      [](const View& view) -> const auto& { return view.name; });
  for (const auto& [was, is] : pairs.both) {
    if (passes.options.views == Views::Stamped && is->fingerprint) {
      compare_by_stamp(passes, *was, *is);
    } else {
      compare_by_text(passes, *was, *is);
    }
  }
  for (const View* view : pairs.added) {
    passes.add(change::CreateView{*view});
    for (const schema::Index& index : view->indexes) {
      passes.add(change::AddIndex{view->name, index});
    }
  }
  for (const View* view : pairs.gone) {
    view_gone(passes, *view);
  }
}

}  // namespace kedge::diff
