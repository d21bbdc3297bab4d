#include "estimator/layer_cost.hpp"

#include "estimator/collective.hpp"
#include "estimator/kernels.hpp"
#include "estimator/matmul.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::CollectiveKind;

// Sums of the kernels of one block on one device.
struct KernelSums {
  Cost forward;
  Cost backward;
  Cost attention_core;
  std::vector<Cost> data_gradients;
  std::vector<Cost> weight_gradients;
};

// The column-parallel products among a layer's linear ones (workload/layer.hpp gives the order).
constexpr std::size_t query_key_value = 0;
constexpr std::size_t mlp_up = 2;

KernelSums sum_kernels(const workload::LayerOperators& operators, const Rates& rates) {
  KernelSums sums;
  for (const workload::Operator& op : operators.forward) {
    const Cost cost = operator_cost(op, rates);
    sums.forward += cost;
    if (op.block == workload::Block::attention_core) {
      sums.attention_core += cost;
    }
  }
  for (const workload::Operator& op : operators.backward) {
    sums.backward += operator_cost(op, rates);
  }
  for (const workload::MatMul& op : operators.data_gradients) {
    sums.data_gradients.push_back(matmul_cost(op, rates).cost);
  }
  for (const workload::MatMul& op : operators.weight_gradients) {
    sums.weight_gradients.push_back(matmul_cost(op, rates).cost);
  }
  return sums;
}

// Forward collectives stand on the critical path: each product needs what the last one sent.
// Backward, the gradient of a column-parallel product's input is reduced while its weight gradient
// is computed, and with sequence parallelism the input is gathered again while the data gradient
// is computed: both hide behind kernels (Korthikanti et al. 2022, section 4.2.2; Megatron-LM).
void add_tensor_communication(BlockCost& block, const KernelSums& kernels, const TrainingJob& job,
                              const technology::System& system,
                              const parallel::Strategy& strategy) {
  const auto cost_of = [&](CollectiveKind kind) {
    return collective_cost(tensor_collective(job, system, strategy, kind), system).cost;
  };
  const auto hide = [&](const std::vector<Cost>& kernels_beside, const Cost& transfer) {
    if (!job.framework.hides_tensor_communication) {
      block.backward.communication += 2.0 * transfer;
      return;
    }
    block.backward.communication += beyond(kernels_beside[mlp_up].time, transfer);
    block.backward.communication += beyond(kernels_beside[query_key_value].time, transfer);
  };
  if (!strategy.sequence_parallel) {
    const Cost reduce = cost_of(CollectiveKind::all_reduce);
    block.forward.communication = 2.0 * reduce;
    hide(kernels.weight_gradients, reduce);
    return;
  }
  const Cost gather = cost_of(CollectiveKind::all_gather);
  const Cost scatter = cost_of(CollectiveKind::reduce_scatter);
  block.forward.communication = 2.0 * (gather + scatter);
  block.backward.communication = 2.0 * gather;
  hide(kernels.data_gradients, gather);
  hide(kernels.weight_gradients, scatter);
}

BlockCost block_cost(const KernelSums& kernels) {
  BlockCost block;
  block.forward.compute = kernels.forward;
  block.backward.compute = kernels.backward;
  for (const Cost& cost : kernels.data_gradients) {
    block.backward.compute += cost;
  }
  for (const Cost& cost : kernels.weight_gradients) {
    block.backward.compute += cost;
  }
  block.attention_core = kernels.attention_core;
  return block;
}

// A pass lasts as long as the device works or as the host takes to issue it, collectives included;
// the rest is waiting, a fixed latency.
void add_host_wait(BlockCost& block, const workload::LayerOperators& operators,
                   const TrainingJob& job, std::size_t forward_collectives,
                   std::size_t backward_collectives) {
  const auto wait = [&](PassCost& pass, std::size_t issued) {
    Cost host;
    host.time = Charges::of(Resource::latency,
                            static_cast<double>(issued) * job.framework.issue_interval_s);
    pass.host_wait = beyond(pass.compute.time + pass.communication.time, host);
  };
  wait(block.forward, operators.forward.size() + forward_collectives);
  wait(block.backward, operators.backward.size() + operators.data_gradients.size() +
                           operators.weight_gradients.size() + backward_collectives);
}

// The vocabulary-parallel embedding reduces its output; the head's input gradient is reduced as
// well. With sequence parallelism the reductions scatter, and each meets a gather. The loss reduces
// three scalars a token, which is left out (< 0.1 % of the head).
void add_edge_communication(LayerCosts& costs, const TrainingJob& job,
                            const technology::System& system, const parallel::Strategy& strategy) {
  const bool sharded = strategy.sequence_parallel;
  const auto cost_of = [&](CollectiveKind kind) {
    return collective_cost(tensor_collective(job, system, strategy, kind), system).cost;
  };
  const Cost reduce =
      cost_of(sharded ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce);
  costs.embedding.forward.communication = reduce;
  costs.head.backward.communication = reduce;
  if (sharded) {
    const Cost gather = cost_of(CollectiveKind::all_gather);
    costs.embedding.backward.communication = gather;
    costs.head.forward.communication = gather;
  }
}

}  // namespace

workload::Slice slice_of(const TrainingJob& job, const parallel::Strategy& strategy) {
  workload::Slice slice;
  slice.sequence = job.sequence;
  slice.micro_batch = strategy.micro_batch;
  slice.tensor_shards = strategy.tensor_parallel;
  slice.sequence_shards = strategy.sequence_parallel;
  slice.element_bytes = technology::element_bytes(job.precision.activations);
  slice.operand_bytes = technology::element_bytes(job.precision.linear);
  slice.gradient_bytes = technology::element_bytes(job.precision.gradients);
  slice.flash_attention = job.flash_attention;
  return slice;
}

parallel::Collective tensor_collective(const TrainingJob& job, const technology::System& system,
                                       const parallel::Strategy& strategy, CollectiveKind kind) {
  parallel::Collective collective;
  collective.kind = kind;
  collective.group =
      parallel::group_of(strategy, parallel::Dimension::tensor, system.scale_up_domain);
  collective.bytes = static_cast<double>(job.sequence) * strategy.micro_batch *
                     static_cast<double>(job.model.hidden) *
                     technology::element_bytes(job.precision.activations);
  return collective;
}

LayerCosts layer_costs(const TrainingJob& job, const technology::System& system,
                       const parallel::Strategy& strategy) {
  const Rates rates = rates_of(system.device, job.precision.linear);
  const workload::Slice slice = slice_of(job, strategy);
  const workload::LayerOperators layer = workload::layer_operators(job.model, slice);
  const workload::LayerOperators embedding = workload::embedding_operators(job.model, slice);
  const workload::LayerOperators head = workload::head_operators(job.model, slice);
  const KernelSums kernels = sum_kernels(layer, rates);

  LayerCosts costs;
  costs.layer = block_cost(kernels);
  costs.embedding = block_cost(sum_kernels(embedding, rates));
  costs.head = block_cost(sum_kernels(head, rates));
  costs.saved = workload::saved_activations(job.model, slice);
  const bool sharded = strategy.tensor_parallel > 1;
  if (sharded) {
    add_tensor_communication(costs.layer, kernels, job, system, strategy);
    add_edge_communication(costs, job, system, strategy);
  }
  // Collectives that a layer issues: see add_tensor_communication.
  const bool gathers = strategy.sequence_parallel;
  const std::size_t forward_collectives = !sharded ? 0 : gathers ? 4 : 2;
  const std::size_t backward_collectives = !sharded ? 0 : gathers ? 6 : 2;
  add_host_wait(costs.layer, layer, job, forward_collectives, backward_collectives);
  add_host_wait(costs.embedding, embedding, job, 0, 0);
  add_host_wait(costs.head, head, job, 0, 0);
  return costs;
}

}  // namespace scalesweep::estimator
