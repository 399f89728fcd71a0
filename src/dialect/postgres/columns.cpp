// Columns of tables, views and composite types. The largest result of all: one row a column.
#include <algorithm>
#include <array>

#include "dialect/postgres/catalog.h"

namespace kedge::dialect::postgres {
namespace {

enum Field : std::size_t {
  kRelation,
  kNumber,
  kName,
  kType,
  kModifier,
  kNotNull,
  kIdentity,
  kGenerated,
  kCollation,
  kDefault,
  kComment,
  kInherited,
  kStorage,
  kOptions
};

std::string columns_sql(const CatalogScope& scope, int major) {
  const std::string compression =
      major >= 14 ? "CASE a.attcompression WHEN 'p' THEN 'compression=pglz' WHEN 'l' THEN "
                    "'compression=lz4' END"
                  : "NULL";
  const std::string relations =
      scope.relations.empty()
          ? "c.relnamespace IN (" + scope.namespaces + ")"
          : "(c.oid IN (" + scope.relations +
                ") OR c.oid IN (SELECT k.confrelid FROM pg_catalog.pg_constraint k WHERE "
                "k.conrelid IN (" +
                scope.relations + ")))";
  return R"(
SELECT a.attrelid::bigint, a.attnum, a.attname, a.atttypid::bigint, a.atttypmod, a.attnotnull,
       a.attidentity::text, a.attgenerated::text, a.attcollation::bigint,
       pg_catalog.pg_get_expr(d.adbin, d.adrelid), s.description,
       a.attinhcount > 0 AND NOT a.attislocal AND NOT c.relispartition, a.attstorage::text,
       pg_catalog.concat_ws(E'\x1f', CASE WHEN a.attstattarget >= 0
         THEN 'statistics=' || a.attstattarget END, pg_catalog.array_to_string(a.attoptions, E'\x1f'), )" +
         compression + R"()
FROM pg_catalog.pg_attribute a
JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
LEFT JOIN pg_catalog.pg_description s
  ON s.classoid = 'pg_catalog.pg_class'::regclass AND s.objoid = a.attrelid AND s.objsubid = a.attnum
WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'v', 'm', 'c') AND )" +
         relations;
}

std::string storage_name(char letter) {
  static constexpr std::array kNames = {std::pair{'p', "plain"}, std::pair{'e', "external"},
                                        std::pair{'m', "main"}, std::pair{'x', "extended"}};
  for (const auto& [known, name] : kNames) {
    if (known == letter) {
      return name;
    }
  }
  return std::string(1, letter);
}

class ColumnReader {
 public:
  explicit ColumnReader(Catalog& catalog) : catalog_(catalog) {}

  void read(const RowView& row) {
    const Oid oid = row.oid(kRelation);
    if (relation_ == nullptr || oid != oid_) {
      relation_ = &catalog_.relations[oid];  // a foreign key's target may be new: hidden
      oid_ = oid;
    }
    const int number = static_cast<int>(row.integer(kNumber));
    relation_->attributes.push_back(
        {number, row.oid(kType), row.oid(kCollation), Identifier(row.text(kName))});
    switch (relation_->kind) {
      case Relation::Kind::Table:
        read_table_column(row, number);
        break;
      case Relation::Kind::View:
        catalog_.schema.views[relation_->place].columns.push_back(plain_column(row));
        break;
      case Relation::Kind::Composite:
        catalog_.schema.composites[relation_->place].fields.push_back(plain_column(row));
        break;
      case Relation::Kind::Hidden:
        break;
    }
  }

 private:
  const schema::Type& type_of(const RowView& row) const {
    return catalog_.type(row.oid(kType), static_cast<int>(row.integer(kModifier)));
  }

  schema::ViewColumn plain_column(const RowView& row) const {
    return {Identifier(row.text(kName)), type_of(row), row.text(kComment)};
  }

  void read_table_column(const RowView& row, int number) {
    schema::Column& column = catalog_.schema.tables[relation_->place].columns.emplace_back();
    column.name = Identifier(row.text(kName));
    column.type = type_of(row);
    column.nullable = !row.flag(kNotNull);
    column.collation = catalog_.collation_of(row.oid(kCollation), row.oid(kType));
    column.comment = row.text(kComment);
    read_value(row, number, column);
    if (row.flag(kInherited)) {
      column.options["inherited"] = "true";
    }
    read_options(row.text(kOptions), column);
    const char storage = row.text(kStorage).empty() ? 'p' : row.text(kStorage)[0];
    if (const auto own = catalog_.type_storage.find(row.oid(kType));
        own != catalog_.type_storage.end() && own->second != storage) {
      column.options["storage"] = storage_name(storage);
    }
  }

  // Some servers (seen: 15.20 of Debian) keep a number of their own, pg_attver, with every column.
  // It differs from database to database and says nothing about the shape.
  static void read_options(const std::string& text, schema::Column& column) {
    static constexpr std::string_view kServerOwn = "pg_attver=";
    if (text.starts_with(kServerOwn) && text.find(kListSeparator) == std::string::npos) {
      return;
    }
    for (const std::string& item : split_list(text)) {
      if (!item.starts_with(kServerOwn)) {
        column.options.insert(split_option(item));
      }
    }
  }

  // Where the value comes from when none is given: generated, identity, serial or default.
  void read_value(const RowView& row, int number, schema::Column& column) {
    if (!row.text(kGenerated).empty()) {
      column.generated = schema::Generated{
          std::string(without_outer_parentheses(row.text(kDefault))), row.text(kGenerated) == "s"};
      return;
    }
    const auto owned = catalog_.owned_sequences.find(key_of(oid_, number));
    NamedSequence* sequence =
        owned == catalog_.owned_sequences.end() ? nullptr : &catalog_.sequences[owned->second];
    const std::string& identity = row.text(kIdentity);
    if (!identity.empty()) {
      column.identity = identity_of(sequence, identity == "a" ? schema::Identity::Kind::Always
                                                              : schema::Identity::Kind::ByDefault);
    } else if (sequence != nullptr && is_next_value(row.text(kDefault), sequence->regclass)) {
      column.identity = identity_of(sequence, schema::Identity::Kind::Serial);
    } else if (!row.is_null(kDefault)) {
      column.default_value = default_of(row.text(kDefault));
      if (row.text(kDefault) == "gen_random_uuid()" && column.type.kind == schema::TypeKind::Uuid) {
        column.identity = schema::Identity{};
        column.identity->kind = schema::Identity::Kind::Uuid;
        column.default_value.reset();
      }
    }
  }

  static bool is_next_value(const std::string& text, const std::string& regclass) {
    return text ==
           "nextval(" + get_dialect(schema::Dialect::Postgres).literal(regclass) + "::regclass)";
  }

  schema::Identity identity_of(NamedSequence* named, schema::Identity::Kind kind) const {
    schema::Identity identity;
    identity.kind = kind;
    if (named == nullptr) {
      return identity;
    }
    named->used = true;
    const schema::Sequence& sequence = named->sequence;
    identity.sequence = schema::to_string(sequence.name.schema == relation_->name.schema
                                              ? schema::Name{{}, sequence.name.name}
                                              : sequence.name);
    identity.minimum = sequence.minimum;
    identity.maximum = sequence.maximum;
    const std::int64_t first =
        sequence.increment > 0 ? sequence.minimum.value_or(1) : sequence.maximum.value_or(-1);
    if (sequence.start != first) {
      identity.start = sequence.start;
    }
    if (sequence.increment != 1) {
      identity.increment = sequence.increment;
    }
    if (sequence.cache != 1) {
      identity.cache = sequence.cache;
    }
    identity.cycle = sequence.cycle;
    return identity;
  }

  Catalog& catalog_;
  Relation* relation_ = nullptr;
  Oid oid_ = 0;
};

// Rows come in the order of the heap; columns are in attnum order almost always.
template <typename Item>
void sort_by_number(std::vector<Item>& items, const std::vector<Attribute>& attributes) {
  std::vector<std::size_t> order(items.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return attributes[a].number < attributes[b].number;
  });
  std::vector<Item> sorted;
  sorted.reserve(items.size());
  for (const std::size_t place : order) {
    sorted.push_back(std::move(items[place]));
  }
  items = std::move(sorted);
}

void sort_columns(Catalog& catalog, const Relation& relation) {
  switch (relation.kind) {
    case Relation::Kind::Table:
      sort_by_number(catalog.schema.tables[relation.place].columns, relation.attributes);
      break;
    case Relation::Kind::View:
      sort_by_number(catalog.schema.views[relation.place].columns, relation.attributes);
      break;
    case Relation::Kind::Composite:
      sort_by_number(catalog.schema.composites[relation.place].fields, relation.attributes);
      break;
    case Relation::Kind::Hidden:
      break;
  }
}

}  // namespace

void read_columns(db::Connection& connection, const CatalogScope& scope, Catalog& catalog) {
  ColumnReader reader(catalog);
  read_rows(connection, columns_sql(scope, catalog.major),
            [&](const RowView& row) { reader.read(row); });
  for (auto& [oid, relation] : catalog.relations) {
    const auto by_number = [](const Attribute& a, const Attribute& b) {
      return a.number < b.number;
    };
    if (!std::is_sorted(relation.attributes.begin(), relation.attributes.end(), by_number)) {
      sort_columns(catalog, relation);
      std::sort(relation.attributes.begin(), relation.attributes.end(), by_number);
    }
  }
}

}  // namespace kedge::dialect::postgres
