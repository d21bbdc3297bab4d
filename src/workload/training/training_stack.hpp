// How a software stack trains transformers: properties of neither the device nor the model.
#pragma once

#include "workload/feed_forward/expert_dispatch.hpp"
#include "workload/recipe.hpp"
#include "workload/stage_balance.hpp"
#include "workload/training/recompute.hpp"
#include "workload/training/replica_stack.hpp"

namespace scalesweep::workload {

struct TrainingStack {
  // Reductions of the backward pass run beside the weight-gradient GEMMs.
  bool hides_tensor_communication = true;
  // GEMMs are cut into parts that run while those of others travel, so that gathers hide behind
  // the GEMM that reads them and reductions behind the one that leaves the sums, forward too
  // (Wang et al., ASPLOS 2023; asynchronous tensor parallelism).
  bool hides_forward_tensor_communication = false;
  // Tokens travel to experts and back beside another micro-batch's kernels.
  bool hides_expert_communication = false;
  ExpertDispatch expert_dispatch = ExpertDispatch::by_routing;
  // Activations go to the next stage beside the kernels that follow.
  bool hides_pipeline_communication = false;
  // Time the host needs to issue one operator of workload/layer.hpp, forward and backward, and one
  // collective. A pass over a layer cannot be shorter than what it issues; all 0 where launches are
  // captured in graphs.
  double issue_interval_s = 0.0;
  double backward_issue_interval_s = 0.0;
  // The same of an operator in either pass of a layer with routed experts, where the host reads how
  // many tokens each has and launches for one after the other; 0: as elsewhere.
  double expert_issue_interval_s = 0.0;
  double collective_issue_interval_s = 0.0;
  // Rates of kernels in a training step over those of the same kernels alone: other operand
  // layouts, fp32 accumulation, cores that communication takes, devices that wait for the slowest.
  double kernel_share = 1.0;
  // Rates of its fused attention on the matrix units over those of the device's own library, and
  // the most FLOP that it does in a clock of a core where it is written for an older generation; 0:
  // no such limit.
  double attention_share = 1.0;
  double attention_core_flop = 0.0;
  // A pass that takes the device D and the host H lasts (D^k + H^k)^(1/k) with this k: the host
  // cannot run ahead everywhere, and the device is idle where it waits for a short kernel. 0: the
  // longer.
  double issue_blend = 0.0;
  StageBalance stage_balance = StageBalance::layers;
  // Root mean square norms, rotary positions and gated MLPs are written operator by operator, of
  // which an eager library makes kernels of their own.
  bool composed = false;
  // Neighbouring pointwise steps of a layer are one kernel.
  bool fused_pointwise = true;
  // Which kernels prepare operands of fewer bits.
  OperandFusion operand_fusion = OperandFusion::everything;
  // What selective recomputation repeats, and whether recomputation ends with the last tensor that
  // the backward pass needs.
  SelectiveRecompute selective_recompute = SelectiveRecompute::attention;
  bool recompute_stops_early = false;
  // Sequence parallelism: a copy after each gather and before each scatter, since tensors have the
  // batch before the sequence; inputs stay as gathered, or are gathered again for the gradient.
  bool copies_sequence_shards = false;
  bool keeps_gathered_inputs = false;
  // Bytes per parameter of gradients kept beside the accumulated ones where replicas reduce them.
  double extra_gradient_bytes = 0.0;
  // ZeRO-1 gathers updated weights through a copy of them.
  bool gathers_through_copy = false;
  // The gradient of the embedding table stays beside the accumulated one, in the weights' format.
  bool keeps_embedding_gradient = false;
  // Hidden states of one whole micro-batch that stay alive to the end of a step.
  double held_hidden_states = 0.0;
  // Device memory of tensors that no layer accounts for: workspaces, tables, buffers.
  double fixed_memory_bytes = 0.0;
  // What the caching allocator holds over what tensors take at the peak, as a share of the
  // activations.
  double allocator_slack = 0.0;
  // Fixed time of a step that no layer accounts for: data loading, logging, synchronisation.
  double step_overhead_s = 0.0;
  // Standard deviation of the time of a step between devices, over its mean: what makes the slowest
  // of many slower than the usual one.
  double step_jitter = 0.0;
  ReplicaStack replicas = {};

  friend bool operator==(const TrainingStack&, const TrainingStack&) = default;
};

}  // namespace scalesweep::workload
