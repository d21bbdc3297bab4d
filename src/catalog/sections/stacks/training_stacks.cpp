// How a software stack trains transformers.
#include "catalog/sections/stacks/stacks.hpp"

namespace scalesweep::catalog {

using workload::Framework;
using workload::ReplicaStack;
using workload::TrainingStack;

Key dispatch_key(std::string_view text, std::string_view fallback) {
  return name("expert_dispatch", text, "\"hierarchical\"", fallback);
}

namespace {

Fields<TrainingStack> of_replicas(const Fields<ReplicaStack>& fields) {
  return of_part(&TrainingStack::replicas, fields);
}

Fields<TrainingStack> overlap_fields() {
  return {
      truth(&TrainingStack::hides_tensor_communication, "hides_tensor_communication",
            "all-reduces of the backward pass run beside weight-gradient GEMMs", "false"),
      truth(&TrainingStack::hides_forward_tensor_communication,
            "hides_forward_tensor_communication",
            "GEMMs run in parts while those of others travel, so that tensor-parallel gathers and "
            "reductions hide in both passes (asynchronous tensor parallelism)",
            "false"),
  };
}

Fields<ReplicaStack> replica_overlap_fields() {
  return {
      truth(&ReplicaStack::hides_data_communication, "hides_data_communication",
            "gradients are reduced bucket by bucket behind the last backward pass", "false"),
      field(truth("hides_sharded_reduction", "the same for the reduce-scatters of ZeRO",
                  "as `hides_data_communication`"),
            &ReplicaStack::hides_sharded_reduction, &ReplicaStack::hides_data_communication),
      truth(&ReplicaStack::hides_weight_gather, "hides_weight_gather",
            "weights that ZeRO-1 updates are gathered behind the next forward pass", "false"),
  };
}

Fields<TrainingStack> further_overlap_fields() {
  return {
      truth(&TrainingStack::hides_expert_communication, "hides_expert_communication",
            "tokens go to experts and back beside another micro-batch", "false"),
      truth(&TrainingStack::hides_pipeline_communication, "hides_pipeline_communication",
            "activations go to the next stage beside the kernels that follow", "false"),
  };
}

Fields<ReplicaStack> bucket_fields() {
  return {or_zero(quantity(
      &ReplicaStack::gradient_bucket_bytes, Dimension::bytes, "gradient_bucket",
      "gradients go in collectives of this size at most; 0: in one", "\"25 MB\"", "\"0 B\""))};
}

// Required of a stack that does nothing else; whoever has it trains.
Fields<Framework> issue_interval_field() {
  const Key key = or_zero(
      quantity("issue_interval", Dimension::seconds,
               "host time to issue one operator of a layer (a linear layer, a norm, an attention, "
               "a residual) in the forward pass; 0 where launches are captured in graphs. Required "
               "of a stack without `serving`, `recommendation` and `diffusion`",
               "\"30 us\"", "it does not train"));
  return {{key, [](EntryReader& entry, Framework& framework) {
             const bool does_other =
                 entry.has("serving") || entry.has("recommendation") || entry.has("diffusion");
             framework.trains = entry.has("issue_interval");
             framework.training.issue_interval_s = does_other
                                                       ? entry.given("issue_interval").value_or(0.0)
                                                       : entry.needed("issue_interval");
           }}};
}

Fields<TrainingStack> issue_fields() {
  const auto as_issue = [](std::string_view path, std::string_view text, std::string_view example) {
    return or_zero(quantity(path, Dimension::seconds, text, example, "as `issue_interval`"));
  };
  return {
      field(as_issue("backward_issue_interval", "the same in the backward pass", "\"35 us\""),
            &TrainingStack::backward_issue_interval_s, &TrainingStack::issue_interval_s),
      duration(&TrainingStack::expert_issue_interval_s, "expert_issue_interval",
               "the same in both passes of a layer with routed experts, where the host reads how "
               "many tokens each has; 0 where that is as elsewhere",
               "\"200 us\""),
      field(as_issue("collective_issue_interval", "host time of one collective", "\"50 us\""),
            &TrainingStack::collective_issue_interval_s, &TrainingStack::issue_interval_s),
  };
}

Fields<ReplicaStack> rank_fields() {
  return {
      duration(&ReplicaStack::rank_issue_interval_s, "rank_issue_interval",
               "beside that, for each rank of the group, since hosts wait for each other",
               "\"2 us\""),
      duration(&ReplicaStack::crossing_issue_interval_s, "crossing_issue_interval",
               "the same, of groups that cross scale-up domains alone", "\"2 us\""),
      duration(&ReplicaStack::sharded_layer_issue_s, "sharded_layer_issue",
               "time that ZeRO-1 takes for the tensors of a layer once a step, to scatter, update "
               "and gather them one by one",
               "\"1 ms\""),
  };
}

// 1 or more where it is not 0.
Field<TrainingStack> issue_blend_field() {
  Field<TrainingStack> row =
      number(&TrainingStack::issue_blend, from_zero, "issue_blend",
             "k in (D^k + H^k)^(1/k), how long a pass takes that keeps the device busy for D and "
             "the host for H; 1 or more, 0 for the longer of both",
             "4", "0");
  row.read = [read = row.read](EntryReader& entry, TrainingStack& stack) {
    read(entry, stack);
    if (stack.issue_blend > 0.0 && stack.issue_blend < 1.0) {
      entry.table().error("issue_blend", "must be at least 1, or left out");
    }
  };
  return row;
}

Fields<TrainingStack> step_fields() {
  return {
      issue_blend_field(),
      duration(&TrainingStack::step_overhead_s, "step_overhead",
               "fixed time of a step: loading, logging, synchronisation", "\"50 ms\""),
      number(&TrainingStack::step_jitter, from_zero, "step_jitter",
             "standard deviation of the time of a step between devices over its mean; the slowest "
             "of n is sqrt(2 ln n) of it slower. 0 where nobody measured it",
             "0.01", "0"),
  };
}

Fields<workload::ReinforcementStack> iteration_fields() {
  return {number(&workload::ReinforcementStack::iteration_share, fraction, "iteration_share",
                 "rates of rollouts and updates in reinforcement learning over those of the same "
                 "engines alone: replicas and micro-batches are uneven. 1 where nobody measured it",
                 "0.4", "1")};
}

Fields<TrainingStack> step_kernel_fields() {
  return {
      choice(dispatch_key(
                 "how tokens travel to experts in training. `all_to_all`: a copy for each expert; "
                 "`hierarchical`: one to each scale-up domain, which passes it on to the devices "
                 "of its experts meanwhile; `all_gather`: all tokens to all; `by_routing`: "
                 "hierarchical where routing is limited to some groups (`experts.node_limit`) and "
                 "devices are of several domains, else all-to-all",
                 "\"by_routing\""),
             &TrainingStack::expert_dispatch, workload::expert_dispatch_names),
      number(&TrainingStack::kernel_share, fraction, "kernel_share",
             "rates of kernels in a step over those of the same kernels alone", "0.95", "1"),
      number(&TrainingStack::attention_share, fraction, "attention_share",
             "rates of fused attention over those of the device's own library", "0.9", "1"),
      core_flop_limit(&TrainingStack::attention_core_flop,
                      "most FLOP that it does in a clock of a core, as one of an older generation",
                      "2048"),
      truth(&TrainingStack::fused_pointwise, "fused_pointwise",
            "neighbouring pointwise steps of a layer are one kernel", "true"),
      truth(&TrainingStack::composed, "composed",
            "norms, rotary positions and gated MLPs are written operator by operator, each a "
            "kernel",
            "false"),
  };
}

Fields<ReplicaStack> update_fields() {
  return {number(&ReplicaStack::optimizer_passes, above_zero, "optimizer_passes",
                 "how often the optimizer streams its states", "3", "1"),
          fp8_recipe(&ReplicaStack::fp8_recipe)};
}

Fields<TrainingStack> stage_fields() {
  return {
      choice(name("operand_fusion",
                  "kernels that prepare operands of fewer bits for the linear layer that reads "
                  "what they make, as far as the recipe lets them: `nothing`, `norms`, or "
                  "`everything`, activations as well",
                  "\"norms\"", "\"everything\""),
             &TrainingStack::operand_fusion, workload::operand_fusion_names),
      choice(name("stage_balance",
                  "`layers`: equal numbers of layers in stages; `blocks`: embedding, layers, "
                  "norm and head balanced by their cost",
                  "\"blocks\"", "\"layers\""),
             &TrainingStack::stage_balance, workload::stage_balance_names),
      choice(name("selective_recompute",
                  "what selective recomputation repeats. `attention`: its core; `alternate`: every "
                  "other GEMM and all that streams, while outputs of attention and of reductions "
                  "are kept",
                  "\"alternate\"", "\"attention\""),
             &TrainingStack::selective_recompute, workload::selective_recompute_names),
      truth(&TrainingStack::recompute_stops_early, "recompute_stops_early",
            "recomputation ends with the last tensor that the backward pass needs", "false"),
      truth(&TrainingStack::copies_sequence_shards, "copies_sequence_shards",
            "sequence parallelism copies what it gathers and scatters: the batch comes first",
            "false"),
      truth(&TrainingStack::keeps_gathered_inputs, "keeps_gathered_inputs",
            "inputs that sequence parallelism gathered are kept so, and not gathered again in the "
            "backward pass",
            "false"),
  };
}

Fields<TrainingStack> step_memory_fields() {
  return {
      number(&TrainingStack::extra_gradient_bytes, from_zero, "extra_gradient_bytes",
             "bytes per parameter beside the accumulated gradients, where replicas reduce them",
             "2", "0"),
      truth(&TrainingStack::gathers_through_copy, "gathers_through_copy",
            "ZeRO-1 gathers updated weights through a copy of them", "false"),
      truth(&TrainingStack::keeps_embedding_gradient, "keeps_embedding_gradient",
            "the gradient of the embedding table stays beside the accumulated one, in the format "
            "of the weights",
            "false"),
      number(&TrainingStack::held_hidden_states, from_zero, "held_hidden_states",
             "hidden states of a micro-batch that stay to the end of a step", "2", "0"),
      or_zero(quantity(&TrainingStack::fixed_memory_bytes, Dimension::bytes, "fixed_memory",
                       "of tensors that no layer accounts for: workspaces, tables, buffers",
                       "\"1 GiB\"", "\"0 B\"")),
      number(&TrainingStack::allocator_slack, from_zero, "allocator_slack",
             "what the caching allocator holds beyond the peak of the tensors, as a share of the "
             "activations",
             "0.1", "0"),
  };
}

}  // namespace

Fields<Framework> training_stack_fields() {
  const auto training = [](const Fields<TrainingStack>& fields) {
    return of_part(&Framework::training, fields);
  };
  return joined<Framework>(
      {training(joined<TrainingStack>({overlap_fields(), of_replicas(replica_overlap_fields()),
                                       further_overlap_fields(), of_replicas(bucket_fields())})),
       issue_interval_field(),
       training(joined<TrainingStack>({issue_fields(), of_replicas(rank_fields()), step_fields()})),
       of_part(&Framework::reinforcement, iteration_fields()),
       training(joined<TrainingStack>({step_kernel_fields(), of_replicas(update_fields()),
                                       stage_fields(), step_memory_fields()}))});
}

}  // namespace scalesweep::catalog
