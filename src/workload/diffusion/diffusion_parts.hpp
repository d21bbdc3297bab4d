// What layers of diffusion models are put together from: linear layers, modulated norms, attention,
// gates and residuals, of the passes and tokens of one device; and where it trains, what automatic
// differentiation makes of each and what it keeps until then. Internal to the folder.
//
// Eager PyTorch: a kernel for each step, whose gradient is that of each of these. Fused (a
// compiler): neighbouring pointwise steps are one kernel, of whose tensors only those are kept that
// a product of matrices, a norm or an attention needs; norms and activations are computed again on
// the way back (torch.compile's min-cut partitioner does so).
#pragma once

#include <string_view>
#include <vector>

#include "workload/diffusion/diffusion.hpp"

namespace scalesweep::workload {

class DiffusionAssembly {
 public:
  DiffusionAssembly(const DiffusionModel& model, const DiffusionSlice& slice)
      : model_(model), slice_(slice) {}

  // `input`: elements that come in, of states between layers.
  DiffusionPasses take(double input);

  double hidden() const { return static_cast<double>(model_.hidden); }
  double width() const { return in_parts(model_.attention_width(), slice_.tensor_shards); }
  double ffn() const { return in_parts(static_cast<double>(model_.ffn), slice_.tensor_shards); }
  double up() const { return in_parts(model_.mlp_width(), slice_.tensor_shards); }
  // Of one device, of all its passes.
  double tokens(double of_pass) const {
    return slice_.passes * in_parts(of_pass, slice_.context_shards);
  }

  // Inputs that nobody learns have no gradient.
  enum class Input { learned, given };
  void product(std::string_view name, double m, double n, double k, Input input = Input::learned);
  // Passes over elements of activations; backward none where nothing is left to do.
  void stream(std::string_view name, double elements, double passes, double flop,
              double backward_passes = 0.0);
  // Kept for the backward pass.
  void keep(double elements) { passes_.kept.kept_bytes += elements * slice_.element_bytes; }
  void keep_residual(double elements) {
    passes_.kept.kept_bytes += elements * slice_.residual_bytes();
  }

  void modulated_norm(double tokens);
  void plain_norm(double tokens);
  void gated_residual(double tokens);
  void plain_residual(double tokens);
  void prepare_queries_and_keys(double tokens);
  void merge_heads(double tokens);
  void join_streams(double tokens);
  void activation(double tokens);
  // Whole sequences of some heads, or all keys for some queries.
  void attention(std::string_view name, double queries, double keys, bool among_devices);
  void modulation(double outputs);
  void mlp(double tokens);
  void queries_keys_values(double tokens);
  void attention_output(double tokens);
  // Noise for latents, or what a step of inference does with what is predicted; and of training the
  // loss.
  void scheduler(double elements);

 private:
  static double in_parts(double whole, std::int64_t parts) {
    return whole / static_cast<double>(parts);
  }
  double wide() const { return slice_.residual_bytes() / slice_.element_bytes; }
  void gradient(std::string_view name, double elements, double passes, double flop);
  void weight_gradient(const MatMul& op);
  void norm_eagerly(double elements);
  void scale_eagerly(double elements);

  const DiffusionModel& model_;
  const DiffusionSlice& slice_;
  DiffusionPasses passes_;
};

}  // namespace scalesweep::workload
