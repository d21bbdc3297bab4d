// What optimizers of matrices multiply once a step, beside what they stream.
#pragma once

#include "estimator/parts/cost.hpp"
#include "estimator/parts/rates.hpp"
#include "estimator/training/job.hpp"
#include "workload/layer.hpp"

namespace scalesweep::estimator {

// Of all matrices on one device: of layers alike on all replicas, and of routed experts.
struct MatrixUpdates {
  Cost dense;
  Cost routed;
  double dense_matrices = 0.0;
  double routed_matrices = 0.0;

  MatrixUpdates& add(double n, const MatrixUpdates& o) {
    dense.add(n, o.dense);
    routed.add(n, o.routed);
    dense_matrices += n * o.dense_matrices;
    routed_matrices += n * o.routed_matrices;
    return *this;
  }
};

// Of one layer, the mean of its kind. Nothing where the optimizer multiplies none. Tensor-parallel
// ranks take their parts of a matrix for whole ones.
MatrixUpdates layer_updates(const TrainingJob& job, const workload::Slice& slice,
                            workload::LayerKind kind, const Rates& rates);

// Of those on a stage, what a device does. ZeRO deals out parameters one behind the other, and who
// has a part of a matrix multiplies all of it (Liu et al., arXiv:2502.16982, algorithm 1): one
// matrix more than an even share.
Cost own_updates(const MatrixUpdates& updates, const parallel::Strategy& strategy);

}  // namespace scalesweep::estimator
