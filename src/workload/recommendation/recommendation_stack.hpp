// How a software stack runs models with embedding tables: properties of neither the device nor the
// model.
#pragma once

namespace scalesweep::workload {

struct RecommendationStack {
  // Host time to issue one kernel or collective; 0 where launches are captured in graphs.
  double issue_interval_s = 0.0;
  // Fixed time of a batch that no kernel accounts for.
  double batch_overhead_s = 0.0;
  // Pooled rows and their gradients travel beside the bottom MLP, gradients of the dense part
  // beside the update of the tables.
  bool hides_exchange = false;
  // Devices get the indices of their own samples, and send them on to the tables; else each gets
  // those of its tables from its host.
  bool exchanges_indices = false;
  // Biases, activations and what stands beside the products of an interaction are part of GEMMs.
  bool fused_pointwise = false;
  // Products of pairs are taken of rows as they are looked up, where a device has all tables:
  // neither rows nor their sums are written.
  bool fused_lookup = false;
  // Rates of GEMMs in a batch over those of the same GEMMs alone.
  double kernel_share = 1.0;

  friend bool operator==(const RecommendationStack&, const RecommendationStack&) = default;
};

}  // namespace scalesweep::workload
