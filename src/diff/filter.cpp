#include "diff/filter.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace kedge::diff {
namespace {

constexpr std::array<std::string_view, 12> kIgnored = {"_kedge_migrations",
                                                       "_kedge_views",
                                                       "__drizzle_migrations",
                                                       "_litestream_*",
                                                       "_metaobjects_migrations",
                                                       "flyway_schema_history",
                                                       "schema_migrations",
                                                       "d1_migrations",
                                                       "_cf_*",
                                                       "sqlite_sequence",
                                                       "sqlite_stat*",
                                                       "sqlite_autoindex*"};

bool is_kind_word(std::string_view word) {
  constexpr std::array<std::string_view, 19> kKinds = {
      "table",    "view",    "materialized view", "sequence", "enum",     "domain", "type",
      "function", "trigger", "procedure",         "policy",   "rule",     "schema", "extension",
      "event",    "macro",   "privilege",         "index",    "aggregate"};
  return std::find(kKinds.begin(), kKinds.end(), word) != kKinds.end();
}

bool matches(std::string_view pattern, std::string_view kind, const schema::Name& name) {
  const std::size_t colon = pattern.find(':');
  if (colon != std::string_view::npos && is_kind_word(pattern.substr(0, colon))) {
    if (pattern.substr(0, colon) != kind) {
      return false;
    }
    pattern.remove_prefix(colon + 1);
  }
  return base::matches_glob(pattern, name.name.text()) ||
         base::matches_glob(pattern, to_string(name));
}

bool any_matches(const std::vector<std::string>& patterns, std::string_view kind,
                 const schema::Name& name) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matches(pattern, kind, name); });
}

void note(std::vector<Unmanaged>& list, std::string_view kind, const schema::Name& name) {
  const Unmanaged entry{std::string(kind), name};
  const auto place = std::lower_bound(list.begin(), list.end(), entry);
  if (place == list.end() || *place != entry) {
    list.insert(place, entry);
  }
}

}  // namespace

bool is_ignored_table(std::string_view name, const std::vector<std::string>& extra) {
  const auto taken_out = [&](std::string_view pattern) {
    return std::any_of(extra.begin(), extra.end(), [&](const std::string& entry) {
      return entry.size() > 1 && entry[0] == '!' && std::string_view(entry).substr(1) == pattern;
    });
  };
  for (const std::string_view pattern : kIgnored) {
    if (base::matches_glob(pattern, name) && !taken_out(pattern) && !taken_out(name)) {
      return true;
    }
  }
  return std::any_of(extra.begin(), extra.end(), [&](const std::string& entry) {
    return !entry.empty() && entry[0] != '!' && base::matches_glob(entry, name);
  });
}

bool Visibility::in_managed_schema(const schema::Name& name) const {
  if (!options_.managed_schemas) {
    return true;
  }
  const std::vector<Identifier>& managed = *options_.managed_schemas;
  return std::find(managed.begin(), managed.end(), name.schema) != managed.end();
}

bool Visibility::shows(std::string_view kind, const schema::Name& name) {
  if (is_ignored_table(name.name.text(), options_.ignore_tables) &&
      (kind == "table" || kind == "sequence")) {
    return false;
  }
  const std::vector<schema::Name>& external = options_.external;
  if (!external.empty() && std::find(external.begin(), external.end(), name) != external.end()) {
    note(result_.external, kind, name);
    return false;
  }
  const Filter& filter = options_.filter;
  const bool hidden = !in_managed_schema(name) ||
                      (!filter.include.empty() && !any_matches(filter.include, kind, name)) ||
                      any_matches(filter.exclude, kind, name);
  if (hidden) {
    note(result_.out_of_scope, kind, name);
  }
  return !hidden;
}

}  // namespace kedge::diff
