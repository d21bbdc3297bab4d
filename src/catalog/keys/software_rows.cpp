// Rows of the software that runs models, and of how far estimates were from measurements.
#include "catalog/catalog.hpp"
#include "catalog/keys/rows.hpp"
#include "technology/uncertainty.hpp"
#include "workload/framework.hpp"

namespace scalesweep::catalog {
namespace {

Key from_zero_integer(std::string_view path, std::string_view text, std::string_view example,
                      std::string_view fallback) {
  return or_zero(integer(path, text, example, fallback));
}

Key seconds(std::string_view path, std::string_view text, std::string_view example,
            std::string_view fallback = "\"0 s\"") {
  return or_zero(quantity(path, Dimension::seconds, text, example, fallback));
}

Key dispatch_row(std::string_view path, std::string_view text, std::string_view fallback) {
  Key row = name(path, text, "\"hierarchical\"", fallback);
  row.words = workload::expert_dispatch_names;
  return row;
}

std::vector<Key> dispatch_rows() {
  return {
      dispatch_row(
          "expert_dispatch",
          "how tokens travel to experts in training. `all_to_all`: a copy for each expert; "
          "`hierarchical`: one to each scale-up domain, which passes it on to the devices "
          "of its experts meanwhile; `all_gather`: all tokens to all; `by_routing`: "
          "hierarchical where routing is limited to some groups (`experts.node_limit`) and "
          "devices are of several domains, else all-to-all",
          "\"by_routing\""),
  };
}

std::vector<Key> serving_dispatch_rows() {
  return {
      dispatch_row(
          "serving.expert_dispatch",
          "how tokens travel to experts in iterations with prompts: as `expert_dispatch`, "
          "or `low_latency`, a copy for each expert that is written straight to its device",
          "\"by_routing\""),
      dispatch_row("serving.decode_expert_dispatch", "the same in iterations without prompts",
                   "as `serving.expert_dispatch`"),
  };
}

// Communication and the host.
std::vector<Key> training_rows() {
  return {
      truth("hides_tensor_communication",
            "all-reduces of the backward pass run beside weight-gradient GEMMs", "false"),
      truth("hides_forward_tensor_communication",
            "GEMMs run in parts while those of others travel, so that tensor-parallel gathers and "
            "reductions hide in both passes (asynchronous tensor parallelism)",
            "false"),
      truth("hides_data_communication",
            "gradients are reduced bucket by bucket behind the last backward pass", "false"),
      truth("hides_sharded_reduction", "the same for the reduce-scatters of ZeRO",
            "as `hides_data_communication`"),
      truth("hides_weight_gather",
            "weights that ZeRO-1 updates are gathered behind the next forward pass", "false"),
      truth("hides_expert_communication",
            "tokens go to experts and back beside another micro-batch", "false"),
      truth("hides_pipeline_communication",
            "activations go to the next stage beside the kernels that follow", "false"),
      or_zero(quantity("gradient_bucket", Dimension::bytes,
                       "gradients go in collectives of this size at most; 0: in one", "\"25 MB\"",
                       "\"0 B\"")),
      seconds("issue_interval",
              "host time to issue one operator of a layer (a linear layer, a norm, an attention, "
              "a residual) in the forward pass; 0 where launches are captured in graphs. Required "
              "of a stack without `serving`, `recommendation` and `diffusion`",
              "\"30 us\"", "it does not train"),
      seconds("backward_issue_interval", "the same in the backward pass", "\"35 us\"",
              "as `issue_interval`"),
      seconds("expert_issue_interval",
              "the same in both passes of a layer with routed experts, where the host reads how "
              "many tokens each has; 0 where that is as elsewhere",
              "\"200 us\""),
      seconds("collective_issue_interval", "host time of one collective", "\"50 us\"",
              "as `issue_interval`"),
      seconds("rank_issue_interval",
              "beside that, for each rank of the group, since hosts wait for each other",
              "\"2 us\""),
      seconds("crossing_issue_interval", "the same, of groups that cross scale-up domains alone",
              "\"2 us\""),
      seconds("sharded_layer_issue",
              "time that ZeRO-1 takes for the tensors of a layer once a step, to scatter, update "
              "and gather them one by one",
              "\"1 ms\""),
      number("issue_blend", from_zero,
             "k in (D^k + H^k)^(1/k), how long a pass takes that keeps the device busy for D and "
             "the host for H; 1 or more, 0 for the longer of both",
             "4", "0"),
      seconds("step_overhead", "fixed time of a step: loading, logging, synchronisation",
              "\"50 ms\""),
      number("step_jitter", from_zero,
             "standard deviation of the time of a step between devices over its mean; the slowest "
             "of n is sqrt(2 ln n) of it slower. 0 where nobody measured it",
             "0.01", "0"),
      number("iteration_share", fraction,
             "rates of rollouts and updates in reinforcement learning over those of the same "
             "engines alone: replicas and micro-batches are uneven. 1 where nobody measured it",
             "0.4", "1"),
  };
}

Key recipe(std::string_view path) {
  Key key = name(path,
                 "how operands of fp8 are scaled where the study does not say `recipe`: `delayed`, "
                 "`current`, `row`, `block`",
                 "\"current\"", "\"delayed\"");
  key.words = workload::fp8_recipe_names;
  return key;
}

Key operand_fusion() {
  Key key = name("operand_fusion",
                 "kernels that prepare operands of fewer bits for the linear layer that reads "
                 "what they make, as far as the recipe lets them: `nothing`, `norms`, or "
                 "`everything`, activations as well",
                 "\"norms\"", "\"everything\"");
  key.words = workload::operand_fusion_names;
  return key;
}

// Kernels, stages and memory.
std::vector<Key> kernel_rows() {
  Key balance = name("stage_balance",
                     "`layers`: equal numbers of layers in stages; `blocks`: embedding, layers, "
                     "norm and head balanced by their cost",
                     "\"blocks\"", "\"layers\"");
  balance.words = workload::stage_balance_names;
  Key selective =
      name("selective_recompute",
           "what selective recomputation repeats. `attention`: its core; `alternate`: every other "
           "GEMM and all that streams, while outputs of attention and of reductions are kept",
           "\"alternate\"", "\"attention\"");
  selective.words = workload::selective_recompute_names;
  return {
      number("kernel_share", fraction,
             "rates of kernels in a step over those of the same kernels alone", "0.95", "1"),
      number("attention_share", fraction,
             "rates of fused attention over those of the device's own library", "0.9", "1"),
      number("attention_core_flop", above_zero,
             "most FLOP that it does in a clock of a core, as one of an older generation", "2048",
             "no limit"),
      truth("fused_pointwise", "neighbouring pointwise steps of a layer are one kernel", "true"),
      truth(
          "composed",
          "norms, rotary positions and gated MLPs are written operator by operator, each a kernel",
          "false"),
      number("optimizer_passes", above_zero, "how often the optimizer streams its states", "3",
             "1"),
      recipe("fp8_recipe"),
      operand_fusion(),
      balance,
      selective,
      truth("recompute_stops_early",
            "recomputation ends with the last tensor that the backward pass needs", "false"),
      truth("copies_sequence_shards",
            "sequence parallelism copies what it gathers and scatters: the batch comes first",
            "false"),
      truth("keeps_gathered_inputs",
            "inputs that sequence parallelism gathered are kept so, and not gathered again in the "
            "backward pass",
            "false"),
      number("extra_gradient_bytes", from_zero,
             "bytes per parameter beside the accumulated gradients, where replicas reduce them",
             "2", "0"),
      truth("gathers_through_copy", "ZeRO-1 gathers updated weights through a copy of them",
            "false"),
      truth("keeps_embedding_gradient",
            "the gradient of the embedding table stays beside the accumulated one, in the format "
            "of the weights",
            "false"),
      number("held_hidden_states", from_zero,
             "hidden states of a micro-batch that stay to the end of a step", "2", "0"),
      or_zero(quantity("fixed_memory", Dimension::bytes,
                       "of tensors that no layer accounts for: workspaces, tables, buffers",
                       "\"1 GiB\"", "\"0 B\"")),
      number("allocator_slack", from_zero,
             "what the caching allocator holds beyond the peak of the tensors, as a share of the "
             "activations",
             "0.1", "0"),
  };
}

std::vector<Key> serving_rows() {
  return {
      table("serving",
            "how it serves requests; an iteration is one pass through the model for all "
            "sequences in flight",
            "it does not"),
      seconds("serving.prefill_issue_interval", "host time to issue one operator of prefill",
              "\"10 us\""),
      seconds("serving.decode_issue_interval", "the same of decode; 0 in graphs", "\"10 us\""),
      seconds("serving.collective_issue_interval", "the same of one collective", "\"10 us\""),
      number("serving.kernel_latency_share", from_zero,
             "what is left of the device's `kernel_latency` between kernels that follow each "
             "other in one stream or graph",
             "0.5", "1"),
      number("serving.collective_latency_share", from_zero,
             "the same of the fixed time of a collective", "0.5", "1"),
      seconds("serving.kernel_gap",
              "time between two kernels or collectives that neither has alone", "\"1 us\""),
      number("serving.kernel_share", fraction,
             "rates of the matrix units over those of the same kernels alone", "0.9", "1"),
      number("serving.stream_share", fraction, "the same of DRAM", "0.9", "1"),
      number("serving.attention_share", fraction, "the same of the matrix units in fused attention",
             "0.9", "1"),
      number("serving.narrow_expert_share", fraction,
             "the same of DRAM in the products of experts whose weights have fewer bits than "
             "activations",
             "0.9", "1"),
      number("serving.few_expert_tile_rows", from_zero,
             "rows of the smallest tile that multiplies the tokens of one expert, while there are "
             "no more tokens than experts: rows that no token fills take energy; 0: none such",
             "16", "0"),
      number("serving.expert_tile_rows", from_zero, "the same of more tokens", "64", "0"),
      number("serving.narrow_expert_tile_rows", from_zero,
             "the same, however many, where weights have fewer bits than activations", "64", "0"),
  };
}

Key exchange_beside_row() {
  Key beside = name("serving.exchange_beside",
                    "what runs beside the exchange that brings tokens to their experts and back. "
                    "`shared_experts`: their kernels; `two_batches`: all kernels of the other half "
                    "of the batch, where that is faster than the batch as one",
                    "\"two_batches\"", "\"nothing\"");
  beside.words = workload::exchange_overlap_names;
  return beside;
}

// How it runs the operators of an iteration, and what it holds in memory.
std::vector<Key> serving_choice_rows() {
  return {
      exchange_beside_row(),
      number("serving.exchange_hidden_share", fraction,
             "of that exchange, what may run beside them: the rest is waited for", "0.75", "1"),
      truth("serving.one_shot_all_reduce",
            "small messages are all-reduced by reading the peers' buffers", "false"),
      truth("serving.fused_pointwise", "norm, residual and activation join neighbouring kernels",
            "true"),
      truth("serving.fused_quantization",
            "the kernel before a linear layer of fewer bits writes them, else one of its own does",
            "true"),
      recipe("serving.fp8_recipe"),
      number("serving.decode_strip_rows", from_zero,
             "rows that a GEMM of decode multiplies at once: weights are read from DRAM again for "
             "each strip of so many; 0: read once",
             "16", "0"),
      truth("serving.flash_attention", "prefill attends in one kernel, else scores go through DRAM",
            "true"),
      number("serving.shared_heads", above_zero,
             "most query heads that read their KV cache together in decode; 1: each its own", "8",
             "32"),
      number(
          "serving.prefill_chunk", from_zero,
          "prefill tokens of one iteration where the study does not say `prefill_chunk`: prompts "
          "go in such chunks, and memory holds what one of them works on; 0: whole prompts",
          "8192", "0"),
      truth("serving.chunk_of_all_ranks",
            "`serving.prefill_chunk` is that of all replicas together that share experts: each "
            "takes its part of it. What a study says is that of one",
            "false"),
      number("serving.pipeline_prompt_tokens", from_zero,
             "most prefill tokens that one micro-batch takes through a pipeline; more are halved "
             "until they fit; 0: no limit",
             "8192", "0"),
      truth("serving.decodes_last_prompt_token",
            "prefill ends before the last token of a prompt, which a decode iteration takes",
            "false"),
      seconds("serving.iteration_overhead", "fixed time of an iteration: scheduling, sampling",
              "\"1 ms\""),
      seconds("serving.sequence_overhead", "beside that, for each sequence in it", "\"10 us\""),
      seconds("serving.request_overhead", "fixed time of a request before its first token",
              "\"5 ms\""),
      number("serving.page_tokens", from_zero,
             "the KV cache is handed out by so many tokens; 0: the whole length of a request is "
             "set aside from the start",
             "64", "0"),
      number(
          "serving.held_output", fraction,
          "of its output, what a running request has room for in the KV cache: 1 where all is set "
          "aside, half on average where pages are taken as it grows",
          "0.5", "1"),
      number("serving.memory_share", fraction,
             "of device memory, what weights, KV cache and activations may take", "0.95", "0.9"),
  };
}

// Which layouts it can run; no estimate reads them.
std::vector<Key> runs_rows() {
  Key zero = from_zero_integer("runs.zero", "stages of ZeRO that it has", "[0, 1]", "0");
  zero.list = true;
  Key split = name("runs.sequence_parallel",
                   "sequence parallelism where matrices are shared: `never`, `optional`, `always`",
                   "\"optional\"", "\"never\"");
  split.words = workload::sequence_split_names;
  Key precisions = name("runs.precisions", "formats of linear layers that it multiplies",
                        "[\"bf16\", \"fp8\"]", "any");
  precisions.words = technology::precision_names;
  precisions.list = true;
  std::vector<Key> keys = {
      table("runs",
            "which layouts it can run: `launch` writes options for these alone. "
            "No estimate reads it; a study may ask for any layout",
            "nobody knows"),
      row("runs.version", KeyKind::text, "of the software, that the table is of", "\"core_r0.12\"",
          "not said"),
      zero,
      from_zero_integer("runs.zero_with_pipeline",
                        "the largest of these stages with several pipeline stages", "1", "3"),
      split,
      precisions,
  };
  static const std::vector<std::string> texts = [] {
    std::vector<std::string> made;
    for (const workload::Ability& one : workload::abilities) {
      made.push_back("it runs " + std::string(one.text));
    }
    return made;
  }();
  for (std::size_t i = 0; i < workload::abilities.size(); ++i) {
    keys.push_back(truth(workload::abilities[i].path, texts[i], "false"));
  }
  return keys;
}

}  // namespace

std::vector<Key> framework_rows() {
  std::vector<Key> keys = training_rows();
  for (const std::vector<Key>& more :
       {dispatch_rows(), kernel_rows(), serving_rows(), serving_choice_rows(),
        serving_dispatch_rows(), recommendation_rows(), diffusion_stack_rows(), runs_rows()}) {
    keys.insert(keys.end(), more.begin(), more.end());
  }
  return heritable(std::move(keys));
}

std::vector<Key> uncertainty_rows() {
  static constexpr std::array<std::string_view, 2> scales = {"single_node", "multi_node"};
  Key scale = name("scale", "`single_node`: up to 8 devices; `multi_node`: more", "\"multi_node\"");
  scale.words = scales;
  Key work = name("work", "what was measured", "\"inference\"", "\"training\"");
  work.words = measured_work_names;
  return {
      name("device", "an entry of `device`, by its name", "\"h100-sxm\""),
      name("framework", "an entry of `framework`, by its name", "\"nanotron\""),
      work,
      scale,
      number("relative", above_zero,
             "relative error that two of three measurements were within, or somewhat more", "0.08"),
      integer("rows", "measurements", "24"),
      row("date", KeyKind::text, "of the estimates", "\"2026-01-15\"", required),
  };
}

std::vector<Key> trait_rows() {
  Key trait =
      name("trait", "what the cases have", "\"context parallelism\"", "any trait that no case has");
  trait.words = technology::trait_names;
  Key work = name("work", "what was measured", "\"inference\"", "\"training\"");
  work.words = measured_work_names;
  return {
      trait,
      name("framework", "an entry of `framework`, by its name; with `trait`", "\"nanotron\"",
           "all of them"),
      work,
      number("factor", above_zero,
             "with `trait`: error of the cases with it over the usual one of their devices, "
             "frameworks and scales; below 1 as 1",
             "1.3", "none"),
      number("relative", above_zero, "without `trait`: what one adds, as an error of its own",
             "0.41", "none"),
      integer("rows", "measurements; with `trait`", "24", "none"),
  };
}

}  // namespace scalesweep::catalog
