// Indexes and unique constraints, foreign keys, CHECKs.
#include <algorithm>

#include "base/text.h"
#include "dialect/sqlite/catalog.h"

namespace kedge::dialect::sqlite {
namespace {

enum Field : std::size_t {
  kTable,
  kIndex,
  kUnique,
  kOrigin,
  kColumnId,
  kColumn,
  kDescending,
  kCollation
};

class IndexReader {
 public:
  explicit IndexReader(Catalog& catalog) : catalog_(catalog) {}

  void read(const RowView& row) {
    if (row.text(kIndex) != name_ || row.text(kTable) != table_) {
      close();
      open(row);
    }
    if (source_ != nullptr && is_wanted_) {
      read_part(row);
    }
  }

  void close() {
    if (source_ == nullptr || !is_wanted_) {
      return;
    }
    if (index_.constraint == schema::Index::Constraint::Unique) {
      set_constraint_name();
      set_conflict();
    } else {
      index_.where = facts_.where;
    }
    catalog_.schema.tables[source_->place].indexes.push_back(std::move(index_));
    is_wanted_ = false;
  }

 private:
  void open(const RowView& row) {
    name_ = row.text(kIndex);
    table_ = row.text(kTable);
    const auto found = catalog_.tables.find(table_);
    source_ = found == catalog_.tables.end() ? nullptr : &found->second;
    is_wanted_ = source_ != nullptr && row.text(kOrigin) != "pk";
    if (source_ != nullptr && row.text(kOrigin) == "pk") {
      source_->has_key_index = true;
    }
    if (!is_wanted_) {
      return;
    }
    index_ = schema::Index{};
    index_.name = Identifier(name_);
    index_.unique = row.integer(kUnique) != 0;
    facts_ = {};
    if (row.text(kOrigin) == "u") {
      index_.constraint = schema::Index::Constraint::Unique;
    } else if (const auto text = catalog_.index_texts.find(name_);
               text != catalog_.index_texts.end()) {
      index_.definition.text = text->second;
      facts_ = sql::analyse_create_index(text->second, schema::Dialect::Sqlite);
    }
    expressions_ = 0;
  }

  void read_part(const RowView& row) {
    schema::IndexPart& part = index_.parts.emplace_back();
    if (row.is_null(kColumn)) {
      if (row.integer(kColumnId) == -1) {
        part.column = Identifier("rowid");
      } else if (expressions_ < facts_.parts.size()) {
        part.expression = std::string(without_outer_parentheses(facts_.parts[expressions_++]));
      }
    } else {
      part.column = Identifier(row.text(kColumn));
    }
    part.descending = row.integer(kDescending) != 0;
    const std::string own = own_collation(part.column);
    if (!base::equals_ignoring_case(own, row.text(kCollation))) {
      part.collation = row.text(kCollation);
    }
  }

  std::string own_collation(const Identifier& column) const {
    const schema::Column* found =
        schema::find_column(catalog_.schema.tables[source_->place], column);
    return found == nullptr || found->collation.empty() ? "BINARY" : found->collation;
  }

  // The pragma knows no constraint names; the text gives them with the constraint's first column.
  void set_constraint_name() {
    const sql::CreateTableFacts& facts = source_->facts;
    index_.generated_name = true;
    for (std::size_t i = 0; i < facts.unique_names.size(); ++i) {
      const auto& [name, first] = facts.unique_names[i];
      if (!source_->names_used[i] && !index_.parts.empty() &&
          base::equals_ignoring_case(first, index_.parts[0].column.text())) {
        source_->names_used[i] = true;
        index_.generated_name = name.empty();
        if (!name.empty()) {
          index_.name = Identifier(name);
        }
        return;
      }
    }
  }

  void set_conflict() {
    for (const auto& [columns, action] : source_->facts.unique_conflicts) {
      if (std::equal(columns.begin(), columns.end(), index_.parts.begin(), index_.parts.end(),
                     [](const std::string& a, const schema::IndexPart& b) {
                       return base::equals_ignoring_case(a, b.column.text());
                     })) {
        index_.options["on_conflict"] = action;
      }
    }
  }

  Catalog& catalog_;
  TableSource* source_ = nullptr;
  bool is_wanted_ = false;
  std::string table_;
  std::string name_;
  schema::Index index_;
  sql::CreateIndexFacts facts_;
  std::size_t expressions_ = 0;
};

schema::ReferentialAction action_of(const std::string& text) {
  using schema::ReferentialAction;
  return text == "CASCADE"       ? ReferentialAction::Cascade
         : text == "RESTRICT"    ? ReferentialAction::Restrict
         : text == "SET NULL"    ? ReferentialAction::SetNull
         : text == "SET DEFAULT" ? ReferentialAction::SetDefault
                                 : ReferentialAction::NoAction;
}

bool same_columns(const std::vector<std::string>& written, const std::vector<Identifier>& live) {
  return std::equal(written.begin(), written.end(), live.begin(), live.end(),
                    [](const std::string& a, const Identifier& b) {
                      return base::equals_ignoring_case(a, b.text());
                    });
}

// Names and deferrability stand in the text only; keys of equal columns are taken in its order.
void complete_foreign_keys(schema::Table& table, const sql::CreateTableFacts& facts) {
  std::vector<bool> used(facts.foreign_keys.size());
  for (schema::ForeignKey& key : table.foreign_keys) {
    for (std::size_t i = 0; i < used.size(); ++i) {
      const auto& text = facts.foreign_keys[i];
      if (!used[i] && same_columns(text.columns, key.columns)) {
        used[i] = true;
        key.name = Identifier(text.name);
        key.deferrable = text.deferrable;
        key.initially_deferred = text.initially_deferred;
        break;
      }
    }
  }
}

// A foreign key without columns of the other table means its primary key.
void complete_references(const Catalog& catalog, schema::ForeignKey& key) {
  const bool named = std::none_of(key.referenced_columns.begin(), key.referenced_columns.end(),
                                  [](const Identifier& column) { return column.empty(); });
  if (named) {
    return;
  }
  key.referenced_columns.clear();
  const auto target = std::find_if(
      catalog.schema.tables.begin(), catalog.schema.tables.end(), [&](const schema::Table& table) {
        return base::equals_ignoring_case(table.name.name.text(), key.referenced_table.name.text());
      });
  if (target != catalog.schema.tables.end() && target->primary_key) {
    key.referenced_columns = target->primary_key->columns;
  }
}

void add_checks(schema::Table& table, const sql::CreateTableFacts& facts) {
  for (const auto& text : facts.checks) {
    schema::Check& check = table.checks.emplace_back();
    check.name = Identifier(text.name);
    check.expression = std::string(without_outer_parentheses(text.expression));
    if (auto membership = sql::find_membership(check.expression, schema::Dialect::Sqlite)) {
      check.column = Identifier(membership->column);
      check.members = std::move(membership->members);
    }
  }
}

// An INTEGER PRIMARY KEY is the rowid and never NULL; no key column of a table without rowid is.
void set_key_nullability(schema::Table& table, const TableSource& source) {
  if (!table.primary_key) {
    return;
  }
  const bool alias = !source.has_key_index && table.primary_key->columns.size() == 1;
  for (schema::Column& column : table.columns) {
    const auto& key = table.primary_key->columns;
    if (std::find(key.begin(), key.end(), column.name) != key.end() &&
        (alias || source.facts.without_rowid)) {
      column.nullable = false;
    }
  }
}

}  // namespace

void read_indexes(const Statements& statements, Catalog& catalog) {
  IndexReader reader(catalog);
  statements.read(kIndexes, [&](const RowView& row) { reader.read(row); });
  reader.close();
}

void read_foreign_keys(const Statements& statements, Catalog& catalog) {
  std::string table;
  std::int64_t id = -1;
  statements.read(kForeignKeys, [&](const RowView& row) {
    const auto found = catalog.tables.find(row.text(0));
    if (found == catalog.tables.end()) {
      return;
    }
    auto& keys = catalog.schema.tables[found->second.place].foreign_keys;
    if (row.text(0) != table || row.integer(1) != id) {
      table = row.text(0);
      id = row.integer(1);
      schema::ForeignKey& key = keys.emplace_back();
      key.referenced_table.name = Identifier(row.text(2));
      key.on_update = action_of(row.text(5));
      key.on_delete = action_of(row.text(6));
    }
    keys.back().columns.emplace_back(row.text(3));
    keys.back().referenced_columns.emplace_back(row.text(4));
  });
}

void finish(Catalog& catalog) {
  for (const auto& [name, source] : catalog.tables) {
    schema::Table& table = catalog.schema.tables[source.place];
    complete_foreign_keys(table, source.facts);
    for (schema::ForeignKey& key : table.foreign_keys) {
      complete_references(catalog, key);
    }
    add_checks(table, source.facts);
    set_key_nullability(table, source);
  }
}

}  // namespace kedge::dialect::sqlite
