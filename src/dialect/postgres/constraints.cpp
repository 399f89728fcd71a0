// Primary keys, foreign keys, CHECKs (of domains too), and which index a constraint owns.
#include "dialect/postgres/catalog.h"
#include "sql/analysis.h"

namespace kedge::dialect::postgres {
namespace {

using schema::ReferentialAction;

enum Field : std::size_t {
  kName,
  kType,
  kRelation,
  kDomain,
  kIndex,
  kTarget,
  kColumns,
  kTargetColumns,
  kOnUpdate,
  kOnDelete,
  kFlags,
  kText,
  kSetColumns,
  kTargetSpace,
  kTargetName,
  kComment
};
// Letters of kFlags.
constexpr char kDeferrable = 'd';
constexpr char kDeferred = 'D';
constexpr char kNotValid = 'v';
constexpr char kNoInherit = 'n';
constexpr char kFull = 'f';

std::string constraints_sql(const CatalogScope& scope, int major) {
  const std::string owner = scope.relations.empty()
                                ? "k.connamespace IN (" + scope.namespaces + ")"
                                : "(k.conrelid IN (" + scope.relations +
                                      ") OR (k.contypid <> 0 AND k.connamespace IN (" +
                                      scope.namespaces + ")))";
  return R"(
SELECT k.conname, k.contype::text, k.conrelid::bigint, k.contypid::bigint, k.conindid::bigint,
       k.confrelid::bigint, k.conkey::text, k.confkey::text, k.confupdtype::text,
       k.confdeltype::text,
       CASE WHEN k.condeferrable THEN 'd' ELSE '' END || CASE WHEN k.condeferred THEN 'D' ELSE '' END ||
       CASE WHEN k.convalidated THEN '' ELSE 'v' END || CASE WHEN k.connoinherit THEN 'n' ELSE '' END ||
       CASE WHEN k.confmatchtype = 'f' THEN 'f' ELSE '' END,
       CASE WHEN k.contype = 'c' THEN pg_catalog.pg_get_expr(k.conbin, k.conrelid)
            WHEN k.contype = 'x' THEN pg_catalog.pg_get_constraintdef(k.oid) END, )" +
         std::string(major >= 15 ? "k.confdelsetcols::text" : "NULL::text") + R"(,
       n.nspname, t.relname, s.description
FROM pg_catalog.pg_constraint k
LEFT JOIN pg_catalog.pg_class t ON t.oid = k.confrelid
LEFT JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
LEFT JOIN pg_catalog.pg_class c ON c.oid = k.conrelid
LEFT JOIN pg_catalog.pg_description s
  ON s.classoid = 'pg_catalog.pg_constraint'::regclass AND s.objoid = k.oid AND s.objsubid = 0
WHERE k.contype IN ('p', 'u', 'x', 'f', 'c') AND k.conparentid = 0
  AND (k.contype <> 'c' OR k.coninhcount = 0 OR k.contypid <> 0)
  AND )" +
         owner;
}

ReferentialAction action_of(const std::string& letter) {
  const char code = letter.empty() ? 'a' : letter[0];
  return code == 'r'   ? ReferentialAction::Restrict
         : code == 'c' ? ReferentialAction::Cascade
         : code == 'n' ? ReferentialAction::SetNull
         : code == 'd' ? ReferentialAction::SetDefault
                       : ReferentialAction::NoAction;
}

bool has(const RowView& row, char flag) {
  return row.text(kFlags).find(flag) != std::string::npos;
}

class ConstraintReader {
 public:
  explicit ConstraintReader(Catalog& catalog) : catalog_(catalog) {}

  void read(const RowView& row) {
    if (row.oid(kDomain) != 0) {
      read_domain_check(row);
      return;
    }
    schema::Table* table = catalog_.table(row.oid(kRelation));
    if (table == nullptr) {
      return;
    }
    const std::string& type = row.text(kType);
    if (type == "f") {
      table->foreign_keys.push_back(foreign_key(row));
    } else if (type == "c") {
      table->checks.push_back(check(row));
    } else if (type == "p") {
      read_primary_key(row, *table);
    } else {
      read_index_constraint(row, type == "x" ? schema::Index::Constraint::Exclude
                                             : schema::Index::Constraint::Unique);
    }
  }

 private:
  std::vector<Identifier> columns(Oid relation, const std::string& numbers) const {
    std::vector<Identifier> names;
    for (const std::int64_t number : numbers_of(numbers)) {
      names.push_back(catalog_.column(relation, static_cast<int>(number)));
    }
    return names;
  }

  schema::ForeignKey foreign_key(const RowView& row) const {
    schema::ForeignKey key;
    key.name = Identifier(row.text(kName));
    key.columns = columns(row.oid(kRelation), row.text(kColumns));
    const bool is_default = row.text(kTargetSpace) == catalog_.schema.default_schema.text();
    key.referenced_table = {Identifier(is_default ? "" : row.text(kTargetSpace)),
                            Identifier(row.text(kTargetName))};
    key.referenced_columns = columns(row.oid(kTarget), row.text(kTargetColumns));
    key.on_update = action_of(row.text(kOnUpdate));
    key.on_delete = action_of(row.text(kOnDelete));
    key.set_columns = columns(row.oid(kRelation), row.text(kSetColumns));
    key.match_full = has(row, kFull);
    key.deferrable = has(row, kDeferrable);
    key.initially_deferred = has(row, kDeferred);
    key.validated = !has(row, kNotValid);
    key.comment = row.text(kComment);
    return key;
  }

  schema::Check check(const RowView& row) const {
    schema::Check made;
    made.name = Identifier(row.text(kName));
    made.expression = std::string(without_outer_parentheses(row.text(kText)));
    made.validated = !has(row, kNotValid);
    made.no_inherit = has(row, kNoInherit);
    made.comment = row.text(kComment);
    if (auto membership = sql::find_membership(made.expression, schema::Dialect::Postgres)) {
      made.column = Identifier(membership->column);
      made.members = std::move(membership->members);
    }
    return made;
  }

  void read_domain_check(const RowView& row) {
    const auto domain = catalog_.domains.find(row.oid(kDomain));
    if (domain != catalog_.domains.end() && row.text(kType) == "c") {
      schema::Check made = check(row);
      made.column = Identifier();
      made.members.clear();
      catalog_.schema.domains[domain->second].checks.push_back(std::move(made));
    }
  }

  void read_primary_key(const RowView& row, schema::Table& table) {
    schema::PrimaryKey key;
    key.name = Identifier(row.text(kName));
    key.columns = columns(row.oid(kRelation), row.text(kColumns));
    key.deferrable = has(row, kDeferrable);
    key.initially_deferred = has(row, kDeferred);
    key.comment = row.text(kComment);
    table.primary_key = std::move(key);
  }

  void read_index_constraint(const RowView& row, schema::Index::Constraint constraint) {
    IndexConstraint& owned = catalog_.index_constraints[row.oid(kIndex)];
    owned.constraint = constraint;
    owned.deferrable = has(row, kDeferrable);
    owned.deferred = has(row, kDeferred);
    owned.exclusion = row.text(kText);
    owned.comment = row.text(kComment);
  }

  Catalog& catalog_;
};

}  // namespace

void read_constraints(db::Connection& connection, const CatalogScope& scope, Catalog& catalog) {
  ConstraintReader reader(catalog);
  read_rows(connection, constraints_sql(scope, catalog.major),
            [&](const RowView& row) { reader.read(row); });
}

}  // namespace kedge::dialect::postgres
