// What takes part in a comparison: include and exclude patterns, ignored tables, managed schemas
// and external names hide an object from both sides alike.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kedge/diff.h"

namespace kedge::diff {

class Visibility {
 public:
  Visibility(const Options& options, Result& result) : options_(options), result_(result) {}
  bool shows(std::string_view kind, const schema::Name& name);

  template <class Item>
  std::vector<const Item*> visible(const std::vector<Item>& items, std::string_view kind) {
    std::vector<const Item*> list;
    list.reserve(items.size());
    for (const Item& item : items) {
      if (shows(kind, item.name)) {
        list.push_back(&item);
      }
    }
    return list;
  }

 private:
  bool in_managed_schema(const schema::Name& name) const;
  const Options& options_;
  Result& result_;
};

// Throws ERR_SCOPE_PATTERN_INVALID for a pattern that can match no name, ERR_SCOPE_MATCHES_NOTHING
// for include patterns that take no object of either schema.
void require_scope(const Options& options, const schema::Schema& a, const schema::Schema& b);

}  // namespace kedge::diff
