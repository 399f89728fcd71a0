// Indexes by column, option bits and expressions. The index of a primary key gives the key its
// included columns; it is no index of its own.
#include "dialect/postgres/catalog.h"

namespace kedge::dialect::postgres {
namespace {

enum Field : std::size_t {
  kName,
  kRelation,
  kIndex,
  kFlags,
  kKey,
  kClasses,
  kCollations,
  kOptions,
  kKeyColumns,
  kMethod,
  kMethodOid,
  kExpressions,
  kWhere,
  kRelOptions,
  kTablespace,
  kComment,
  kPartOptions
};
// Letters of kFlags.
constexpr char kUnique = 'u';
constexpr char kPrimary = 'p';
constexpr char kInvalid = 'i';
constexpr char kNullsNotDistinct = 'n';
constexpr char kReplica = 'r';
constexpr char kClustered = 'c';

std::string indexes_sql(const CatalogScope& scope, int major) {
  const std::string nulls =
      major >= 15 ? "|| CASE WHEN x.indnullsnotdistinct THEN 'n' ELSE '' END" : "";
  const std::string owner = scope.relations.empty() ? "i.relnamespace IN (" + scope.namespaces + ")"
                                                    : "x.indrelid IN (" + scope.relations + ")";
  return R"(
SELECT i.relname, x.indrelid::bigint, x.indexrelid::bigint,
       CASE WHEN x.indisunique THEN 'u' ELSE '' END || CASE WHEN x.indisprimary THEN 'p' ELSE '' END ||
       CASE WHEN x.indisvalid THEN '' ELSE 'i' END || CASE WHEN x.indisreplident THEN 'r' ELSE '' END ||
       CASE WHEN x.indisclustered THEN 'c' ELSE '' END )" +
         nulls + R"(,
       x.indkey::text, x.indclass::text, x.indcollation::text, x.indoption::text, x.indnkeyatts,
       m.amname, m.oid::bigint,
       CASE WHEN x.indexprs IS NOT NULL THEN (
         SELECT pg_catalog.string_agg(pg_catalog.pg_get_indexdef(x.indexrelid, k, false), E'\x1f' ORDER BY k)
         FROM pg_catalog.generate_series(1, x.indnkeyatts) k WHERE x.indkey[k - 1] = 0) END,
       pg_catalog.pg_get_expr(x.indpred, x.indrelid),
       pg_catalog.array_to_string(i.reloptions, E'\x1f'), t.spcname, s.description, o.options
FROM pg_catalog.pg_index x
JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
JOIN pg_catalog.pg_am m ON m.oid = i.relam
LEFT JOIN pg_catalog.pg_tablespace t ON t.oid = i.reltablespace
LEFT JOIN pg_catalog.pg_description s
  ON s.classoid = 'pg_catalog.pg_class'::regclass AND s.objoid = i.oid AND s.objsubid = 0
LEFT JOIN pg_catalog.pg_inherits h ON h.inhrelid = i.oid
LEFT JOIN (SELECT a.attrelid, pg_catalog.string_agg(a.attnum || ' ' ||
                  pg_catalog.array_to_string(a.attoptions, ', '), E'\x1f') AS options
           FROM pg_catalog.pg_attribute a
           JOIN pg_catalog.pg_class y ON y.oid = a.attrelid AND y.relkind IN ('i', 'I')
           JOIN pg_catalog.pg_am z ON z.oid = y.relam AND z.amname <> 'btree'
           WHERE a.attoptions IS NOT NULL GROUP BY a.attrelid) o
  ON o.attrelid = i.oid
WHERE h.inhrelid IS NULL AND )" +
         owner;
}

bool has(const RowView& row, char flag) {
  return row.text(kFlags).find(flag) != std::string::npos;
}

class IndexReader {
 public:
  explicit IndexReader(Catalog& catalog) : catalog_(catalog) {}

  void read(const RowView& row) {
    relation_ = catalog_.find(row.oid(kRelation));
    if (relation_ == nullptr) {
      return;
    }
    if (relation_->kind == Relation::Kind::View) {
      catalog_.schema.views[relation_->place].indexes.push_back(index(row));
    } else if (schema::Table* table = catalog_.table(row.oid(kRelation))) {
      if (has(row, kReplica)) {
        table->options["replica_identity"] = "index " + row.text(kName);
      }
      if (has(row, kPrimary)) {
        read_primary_key(row, *table);
      } else {
        table->indexes.push_back(index(row));
      }
    }
  }

 private:
  void read_primary_key(const RowView& row, schema::Table& table) const {
    if (table.primary_key) {
      table.primary_key->include = included(row);
      if (has(row, kClustered)) {
        table.options["clustered_on"] = row.text(kName);
      }
    }
  }

  std::vector<Identifier> included(const RowView& row) const {
    const std::vector<std::int64_t> numbers = numbers_of(row.text(kKey));
    std::vector<Identifier> names;
    for (auto i = static_cast<std::size_t>(row.integer(kKeyColumns)); i < numbers.size(); ++i) {
      names.push_back(catalog_.column(row.oid(kRelation), static_cast<int>(numbers[i])));
    }
    return names;
  }

  schema::Index index(const RowView& row) const {
    schema::Index made;
    made.name = Identifier(row.text(kName));
    made.unique = has(row, kUnique);
    made.valid = !has(row, kInvalid);
    made.nulls_not_distinct = has(row, kNullsNotDistinct);
    made.method = row.text(kMethod) == "btree" ? "" : row.text(kMethod);
    made.where = std::string(without_outer_parentheses(row.text(kWhere)));
    made.include = included(row);
    made.comment = row.text(kComment);
    set_options(row, made);
    set_constraint(row, made);
    set_parts(row, made);
    return made;
  }

  static void set_options(const RowView& row, schema::Index& made) {
    for (const std::string& item : split_list(row.text(kRelOptions))) {
      made.options.insert(split_option(item));
    }
    if (!row.is_null(kTablespace)) {
      made.options["tablespace"] = row.text(kTablespace);
    }
    if (has(row, kClustered)) {
      made.options["clustered"] = "true";
    }
  }

  void set_constraint(const RowView& row, schema::Index& made) const {
    const auto found = catalog_.index_constraints.find(row.oid(kIndex));
    if (found == catalog_.index_constraints.end()) {
      return;
    }
    made.constraint = found->second.constraint;
    made.deferrable = found->second.deferrable;
    made.initially_deferred = found->second.deferred;
    made.exclusion = found->second.exclusion;
    if (!found->second.comment.empty()) {
      made.comment = found->second.comment;
    }
  }

  void set_parts(const RowView& row, schema::Index& made) const {
    const std::vector<std::int64_t> numbers = numbers_of(row.text(kKey));
    const std::vector<std::int64_t> classes = numbers_of(row.text(kClasses));
    const std::vector<std::int64_t> collations = numbers_of(row.text(kCollations));
    const std::vector<std::int64_t> options = numbers_of(row.text(kOptions));
    const std::vector<std::string> expressions = split_list(row.text(kExpressions));
    const auto count = static_cast<std::size_t>(row.integer(kKeyColumns));
    std::size_t expression = 0;
    for (std::size_t i = 0; i < count && i < numbers.size(); ++i) {
      schema::IndexPart& part = made.parts.emplace_back();
      const Attribute* attribute = find_attribute(static_cast<int>(numbers[i]));
      if (attribute != nullptr) {
        part.column = attribute->name;
      } else if (expression < expressions.size()) {
        part.expression = std::string(without_outer_parentheses(expressions[expression++]));
      }
      set_order(made.method, i < options.size() ? options[i] : 0, part);
      set_class(row, classes.at(i), attribute, part);
      const auto collation = static_cast<Oid>(i < collations.size() ? collations[i] : 0);
      set_collation(collation, attribute, part);
    }
    set_part_options(row, classes, made);
  }

  const Attribute* find_attribute(int number) const {
    for (const Attribute& attribute : relation_->attributes) {
      if (attribute.number == number) {
        return &attribute;
      }
    }
    return nullptr;
  }

  // Bit 0: descending, bit 1: nulls first; nulls come first by default when descending.
  static void set_order(const std::string& method, std::int64_t bits, schema::IndexPart& part) {
    if (!method.empty()) {
      return;
    }
    part.descending = (bits & 1) != 0;
    const bool nulls_first = (bits & 2) != 0;
    if (nulls_first != part.descending) {
      part.nulls = nulls_first ? schema::NullsOrder::First : schema::NullsOrder::Last;
    }
  }

  // The class is the default of the column's type when that type has one of its own, else of any
  // type that the column's values are taken for (varchar: text).
  void set_class(const RowView& row, std::int64_t oid, const Attribute* attribute,
                 schema::IndexPart& part) const {
    const auto found = catalog_.operator_classes.find(static_cast<Oid>(oid));
    if (found == catalog_.operator_classes.end()) {
      return;
    }
    if (attribute != nullptr) {
      const auto own = catalog_.default_classes.find({row.oid(kMethodOid), attribute->type});
      if (own != catalog_.default_classes.end()) {
        part.operator_class = own->second == static_cast<Oid>(oid) ? "" : found->second.name;
        return;
      }
    }
    part.operator_class = found->second.is_default ? "" : found->second.name;
  }

  void set_collation(Oid collation, const Attribute* attribute, schema::IndexPart& part) const {
    static constexpr Oid kDefaultCollation = 100;
    const Oid own = attribute == nullptr ? kDefaultCollation : attribute->collation;
    if (collation != 0 && collation != own) {
      const auto found = catalog_.collations.find(collation);
      part.collation = found == catalog_.collations.end() ? "" : found->second;
    }
  }

  // "2 siglen=32": parameters of the operator class of part 2. They need its name before them.
  void set_part_options(const RowView& row, const std::vector<std::int64_t>& classes,
                        schema::Index& made) const {
    for (const std::string& item : split_list(row.text(kPartOptions))) {
      const std::size_t blank = item.find(' ');
      const std::vector<std::int64_t> number = numbers_of(item.substr(0, blank));
      if (number.empty() || number[0] < 1 ||
          static_cast<std::size_t>(number[0]) > made.parts.size()) {
        continue;
      }
      const std::size_t place = static_cast<std::size_t>(number[0]) - 1;
      const auto found = catalog_.operator_classes.find(static_cast<Oid>(classes.at(place)));
      if (found != catalog_.operator_classes.end()) {
        made.parts[place].operator_class = found->second.name + " (" + item.substr(blank + 1) + ")";
      }
    }
  }

  Catalog& catalog_;
  const Relation* relation_ = nullptr;
};

}  // namespace

void read_indexes(db::Connection& connection, const CatalogScope& scope, Catalog& catalog) {
  IndexReader reader(catalog);
  read_rows(connection, indexes_sql(scope, catalog.major),
            [&](const RowView& row) { reader.read(row); });
}

}  // namespace kedge::dialect::postgres
