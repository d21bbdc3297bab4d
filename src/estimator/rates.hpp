// A device as the kernel models use it: plain doubles, sustained rates, one operand precision.
#pragma once

#include "technology/device.hpp"

namespace scalesweep::estimator {

struct Rates {
  double cores = 1;
  double cluster = 1;            // cores that share what they read from L2
  double tensor_flop_per_s = 0;  // sustained over a long run, whole device
  double vector_flop_per_s = 0;
  double dram_bytes_per_s = 0;  // sustained
  double l2_bytes_per_s = 0;    // sustained
  double l2_capacity_bytes = 0;
  double shared_bytes_per_s = 0;     // sustained, all cores together
  double shared_capacity_bytes = 0;  // of one core
  double latency_s = 0;              // of one kernel
  technology::AttentionKernels attention;
};

// Kernels measured one at a time run faster than this by 1 / device.long_run_clock.
Rates rates_of(const technology::Device& device, technology::Precision precision);

}  // namespace scalesweep::estimator
