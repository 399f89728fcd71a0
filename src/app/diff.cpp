#include "app/diff.h"

#include <algorithm>
#include <future>

#include "app/connections.h"
#include "app/diff_proof.h"
#include "base/text.h"
#include "diff/filter.h"
#include "kedge/codes.h"
#include "migrate/grants.h"
#include "sql/analysis.h"

namespace kedge::app {
namespace {

using schema::Dialect;

bool share_texts(Dialect a, Dialect b) {
  const auto family = [](Dialect dialect) {
    return dialect == Dialect::D1 ? Dialect::Sqlite : dialect;
  };
  return family(a) == family(b);
}

// What sql:, metadata: and empty: are read in: the flag, else what the other side says.
std::optional<Dialect> common_dialect(const Context& context, const DiffRequest& request) {
  if (request.dialect) {
    return request.dialect;
  }
  for (const std::string& text : {request.from, request.to}) {
    if (const auto dialect = dialect_of(context, parse_source(text))) {
      return dialect;
    }
  }
  return std::nullopt;
}

std::pair<Source, Source> load_both(const Context& context, const DiffRequest& request) {
  SourceOptions options;
  options.dialect = common_dialect(context, request);
  options.scope.privileges = request.privileges == diff::Privileges::Compare;
  options.scratch = request.scratch;
  const auto live = [](const std::string& text) {
    return parse_source(text).kind == SourceKind::Live;
  };
  if (live(request.from) && live(request.to)) {
    auto other =
        std::async(std::launch::async, [&] { return load_source(context, request.to, options); });
    Source from = load_source(context, request.from, options);
    return {std::move(from), other.get()};
  }
  Source from = load_source(context, request.from, options);
  return {std::move(from), load_source(context, request.to, options)};
}

std::vector<schema::Unmodelled> seen(const Source& from, const Source& to) {
  std::vector<schema::Unmodelled> all = from.schema.unmodelled;
  all.insert(all.end(), to.schema.unmodelled.begin(), to.schema.unmodelled.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

schema::Name dotted(const std::vector<std::string>& parts, std::size_t count) {
  return count == 1 ? schema::Name{{}, Identifier(parts[0])}
                    : schema::Name{Identifier(parts[0]), Identifier(parts[1])};
}

bool needs_grants(const Source& from, const DiffRequest& request, const migrate::Plan& plan) {
  return from.name.kind == SourceKind::Live && request.privileges == diff::Privileges::Ignore &&
         migrate::drops_what_may_be_granted(plan);
}

std::pair<std::string, std::string> split_rename(const std::string& text) {
  const std::size_t equal = text.find('=');
  if (equal == std::string::npos || equal == 0 || equal + 1 == text.size()) {
    throw Error(codes::ERR_USAGE, "'" + text + "' is no rename: old=new is expected");
  }
  return {text.substr(0, equal), text.substr(equal + 1)};
}

}  // namespace

diff::RenameTable parse_table_rename(const std::string& text) {
  const auto [old, fresh] = split_rename(text);
  const std::vector<std::string> parts = base::split(old, '.');
  if (parts.size() > 2) {
    throw Error(codes::ERR_USAGE, "'" + text + "' is no rename of a table: [schema.]old=new");
  }
  const schema::Name from = dotted(parts, parts.size());
  return {from, {from.schema, Identifier(fresh)}};
}

diff::RenameColumn parse_column_rename(const std::string& text) {
  const auto [old, fresh] = split_rename(text);
  const std::vector<std::string> parts = base::split(old, '.');
  if (parts.size() < 2 || parts.size() > 3) {
    throw Error(codes::ERR_USAGE,
                "'" + text + "' is no rename of a column: [schema.]table.old=new");
  }
  return {dotted(parts, parts.size() - 1), Identifier(parts.back()), Identifier(fresh)};
}

diff::Options comparison_options(Dialect dialect) {
  diff::Options options;
  options.dialect = dialect;
  options.normal_expression = [dialect](std::string_view text) {
    return sql::normal_expression(text, dialect);
  };
  options.normal_query = [dialect](std::string_view text) {
    return sql::normal_query(text, dialect);
  };
  options.rename_columns = [dialect](std::string_view text,
                                     const std::map<std::string, std::string>& names) {
    std::string out;
    std::size_t copied = 0;
    for (const sql::Token& token : sql::tokenize(text, dialect)) {
      const bool quoted = token.kind == sql::TokenKind::QuotedIdentifier;
      if (!quoted && token.kind != sql::TokenKind::Identifier) {
        continue;
      }
      const std::size_t inset = quoted ? 1 : 0;
      const std::string word(text.substr(token.begin + inset, token.end - token.begin - 2 * inset));
      const auto found = names.find(word);
      if (found != names.end()) {
        out += std::string(text.substr(copied, token.begin + inset - copied)) + found->second;
        copied = token.end - inset;
      }
    }
    return out + std::string(text.substr(copied));
  };
  return options;
}

ShapeDiff compare_sources(const Context& context, const DiffRequest& request) {
  auto [from, to] = load_both(context, request);
  if (!share_texts(from.dialect, to.dialect)) {
    throw Error(codes::ERR_DIALECT_MISMATCH,
                "'" + from.shown + "' is " + to_string(from.dialect) + " and '" + to.shown +
                    "' is " + to_string(to.dialect),
                "both sides must speak one dialect");
  }
  ShapeDiff result;
  result.from = from.shown;
  result.to = to.shown;
  result.dialect = from.dialect;
  diff::Options options = comparison_options(from.dialect);
  options.filter = request.filter;
  options.declared = request.renames;
  options.on_ambiguous = request.on_ambiguous;
  options.privileges = request.privileges;
  options.comments = request.comments;
  diff::require_scope(options, from.schema, to.schema);
  if (from.is_declared || to.is_declared) {
    options.equality = diff::Equality::Declared;
    options.objects = diff::Objects::Declared;
    options.views = diff::Views::Stamped;
  }
  migrate::PlanOptions plan;
  plan.dialect = from.dialect;
  plan.gate = migrate::Gate::Marked;
  plan.run_by = migrate::RunBy::Client;
  const diff::Result difference = diff::compare(from.schema, to.schema, options);
  result.plan = migrate::make_plan(difference, from.schema, to.schema, plan);
  if (needs_grants(from, request, result.plan)) {
    const auto connection = connect(context, from.name.argument, db::AccessMode::ReadOnly);
    from.schema = migrate::with_grants(*connection, std::move(from.schema));
    result.plan = migrate::make_plan(difference, from.schema, to.schema, plan);
  }
  result.unmodelled = seen(from, to);
  result.warnings = std::move(from.warnings);
  result.warnings.insert(result.warnings.end(), to.warnings.begin(), to.warnings.end());
  if (request.prove == Prove::Yes && !result.is_equal()) {
    result.proof = prove_plan(context, request, from, to, result.plan, options);
  }
  return result;
}

}  // namespace kedge::app
