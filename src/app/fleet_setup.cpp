#include <algorithm>
#include <set>

#include "app/connections.h"
#include "app/desired.h"
#include "app/diff.h"
#include "app/fleet.h"
#include "app/impact_places.h"
#include "app/source.h"
#include "base/glob.h"
#include "base/text.h"
#include "kedge/codes.h"

namespace kedge::app {
namespace {

struct Listed {
  std::string name;
  std::optional<Position> where;
};

// One connection name or URL a line; '#' begins a comment.
std::vector<Listed> listed_members(const Context& context, const std::string& path) {
  const std::optional<std::string> text = context.files.read(base::join_path(context.folder, path));
  if (!text) {
    throw Error(codes::ERR_USAGE, "there is no fleet file '" + path + "'",
                "write one connection name or URL a line");
  }
  std::vector<Listed> names;
  std::size_t number = 0;
  for (const std::string& line : base::split(*text, '\n')) {
    ++number;
    const std::string_view name = base::trim(std::string_view(line).substr(0, line.find('#')));
    if (!name.empty()) {
      names.push_back({std::string(name), Position{path, number, 1}});
    }
  }
  return names;
}

// Files of one folder: the pattern is in the last part only. A file that is named as it stands
// counts too.
std::vector<Listed> matching_files(const Context& context, const std::string& pattern) {
  const std::string whole = base::join_path(context.folder, pattern);
  const std::string folder = base::parent_path(whole);
  std::vector<Listed> urls;
  for (const base::FolderEntry& entry : context.files.list(folder)) {
    if (entry.kind == base::EntryKind::File &&
        (base::file_name(whole) == entry.name ||
         base::matches_file_glob(base::file_name(whole), entry.name))) {
      const std::string kind = base::extension(entry.name) == "duckdb" ? "duckdb:" : "sqlite:";
      urls.push_back({kind + base::join_path(folder, entry.name), std::nullopt});
    }
  }
  return urls;
}

db::ConnectionSettings member_settings(const Context& context, const Listed& listed) {
  try {
    return settings_of(context, listed.name, db::AccessMode::ReadOnly);
  } catch (const Error& error) {
    Problem problem = error.problem();
    problem.where = listed.where ? listed.where : problem.where;
    throw Error(std::move(problem));
  }
}

}  // namespace

FleetRequest prepare_fleet(Context& context, const FleetFlags& flags) {
  std::vector<Listed> names;
  if (flags.file) {
    names = listed_members(context, *flags.file);
  }
  if (flags.databases) {
    const std::vector<Listed> found = matching_files(context, *flags.databases);
    if (found.empty()) {
      throw Error(codes::ERR_USAGE, "no file matches '" + *flags.databases + "'",
                  "*, ? and [..] are patterns in the last part of --databases");
    }
    names.insert(names.end(), found.begin(), found.end());
  }
  if (names.empty()) {
    throw Error(codes::ERR_USAGE, "the fleet has no database",
                "give --fleet FILE or --databases GLOB");
  }
  FleetRequest request;
  request.concurrency = flags.concurrency;
  request.state_file =
      flags.state_file ? base::join_path(context.folder, *flags.state_file) : std::string();
  std::set<std::string> known;  // a database that is named twice counts once
  for (const Listed& listed : names) {
    db::ConnectionSettings settings = member_settings(context, listed);
    if (known.insert(database_identity(context, settings)).second) {
      request.members.push_back({db::redact_url(listed.name), std::move(settings)});
    }
  }
  const std::optional<schema::Dialect> dialect =
      dialect_of(context, parse_source(names.front().name));
  SourceOptions options;
  options.dialect = dialect;
  const Source wanted = load_source(context, flags.reference, options);
  request.wanted = wanted.schema;
  request.options = comparison_options(dialect.value_or(schema::Dialect::Ansi));
  if (wanted.is_declared) {
    request.options.equality = diff::Equality::Declared;
    request.options.views = diff::Views::Stamped;
    request.options.objects = diff::Objects::Declared;
    request.options.comments = diff::Comments::CompareDeclared;
  }
  return request;
}

}  // namespace kedge::app
