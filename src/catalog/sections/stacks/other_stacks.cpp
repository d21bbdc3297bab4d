// How a software stack runs recommendation and diffusion models.
#include "catalog/sections/stacks/stacks.hpp"

namespace scalesweep::catalog {

using workload::DiffusionStack;
using workload::RecommendationStack;

Fields<RecommendationStack> recommendation_stack_fields() {
  return {
      duration(&RecommendationStack::issue_interval_s, "issue_interval",
               "host time to issue one kernel or collective; 0 where launches are captured in "
               "graphs",
               "\"5 us\""),
      duration(&RecommendationStack::batch_overhead_s, "batch_overhead", "fixed time of a batch",
               "\"50 us\""),
      truth(&RecommendationStack::hides_exchange, "hides_exchange",
            "pooled rows and their gradients travel beside the bottom MLP, gradients of the dense "
            "part beside the update of the tables",
            "false"),
      truth(&RecommendationStack::exchanges_indices, "exchanges_indices",
            "a device gets the indices of its own samples and sends them on to the tables; else "
            "those of its tables come from its host",
            "false"),
      truth(&RecommendationStack::fused_pointwise, "fused_pointwise",
            "biases, activations and what stands beside the products of an interaction are part of "
            "GEMMs",
            "false"),
      truth(&RecommendationStack::fused_lookup, "fused_lookup",
            "where a device has all tables, products of pairs are taken of rows as they are looked "
            "up: neither rows nor their sums are written",
            "false"),
      number(&RecommendationStack::kernel_share, fraction, "kernel_share",
             "rates of GEMMs in a batch over those of the same GEMMs alone", "0.9", "1"),
  };
}

Fields<DiffusionStack> diffusion_stack_fields() {
  return {
      duration(&DiffusionStack::issue_interval_s, "issue_interval",
               "host time to issue one kernel or collective; 0 where launches are captured in "
               "graphs",
               "\"20 us\""),
      duration(&DiffusionStack::step_overhead_s, "step_overhead", "fixed time of a denoising step",
               "\"1 ms\""),
      duration(&DiffusionStack::batch_overhead_s, "batch_overhead", "fixed time of a batch",
               "\"50 ms\""),
      truth(&DiffusionStack::fused_pointwise, "fused_pointwise",
            "neighbouring pointwise steps of a layer are one kernel", "false"),
      number(&DiffusionStack::kernel_share, fraction, "kernel_share",
             "rates of GEMMs in a step over those of the same GEMMs alone", "0.9", "1"),
      number(&DiffusionStack::attention_share, fraction, "attention_share", "the same of attention",
             "0.9", "1"),
      core_flop_limit(&DiffusionStack::attention_core_flop,
                      "most FLOP that its attention does in a clock of a core, where it is written "
                      "for an older generation",
                      "1876"),
      number(&DiffusionStack::softmax_share, fraction, "softmax_share",
             "of the work of a softmax that the device's own attention does not hide, what that of "
             "the stack leaves",
             "0.35", "1"),
      number(&DiffusionStack::convolution_share, fraction, "convolution_share",
             "of the sustained rate of the matrix units, what the convolutions of a decoder reach",
             "0.4", "0.25"),
  };
}

}  // namespace scalesweep::catalog
