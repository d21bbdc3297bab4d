// What is estimated of a batch of a recommendation model.
#pragma once

#include <cstddef>

#include "core/enum_names.hpp"
#include "estimator/batches/batch_estimate.hpp"

namespace scalesweep::estimator {

// The same seconds as Charges, split by what a device is busy with.
enum class RecommendationPhase {
  lookup,
  exchange,  // of pooled rows, their gradients and indices, as far as nothing hides it
  mlp,
  interaction,
  table_update,
  dense_reduction,  // of gradients that all devices have, as far as nothing hides it
  dense_update,
  host,  // waiting for it: inputs, launches, the fixed time of a batch
};
inline constexpr auto recommendation_phase_names =
    enum_names<RecommendationPhase>("lookup", "exchange", "mlp", "interaction", "table_update",
                                    "dense_reduction", "dense_update", "host");
inline constexpr std::size_t recommendation_phase_count = recommendation_phase_names.size();

struct RecommendationMemory {    // bytes on the fullest device
  double weights_bytes = 0.0;    // of tables, MLPs and cross layers
  double tables_bytes = 0.0;     // of these, the tables
  double gradients_bytes = 0.0;  // of all but the tables
  double optimizer_bytes = 0.0;  // of both
  double activations_bytes = 0.0;
  double host_bytes = 0.0;    // of its tables and their states, what its host has
  double usable_bytes = 0.0;  // what all but that may take
  double total_bytes() const {
    return weights_bytes + gradients_bytes + optimizer_bytes + activations_bytes;
  }
  // More than there is; below 0 where it fits.
  double short_bytes() const { return total_bytes() - usable_bytes; }
};

struct RecommendationEstimate : BatchEstimate<recommendation_phase_count> {
  double lookups_per_s = 0.0;    // rows, whole job
  double found_in_l2 = 0.0;      // share of lookups
  double exchanged_bytes = 0.0;  // that the busiest device sends of rows, gradients and indices
  double table_imbalance = 1.0;  // bytes that the busiest device looks up over the mean
  RecommendationMemory memory;
};

}  // namespace scalesweep::estimator
