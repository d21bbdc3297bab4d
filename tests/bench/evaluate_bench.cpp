// How many points a second one core evaluates, rows included: the inner loop of a run.
//
//   build/release/tests/evaluate_bench
//
// Why: a study of a billion points is practical at a million a second over a few cores, and the
// project promises at least 100,000 a second and core. The specs are the shipped ones.
//
// Last result, one core of a 2.6 GHz server, Release with contracts: technology_scaling 1.26 M
// points/s, plain_training 0.04 M points/s, load_study 17 ms. In runs beside other work a static
// batch had 0.9 to 1.0 times the rate of a training step where every layer is new, 1.5 to 2.0 times
// where layers are known; a service had a fifth of it.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <limits>
#include <optional>
#include <stdexcept>
#include <variant>
#include <vector>

#include "estimator/inference/inference.hpp"
#include "estimator/inference/service/serving.hpp"
#include "estimator/training/training.hpp"
#include "study/columns/schema.hpp"
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
  const store::StudyDescription& description = study.description();
  return {store::Table(description.schema), store::zero_counts(description),
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

void dram_scaling(benchmark::State& state) {
  evaluate(state, "dram-scaling.toml");
}
void serving(benchmark::State& state) {
  evaluate(state, "serving.toml");
}

BENCHMARK(technology_scaling)->Arg(16384)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK(quick)->Arg(16384)->Unit(benchmark::kMillisecond);
BENCHMARK(dram_scaling)->Arg(16384)->Unit(benchmark::kMillisecond);
BENCHMARK(serving)->Arg(1024)->Unit(benchmark::kMillisecond);

// Points of a sweep that have a system, spread over all of it.
std::vector<study::Point> some_points(const std::string& sweep) {
  const study::Study study = load(sweep);
  std::vector<study::Point> points;
  const std::int64_t tries = std::min<std::int64_t>(study.space().size(), 1024);
  for (std::int64_t i = 0; i < tries; ++i) {
    study::Point point = study.point_at(i * 7919 % study.space().size());
    if (point.system.system && !point.filtered) {
      points.push_back(std::move(point));
    }
  }
  return points;
}

// The estimate alone, every layer computed anew: what factoring gains, and what training, a static
// batch and a service cost beside each other.
template <typename Job, typename Estimate>
void plain(benchmark::State& state, const std::string& sweep, const Estimate& estimate) {
  const std::vector<study::Point> points = some_points(sweep);
  std::size_t i = 0;
  for (auto _ : state) {
    const study::Point& point = points[i];
    benchmark::DoNotOptimize(
        estimate(study::work_of<Job>(point.job), *point.system.system, point.strategy));
    i = (i + 1) % points.size();
  }
  state.SetItemsProcessed(state.iterations());
}

void plain_training(benchmark::State& state) {
  plain<estimator::TrainingJob>(state, "technology-scaling.toml",
                                [](const auto& job, const auto& system, const auto& strategy) {
                                  return estimator::estimate_training({job, system, strategy});
                                });
}
void plain_inference(benchmark::State& state) {
  plain<estimator::InferenceJob>(state, "dram-scaling.toml", estimator::estimate_inference);
}
void plain_serving(benchmark::State& state) {
  plain<estimator::ServingJob>(state, "serving.toml",
                               [](const auto& job, const auto& system, const auto& strategy) {
                                 return estimator::estimate_serving(job, system, strategy);
                               });
}
BENCHMARK(plain_training);
BENCHMARK(plain_inference);
BENCHMARK(plain_serving);

// The factored path of one system whose layers are known already: the strategies of a study that
// differ in what the memo does not depend on.
template <typename EstimateOf>
void known_layers(benchmark::State& state, std::size_t strategies, const EstimateOf& estimate_of) {
  for (std::size_t i = 0; i < strategies; ++i) {
    benchmark::DoNotOptimize(estimate_of(i));
  }
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(estimate_of(i));
    i = (i + 1) % strategies;
  }
  state.SetItemsProcessed(state.iterations());
}

void known_layers_training(benchmark::State& state) {
  const study::Study study = load("quick.toml");
  const study::Point first = study.point_at(0);
  std::vector<parallel::Strategy> strategies;
  for (PointId id = 0; id < 256; ++id) {
    strategies.push_back(study.point_at(id).strategy);
  }
  estimator::TrainingEstimator estimator(study::work_of<estimator::TrainingJob>(first.job),
                                         *first.system.system);
  known_layers(state, strategies.size(), [&](std::size_t i) { return estimator(strategies, i); });
}

// 64 requests at a time on 1 to 64 devices.
void known_layers_inference(benchmark::State& state) {
  const study::Point point = load("inference-boundedness.toml").point_at(0);
  auto job = study::work_of<estimator::InferenceJob>(point.job);
  job.batch = 64;
  std::vector<parallel::Strategy> strategies;
  for (const std::int32_t pipeline : {1, 2, 4, 8}) {
    for (const std::int32_t replicas : {1, 2, 4, 8}) {
      for (const std::int32_t micro_batches : {1, 2, 4, 8}) {
        parallel::Strategy strategy;
        strategy.tensor_parallel = 8;
        strategy.pipeline_parallel = pipeline;
        strategy.data_parallel = replicas;
        strategy.micro_batches = micro_batches;
        strategy.micro_batch = 64 / (replicas * micro_batches);
        strategies.push_back(strategy);
      }
    }
  }
  estimator::InferenceEstimator estimator(job, *point.system.system);
  known_layers(state, strategies.size(), [&](std::size_t i) { return estimator(strategies[i]); });
}
BENCHMARK(known_layers_training);
BENCHMARK(known_layers_inference);

// Reading spec and catalog, and building the tables of valid strategies.
void load_study(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(load("technology-scaling.toml"));
  }
}
BENCHMARK(load_study)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace scalesweep
