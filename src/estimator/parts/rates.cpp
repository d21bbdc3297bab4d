#include "estimator/parts/rates.hpp"

#include <algorithm>

#include "core/contracts.hpp"
#include "technology/derive/long_gemm.hpp"

namespace scalesweep::estimator {

namespace {

// Of a FLOP in a job. One of fp8 takes half of one of bf16 on H100 and B200 alike. Long GEMMs in
// four bits lose more of their clock than half of that again explains: what slows them alone is not
// their energy, and a job where they share the time with other kernels does not feel it.
double job_energy_j(const technology::Device& device, technology::Precision precision) {
  double flop_j = device.tensor_energy[technology::index_of(precision)].si();
  const double fp8_j = device.tensor_energy[technology::index_of(technology::Precision::fp8)].si();
  if (technology::has_four_bits(precision) && fp8_j > 0.0) {
    flop_j = std::min(flop_j, 0.5 * fp8_j);
  }
  return device.matmul_fit.job_energy * flop_j;
}

// The rate of the vector units is known.
void set_multiplications(Rates& rates, const technology::Device& device, Regime regime) {
  const technology::Precision unit = technology::matrix_format(device, rates.precision);
  const std::size_t p = technology::index_of(unit);
  if (rates.precision == technology::Precision::fp32 && device.tensor_peak[p].si() <= 0.0) {
    // No matrix unit multiplies fp32, and frameworks round nothing unasked: vector units do.
    rates.tensor_flop_per_s = rates.vector_flop_per_s;
    rates.tensor_j_per_flop = device.vector_energy.si();
    return;
  }
  rates.tensor_flop_per_s = device.tensor_peak[p].si() * device.tensor_sustained[p];
  if (regime == Regime::isolated) {
    rates.limited_share = technology::long_gemm_clock(device, unit);
    rates.tensor_j_per_flop = device.tensor_energy[p].si();
  } else {
    rates.tensor_j_per_flop = job_energy_j(device, unit);
  }
}

}  // namespace

Rates rates_of(const technology::Device& device, technology::Precision precision, Regime regime) {
  const std::size_t p = technology::index_of(technology::matrix_format(device, precision));
  Rates rates;
  rates.precision = precision;
  rates.scales_blocks = technology::scales_blocks(device);
  rates.cores = device.cores;
  rates.cluster = device.cluster;
  rates.vector_flop_per_s = device.vector_peak.si() * device.vector_sustained;
  set_multiplications(rates, device, regime);
  if (regime == Regime::isolated) {
    rates.reusable_l2_bytes = device.l2.capacity.si();
  }
  rates.matrix_unit = device.matrix_unit;
  rates.tiles = technology::gemm_tiles_of(device);
  rates.dram_bytes_per_s = device.dram.bandwidth.si() * device.dram.sustained;
  rates.l2_bytes_per_s = device.l2.bandwidth.si() * device.l2.sustained;
  rates.l2_capacity_bytes = device.l2.capacity.si();
  rates.memory_in_cores = device.memory_in_cores;
  rates.shared_bytes_per_s = device.shared.bandwidth.si() * device.shared.sustained;
  rates.shared_capacity_bytes = device.shared.capacity.si();
  rates.latency_s = device.kernel_latency.si();
  rates.split_latency_s = device.matmul.split_latency.si();
  rates.quantize_latency_s = device.matmul.quantize_latency[p].si();
  rates.attention = device.attention;
  rates.matmul_fit = device.matmul_fit;
  rates.attention_fit = device.attention_fit;
  SCALESWEEP_EXPECT(rates.tensor_flop_per_s > 0.0 && rates.dram_bytes_per_s > 0.0);
  SCALESWEEP_EXPECT(rates.vector_flop_per_s > 0.0 && rates.cores >= 1.0);
  SCALESWEEP_EXPECT(rates.l2_bytes_per_s > 0.0 && rates.shared_bytes_per_s > 0.0);
  return rates;
}

double reachable_share(double core_flop, const technology::Device& device,
                       technology::Precision precision) {
  const double peak = device.tensor_peak[technology::index_of(precision)].si();
  const double limit = core_flop * device.cores * device.clock.si();
  return limit > 0.0 ? std::min(1.0, limit / peak) : 1.0;
}

}  // namespace scalesweep::estimator
