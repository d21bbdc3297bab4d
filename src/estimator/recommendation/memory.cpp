#include "estimator/recommendation/memory.hpp"

namespace scalesweep::estimator {

// Micikevicius et al., Mixed Precision Training, arXiv:1710.03740: a master copy beside weights of
// fewer bits.
RecommendationMemory recommendation_memory(const RecommendationJob& job, const PlacedTables& tables,
                                           double devices, const technology::Device& device) {
  const workload::RecommendationModel& model = job.model;
  const double own_samples = static_cast<double>(job.batch) / devices;
  const double w = job.activation_bytes();
  const double dense = model.dense_parameters();
  const double table_bytes = tables.elements * job.table_bytes();
  RecommendationMemory memory;
  memory.usable_bytes = usable_memory_bytes(device);
  memory.tables_bytes = job.resident * table_bytes;
  memory.host_bytes = (1.0 - job.resident) * table_bytes;
  memory.weights_bytes = memory.tables_bytes + dense * technology::element_bytes(job.operands);
  // Rows that are sent, and those that come.
  const double sent =
      static_cast<double>(job.batch) * (tables.widest_columns + tables.summed_columns) +
      own_samples * (tables.unpooled_columns + model.pooled_width());
  if (!job.trains()) {
    memory.activations_bytes =
        w * (sent + own_samples * workload::working_elements_per_sample(model));
    return memory;
  }
  const OptimizerState of_tables = state_of(job.table_optimizer);
  const OptimizerState of_dense = state_of(job.dense_optimizer);
  const double table_states =
      full_bytes * (of_tables.of_element * tables.elements + of_tables.of_row * tables.rows);
  memory.gradients_bytes = full_bytes * dense;
  memory.optimizer_bytes = job.resident * table_states +
                           full_bytes * dense * (of_dense.of_element + of_dense.of_row) +
                           (job.activation_bytes() < full_bytes ? full_bytes * dense : 0.0);
  memory.host_bytes += (1.0 - job.resident) * table_states;
  memory.activations_bytes =
      w * (2.0 * sent + own_samples * workload::saved_elements_per_sample(model));
  return memory;
}

}  // namespace scalesweep::estimator
