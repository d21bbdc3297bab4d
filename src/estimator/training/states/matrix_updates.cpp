#include "estimator/training/states/matrix_updates.hpp"

#include <algorithm>

#include "estimator/parts/matmul.hpp"
#include "estimator/training/states/parameters.hpp"
#include "workload/training/linear_shapes.hpp"

namespace scalesweep::estimator {
namespace {

using workload::LinearShape;
using workload::MatMul;

Cost product(const workload::Optimizer& optimizer, double m, double n, double k, double batch,
             const Rates& rates) {
  MatMul op;
  op.name = "optimizer";
  op.m = m;
  op.n = n;
  op.k = k;
  op.batch = batch;
  op.input_bytes = op.output_bytes = optimizer.product_bytes;
  return matmul_cost(op, rates).cost;
}

// A = X X^T, A A, and (b A + c A A) X, where X has its shorter side first.
Cost orthogonal_cost(const workload::Optimizer& optimizer, const LinearShape& shape,
                     const Rates& rates) {
  const double shorter = std::min(shape.n, shape.k);
  const double longer = std::max(shape.n, shape.k);
  const auto of = [&](double n, double k) {
    return product(optimizer, shorter, n, k, shape.count, rates);
  };
  return optimizer.orthogonal_steps *
         (of(shorter, longer) + of(shorter, shorter) + of(longer, shorter));
}

Cost block_cost(const workload::Optimizer& optimizer, const LinearShape& shape,
                const Rates& rates) {
  const double rows = std::min(shape.k, optimizer.block);
  const double columns = std::min(shape.n, optimizer.block);
  const double blocks = shape.count * shape.k * shape.n / (rows * columns);
  return optimizer.block_products *
         product(optimizer, rows, columns, std::max(rows, columns), blocks, rates);
}

Cost update_cost(const workload::Optimizer& optimizer, const LinearShape& shape,
                 const Rates& rates) {
  Cost cost;
  if (optimizer.orthogonal_steps > 0.0) {
    cost += orthogonal_cost(optimizer, shape, rates);
  }
  if (optimizer.block > 0.0) {
    cost += block_cost(optimizer, shape, rates);
  }
  return cost;
}

void add_matrix(MatrixUpdates& updates, const workload::Optimizer& optimizer,
                const LinearShape& shape, double share, const Rates& rates) {
  const bool routed = shape.gemm == "expert up" || shape.gemm == "expert down";
  (routed ? updates.routed : updates.dense).add(share, update_cost(optimizer, shape, rates));
  (routed ? updates.routed_matrices : updates.dense_matrices) += share * shape.count;
}

Cost own_part(const Cost& whole, double matrices, double shards) {
  const double even = 1.0 / shards;
  return shards > 1.0 && matrices > 0.0 ? std::min(1.0, even + 1.0 / matrices) * whole : whole;
}

}  // namespace

MatrixUpdates layer_updates(const TrainingJob& job, const workload::Slice& slice,
                            workload::LayerKind kind, const Rates& rates) {
  MatrixUpdates updates;
  const auto rank = static_cast<double>(job.tuning.rank);
  for (const workload::LayerVariant& variant : workload::LayerVariants(job.model, kind)) {
    for (const LinearShape& shape :
         workload::linear_shapes(job.model, slice, variant.kind, variant.mixer)) {
      if (!job.tuning.on()) {
        add_matrix(updates, job.optimizer, shape, variant.share, rates);
        continue;
      }
      const double joined = workload::adapted_layers(shape.gemm, job.tuning, job.model.gated_ffn);
      if (joined > 0.0) {
        const LinearShape shrink = {shape.gemm, rank, shape.k, joined * shape.count};
        const LinearShape expand = {shape.gemm, shape.n / joined, rank, joined * shape.count};
        add_matrix(updates, job.optimizer, shrink, variant.share, rates);
        add_matrix(updates, job.optimizer, expand, variant.share, rates);
      }
    }
  }
  return updates;
}

Cost own_updates(const MatrixUpdates& updates, const parallel::Strategy& strategy) {
  const StateShards shards = state_shards(strategy);
  return own_part(updates.dense, updates.dense_matrices, shards.dense) +
         own_part(updates.routed, updates.routed_matrices, shards.routed);
}

}  // namespace scalesweep::estimator
