// Rows of models that make images or videos of noise, and of how frameworks run them.
#include "catalog/keys/rows.hpp"
#include "workload/diffusion/diffusion.hpp"

namespace scalesweep::catalog {
namespace {

Key count_or_none(std::string_view path, std::string_view text, std::string_view example) {
  return or_zero(integer(path, text, example, "0"));
}

Key time_or_zero(std::string_view path, std::string_view text, std::string_view example) {
  return or_zero(quantity(path, Dimension::seconds, text, example, "\"0 s\""));
}

Key query_norm() {
  Key norm =
      name("query_norm", "of queries and keys, before they are rotated", "\"rms\"", "\"none\"");
  norm.words = workload::query_norm_names;
  return norm;
}

std::vector<Key> transformer_rows() {
  return {
      count_or_none("separate_layers",
                    "layers where text and latents attend to each other, each by weights of its "
                    "own (MMDiT)",
                    "19"),
      count_or_none("joint_layers",
                    "layers where both attend to each other by the same weights, behind the "
                    "separate ones",
                    "38"),
      count_or_none("cross_layers",
                    "layers where latents attend to themselves, then to the text if there is one. "
                    "Of the three, one is needed",
                    "28"),
      integer("hidden", "width of the hidden states", "3072"),
      integer("heads", "heads of an attention", "24"),
      integer("head_dim", "width of a head", "128", "`hidden` / `heads`"),
      integer("ffn", "width of the MLP", "12288"),
      truth("gated_ffn", "the MLP has a gate (SwiGLU)", "false"),
      query_norm(),
      truth("rotary", "queries and keys are rotated by where they stand", "false"),
      truth("parallel_mlp", "attention and MLP of a joint layer read one norm, side by side",
            "false"),
      count_or_none("modulation_width",
                    "inputs of the matrices that make shifts, scales and gates of a layer from the "
                    "time step; 0: all layers share theirs",
                    "3072"),
      count_or_none("text_tokens", "tokens of a text, filled up; 0: classes, no text", "512"),
      count_or_none("text_width",
                    "elements of a token as the encoder gives it; needed with `text_tokens`",
                    "4096"),
      number("encoder_parameters", from_zero,
             "parameters of the linear layers of all text encoders; 0: texts come encoded",
             "4.63e9", "0"),
      count_or_none("encoder_width",
                    "hidden width of the largest encoder; needed with `encoder_parameters`",
                    "4096"),
  };
}

std::vector<Key> autoencoder_rows() {
  return {
      integer("pixels_per_latent", "pixels of a side that a latent stands for", "16", "8"),
      integer("frames_per_latent",
              "frames that a latent stands for, the first of a video by itself", "4", "1"),
      integer("patch", "latents of a side that are one token", "1", "2"),
      integer("patch_frames", "latents in time that are one token", "2", "1"),
      integer("channels", "numbers of a latent", "16"),
      number("decoder_flop", above_zero,
             "FLOP of the decoder's convolutions for a pixel of a frame that comes out", "9.46e6"),
      number("decoder_elements", above_zero,
             "elements that its other kernels read and write for such a pixel, nothing fused",
             "1.15e4"),
      integer("decoder_channels", "channels of its widest tensor at full resolution", "256"),
      number("decoder_parameters", above_zero, "parameters of it", "4.95e7"),
      integer("steps", "denoising steps that are usual", "28", "50"),
      integer("passes",
              "of the transformer in a step: 2 with classifier-free guidance, 1 without, or where "
              "guidance is distilled",
              "1", "2"),
  };
}

}  // namespace

std::vector<Key> diffusion_model_rows() {
  std::vector<Key> keys = transformer_rows();
  const std::vector<Key> more = autoencoder_rows();
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
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
