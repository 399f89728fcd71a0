// Introspection of a PostgreSQL database beside a plain libpq client that runs the same catalog
// statements and looks at every value. Best of N, both in the same run.
//   introspect_bench postgres://... [N]        ratio to the raw client
//   introspect_bench sqlite:FILE [N]           time alone
//   introspect_bench URL N URL2                both read in parallel and compared, as kedge diff
//   does
#include <libpq-fe.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <future>
#include <string>

#include "db/postgres/connector.h"
#include "db/sqlite/connector.h"
#include "dialect/dialect.h"
#include "kedge/diff.h"
#include "sql/analysis.h"
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

// Of this process alone: what a busy machine does not blur.
double processor_seconds() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds_of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
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

schema::Schema read(const db::Registry& registry, const std::string& url) {
  const auto connection = registry.connect(*db::parse_url(url));
  return dialect::get_dialect(connection->dialect()).introspect(*connection, {});
}

// Prints what one side after the other would take beside both at once.
void compare_two(const db::Registry& registry, const std::string& a, const std::string& b,
                 int times) {
  double in_memory = 1e9;
  double processor = 1e9;
  std::size_t changes = 0;
  const double all = best(times, [&] {
    auto other = std::async(std::launch::async, [&] { return read(registry, b); });
    const schema::Schema from = read(registry, a);
    const schema::Schema to = other.get();
    diff::Options options;
    options.dialect = from.engine.dialect;
    options.normal_expression = [&](std::string_view text) {
      return sql::normal_expression(text, from.engine.dialect);
    };
    const double before = processor_seconds();
    in_memory = std::min(
        in_memory, seconds([&] { changes = diff::compare(from, to, options).changes.size(); }));
    processor = std::min(processor, processor_seconds() - before);
  });
  std::printf("two sides %.3f s  compare %.3f s (own CPU %.3f s)  changes %zu  peak %ld MB\n", all,
              in_memory, processor, changes, peak_kilobytes() / 1024);
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
  if (argc > 3) {
    compare_two(registry, url, argv[3], times);
    return 0;
  }
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
  const double before = processor_seconds();
  const double own = best(times, introspect);
  const double processor = (processor_seconds() - before) / times;
  std::printf("tables %zu  statements %zu  introspection %.3f s (own CPU %.3f s)  peak %ld MB\n",
              tables, statements.size(), own, processor, peak_kilobytes() / 1024);
  if (settings.connector == "postgres") {
    Fetched fetched;
    const double raw = best(times, [&] { fetched = fetch_all(url, statements); });
    std::printf("raw libpq client %.3f s  rows %zu  bytes %zu  ratio %.2f\n", raw, fetched.rows,
                fetched.bytes, own / raw);
  }
  return 0;
}
