// The catalog statements of SQLite and D1, and one way to run them: as streams, or, where a call
// costs as much as starting a program (D1), all in one batch.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "db/connection.h"
#include "dialect/row_view.h"

namespace kedge::dialect::sqlite {

// D1 answers by column name, so every column has one of its own; it refuses any look at its own
// tables, _cf_*.
constexpr std::string_view kSpecialTables =
    "SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND type IN ('virtual', "
    "'shadow')";
constexpr std::string_view kSpecialTablesBefore337 =
    "SELECT name, 'virtual' AS type FROM sqlite_master WHERE type = 'table' AND rootpage = 0";
// D1 has to be asked again where an answer holds a NULL; no SQL and no default is empty otherwise.
constexpr std::string_view kMaster =
    "SELECT type, name, tbl_name, coalesce(sql, '') AS sql FROM sqlite_master ORDER BY rowid";
constexpr std::string_view kColumns =
    "SELECT m.name AS holder, x.name, x.type, x.\"notnull\", coalesce(x.dflt_value, '') AS "
    "dflt_value, x.pk, x.hidden "
    "FROM sqlite_master m, pragma_table_xinfo(m.name) x WHERE m.type = 'table' AND "
    "m.rootpage > 0 AND substr(m.name, 1, 4) <> '_cf_' ORDER BY m.rowid, x.cid";
constexpr std::string_view kViewColumns =
    "SELECT m.name AS holder, x.name, x.type FROM sqlite_master m, pragma_table_info(m.name) x "
    "WHERE m.type = 'view' ORDER BY m.rowid, x.cid";
constexpr std::string_view kIndexes =
    "SELECT m.name AS holder, l.name AS index_name, l.\"unique\", l.origin, x.cid, x.name, "
    "x.\"desc\", x.coll FROM sqlite_master m, pragma_index_list(m.name) l, "
    "pragma_index_xinfo(l.name) x WHERE m.type = 'table' AND m.rootpage > 0 AND x.key = 1 AND "
    "substr(m.name, 1, 4) <> '_cf_' "
    "ORDER BY m.rowid, l.seq DESC, x.seqno";
constexpr std::string_view kForeignKeys =
    "SELECT m.name AS holder, f.id, f.\"table\", f.\"from\", f.\"to\", f.on_update, f.on_delete "
    "FROM sqlite_master m, pragma_foreign_key_list(m.name) f WHERE m.type = 'table' AND "
    "m.rootpage > 0 AND substr(m.name, 1, 4) <> '_cf_' ORDER BY m.rowid, f.id DESC, f.seq";

class Statements {
 public:
  explicit Statements(db::Connection& connection) : connection_(connection) {}
  db::Connection& connection() const { return connection_; }
  // Runs all but the columns of views, which fail when one view is broken, in one call.
  void fetch_all();
  template <typename Handler>
  void read(std::string_view sql, const Handler& handle) const {
    const auto fetched = fetched_.find(sql);
    if (fetched == fetched_.end()) {
      read_rows(connection_, sql, handle);
      return;
    }
    for (const db::Row& row : fetched->second.rows) {
      handle(RowView(row));
    }
  }

 private:
  db::Connection& connection_;
  std::map<std::string, db::ResultSet, std::less<>> fetched_;
};

}  // namespace kedge::dialect::sqlite
