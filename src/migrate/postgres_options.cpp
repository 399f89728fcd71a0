#include "migrate/postgres_options.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace kedge::migrate {
namespace {

constexpr std::array<std::string_view, 5> kOwnClause = {
    "tablespace", "access_method", "replica_identity", "clustered_on", "of_type"};

bool is_storage(const std::string& key) {
  return std::find(kOwnClause.begin(), kOwnClause.end(), key) == kOwnClause.end();
}

std::string value_of(const TableOptions& options, const std::string& key) {
  const auto found = options.find(key);
  return found == options.end() ? "" : found->second;
}

// "full", "nothing", "index NAME"; empty: the default.
std::string replica_identity(const dialect::Ddl& ddl, const std::string& value) {
  static constexpr std::string_view kIndex = "index ";
  if (value.starts_with(kIndex)) {
    return "REPLICA IDENTITY USING INDEX " + ddl.quote(Identifier(value.substr(kIndex.size())));
  }
  return "REPLICA IDENTITY " + (value.empty() ? "DEFAULT" : base::to_upper(value));
}

// The storage that a column of this type has by itself; DEFAULT is a word of PostgreSQL 16. A type
// of fixed length has but one, so only the others are asked for.
std::string own_storage(const schema::Type& type) {
  if (type.kind == schema::TypeKind::Domain && !type.element.empty()) {
    return own_storage(type.element.front());
  }
  if (type.kind == schema::TypeKind::Array) {
    return "extended";
  }
  const bool is_main =
      type.kind == schema::TypeKind::Numeric || type.native == "inet" || type.native == "cidr";
  return is_main ? "main" : type.native == "tsquery" ? "plain" : "extended";
}

void collect(const TableOptions& before, const TableOptions& after,
             bool (*takes)(const std::string&), std::vector<std::string>& clauses,
             const std::string& prefix) {
  std::vector<std::string> set;
  std::vector<std::string> reset;
  for (const auto& [key, value] : after) {
    if (takes(key) && (!before.contains(key) || before.at(key) != value)) {
      set.push_back(value.empty() ? key : key + "=" + value);
    }
  }
  for (const auto& [key, value] : before) {
    if (takes(key) && !after.contains(key)) {
      reset.push_back(key);
    }
  }
  if (!set.empty()) {
    clauses.push_back(prefix + "SET (" + base::join(set, ", ") + ")");
  }
  if (!reset.empty()) {
    clauses.push_back(prefix + "RESET (" + base::join(reset, ", ") + ")");
  }
}

}  // namespace

std::vector<std::string> column_option_clauses(const dialect::Ddl& ddl,
                                               const schema::Column& before,
                                               const schema::Column& after) {
  const std::string column = "ALTER COLUMN " + ddl.quote(after.name) + " ";
  std::vector<std::string> clauses;
  for (const auto& [key, none] :
       {std::pair<const char*, std::string>{"storage", own_storage(after.type)},
        {"compression", "DEFAULT"},
        {"statistics", "-1"}}) {
    const std::string is = value_of(after.options, key);
    if (is != value_of(before.options, key)) {
      clauses.push_back(column + "SET " + base::to_upper(key) + " " +
                        base::to_upper(is.empty() ? none : is));
    }
  }
  collect(
      before.options, after.options,
      [](const std::string& key) { return key.starts_with("n_distinct"); }, clauses, column);
  return clauses;
}

std::vector<std::string> storage_clauses(const TableOptions& before, const TableOptions& after) {
  std::vector<std::string> clauses;
  collect(before, after, is_storage, clauses, "");
  return clauses;
}

std::vector<std::string> own_clauses(const dialect::Ddl& ddl, const TableOptions& before,
                                     const TableOptions& after) {
  const auto changed = [&](const std::string& key) {
    return value_of(before, key) != value_of(after, key);
  };
  std::vector<std::string> clauses;
  if (changed("tablespace")) {
    const std::string is = value_of(after, "tablespace");
    clauses.push_back("SET TABLESPACE " + ddl.quote(Identifier(is.empty() ? "pg_default" : is)));
  }
  if (changed("access_method")) {
    const std::string is = value_of(after, "access_method");
    clauses.push_back("SET ACCESS METHOD " + ddl.quote(Identifier(is.empty() ? "heap" : is)));
  }
  if (changed("replica_identity")) {
    clauses.push_back(replica_identity(ddl, value_of(after, "replica_identity")));
  }
  if (changed("clustered_on")) {
    const std::string is = value_of(after, "clustered_on");
    clauses.push_back(is.empty() ? "SET WITHOUT CLUSTER"
                                 : "CLUSTER ON " + ddl.quote(Identifier(is)));
  }
  return clauses;
}

}  // namespace kedge::migrate
