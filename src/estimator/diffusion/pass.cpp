#include "estimator/diffusion/pass.hpp"

#include <algorithm>

#include "estimator/parts/collective.hpp"
#include "estimator/parts/kernels.hpp"
#include "parallel/placement.hpp"
#include "workload/diffusion/diffusion_layers.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::CollectiveKind;
using parallel::Dimension;
using workload::DiffusionLayer;
using workload::MatMul;
using workload::Operator;

double share_of(std::int64_t whole, std::int64_t parts) {
  return static_cast<double>(whole) / static_cast<double>(parts);
}

BlockRates block_rates(const DiffusionJob& job, const technology::Device& device) {
  const workload::DiffusionStack& stack = job.stack;
  BlockRates rates = {rates_of(device, job.operands), rates_of(device, job.activations()),
                      rates_of(device, job.activations())};
  rates.linear.tensor_flop_per_s *= stack.kernel_share;
  rates.activation.tensor_flop_per_s *= stack.kernel_share;
  rates.attention.tensor_flop_per_s *=
      stack.attention_share * reachable_share(stack.attention_core_flop, device, job.activations());
  rates.attention.attention.softmax_flop *= stack.softmax_share;
  return rates;
}

KernelsByKind sum_of(const std::vector<Operator>& operators, const BlockRates& rates,
                     MatMulMemo& matmuls) {
  KernelsByKind sums;
  for (const Operator& op : operators) {
    if (const auto* product = op.as<MatMul>()) {
      sums.linear += matmuls.at(*product, rates);
    } else {
      Cost& kind = op.is<workload::Pointwise>() ? sums.pointwise : sums.attention;
      kind += operator_cost(op, rates.of(op));
    }
    sums.kernels += 1.0;
  }
  return sums;
}

// Convolutions multiply at their share of what products of matrices sustain; what the other kernels
// of an autoencoder read and write is streamed.
Cost convolution_cost(const DiffusionJob& job, double flop, double elements, std::string_view name,
                      const Rates& rates) {
  Cost cost;
  cost.time = Charges::of(Resource::tensor_compute,
                          flop / (job.stack.convolution_share * rates.tensor_flop_per_s));
  cost.work[Amount::tensor_flop] = flop;
  cost.work[Amount::tensor_joules] = flop * rates.tensor_j_per_flop;
  cost += pointwise_cost({name, elements * job.activation_bytes(), 0.0}, rates);
  return cost;
}

Cost decoder_cost(const DiffusionJob& job, double images, const Rates& rates) {
  const double pixels = images * job.image.pixels();
  return convolution_cost(job, pixels * job.model.decoder_flop, pixels * job.model.decoder_elements,
                          "decoder", rates);
}

Cost latent_encoder_cost(const DiffusionJob& job, double images, const Rates& rates) {
  const double pixels = images * job.image.pixels();
  return convolution_cost(job, pixels * workload::LatentEncoder::flop * job.model.decoder_flop,
                          pixels * workload::LatentEncoder::elements * job.model.decoder_elements,
                          "latent encoder", rates);
}

// What goes both ways: of each product one with the gradient for either operand.
void add_both_ways(KernelsByKind& forward, KernelsByKind& backward, double times,
                   const workload::LayerOperators& operators, const BlockRates& rates,
                   MatMulMemo& matmuls) {
  forward.add(times, sum_of(operators.forward, rates, matmuls));
  KernelsByKind gradients = sum_of(operators.backward, rates, matmuls);
  for (const auto* products : {&operators.data_gradients, &operators.weight_gradients}) {
    for (const MatMul& product : *products) {
      gradients.linear += matmuls.at(product, rates);
      gradients.kernels += 1.0;
    }
  }
  backward.add(times, gradients);
}

// Images of a replica, a part of one where its guided passes are on several.
double own_images(const DiffusionJob& job, const parallel::Strategy& strategy) {
  return std::max(1.0, share_of(job.batch, strategy.data_parallel));
}

// Elements of the hidden states that are added up in a step.
double reduced_elements(const DiffusionJob& job, const workload::DiffusionSlice& slice) {
  double of_pass = 0.0;
  for (std::size_t i = 0; i < workload::diffusion_layer_count; ++i) {
    const workload::TensorReductions sums =
        workload::tensor_reductions(job.model, static_cast<DiffusionLayer>(i));
    of_pass += static_cast<double>(job.model.layers[i]) *
               (sums.latents * slice.latent_tokens +
                sums.text * static_cast<double>(job.model.text_tokens));
  }
  return slice.passes * of_pass * static_cast<double>(job.model.hidden) /
         static_cast<double>(slice.context_shards);
}

class Exchange {
 public:
  Exchange(const DiffusionJob& job, const parallel::Strategy& strategy,
           const technology::System& system)
      : job_(job), strategy_(strategy), system_(system), slice_(slice_of(job, strategy)) {}

  DiffusionExchange run() {
    add_tensor();
    add_context();
    add_guidance();
    return exchange_;
  }

 private:
  Cost among(CollectiveKind kind, Dimension dimension, double bytes) const {
    return collective_among(system_, strategy_, kind, dimension, bytes);
  }

  void add_tensor() {
    if (strategy_.tensor_parallel <= 1) {
      return;
    }
    double times = 0.0;
    for (std::size_t i = 0; i < workload::diffusion_layer_count; ++i) {
      const auto sums = workload::tensor_reductions(job_.model, static_cast<DiffusionLayer>(i));
      times += static_cast<double>(job_.model.layers[i]) * (sums.latents + sums.text);
    }
    const double bytes = reduced_elements(job_, slice_) * slice_.element_bytes;
    exchange_.tensor = times * among(CollectiveKind::all_reduce, Dimension::tensor, bytes / times);
    exchange_.collectives += times;
  }

  // Queries, keys and values, one after the other, and what comes out (Jacobs et al., DeepSpeed
  // Ulysses, arXiv:2309.14509, section 3.1); or keys and values go round (Liu et al.,
  // arXiv:2310.01889). Text that layers only read is on every device.
  void add_context() {
    const double shards = strategy_.context_parallel;
    if (shards <= 1.0) {
      return;
    }
    const bool heads = slice_.exchanges_heads;
    const double width = job_.model.attention_width() / strategy_.tensor_parallel;
    for (std::size_t i = 0; i < workload::diffusion_layer_count; ++i) {
      const bool has_text = static_cast<DiffusionLayer>(i) != DiffusionLayer::cross;
      const double tokens =
          slice_.latent_tokens + (has_text ? static_cast<double>(job_.model.text_tokens) : 0.0);
      const double all_bytes = slice_.passes * tokens * width * slice_.element_bytes;
      const auto times = static_cast<double>(job_.model.layers[i]);
      exchange_.context.add(
          heads ? 4.0 * times : times,
          heads ? among(CollectiveKind::all_to_all, Dimension::context, all_bytes / shards)
                : among(CollectiveKind::all_gather, Dimension::context, 2.0 * all_bytes));
      if (job_.trains() && !heads) {
        exchange_.context_backward.add(
            times, among(CollectiveKind::reduce_scatter, Dimension::context, 2.0 * all_bytes));
      }
      exchange_.collectives += times * (heads ? 4.0 : shards - 1.0);
    }
    exchange_.hides_context = !heads;
    if (job_.trains()) {
      // Keys and values come again, beside their gradients.
      exchange_.context_backward += exchange_.context;
      return;
    }
    // What a step predicts, for the scheduler on every device.
    exchange_.context += among(CollectiveKind::all_gather, Dimension::context, predicted_bytes());
    exchange_.collectives += 1.0;
  }

  double predicted_bytes() const {
    return slice_.passes * slice_.latent_tokens * slice_.element_bytes *
           static_cast<double>(job_.model.patch * job_.model.patch * job_.model.patch_frames *
                               job_.model.channels);
  }

  // Of both passes over one image, among the replicas that have them.
  void add_guidance() {
    if (strategy_.data_parallel <= job_.batch) {
      return;
    }
    parallel::Strategy pair = strategy_;
    pair.data_parallel = static_cast<std::int32_t>(strategy_.data_parallel / job_.batch);
    exchange_.guidance = collective_among(system_, pair, CollectiveKind::all_gather,
                                          Dimension::data, 2.0 * predicted_bytes());
    exchange_.collectives += 1.0;
  }

  const DiffusionJob& job_;
  const parallel::Strategy& strategy_;
  const technology::System& system_;
  workload::DiffusionSlice slice_;
  DiffusionExchange exchange_;
};

class Batch {
 public:
  Batch(const DiffusionJob& job, const parallel::Strategy& strategy,
        const technology::System& system, const DiffusionTerms& terms)
      : job_(job), strategy_(strategy), system_(system), terms_(terms) {}

  DiffusionCosts run() {
    const workload::DiffusionStack& stack = job_.stack;
    const auto steps = static_cast<double>(job_.model.steps);
    add_step(steps);
    const double step_kernels = terms_.kernels.pass.kernels + terms_.exchange.collectives;
    const double device_s = batch_.total.time.total_s() / steps;
    const double waits_s = std::max(0.0, step_kernels * stack.issue_interval_s - device_s);
    batch_.step_s = device_s + waits_s + stack.step_overhead_s;
    add_waits(steps * (waits_s + stack.step_overhead_s) + stack.batch_overhead_s);
    add(DiffusionPhase::text_encoder, terms_.kernels.encoder);
    add_decoder();
    return batch_;
  }

 private:
  void add(DiffusionPhase which, const Cost& cost) {
    batch_.phases[static_cast<std::size_t>(which)] += cost;
    batch_.total += cost;
  }
  void add_waits(double seconds) {
    Cost waits;
    waits.time = Charges::of(Resource::latency, seconds);
    add(DiffusionPhase::host, waits);
  }

  // One device of those that share an image has it; the others wait.
  void add_decoder() {
    Cost decoder = terms_.kernels.decoder;
    decoder.work *= static_cast<double>(job_.batch) / static_cast<double>(strategy_.devices()) /
                    own_images(job_, strategy_);
    add(DiffusionPhase::decoder, decoder);
  }

  void add_step(double steps) {
    const KernelsByKind& pass = terms_.kernels.pass;
    const DiffusionExchange& exchange = terms_.exchange;
    add(DiffusionPhase::linear, steps * pass.linear);
    add(DiffusionPhase::attention, steps * pass.attention);
    add(DiffusionPhase::pointwise, steps * pass.pointwise);
    add(DiffusionPhase::tensor_reduction, steps * exchange.tensor);
    const Cost context = exchange.hides_context ? beyond(pass.attention.time, exchange.context,
                                                         core_share(system_, strategy_))
                                                : exchange.context;
    add(DiffusionPhase::context_exchange, steps * context);
    add(DiffusionPhase::guidance_exchange, steps * exchange.guidance);
  }

  const DiffusionJob& job_;
  const parallel::Strategy& strategy_;
  const technology::System& system_;
  const DiffusionTerms& terms_;
  DiffusionCosts batch_;
};

}  // namespace

double core_share(const technology::System& system, const parallel::Strategy& strategy) {
  return strategy.devices() > system.scale_up_domain() ? system.scale_out().core_share
                                                       : system.scale_up().core_share;
}

workload::DiffusionSlice slice_of(const DiffusionJob& job, const parallel::Strategy& strategy) {
  workload::DiffusionSlice slice;
  slice.passes = job.trains() ? static_cast<double>(strategy.micro_batch)
                              : share_of(job.passes(), strategy.data_parallel);
  slice.latent_tokens = workload::latent_tokens(job.model, job.image);
  slice.tensor_shards = strategy.tensor_parallel;
  slice.context_shards = strategy.context_parallel;
  slice.exchanges_heads = strategy.context_parallel > 1 &&
                          strategy.context_exchange == parallel::ContextExchange::all_to_all;
  slice.element_bytes = job.activation_bytes();
  slice.operand_bytes = technology::element_bytes(job.operands);
  slice.fused_pointwise = job.stack.fused_pointwise;
  if (job.trains()) {
    constexpr double full = technology::element_bytes(technology::Precision::fp32);
    slice.trains = true;
    slice.master_bytes = job.casts_weights(strategy) ? full : slice.element_bytes;
    slice.gradient_bytes = job.training.states_as_weights ? slice.element_bytes : full;
  }
  return slice;
}

DiffusionKernels diffusion_kernels(const DiffusionJob& job, const parallel::Strategy& strategy,
                                   const technology::Device& device, MatMulMemo& matmuls) {
  const BlockRates rates = block_rates(job, device);
  const workload::DiffusionSlice slice = slice_of(job, strategy);
  DiffusionKernels kernels;
  for (std::size_t i = 0; i < workload::diffusion_layer_count; ++i) {
    if (job.model.layers[i] > 0) {
      const workload::DiffusionPasses layer =
          workload::diffusion_layer(job.model, static_cast<DiffusionLayer>(i), slice);
      add_both_ways(kernels.layers, kernels.backward, static_cast<double>(job.model.layers[i]),
                    layer.operators, rates, matmuls);
    }
  }
  kernels.pass = kernels.layers;
  add_both_ways(kernels.pass, kernels.backward, 1.0,
                workload::diffusion_ends(job.model, slice).operators, rates, matmuls);
  if (job.trains() && !job.training.encodes) {
    return kernels;
  }
  // Every replica encodes the prompts of its images, guided passes have one without words.
  kernels.encoder =
      sum_of(workload::text_encoder(job.model, slice.passes, slice.element_bytes), rates, matmuls)
          .total();
  if (job.trains()) {
    kernels.latent_encoder = latent_encoder_cost(job, slice.passes, rates.activation);
  } else {
    kernels.decoder = decoder_cost(job, own_images(job, strategy), rates.activation);
  }
  return kernels;
}

DiffusionExchange diffusion_exchange(const DiffusionJob& job, const parallel::Strategy& strategy,
                                     const technology::System& system) {
  return Exchange(job, strategy, system).run();
}

DiffusionCosts diffusion_costs(const DiffusionJob& job, const parallel::Strategy& strategy,
                               const technology::System& system, const DiffusionTerms& terms) {
  return Batch(job, strategy, system, terms).run();
}

}  // namespace scalesweep::estimator
