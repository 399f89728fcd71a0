// Schemas, types, sequences and the objects that are known by their definition text.
#include <algorithm>
#include <map>
#include <tuple>
#include <type_traits>

#include "base/text.h"
#include "diff/passes.h"

namespace kedge::diff {
namespace {

using schema::DefinedObject;
using schema::Schema;

// duckdb cannot hold two names that differ in case alone, and has no statement that respells the
// name of a type or a sequence: they are one.
template <class Item>
void pair_respelled(Pairs<Item>& pairs) {
  const auto folded = [](const schema::Name& name) { return base::to_lower(to_string(name)); };
  std::map<std::string, const Item*> gone;
  for (const Item* item : pairs.gone) {
    gone.emplace(folded(item->name), item);
  }
  std::erase_if(pairs.added, [&](const Item* item) {
    const auto found = gone.find(folded(item->name));
    if (found == gone.end()) {
      return false;
    }
    pairs.both.emplace_back(found->second, item);
    std::erase(pairs.gone, found->second);
    return true;
  });
}

template <class Item, class Same, class Alter>
void compare_named(Passes& passes, std::vector<const Item*> actual,
                   std::vector<const Item*> expected, const Same& same, const Alter& alter) {
  auto pairs = pair_by<Item>(
      std::move(actual), std::move(expected),
      [](const Item& item) -> const auto& { return item.name; });
  if constexpr (!std::is_same_v<Item, schema::Namespace>) {
    if (passes.options.dialect == schema::Dialect::Duckdb) {
      pair_respelled(pairs);
    }
  }
  for (const auto& [was, is] : pairs.both) {
    if (!same(*was, *is)) {
      alter(*was, *is);
    }
  }
  for (const Item* item : pairs.added) {
    passes.add(change::Create<Item>{*item});
  }
  for (const Item* item : pairs.gone) {
    passes.add(change::Drop<Item>{*item});
  }
}

// Renames that explain the difference: equally many labels, each unknown one in its place.
std::vector<change::RenamedLabel> renamed_labels(const schema::EnumType& was,
                                                 const schema::EnumType& is) {
  std::vector<change::RenamedLabel> renamed;
  if (was.labels.size() != is.labels.size()) {
    return renamed;
  }
  const auto holds = [](const schema::EnumType& type, const std::string& label) {
    return std::find(type.labels.begin(), type.labels.end(), label) != type.labels.end();
  };
  for (std::size_t i = 0; i < was.labels.size(); ++i) {
    if (was.labels[i] == is.labels[i]) {
      continue;
    }
    if (holds(is, was.labels[i]) || holds(was, is.labels[i])) {
      return {};
    }
    renamed.push_back({was.labels[i], is.labels[i]});
  }
  return renamed;
}

void compare_enums(Passes& passes, Visibility& visibility, const Schema& actual,
                   const Schema& expected) {
  compare_named<schema::EnumType>(
      passes, visibility.visible(actual.enums, "enum"), visibility.visible(expected.enums, "enum"),
      [&](const auto& a, const auto& e) {
        if (a.labels == e.labels) {
          passes.comment("type", e.name, {}, a.comment, e.comment);
        }
        return a.labels == e.labels;
      },
      [&](const auto& a, const auto& e) {
        passes.add(change::AlterEnum{a, e, renamed_labels(a, e)});
        passes.comment("type", e.name, {}, a.comment, e.comment);
      });
}

bool same_domain(Passes& passes, const schema::DomainType& a, const schema::DomainType& e) {
  if (!passes.meaning.same_type(a.base, e.base) || a.nullable != e.nullable ||
      a.collation != e.collation ||
      !passes.meaning.same_default(a.default_value, e.default_value, e.base) ||
      a.checks.size() != e.checks.size()) {
    return false;
  }
  return std::equal(a.checks.begin(), a.checks.end(), e.checks.begin(),
                    [&](const auto& was, const auto& is) {
                      return was.name == is.name && was.validated == is.validated &&
                             same_check(passes.meaning, was, is);
                    });
}

bool same_composite(Passes& passes, const schema::CompositeType& a,
                    const schema::CompositeType& e) {
  return a.fields.size() == e.fields.size() &&
         std::equal(a.fields.begin(), a.fields.end(), e.fields.begin(),
                    [&](const auto& was, const auto& is) {
                      return was.name == is.name && passes.meaning.same_type(was.type, is.type);
                    });
}

// duckdb gives the next value of a used sequence as its start.
bool same_sequence(const Options& options, const schema::Sequence& a, const schema::Sequence& e) {
  schema::Sequence was = a;
  if (options.dialect == schema::Dialect::Duckdb) {
    was.start = e.start;
    was.name = e.name;
  }
  was.comment = e.comment;
  return was == e;
}

void compare_namespaces(Passes& passes, Visibility& visibility, const Schema& actual,
                        const Schema& expected) {
  const auto visible = [&](const std::vector<schema::Namespace>& spaces) {
    std::vector<const schema::Namespace*> list;
    for (const schema::Namespace& space : spaces) {
      if (visibility.shows("schema", {space.name, space.name})) {
        list.push_back(&space);
      }
    }
    return list;
  };
  compare_named<schema::Namespace>(
      passes, visible(actual.namespaces), visible(expected.namespaces),
      [&](const auto& a, const auto& e) {
        passes.comment("schema", {{}, e.name}, {}, a.comment, e.comment);
        return true;
      },
      [](const auto&, const auto&) {});
}

}  // namespace

void compare_types(Passes& passes, Visibility& visibility, const Schema& actual,
                   const Schema& expected) {
  compare_namespaces(passes, visibility, actual, expected);
  compare_enums(passes, visibility, actual, expected);
  const auto commented = [&](const char* kind, bool same, const auto& a, const auto& e) {
    passes.comment(kind, e.name, {}, a.comment, e.comment);
    return same;
  };
  compare_named<schema::DomainType>(
      passes, visibility.visible(actual.domains, "domain"),
      visibility.visible(expected.domains, "domain"),
      [&](const auto& a, const auto& e) {
        return commented("domain", same_domain(passes, a, e), a, e);
      },
      [&](const auto& a, const auto& e) {
        passes.add(change::AlterDomain{a, e});
      });
  compare_named<schema::CompositeType>(
      passes, visibility.visible(actual.composites, "type"),
      visibility.visible(expected.composites, "type"),
      [&](const auto& a, const auto& e) {
        return commented("type", same_composite(passes, a, e), a, e);
      },
      [&](const auto& a, const auto& e) {
        passes.add(change::AlterComposite{a, e});
      });
  compare_named<schema::Sequence>(
      passes, visibility.visible(actual.sequences, "sequence"),
      visibility.visible(expected.sequences, "sequence"),
      [&](const auto& a, const auto& e) {
        return commented("sequence", same_sequence(passes.options, a, e), a, e);
      },
      [&](const auto& a, const auto& e) {
        passes.add(change::AlterSequence{a, e});
      });
}

void compare_objects(Passes& passes, Visibility& visibility, const Schema& actual,
                     const Schema& expected) {
  const auto visible = [&](const std::vector<DefinedObject>& objects) {
    std::vector<const DefinedObject*> list;
    for (const DefinedObject& object : objects) {
      const bool wanted = object.kind != schema::ObjectKind::Privilege ||
                          passes.options.privileges == Privileges::Compare;
      if (wanted && visibility.shows(to_string(object.kind), object.name)) {
        list.push_back(&object);
      }
    }
    return list;
  };
  const auto pairs = pair_by<DefinedObject>(
      visible(actual.objects), visible(expected.objects), [](const DefinedObject& object) {
        const bool grant = object.kind == schema::ObjectKind::Privilege;
        static const std::string kNone;
        return std::tie(object.kind, object.name, object.signature, object.table,
                        grant ? object.definition : kNone);
      });
  // The engine rewrites a name in a trigger when a column is renamed, also in its case alone.
  const bool folds =
      passes.meaning.is_sqlite() || passes.options.dialect == schema::Dialect::Duckdb;
  for (const auto& [was, is] : pairs.both) {
    const bool same = was->definition == is->definition ||
                      (folds ? passes.meaning.same_query(was->definition, is->definition)
                             : collapse(was->definition) == collapse(is->definition));
    if (!same || was->options != is->options) {
      passes.add(change::ReplaceObject{*was, *is});
    }
    const schema::Name name =
        is->table && is->kind != schema::ObjectKind::Privilege ? *is->table : is->name;
    const bool on_table = is->table.has_value();
    passes.comment(to_string(is->kind).c_str(), name, on_table ? is->name.name : Identifier(),
                   was->comment, is->comment, is->signature);
  }
  for (const DefinedObject* object : pairs.added) {
    passes.add(change::CreateObject{*object});
  }
  for (const DefinedObject* object : pairs.gone) {
    passes.add(change::DropObject{*object});
  }
}

}  // namespace kedge::diff
