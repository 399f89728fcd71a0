// Introspection of a PostgreSQL database beside a plain libpq client that runs the same catalog
// statements and looks at every value. Best of N, both in the same run.
//   introspect_bench postgres://... [N]        ratio to the raw client
//   introspect_bench sqlite:FILE [N]           time alone
#include <libpq-fe.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "db/postgres/connector.h"
#include "db/sqlite/connector.h"
#include "dialect/dialect.h"
#include "tracing_connection.h"

namespace {

using namespace kedge;  // NOLINT(google-build-using-namespace): the program's own file

double seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double best(int times, const std::function<void()>& work) {
  double found = 1e9;
  for (int i = 0; i < times; ++i) {
    found = std::min(found, seconds(work));
  }
  return found;
}

long peak_kilobytes() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

struct Fetched {
  std::size_t rows = 0;
  std::size_t bytes = 0;
};

Fetched fetch(PGconn* connection, const std::string& sql) {
  const char* parameter = "\"public\"";
  const bool takes_one = sql.find("$1") != std::string::npos;
  PGresult* result = PQexecParams(connection, sql.c_str(), takes_one ? 1 : 0, nullptr,
                                  takes_one ? &parameter : nullptr, nullptr, nullptr, 0);
  Fetched fetched;
  const int rows = PQntuples(result);
  const int columns = PQnfields(result);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      fetched.bytes += static_cast<std::size_t>(PQgetlength(result, row, column));
    }
  }
  fetched.rows = static_cast<std::size_t>(rows);
  const ExecStatusType status = PQresultStatus(result);
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
    std::fprintf(stderr, "%s\n", PQerrorMessage(connection));
    std::exit(1);
  }
  PQclear(result);
  return fetched;
}

Fetched fetch_all(const std::string& url, const std::vector<std::string>& statements) {
  PGconn* connection = PQconnectdb(url.c_str());
  Fetched all;
  for (const std::string& sql : statements) {
    const Fetched one = fetch(connection, sql);
    all.rows += one.rows;
    all.bytes += one.bytes;
  }
  PQfinish(connection);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: introspect_bench URL [N]\n", stderr);
    return 2;
  }
  const std::string url = argv[1];
  const int times = argc > 2 ? std::atoi(argv[2]) : 3;
  db::Registry registry;
  registry.add("postgres", db::make_postgres_connector());
  registry.add("sqlite", db::make_sqlite_connector());
  const db::ConnectionSettings settings = *db::parse_url(url);
  std::vector<std::string> statements;
  std::size_t tables = 0;
  const auto introspect = [&] {
    const auto connection = registry.connect(settings);
    test::TracingConnection traced(*connection);
    const schema::Schema schema =
        dialect::get_dialect(connection->dialect()).introspect(traced, {});
    tables = schema.tables.size();
    statements = traced.texts();
  };
  introspect();
  const double own = best(times, introspect);
  std::printf("tables %zu  statements %zu  introspection %.3f s  peak %ld MB\n", tables,
              statements.size(), own, peak_kilobytes() / 1024);
  if (settings.connector == "postgres") {
    Fetched fetched;
    const double raw = best(times, [&] { fetched = fetch_all(url, statements); });
    std::printf("raw libpq client %.3f s  rows %zu  bytes %zu  ratio %.2f\n", raw, fetched.rows,
                fetched.bytes, own / raw);
  }
  return 0;
}
