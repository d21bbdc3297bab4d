// Pareto frontiers of random clouds, by number of rows and objectives.
#include <benchmark/benchmark.h>

#include <numeric>
#include <random>
#include <vector>

#include "reduce/pareto.hpp"

namespace scalesweep::reduce {
namespace {

// Products that trade off: the more objectives, the longer the frontier.
void frontier(benchmark::State& state) {
  const auto rows = static_cast<std::size_t>(state.range(0));
  const auto objectives = static_cast<std::size_t>(state.range(1));
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::vector<std::vector<double>> columns(objectives, std::vector<double>(rows));
  for (std::vector<double>& column : columns) {
    for (double& value : column) {
      value = uniform(generator);
    }
  }
  std::vector<std::int64_t> ids(rows);
  std::iota(ids.begin(), ids.end(), 0);
  const std::vector<std::span<const double>> views(columns.begin(), columns.end());
  std::size_t kept = 0;
  for (auto _ : state) {
    kept = pareto_frontier(views, ids).size();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["frontier"] = static_cast<double>(kept);
}
BENCHMARK(frontier)
    ->ArgNames({"rows", "objectives"})
    ->ArgsProduct({{1000000}, {2, 3, 4, 6}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace scalesweep::reduce
