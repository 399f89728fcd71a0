// The cascade over many models: 30 columns each, 20 % derived, 5 % of the live columns dropped.
// Expected growth: linear in the number of models (that is, of references).
#include <benchmark/benchmark.h>

#include <memory>
#include <random>
#include <string>

#include "models/cascade.h"
#include "models/store.h"

namespace {

using namespace kedge::models;  // NOLINT(google-build-using-namespace): a program's own file

constexpr int kColumns = 30;
constexpr int kDerived = 6;

struct Workload {
  std::vector<std::string> texts;
  ModelSet set;
  LiveShapes live;
};

std::string model_text(int number, int count) {
  const std::string name = "m" + std::to_string(number);
  const std::string other = "m" + std::to_string((number + 1) % count);
  std::string text = "name: " + name + "\nsql_table: " + name + "\ncolumns:\n";
  for (int column = 0; column < kColumns - kDerived; ++column) {
    text += "  - {name: c" + std::to_string(column) + ", type: DOUBLE" +
            (column == 0 ? ", primary_key: true" : "") + "}\n";
  }
  for (int derived = 0; derived < kDerived; ++derived) {
    text += "  - {name: d" + std::to_string(derived) + ", type: DOUBLE, sql: \"COALESCE(c" +
            std::to_string(derived + 1) + ", 0) / NULLIF(c" + std::to_string(derived + 7) +
            ", 0) + " + other + ".c" + std::to_string(derived + 3) + "\"}\n";
  }
  text += "measures:\n";
  for (int measure = 0; measure < 4; ++measure) {
    text += "  - {name: q" + std::to_string(measure) + ", formula: \"d" + std::to_string(measure) +
            ":sum / c" + std::to_string(measure + 2) + ":sum\"}\n";
  }
  return text + "joins:\n  - {target_model: " + other + ", join_pairs: [[c1, c0]]}\n" +
         "filters: [\"c2 > 0 AND c3 IS NOT NULL\"]\n";
}

Workload make_workload(int count) {
  Workload workload;
  std::mt19937 random(20);
  LiveSource source;
  source.dialect = SqlDialect::Postgres;
  for (int number = 0; number < count; ++number) {
    workload.texts.push_back(model_text(number, count));
    const std::string name = "m" + std::to_string(number);
    workload.set.models.push_back(*load_model_text("models/main/" + name + ".yml",
                                                   workload.texts.back(), "main",
                                                   SqlDialect::Postgres)
                                       .model);
    workload.set.existing.insert({"main", name});
    LiveColumns columns;
    for (int column = 0; column < kColumns; ++column) {
      if (random() % 20 != 0) {
        columns.push_back(
            {"c" + std::to_string(column), kedge::schema::Bucket::Number, "double precision"});
      }
    }
    source.models[name] = {LiveShape::State::Present,
                           std::make_shared<const LiveColumns>(std::move(columns)), ""};
  }
  workload.live["main"] = std::move(source);
  return workload;
}

void BM_Cascade(benchmark::State& state) {
  const Workload workload = make_workload(static_cast<int>(state.range(0)));
  std::size_t entries = 0;
  for (auto _ : state) {
    entries = compute_drops(workload.set, workload.live).size();
    benchmark::DoNotOptimize(entries);
  }
  state.counters["entries"] = static_cast<double>(entries);
  state.SetComplexityN(state.range(0));
}
BENCHMARK(BM_Cascade)
    ->Arg(100)
    ->Arg(1000)
    ->Arg(2000)
    ->Arg(10000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oN);

void BM_LoadModels(benchmark::State& state) {
  const Workload workload = make_workload(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    for (std::size_t number = 0; number < workload.texts.size(); ++number) {
      benchmark::DoNotOptimize(load_model_text("models/main/m" + std::to_string(number) + ".yml",
                                               workload.texts[number], "main",
                                               SqlDialect::Postgres));
    }
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(BM_LoadModels)
    ->Arg(100)
    ->Arg(2000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oN);

}  // namespace

BENCHMARK_MAIN();
