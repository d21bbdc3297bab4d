// How a software stack serves requests.
#include "catalog/sections/stacks/stacks.hpp"

namespace scalesweep::catalog {
namespace {

using workload::ExpertTiles;
using workload::ServingStack;

Fields<ServingStack> serving_host_fields() {
  return {
      duration(&ServingStack::prefill_issue_interval_s, "prefill_issue_interval",
               "host time to issue one operator of prefill", "\"10 us\""),
      duration(&ServingStack::decode_issue_interval_s, "decode_issue_interval",
               "the same of decode; 0 in graphs", "\"10 us\""),
      duration(&ServingStack::collective_issue_interval_s, "collective_issue_interval",
               "the same of one collective", "\"10 us\""),
      number(&ServingStack::kernel_latency_share, from_zero, "kernel_latency_share",
             "what is left of the device's `kernel_latency` between kernels that follow each "
             "other in one stream or graph",
             "0.5", "1"),
      number(&ServingStack::collective_latency_share, from_zero, "collective_latency_share",
             "the same of the fixed time of a collective", "0.5", "1"),
      duration(&ServingStack::kernel_gap_s, "kernel_gap",
               "time between two kernels or collectives that neither has alone", "\"1 us\""),
  };
}

Fields<ServingStack> serving_rate_fields() {
  return {
      number(&ServingStack::kernel_share, fraction, "kernel_share",
             "rates of the matrix units over those of the same kernels alone", "0.9", "1"),
      number(&ServingStack::stream_share, fraction, "stream_share", "the same of DRAM", "0.9", "1"),
      number(&ServingStack::attention_share, fraction, "attention_share",
             "the same of the matrix units in fused attention", "0.9", "1"),
      number(&ServingStack::narrow_expert_share, fraction, "narrow_expert_share",
             "the same of DRAM in the products of experts whose weights have fewer bits than "
             "activations",
             "0.9", "1"),
  };
}

Fields<ExpertTiles> tile_fields() {
  return {
      number(&ExpertTiles::few, from_zero, "few_expert_tile_rows",
             "rows of the smallest tile that multiplies the tokens of one expert, while there are "
             "no more tokens than experts: rows that no token fills take energy; 0: none such",
             "16", "0"),
      number(&ExpertTiles::many, from_zero, "expert_tile_rows", "the same of more tokens", "64",
             "0"),
      number(&ExpertTiles::narrow, from_zero, "narrow_expert_tile_rows",
             "the same, however many, where weights have fewer bits than activations", "64", "0"),
  };
}

// How it runs the operators of an iteration.
Fields<ServingStack> serving_kernel_fields() {
  return {
      choice(name("exchange_beside",
                  "what runs beside the exchange that brings tokens to their experts and back. "
                  "`shared_experts`: their kernels; `two_batches`: all kernels of the other half "
                  "of the batch, where that is faster than the batch as one",
                  "\"two_batches\"", "\"nothing\""),
             &ServingStack::exchange_beside, workload::exchange_overlap_names),
      number(&ServingStack::exchange_hidden_share, fraction, "exchange_hidden_share",
             "of that exchange, what may run beside them: the rest is waited for", "0.75", "1"),
      number(&ServingStack::expert_micro_batches, above_zero, "expert_micro_batches",
             "most micro-batches that go to and fro between devices of attention and "
             "`expert_devices`; as many of them as are fastest",
             "2", "3"),
      truth(&ServingStack::one_shot_all_reduce, "one_shot_all_reduce",
            "small messages are all-reduced by reading the peers' buffers", "false"),
      truth(&ServingStack::fused_pointwise, "fused_pointwise",
            "norm, residual and activation join neighbouring kernels", "true"),
      truth(&ServingStack::fused_quantization, "fused_quantization",
            "the kernel before a linear layer of fewer bits writes them, else one of its own does",
            "true"),
      fp8_recipe(&ServingStack::fp8_recipe),
      number(&ServingStack::decode_strip_rows, from_zero, "decode_strip_rows",
             "rows that a GEMM of decode multiplies at once: weights are read from DRAM again for "
             "each strip of so many; 0: read once",
             "16", "0"),
      truth(&ServingStack::flash_attention, "flash_attention",
            "prefill attends in one kernel, else scores go through DRAM", "true"),
      number(&ServingStack::shared_heads, above_zero, "shared_heads",
             "most query heads that read their KV cache together in decode; 1: each its own", "8",
             "32"),
      choice(name("partial_outputs",
                  "how ranks of decode context parallelism add up what each finds in its part of "
                  "the cache. `reduce_scatter`: after all have gathered the logarithms of sums; "
                  "`all_to_all`: outputs with theirs go to the ranks of their heads, which add "
                  "them up",
                  "\"all_to_all\"", "\"reduce_scatter\""),
             &ServingStack::partial_outputs, workload::partial_outputs_names),
      truth(&ServingStack::own_group_queries, "own_group_queries",
            "with latent attention each of these ranks makes the queries of all of them, with the "
            "weights that this takes, instead of gathering them",
            "false"),
  };
}

// Which prompts go together.
Fields<ServingStack> prompt_fields() {
  return {
      number(&ServingStack::prefill_chunk, from_zero, "prefill_chunk",
             "prefill tokens of one iteration where the study does not say `prefill_chunk`: "
             "prompts go in such chunks, and memory holds what one of them works on; 0: whole "
             "prompts",
             "8192", "0"),
      truth(&ServingStack::chunk_of_all_ranks, "chunk_of_all_ranks",
            "`serving.prefill_chunk` is that of all replicas together that share experts: each "
            "takes its part of it. What a study says is that of one",
            "false"),
      truth(&ServingStack::separate_prompts, "separate_prompts",
            "prompts go in iterations of their own, which decoding waits for, where nobody says "
            "otherwise",
            "false"),
      truth(
          &ServingStack::aligned_prompts, "aligned_prompts",
          "replicas that share experts take prompts in the same iterations; else each in its own, "
          "which all of them wait for",
          "false"),
      number(&ServingStack::pipeline_prompt_tokens, from_zero, "pipeline_prompt_tokens",
             "most prefill tokens that one micro-batch takes through a pipeline; more are halved "
             "until they fit; 0: no limit",
             "8192", "0"),
      truth(&ServingStack::decodes_last_prompt_token, "decodes_last_prompt_token",
            "prefill ends before the last token of a prompt, which a decode iteration takes",
            "false"),
  };
}

// What no kernel takes, and what it holds in memory.
Fields<ServingStack> serving_overhead_fields() {
  return {
      duration(&ServingStack::iteration_overhead_s, "iteration_overhead",
               "fixed time of an iteration: scheduling, sampling", "\"1 ms\""),
      duration(&ServingStack::sequence_overhead_s, "sequence_overhead",
               "beside that, for each sequence in it", "\"10 us\""),
      truth(&ServingStack::overlapped_scheduling, "overlapped_scheduling",
            "the host does both beside the device, for the iteration to come: the longer of host "
            "and device counts",
            "false"),
      duration(&ServingStack::request_overhead_s, "request_overhead",
               "fixed time of a request before its first token", "\"5 ms\""),
      number(&ServingStack::page_tokens, from_zero, "page_tokens",
             "the KV cache is handed out by so many tokens; 0: the whole length of a request is "
             "set aside from the start",
             "64", "0"),
      number(&ServingStack::held_output, fraction, "held_output",
             "of its output, what a running request has room for in the KV cache: 1 where all is "
             "set aside, half on average where pages are taken as it grows",
             "0.5", "1"),
      number(&ServingStack::memory_share, fraction, "memory_share",
             "of device memory, what weights, KV cache and activations may take", "0.95", "0.9"),
  };
}

Fields<ServingStack> dispatch_fields() {
  Key decode = name("decode_expert_dispatch", "the same in iterations without prompts",
                    "\"hierarchical\"", "as `serving.expert_dispatch`");
  decode.words = workload::expert_dispatch_names;
  return {
      choice(dispatch_key(
                 "how tokens travel to experts in iterations with prompts: as `expert_dispatch`, "
                 "or `low_latency`, a copy for each expert that is written straight to its device",
                 "\"by_routing\""),
             &ServingStack::expert_dispatch, workload::expert_dispatch_names),
      {decode,
       [](EntryReader& entry, ServingStack& stack) {
         stack.decode_expert_dispatch =
             read_choice(entry, "decode_expert_dispatch", workload::expert_dispatch_names,
                         stack.expert_dispatch);
       }},
  };
}

}  // namespace

Fields<ServingStack> serving_stack_fields() {
  return joined<ServingStack>({serving_host_fields(), serving_rate_fields(),
                               of_part(&ServingStack::expert_tiles, tile_fields()),
                               serving_kernel_fields(), prompt_fields(), serving_overhead_fields(),
                               dispatch_fields()});
}

}  // namespace scalesweep::catalog
