// Pareto frontiers of random clouds in memory, on one thread: all rows at once, and block by block.
//
//   reduce_bench --benchmark_filter='rows:1000000/'
#include <benchmark/benchmark.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "reduce/frontier/frontier_builder.hpp"
#include "reduce/frontier/pareto.hpp"
#include "reduce/hypervolume.hpp"

namespace scalesweep::reduce {
namespace {

enum Cloud {
  uniform,          // independent objectives: the more of them, the longer the frontier
  on_the_frontier,  // no row dominates another
};

struct Rows {
  std::vector<std::vector<double>> columns;
  std::vector<std::int64_t> ids;

  std::vector<std::span<const double>> views() const { return {columns.begin(), columns.end()}; }
};

Rows rows_of(const benchmark::State& state) {
  const auto rows = static_cast<std::size_t>(state.range(1));
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> values(0.0, 1.0);
  Rows result;
  result.columns.assign(static_cast<std::size_t>(state.range(2)), std::vector<double>(rows));
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = 0.0;
    for (std::vector<double>& column : result.columns) {
      column[row] = values(generator);
      sum += column[row];
    }
    for (std::vector<double>& column : result.columns) {
      column[row] /= state.range(0) == on_the_frontier ? sum : 1.0;
    }
  }
  result.ids.resize(rows);
  std::iota(result.ids.begin(), result.ids.end(), 0);
  return result;
}

// Sorted, then swept (two and three objectives) or divided and conquered.
void at_once(benchmark::State& state) {
  const Rows rows = rows_of(state);
  std::size_t kept = 0;
  for (auto _ : state) {
    kept = pareto_frontier(rows.views(), rows.ids).size();
  }
  state.counters["members"] = static_cast<double>(kept);
}
BENCHMARK(at_once)
    ->ArgNames({"cloud", "rows", "objectives"})
    ->ArgsProduct({{uniform}, {1000000}, {2, 3, 4, 5, 6}})
    ->ArgsProduct({{on_the_frontier}, {100000}, {3, 4, 5, 8}})
    ->Unit(benchmark::kMillisecond);

// Through the window of dominating rows, as studies are read.
void by_blocks(benchmark::State& state) {
  const Rows rows = rows_of(state);
  const auto ranks = static_cast<std::int32_t>(state.range(3));
  std::size_t kept = 0;
  for (auto _ : state) {
    FrontierBuilder builder(rows.columns.size(), ranks);
    constexpr std::size_t block = 16384;
    for (std::size_t first = 0; first < rows.ids.size(); first += block) {
      const std::size_t count = std::min(block, rows.ids.size() - first);
      std::vector<std::span<const double>> part;
      for (const std::span<const double> column : rows.views()) {
        part.push_back(column.subspan(first, count));
      }
      builder.add(part, std::span(rows.ids).subspan(first, count));
    }
    kept = builder.finish().ids.size();
  }
  state.counters["members"] = static_cast<double>(kept);
}
BENCHMARK(by_blocks)
    ->ArgNames({"cloud", "rows", "objectives", "ranks"})
    ->ArgsProduct({{uniform}, {1000000, 10000000}, {2, 3, 4, 5, 6}, {1}})
    ->ArgsProduct({{uniform}, {10000000}, {5}, {2, 4}})
    ->ArgsProduct({{on_the_frontier}, {100000}, {3, 4, 5, 8}, {1}})
    ->Unit(benchmark::kMillisecond);

void volume(benchmark::State& state) {
  const Rows rows = rows_of(state);
  const std::vector<double> reference(rows.columns.size(), 1.0);
  bool exact = false;
  for (auto _ : state) {
    exact = hypervolume(rows.views(), reference).has_value();
  }
  state.counters["exact"] = exact ? 1.0 : 0.0;
}
BENCHMARK(volume)
    ->ArgNames({"cloud", "rows", "objectives"})
    ->Args({on_the_frontier, 100000, 3})
    ->Args({on_the_frontier, 1000, 4})
    ->Args({on_the_frontier, 300, 5})
    ->Args({on_the_frontier, 3000, 5})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace scalesweep::reduce
