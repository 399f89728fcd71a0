// check_startup_database() over an open sqlite3 handle. Header only: the service links sqlite3.
#pragma once

#include <sqlite3.h>

#include "kedge/startup.hpp"

namespace kedge {

inline StartupReport check_startup_database(std::span<const TableDescriptor> tables,
                                            sqlite3* handle) {
  return check_startup_database(tables, DatabaseEngine::Sqlite, [handle](const std::string& sql) {
    std::vector<CatalogRow> rows;
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(handle, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
      throw std::runtime_error(sqlite3_errmsg(handle));
    }
    while (sqlite3_step(statement) == SQLITE_ROW) {
      CatalogRow row;
      for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        const unsigned char* text = sqlite3_column_text(statement, i);
        row.push_back(text != nullptr
                          ? std::optional(std::string(reinterpret_cast<const char*>(text)))
                          : std::nullopt);
      }
      rows.push_back(std::move(row));
    }
    sqlite3_finalize(statement);
    return rows;
  });
}

}  // namespace kedge
