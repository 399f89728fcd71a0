// The parts of a pipeline that move rows, each beside `psql \copy` of the same file in the same
// run. Everything grows linearly with the rows. Usage: bulk_bench [rows]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>

#include "base/environment.h"
#include "base/file_system.h"
#include "db/bulk.h"
#include "db/duckdb/connector.h"
#include "db/postgres/connector.h"
#include "scratch/provider.h"

namespace {

using namespace kedge;  // NOLINT(google-build-using-namespace): the program's own file

constexpr const char* kTable =
    "CREATE TABLE t (id bigint, code varchar(20), qty int, kg numeric(10,2), ok boolean, day date, "
    "stamp timestamp, ratio double precision, note text)";
constexpr const char* kRead =
    "read_csv('%', columns = {id: 'BIGINT', code: 'VARCHAR', qty: 'INTEGER', kg: 'DECIMAL(10,2)', "
    "ok: 'BOOLEAN', day: 'DATE', stamp: 'TIMESTAMP', ratio: 'DOUBLE', note: 'VARCHAR'}, header = "
    "true)";
const std::vector<std::string> kNames = {"id",  "code",  "qty",   "kg",  "ok",
                                         "day", "stamp", "ratio", "note"};

void write_csv(const std::string& path, long rows) {
  std::ofstream out(path);
  out << "id,code,qty,kg,ok,day,stamp,ratio,note\n";
  for (long i = 0; i < rows; ++i) {
    out << i << ",CODE-" << i % 9973 << ',' << i % 1000 << ',' << i % 100000 << '.' << 10 + i % 90
        << ',' << (i % 3 == 0 ? "true" : "false") << ",2027-" << 10 + i % 3 << '-' << 10 + i % 18
        << ",2027-03-14 08:" << 10 + i % 50 << ':' << 10 + i % 50 << ".125,"
        << 0.5 + static_cast<double>(i % 1000) << ",a note of some length for row " << i << '\n';
  }
}

double seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double best_of(int times, const std::function<void()>& before, const std::function<void()>& work) {
  double best = 1e9;
  for (int i = 0; i < times; ++i) {
    before();
    best = std::min(best, seconds(work));
  }
  return best;
}

void report(const char* what, long rows, double time, double reference) {
  std::printf("%-34s %8.3f s %10.0f rows/s   %.2f x psql\n", what, time,
              static_cast<double>(rows) / time, reference / time);
}

}  // namespace

int main(int argc, char** argv) {
  const long rows = argc > 1 ? std::atol(argv[1]) : 500'000;
  const base::TemporaryFolder folder("kedge-bench");
  const std::string csv = folder.path() + "/rows.csv";
  write_csv(csv, rows);
  db::Registry registry;
  registry.add("postgres", db::make_postgres_connector());
  registry.add("duckdb", db::make_duckdb_connector());
  const auto environment = base::make_environment();
  std::unique_ptr<db::ScratchProvider> provider = scratch::make_provider(registry, *environment);
  std::unique_ptr<db::ScratchDatabase> scratch;
  std::printf("first postgres engine %25.3f s\n",
              seconds([&] { scratch = provider->create(schema::Dialect::Postgres, {}); }));
  const auto second = scratch::make_provider(registry, *environment);
  std::printf("second postgres engine %24.3f s\n",
              seconds([&] { second->create(schema::Dialect::Postgres, {}); }));

  const db::ConnectionSettings settings = scratch->settings();
  const auto postgres = registry.connect(settings);
  db::ConnectionSettings memory{
      "memory", "duckdb", {{"path", ":memory:"}}, {}, db::AccessMode::Create};
  const auto duckdb = registry.connect(memory);
  std::string read = kRead;
  read.replace(read.find('%'), 1, csv);
  const db::BulkTarget target{{Identifier(), Identifier("t")}, kNames};
  const auto fresh = [&] {
    postgres->execute("DROP TABLE IF EXISTS t");
    postgres->execute(kTable);
  };
  const std::string psql = "psql -q -X -h " + settings.options.at("host") + " -U kedge -d " +
                           settings.options.at("database") + " -c \"\\copy t FROM '" + csv +
                           "' WITH (FORMAT csv, HEADER true)\"";
  const double reference = best_of(3, fresh, [&] {
    if (std::system(psql.c_str()) != 0) {
      std::exit(1);
    }
  });
  report("psql \\copy", rows, reference, reference);
  const double straight = best_of(
      3, fresh, [&] { db::copy_rows(*duckdb, "SELECT * FROM " + read, *postgres, target); });
  report("csv -> postgres", rows, straight, reference);
  const double staging = best_of(
      3, [] {}, [&] { duckdb->execute("CREATE OR REPLACE TABLE s AS SELECT * FROM " + read); });
  report("csv -> staging table", rows, staging, reference);
  const double out =
      best_of(3, fresh, [&] { db::copy_rows(*duckdb, "SELECT * FROM s", *postgres, target); });
  report("staging table -> postgres", rows, out, reference);
  const double in = best_of(
      3, [&] { duckdb->execute("CREATE OR REPLACE TABLE t AS SELECT * FROM s LIMIT 0"); },
      [&] { db::copy_rows(*postgres, "SELECT * FROM t", *duckdb, target); });
  report("postgres -> staging table", rows, in, reference);
  return 0;
}
