#include "estimator/parts/rates.hpp"

#include "core/contracts.hpp"
#include "technology/derive/long_gemm.hpp"

namespace scalesweep::estimator {

Rates rates_of(const technology::Device& device, technology::Precision precision, Regime regime) {
  const std::size_t p = technology::index_of(precision);
  Rates rates;
  rates.precision = precision;
  rates.cores = device.cores;
  rates.cluster = device.cluster;
  rates.tensor_flop_per_s = device.tensor_peak[p].si() * device.tensor_sustained[p];
  if (regime == Regime::isolated) {
    rates.limited_share = technology::long_gemm_clock(device, precision);
    rates.reusable_l2_bytes = device.l2.capacity.si();
  }
  rates.tensor_j_per_flop = device.tensor_energy[p].si();
  if (regime == Regime::long_run) {
    rates.tensor_j_per_flop *= device.matmul_fit.job_energy;
  }
  rates.vector_flop_per_s = device.vector_peak.si() * device.vector_sustained;
  rates.dram_bytes_per_s = device.dram.bandwidth.si() * device.dram.sustained;
  rates.l2_bytes_per_s = device.l2.bandwidth.si() * device.l2.sustained;
  rates.l2_capacity_bytes = device.l2.capacity.si();
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

}  // namespace scalesweep::estimator
