// Conditions over rows in memory: rows a second of a typical --where.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "analysis/file/columns.hpp"

namespace {

using namespace scalesweep;

const std::vector<store::AxisValues>& axes() {
  static const std::vector<store::AxisValues> all = {
      {"memory", "", "", {"HBM2E", "HBM3", "HBM4"}, {0.0, 1.0, 2.0}}};
  return all;
}

const store::Schema& schema() {
  static const store::Schema all = {
      {"memory", store::ColumnType::u8, "", "", "", {"HBM2E", "HBM3", "HBM4"}},
      {"tensor_parallel", store::ColumnType::i32, "1", "", "", {}},
      {"step_time", store::ColumnType::f64, "s", "", "", {}}};
  return all;
}

void condition(benchmark::State& state) {
  const analysis::Condition condition(
      "tensor_parallel <= 8 and memory == 'HBM4' and step_time < '2 s'", schema(), axes());
  const auto rows = static_cast<std::size_t>(state.range(0));
  store::Table table(schema());
  table.resize(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    table.values<std::uint8_t>(0)[i] = static_cast<std::uint8_t>(i % 3);
    table.values<std::int32_t>(1)[i] = 1 << (i % 7);
    table.values<double>(2)[i] = 1e-3 * static_cast<double>(i % 4001);
  }
  std::vector<std::uint8_t> holds;
  for (auto round : state) {
    condition.select(table, schema(), holds);
    benchmark::DoNotOptimize(holds.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows));
}

}  // namespace

BENCHMARK(condition)->Arg(10'000'000)->Unit(benchmark::kMillisecond);
