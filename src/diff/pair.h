// Pairs two lists of named things by a merge over their order: linear when they are normalised.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "kedge/schema.h"

namespace kedge::diff {

template <class Item>
struct Pairs {
  std::vector<std::pair<const Item*, const Item*>> both;  // actual, expected; in name order
  std::vector<const Item*> gone;                          // actual only
  std::vector<const Item*> added;                         // expected only
};

template <class Item, class Key>
Pairs<Item> pair_by(std::vector<const Item*> actual, std::vector<const Item*> expected,
                    const Key& key) {
  const auto less = [&](const Item* a, const Item* b) { return key(*a) < key(*b); };
  for (auto* list : {&actual, &expected}) {
    if (!std::is_sorted(list->begin(), list->end(), less)) {
      std::stable_sort(list->begin(), list->end(), less);
    }
  }
  Pairs<Item> pairs;
  auto a = actual.begin();
  auto e = expected.begin();
  while (a != actual.end() || e != expected.end()) {
    if (e == expected.end() || (a != actual.end() && less(*a, *e))) {
      pairs.gone.push_back(*a++);
    } else if (a == actual.end() || less(*e, *a)) {
      pairs.added.push_back(*e++);
    } else {
      pairs.both.emplace_back(*a++, *e++);
    }
  }
  return pairs;
}

template <class Item>
std::vector<const Item*> pointers(const std::vector<Item>& items) {
  std::vector<const Item*> list;
  list.reserve(items.size());
  for (const Item& item : items) {
    list.push_back(&item);
  }
  return list;
}

}  // namespace kedge::diff
