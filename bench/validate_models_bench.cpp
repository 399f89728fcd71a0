// validate-models step by step over a Postgres database: reading the files, the live schema, the
// cascade. Run by generate/models.py: validate_models_bench FOLDER HOST PORT DATABASE USER
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>

#include "base/file_system.h"
#include "db/postgres/connector.h"
#include "models/cascade.h"
#include "models/live_reader.h"
#include "models/store.h"

int main(int argc, char** argv) {
  using namespace kedge;  // NOLINT(google-build-using-namespace): a program's own file
  if (argc != 6) {
    std::fputs("validate_models_bench FOLDER HOST PORT DATABASE USER\n", stderr);
    return 2;
  }
  db::Registry registry;
  registry.add("postgres", db::make_postgres_connector());
  models::DataSource source;
  source.name = "main";
  source.dialect = models::SqlDialect::Postgres;
  source.settings.name = "main";
  source.settings.connector = "postgres";
  source.settings.options = {
      {"host", argv[2]}, {"port", argv[3]}, {"database", argv[4]}, {"user", argv[5]}};
  const auto files = base::make_file_system();
  struct Lap {
    double wall;
    double cpu;  // of this process: the server's is not in it
  };
  auto last = std::chrono::steady_clock::now();
  std::clock_t last_ticks = std::clock();
  const auto lap = [&] {
    const auto now = std::chrono::steady_clock::now();
    const std::clock_t ticks = std::clock();
    const Lap passed{std::chrono::duration<double>(now - last).count(),
                     static_cast<double>(ticks - last_ticks) / CLOCKS_PER_SEC};
    last = now;
    last_ticks = ticks;
    return passed;
  };
  const models::ModelStore store =
      models::load_models(*files, {argv[1], {{"main", source.dialect}}, std::nullopt});
  const Lap load = lap();
  models::LiveReading reading =
      models::read_live(registry, {source, store.set, {}, models::Depth::Declared});
  const Lap live = lap();
  models::LiveShapes shapes;
  shapes.emplace("main", std::move(reading.source));
  lap();
  const std::size_t entries = models::compute_drops(store.set, shapes).size();
  const Lap cascade = lap();
  std::printf(
      "wall (CPU): files %.3f (%.3f) s, live schema %.3f (%.3f) s, cascade %.3f (%.3f) s, %zu "
      "models, %zu entries\n",
      load.wall, load.cpu, live.wall, live.cpu, cascade.wall, cascade.cpu, store.set.models.size(),
      entries);
  return reading.failed ? 1 : 0;
}
