// Adapters of low rank beside the linear layers of a model (LoRA, Hu et al., arXiv:2106.09685), of
// which requests use different ones at the same time.
#pragma once

#include <cstdint>

#include "workload/training/tuning.hpp"

namespace scalesweep::estimator {

struct AdapterSet {
  std::int64_t count = 0;  // in device memory; each request uses one of them; 0: none
  std::int64_t rank = 0;
  workload::AdapterLayers layers = workload::AdapterLayers::all;
  double skew = 0.0;  // the i-th is as popular as i^-skew (Zipf)

  bool on() const { return count > 0 && rank > 0; }

  friend bool operator==(const AdapterSet&, const AdapterSet&) = default;
};

}  // namespace scalesweep::estimator
