// How many points a second one core evaluates, rows included: the inner loop of a run.
//
//   build/release/tests/evaluate_bench
//
// Why: a study of a billion points is practical at a million a second over a few cores, and the
// project promises at least 100,000 a second and core. The specs are the shipped ones.
//
// Last result, one core of a 2.6 GHz server, Release with contracts: technology_scaling 1.26 M
// points/s, plain_path 0.04 M points/s, load_study 17 ms.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <limits>
#include <optional>
#include <stdexcept>

#include "study/schema.hpp"
#include "study/study.hpp"

namespace scalesweep {
namespace {

std::filesystem::path source_folder() {
  const char* folder = std::getenv("SCALESWEEP_SOURCE_DIR");
  return folder != nullptr ? folder : ".";
}

study::Study load(const std::string& sweep) {
  Diagnostics diagnostics;
  std::optional<study::Study> study = study::Study::load(source_folder() / "sweeps" / sweep,
                                                         source_folder() / "nodes", diagnostics);
  if (!study) {
    throw std::runtime_error("run it in the source folder, or set SCALESWEEP_SOURCE_DIR\n" +
                             diagnostics.text());
  }
  return *study;
}

engine::RangeResult empty_result(const study::Study& study) {
  return {store::Table(study.description().schema), store::Counts(study::status_count, 0),
          std::numeric_limits<double>::infinity()};
}

// Ranges of one lease after another, as a run gets them.
void evaluate(benchmark::State& state, const std::string& sweep) {
  const study::Study study = load(sweep);
  const engine::Evaluator evaluator = study.make_evaluator();
  const std::int64_t step = state.range(0);
  engine::RangeResult result = empty_result(study);
  PointId first = 0;
  std::int64_t points = 0;
  for (auto _ : state) {
    result.rows.clear();
    const PointId last = std::min(first + step, study.space().size());
    evaluator.evaluate({first, last}, result);
    benchmark::DoNotOptimize(result.rows);
    points += last - first;
    first = last == study.space().size() ? 0 : last;
  }
  state.SetItemsProcessed(points);
}

void technology_scaling(benchmark::State& state) {
  evaluate(state, "technology-scaling.toml");
}
void quick(benchmark::State& state) {
  evaluate(state, "quick.toml");
}

BENCHMARK(technology_scaling)->Arg(16384)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK(quick)->Arg(16384)->Unit(benchmark::kMillisecond);

// The same points without any reuse: what factoring gains.
void plain_path(benchmark::State& state) {
  const study::Study study = load("technology-scaling.toml");
  PointId id = 0;
  std::int64_t points = 0;
  for (auto _ : state) {
    const study::Point point = study.point_at(id);
    benchmark::DoNotOptimize(estimator::estimate_training(study::training_job(point),
                                                          *point.system.system, point.strategy));
    ++points;
    id = (id + 7919) % study.space().size();
  }
  state.SetItemsProcessed(points);
}
BENCHMARK(plain_path);

// Reading spec and catalog, and building the tables of valid strategies.
void load_study(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(load("technology-scaling.toml"));
  }
}
BENCHMARK(load_study)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace scalesweep
