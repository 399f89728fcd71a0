#include "diff/filter.h"

#include <algorithm>
#include <array>

#include "base/glob.h"
#include "base/text.h"
#include "kedge/codes.h"
#include "kedge/error.h"
#include "kedge/schema.h"

namespace kedge::diff {
namespace {

bool is_kind_word(std::string_view word) {
  constexpr std::array<std::string_view, 20> kKinds = {
      "table",    "view",    "materialized view", "sequence", "enum",      "domain",    "type",
      "function", "trigger", "procedure",         "policy",   "rule",      "schema",    "extension",
      "event",    "macro",   "privilege",         "index",    "aggregate", "statistics"};
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
  const auto ignores = [&](std::string_view pattern) {
    return base::matches_glob(pattern, name) && !taken_out(pattern) && !taken_out(name);
  };
  const std::vector<std::string>& bookkeeping = schema::bookkeeping_tables();
  if (std::any_of(bookkeeping.begin(), bookkeeping.end(), ignores) ||
      ignores("sqlite_autoindex*")) {
    return true;
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
  if ((kind == "table" || kind == "sequence") &&
      is_ignored_table(name.name.text(), options_.ignore_tables)) {
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

namespace {

void require_pattern(std::string_view text) {
  const std::size_t colon = text.find(':');
  const bool has_kind = colon != std::string_view::npos && is_kind_word(text.substr(0, colon));
  const std::string_view name = has_kind ? text.substr(colon + 1) : text;
  if (name.empty() || name.starts_with('.') || name.ends_with('.') ||
      name.find("::") != std::string_view::npos) {
    throw Error(codes::ERR_SCOPE_PATTERN_INVALID,
                "'" + std::string(text) + "' is no pattern over names of a database",
                "name, schema.name or kind:name, '*' is any text");
  }
}

bool shows_any(Visibility& visibility, const schema::Schema& schema) {
  const auto any = [&](const auto& items, std::string_view kind) {
    return std::any_of(items.begin(), items.end(),
                       [&](const auto& item) { return visibility.shows(kind, item.name); });
  };
  const auto of_its_kind = [&](const auto& object) {
    return visibility.shows(to_string(object.kind), object.name);
  };
  const auto is_shown = [&](const schema::Namespace& space) {
    return visibility.shows("schema", {space.name, space.name});
  };
  return any(schema.tables, "table") || any(schema.views, "view") || any(schema.enums, "enum") ||
         any(schema.domains, "domain") || any(schema.composites, "type") ||
         any(schema.sequences, "sequence") ||
         std::any_of(schema.objects.begin(), schema.objects.end(), of_its_kind) ||
         std::any_of(schema.namespaces.begin(), schema.namespaces.end(), is_shown);
}

}  // namespace

void require_scope(const Options& options, const schema::Schema& a, const schema::Schema& b) {
  const Filter& filter = options.filter;
  std::for_each(filter.include.begin(), filter.include.end(), require_pattern);
  std::for_each(filter.exclude.begin(), filter.exclude.end(), require_pattern);
  if (filter.include.empty()) {
    return;
  }
  Options include_only;
  include_only.filter.include = filter.include;
  Result unused;
  Visibility visibility(include_only, unused);
  if (!shows_any(visibility, a) && !shows_any(visibility, b)) {
    throw Error(
        codes::ERR_SCOPE_MATCHES_NOTHING,
        "the scope (" + base::join(filter.include, ", ") + ") matches no object of either side",
        "patterns are name, schema.name or kind:name, '*' is any text");
  }
}

}  // namespace kedge::diff
