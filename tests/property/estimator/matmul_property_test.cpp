// What must hold for every matrix multiplication on every device.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <cmath>
#include <utility>

#include "estimator/parts/matmul.hpp"
#include "support/example_system.hpp"

namespace scalesweep::estimator {
namespace {

using technology::Precision;

double log_uniform(double low, double high) {
  const double fraction = *rc::gen::inRange(0, 10001) / 10000.0;
  return low * std::pow(high / low, fraction);
}

technology::GemmTileSet any_tiles() {
  constexpr technology::GemmTileSet all =
      (technology::GemmTileSet{1} << technology::gemm_tiles.size()) - 1;
  return *rc::gen::inRange<technology::GemmTileSet>(1, all + 1);
}

Rates any_rates() {
  Rates rates;
  rates.matmul_fit = scalesweep::test::example_system().device.matmul_fit;
  rates.precision = *rc::gen::element(Precision::bf16, Precision::fp8, Precision::fp4);
  rates.cores = *rc::gen::inRange(20, 400);
  rates.tiles = any_tiles();
  rates.cluster = *rc::gen::element(1, 2, 4, 8);
  rates.tensor_flop_per_s = log_uniform(20e12, 20e15);
  rates.dram_bytes_per_s = log_uniform(0.3e12, 30e12);
  rates.l2_bytes_per_s = log_uniform(2e12, 100e12);
  rates.l2_capacity_bytes = log_uniform(4e6, 400e6);
  rates.shared_bytes_per_s = log_uniform(10e12, 500e12);
  rates.latency_s = log_uniform(1e-6, 10e-6);
  rates.split_latency_s = log_uniform(0.1e-6, 10e-6);
  return rates;
}

workload::MatMul any_matmul() {
  workload::MatMul op;
  op.m = std::floor(log_uniform(1, 65536));
  op.n = std::floor(log_uniform(1, 65536));
  op.k = std::floor(log_uniform(16, 65536));
  op.batch = *rc::gen::element(1, 1, 8);
  op.input_bytes = *rc::gen::element(2.0, 1.0, 0.5625);
  op.accumulates = *rc::gen::arbitrary<bool>();
  return op;
}

constexpr std::array<std::pair<Resource, double Rates::*>, 4> rates_by_resource = {
    {{Resource::tensor_compute, &Rates::tensor_flop_per_s},
     {Resource::dram, &Rates::dram_bytes_per_s},
     {Resource::l2, &Rates::l2_bytes_per_s},
     {Resource::shared_memory, &Rates::shared_bytes_per_s}}};

double time_s(const workload::MatMul& op, const Rates& rates) {
  return matmul_cost(op, rates).cost.time.total_s();
}

TEST(MatMulProperty, NeverSlowerWithAFasterResource) {
  EXPECT_TRUE(rc::check([] {
    const workload::MatMul op = any_matmul();
    const Rates rates = any_rates();
    const double before_s = time_s(op, rates);
    RC_ASSERT(std::isfinite(before_s) && before_s > rates.latency_s);
    for (const auto& [resource, rate] : rates_by_resource) {
      Rates faster = rates;
      faster.*rate *= 1.5;
      RC_ASSERT(time_s(op, faster) <= before_s * (1.0 + 1e-12));
    }
  }));
}

TEST(MatMulProperty, NeverSlowerWhereACoreHoldsMoreTiles) {
  EXPECT_TRUE(rc::check([] {
    workload::MatMul op = any_matmul();
    Rates rates = any_rates();
    rates.precision = Precision::bf16;  // four-bit kernels have tiles of their own
    const double before_s = time_s(op, rates);
    rates.tiles |= any_tiles();
    RC_ASSERT(time_s(op, rates) <= before_s * (1.0 + 1e-12));
  }));
}

// Where the tiling stays the same, a charge is the derivative to the logarithm of a rate.
TEST(MatMulProperty, ChargesAreTheElasticities) {
  EXPECT_TRUE(rc::check([] {
    const workload::MatMul op = any_matmul();
    const Rates rates = any_rates();
    const MatMulCost cost = matmul_cost(op, rates);
    constexpr double step = 1e-5;
    for (const auto& [resource, rate] : rates_by_resource) {
      Rates faster = rates;
      Rates slower = rates;
      faster.*rate *= std::exp(step);
      slower.*rate *= std::exp(-step);
      const MatMulCost above = matmul_cost(op, faster);
      const MatMulCost below = matmul_cost(op, slower);
      const auto same_path = [&](const MatMulCost& other) {
        const auto charged = [](const MatMulCost& c, Resource r) { return c.cost.time[r] > 0.0; };
        return other.tiling.m == cost.tiling.m && other.tiling.n == cost.tiling.n &&
               other.tiling.split_k == cost.tiling.split_k &&
               charged(other, Resource::tensor_compute) == charged(cost, Resource::tensor_compute);
      };
      if (!same_path(above) || !same_path(below)) {
        continue;  // a tie: the derivative jumps
      }
      const double slope_s = (below.cost.time.total_s() - above.cost.time.total_s()) / (2.0 * step);
      RC_ASSERT(std::fabs(slope_s - cost.cost.time[resource]) < 1e-4 * cost.cost.time.total_s());
    }
  }));
}

TEST(MatMulProperty, EverythingTwiceAsFastTakesHalfTheTime) {
  EXPECT_TRUE(rc::check([] {
    const workload::MatMul op = any_matmul();
    const Rates rates = any_rates();
    Rates twice = rates;
    for (const auto& [resource, rate] : rates_by_resource) {
      twice.*rate *= 2.0;
    }
    twice.latency_s /= 2.0;
    twice.split_latency_s /= 2.0;
    RC_ASSERT(std::fabs(2.0 * time_s(op, twice) / time_s(op, rates) - 1.0) < 1e-12);
  }));
}

}  // namespace
}  // namespace scalesweep::estimator
