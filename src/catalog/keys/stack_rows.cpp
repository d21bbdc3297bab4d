// Rows of how frameworks run recommendation and diffusion models.
#include "catalog/keys/rows.hpp"

namespace scalesweep::catalog {
namespace {

Key time_or_zero(std::string_view path, std::string_view text, std::string_view example) {
  return or_zero(quantity(path, Dimension::seconds, text, example, "\"0 s\""));
}

}  // namespace

std::vector<Key> recommendation_rows() {
  return {
      table("recommendation", "how it trains and scores models with embedding tables",
            "it does neither"),
      time_or_zero(
          "recommendation.issue_interval",
          "host time to issue one kernel or collective; 0 where launches are captured in graphs",
          "\"5 us\""),
      time_or_zero("recommendation.batch_overhead", "fixed time of a batch", "\"50 us\""),
      truth("recommendation.hides_exchange",
            "pooled rows and their gradients travel beside the bottom MLP, gradients of the dense "
            "part beside the update of the tables",
            "false"),
      truth("recommendation.exchanges_indices",
            "a device gets the indices of its own samples and sends them on to the tables; else "
            "those of its tables come from its host",
            "false"),
      truth("recommendation.fused_pointwise",
            "biases, activations and what stands beside the products of an interaction are part of "
            "GEMMs",
            "false"),
      truth("recommendation.fused_lookup",
            "where a device has all tables, products of pairs are taken of rows as they are looked "
            "up: neither rows nor their sums are written",
            "false"),
      number("recommendation.kernel_share", fraction,
             "rates of GEMMs in a batch over those of the same GEMMs alone", "0.9", "1"),
  };
}

std::vector<Key> diffusion_stack_rows() {
  return {
      table("diffusion", "how it runs models that make images or videos of noise", "it does not"),
      time_or_zero(
          "diffusion.issue_interval",
          "host time to issue one kernel or collective; 0 where launches are captured in graphs",
          "\"20 us\""),
      time_or_zero("diffusion.step_overhead", "fixed time of a denoising step", "\"1 ms\""),
      time_or_zero("diffusion.batch_overhead", "fixed time of a batch", "\"50 ms\""),
      truth("diffusion.fused_pointwise", "neighbouring pointwise steps of a layer are one kernel",
            "false"),
      number("diffusion.kernel_share", fraction,
             "rates of GEMMs in a step over those of the same GEMMs alone", "0.9", "1"),
      number("diffusion.attention_share", fraction, "the same of attention", "0.9", "1"),
      number("diffusion.attention_core_flop", above_zero,
             "most FLOP that its attention does in a clock of a core, where it is written for an "
             "older generation",
             "1876", "no limit"),
      number("diffusion.softmax_share", fraction,
             "of the work of a softmax that the device's own attention does not hide, what that of "
             "the stack leaves",
             "0.35", "1"),
      number("diffusion.convolution_share", fraction,
             "of the sustained rate of the matrix units, what the convolutions of a decoder reach",
             "0.4", "0.25"),
  };
}

}  // namespace scalesweep::catalog
