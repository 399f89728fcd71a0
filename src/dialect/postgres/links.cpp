// Sequences with what owns them, inheritance and partitions, and which view reads which relation.
#include <algorithm>
#include <limits>
#include <set>

#include "base/text.h"
#include "dialect/postgres/catalog.h"

namespace kedge::dialect::postgres {
namespace {

enum Field : std::size_t { kKind, kOid, kSpace, kName, kReference, kNumber, kText, kComment };

std::string links_sql(const CatalogScope& scope) {
  const std::string sequences = scope.tables.empty() ? ""
                                                     : " AND (d.refobjid IN (" + scope.relations +
                                                           ") OR (" + scope.tables + "))";
  return R"(
SELECT 'sequence', c.oid::bigint, c.relnamespace::bigint, c.relname::text, d.refobjid::bigint,
       coalesce(d.refobjsubid, 0),
       pg_catalog.concat_ws(' ', s.seqtypid::bigint, s.seqstart, s.seqincrement, s.seqmin, s.seqmax,
         s.seqcache, s.seqcycle::int, (d.deptype = 'i')::int) || E'\x1f' || c.oid::regclass::text,
       w.description
FROM pg_catalog.pg_sequence s
JOIN pg_catalog.pg_class c ON c.oid = s.seqrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_catalog.pg_depend d
  ON d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.objsubid = 0
     AND d.refclassid = 'pg_catalog.pg_class'::regclass AND d.refobjsubid > 0
     AND d.deptype IN ('a', 'i')
LEFT JOIN pg_catalog.pg_description w
  ON w.classoid = 'pg_catalog.pg_class'::regclass AND w.objoid = c.oid AND w.objsubid = 0
WHERE c.relnamespace IN ($N) AND NOT EXISTS (
    SELECT FROM pg_catalog.pg_depend x WHERE x.refclassid = 'pg_catalog.pg_extension'::regclass
      AND x.classid = 'pg_catalog.pg_class'::regclass AND x.objid = c.oid AND x.deptype = 'e'))" +
         sequences + R"(
UNION ALL
SELECT 'inherits', i.inhrelid::bigint, 0, NULL, i.inhparent::bigint, i.inhseqno,
       n.nspname || E'\x1f' || p.relname, NULL
FROM pg_catalog.pg_inherits i
JOIN pg_catalog.pg_class p ON p.oid = i.inhparent AND p.relkind IN ('r', 'p', 'f')
JOIN pg_catalog.pg_namespace n ON n.oid = p.relnamespace
UNION ALL
SELECT DISTINCT 'reads', w.ev_class::bigint, 0::bigint, NULL, d.refobjid::bigint, 0, NULL, NULL
FROM pg_catalog.pg_rewrite w
JOIN pg_catalog.pg_depend d
  ON d.classid = 'pg_catalog.pg_rewrite'::regclass AND d.objid = w.oid
     AND d.refclassid = 'pg_catalog.pg_class'::regclass AND d.refobjid <> w.ev_class
WHERE w.rulename = '_RETURN' AND w.ev_class >= 16384)";
}

class LinkReader {
 public:
  explicit LinkReader(Catalog& catalog) : catalog_(catalog) {}

  void read(const RowView& row) {
    if (row.text(kKind) == "sequence") {
      read_sequence(row);
    } else if (row.text(kKind) == "inherits") {
      inherits_.push_back({row.oid(kOid), row.integer(kNumber), row.text(kText)});
    } else {
      read_reading(row);
    }
  }

  void finish() {
    std::stable_sort(inherits_.begin(), inherits_.end(),
                     [](const Inherits& a, const Inherits& b) { return a.order < b.order; });
    for (const Inherits& link : inherits_) {
      schema::Table* table = catalog_.table(link.child);
      if (table == nullptr) {
        continue;
      }
      const std::vector<std::string> parts = split_list(link.parent);
      const bool is_default = parts.at(0) == catalog_.schema.default_schema.text();
      schema::Name parent{Identifier(is_default ? "" : parts[0]), Identifier(parts.at(1))};
      if (table->partition && !table->partition->bound.empty()) {
        table->partition->parent = std::move(parent);
      } else {
        table->inherits.push_back(std::move(parent));
      }
    }
  }

 private:
  struct Inherits {
    Oid child;
    std::int64_t order;
    std::string parent;
  };

  void read_sequence(const RowView& row) {
    const std::vector<std::string> parts = split_list(row.text(kText));
    const std::vector<std::int64_t> facts = numbers_of(parts.at(0));
    NamedSequence& named = catalog_.sequences[row.oid(kOid)];
    schema::Sequence& sequence = named.sequence;
    sequence.name = catalog_.name_of(row.oid(kSpace), row.text(kName));
    sequence.type = catalog_.type(static_cast<Oid>(facts.at(0)), -1);
    sequence.start = facts.at(1);
    sequence.increment = facts.at(2);
    set_bounds(sequence, facts.at(3), facts.at(4));
    sequence.cache = facts.at(5);
    sequence.cycle = facts.at(6) != 0;
    sequence.comment = row.text(kComment);
    named.regclass = parts.at(1);
    named.internal = facts.size() > 7 && facts.at(7) != 0;
    named.table = row.oid(kReference);
    named.column = static_cast<int>(row.integer(kNumber));
    if (named.table != 0) {
      catalog_.owned_sequences[key_of(named.table, named.column)] = row.oid(kOid);
    }
  }

  // Bounds only where they are not what the direction and the type give by default.
  static void set_bounds(schema::Sequence& sequence, std::int64_t minimum, std::int64_t maximum) {
    using schema::TypeKind;
    using Limits16 = std::numeric_limits<std::int16_t>;
    using Limits32 = std::numeric_limits<std::int32_t>;
    using Limits64 = std::numeric_limits<std::int64_t>;
    const TypeKind kind = sequence.type.kind;
    const std::int64_t top = kind == TypeKind::Int16   ? Limits16::max()
                             : kind == TypeKind::Int32 ? Limits32::max()
                                                       : Limits64::max();
    const std::int64_t bottom = kind == TypeKind::Int16   ? Limits16::min()
                                : kind == TypeKind::Int32 ? Limits32::min()
                                                          : Limits64::min();
    const bool up = sequence.increment > 0;
    if (minimum != (up ? 1 : bottom)) {
      sequence.minimum = minimum;
    }
    if (maximum != (up ? top : -1)) {
      sequence.maximum = maximum;
    }
  }

  void read_reading(const RowView& row) {
    const Relation* view = catalog_.find(row.oid(kOid));
    const Relation* base = catalog_.find(row.oid(kReference));
    if (view == nullptr || base == nullptr) {
      return;
    }
    catalog_.readers[row.oid(kReference)].push_back(row.oid(kOid));
    if (view->kind == Relation::Kind::View) {
      catalog_.schema.views[view->place].depends_on.push_back(base->name);
    }
  }

  Catalog& catalog_;
  std::vector<Inherits> inherits_;
};

// Views that read `relation`, directly or through others.
std::set<Oid> readers_of(const Catalog& catalog, Oid relation) {
  std::set<Oid> found;
  std::vector<Oid> waiting = {relation};
  while (!waiting.empty()) {
    const Oid current = waiting.back();
    waiting.pop_back();
    if (const auto readers = catalog.readers.find(current); readers != catalog.readers.end()) {
      for (const Oid reader : readers->second) {
        if (found.insert(reader).second) {
          waiting.push_back(reader);
        }
      }
    }
  }
  found.erase(relation);
  return found;
}

void set_dependents(Catalog& catalog) {
  for (const auto& [oid, readers] : catalog.readers) {
    const Relation* relation = catalog.find(oid);
    if (relation == nullptr || relation->kind != Relation::Kind::View) {
      continue;
    }
    for (const Oid reader : readers_of(catalog, oid)) {
      const Relation* view = catalog.find(reader);
      if (view->kind == Relation::Kind::View) {
        const schema::View& found = catalog.schema.views[view->place];
        catalog.schema.views[relation->place].dependents.push_back(
            {found.name, found.materialized ? "materialized view" : "view", !found.stamp.empty()});
      }
    }
  }
}

}  // namespace

void read_links(db::Connection& connection, const CatalogScope& scope, Catalog& catalog) {
  LinkReader reader(catalog);
  read_rows(connection, base::replace_all(links_sql(scope), "$N", scope.namespaces),
            [&](const RowView& row) { reader.read(row); });
  reader.finish();
}

void finish(Catalog& catalog) {
  set_dependents(catalog);
  for (auto& [oid, named] : catalog.sequences) {
    if (named.used || named.internal) {
      continue;
    }
    if (const Relation* owner = catalog.find(named.table)) {
      named.sequence.owner_table = owner->name;
      named.sequence.owner_column = catalog.column(named.table, named.column);
    }
    catalog.schema.sequences.push_back(std::move(named.sequence));
  }
}

}  // namespace kedge::dialect::postgres
