// check_startup_database() over an open libpq connection. Header only: the service links libpq.
#pragma once

#include <libpq-fe.h>

#include "kedge/startup.hpp"

namespace kedge {

inline StartupReport check_startup_database(std::span<const TableDescriptor> tables,
                                            PGconn* connection) {
  return check_startup_database(
      tables, DatabaseEngine::Postgres, [connection](const std::string& sql) {
        std::vector<CatalogRow> rows;
        PGresult* result = PQexec(connection, sql.c_str());
        if (PQresultStatus(result) != PGRES_TUPLES_OK) {
          const std::string why = PQresultErrorMessage(result);
          PQclear(result);
          throw std::runtime_error(why);
        }
        for (int r = 0; r < PQntuples(result); ++r) {
          CatalogRow row;
          for (int c = 0; c < PQnfields(result); ++c) {
            row.push_back(PQgetisnull(result, r, c) != 0
                              ? std::nullopt
                              : std::optional(std::string(PQgetvalue(result, r, c))));
          }
          rows.push_back(std::move(row));
        }
        PQclear(result);
        return rows;
      });
}

}  // namespace kedge
