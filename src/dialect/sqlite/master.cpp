// sqlite_master and the kinds of tables in it.
#include <set>

#include "base/text.h"
#include "dialect/name_filter.h"
#include "dialect/sqlite/catalog.h"
#include "dialect/view_graph.h"
#include "dialect/view_stamp.h"

namespace kedge::dialect::sqlite {
namespace {

using schema::Dialect;

enum Field : std::size_t { kType, kName, kTable, kText };

bool is_own(const std::string& name) {
  return name.starts_with("sqlite_") || name.starts_with("_cf_") || name == "d1_migrations";
}

class MasterReader {
 public:
  MasterReader(Catalog& catalog, const IntrospectScope& scope)
      : catalog_(catalog), scope_(scope), filter_(scope) {}

  void read(const RowView& row) {
    const std::string& type = row.text(kType);
    if (type == "index") {
      catalog_.index_texts[row.text(kName)] = row.text(kText);
    } else if (is_own(row.text(kName)) || !filter_.takes_table("main", row.text(kTable))) {
      return;
    } else if (type == "table") {
      read_table(row);
    } else if (type == "view") {
      read_view(row);
    } else if (type == "trigger" && scope_.definitions) {
      read_trigger(row);
    }
  }

 private:
  void read_table(const RowView& row) {
    TableSource& source = catalog_.tables[row.text(kName)];
    source.place = catalog_.schema.tables.size();
    source.text = row.text(kText);
    source.facts = sql::analyse_create_table(source.text, Dialect::Sqlite);
    source.names_used.resize(source.facts.unique_names.size());
    schema::Table& table = catalog_.schema.tables.emplace_back();
    table.name.name = Identifier(row.text(kName));
    table.definition.text = source.text;
    if (source.facts.without_rowid) {
      table.options["without_rowid"] = "true";
    }
    if (source.facts.strict) {
      table.options["strict"] = "true";
    }
    if (source.facts.opaque) {
      catalog_.schema.unmodelled.push_back({"table text that cannot be read", table.name});
    }
  }

  void read_view(const RowView& row) {
    catalog_.views[row.text(kName)] = catalog_.schema.views.size();
    schema::View& view = catalog_.schema.views.emplace_back();
    view.name.name = Identifier(row.text(kName));
    view.body = sql::view_body(row.text(kText), Dialect::Sqlite);
    dialect::read_view_columns(row.text(kText), Dialect::Sqlite, view);
    view.definition.text = row.text(kText);
    read_body_stamp(view);
  }

  void read_trigger(const RowView& row) {
    schema::DefinedObject& trigger = catalog_.schema.objects.emplace_back();
    trigger.kind = schema::ObjectKind::Trigger;
    trigger.name.name = Identifier(row.text(kName));
    trigger.table = schema::Name{{}, Identifier(row.text(kTable))};
    trigger.definition = row.text(kText);
  }

  Catalog& catalog_;
  const IntrospectScope& scope_;
  NameFilter filter_;
};

// pragma_table_list came with 3.37 (D1 tells no version and has it); before it, a virtual table is
// told by its text alone.
bool has_table_list(const schema::Engine& engine) {
  if (engine.dialect == schema::Dialect::D1) {
    return true;
  }
  const std::vector<std::string> parts = base::split(engine.version, '.');
  const int minor = parts.size() > 1 ? std::atoi(parts[1].c_str()) : 0;
  return engine.major > 3 || (engine.major == 3 && minor >= 37);
}

}  // namespace

void read_master(const Statements& statements, const IntrospectScope& scope, Catalog& catalog) {
  std::set<std::string> special;
  const NameFilter filter(scope);
  const std::string_view sql =
      has_table_list(catalog.schema.engine) ? kSpecialTables : kSpecialTablesBefore337;
  statements.read(sql, [&](const RowView& row) {
    special.insert(row.text(0));
    if (row.text(1) == "virtual" && filter.takes_table("main", row.text(0))) {
      catalog.schema.unmodelled.push_back({"virtual table", {{}, Identifier(row.text(0))}});
    }
  });
  MasterReader reader(catalog, scope);
  statements.read(kMaster, [&](const RowView& row) {
    if (!special.contains(row.text(kTable))) {
      reader.read(row);
    }
  });
}

}  // namespace kedge::dialect::sqlite
