// The second half of a layer: a plain or gated MLP, or routed experts, between norm and residual;
// of training, then of inference.

#include <algorithm>

#include "workload/feed_forward/expert_dispatch.hpp"
#include "workload/layer_parts.hpp"
#include "workload/model.hpp"
#include "workload/serving/layer_assembly.hpp"

namespace scalesweep::workload {
namespace {

constexpr double fp32_bytes = 4.0;

// Gate and up projection are one GEMM; the activation and their product one kernel.
double halves_of(const TransformerModel& model) {
  return model.gated_ffn ? 2.0 : 1.0;
}

// Up to the linear layer below: `elements` of its input. Gated: the nonlinearity of one half times
// the other.
void add_activation(LayerBuilder& layer, const TransformerModel& model, double elements,
                    std::string_view forward_name, std::string_view backward_name) {
  const double w = layer.slice().element_bytes;
  const double halves = halves_of(model);
  if (layer.fused()) {
    const double written = layer.operand_write_bytes(Producer::activation);
    layer.forward(forward_name, elements, halves * w + written, 12.0);
    layer.backward(backward_name, elements, (1.0 + halves) * w + halves * written, 20.0);
    return;
  }
  layer.forward(forward_name, elements, 2.0 * w, 10.0);
  layer.backward(backward_name, elements, 3.0 * w, 16.0);
  if (model.gated_ffn) {
    layer.forward("gate", elements, 3.0 * w, 1.0);
    layer.backward("d gate values", elements, 3.0 * w, 1.0);
    layer.backward("d gate", elements, 3.0 * w, 1.0);
    layer.backward("join gate gradients", elements, 4.0 * w, 0.0);
  }
}

void add_shared_expert(LayerBuilder& layer, const TransformerModel& model) {
  const Slice& slice = layer.slice();
  const auto h = static_cast<double>(model.hidden);
  const double ffn =
      static_cast<double>(model.experts.shared_ffn) / static_cast<double>(slice.tensor_shards);
  const double tokens = slice.tokens();
  layer.linear({.forward_name = "shared expert up",
                .data_name = "d shared expert up",
                .weight_name = "w shared expert up",
                .m = tokens,
                .n = halves_of(model) * ffn,
                .k = h,
                .column_parallel = true,
                .gradient = Producer::activation});
  add_activation(layer, model, tokens * ffn, "shared activation", "d shared activation");
  layer.linear({.forward_name = "shared expert down",
                .data_name = "d shared expert down",
                .weight_name = "w shared expert down",
                .m = tokens,
                .n = h,
                .k = ffn,
                .row_parallel = true,
                .input = Producer::activation});
  // Its output is added to that of the routed experts.
  layer.forward("add shared expert", slice.outer_tokens() * h, 3.0 * slice.element_bytes, 1.0);
}

// Scores of all experts, in fp32 from the GEMM on; the best are chosen and weighted.
void add_router(LayerBuilder& layer, const TransformerModel& model) {
  const double tokens = layer.slice().outer_tokens();
  const auto count = static_cast<double>(model.experts.count);
  layer.linear({.forward_name = "router",
                .data_name = "d router",
                .weight_name = "w router",
                .m = tokens,
                .n = count,
                .k = static_cast<double>(model.hidden),
                .low_precision = false});
  layer.forward("choose experts", tokens * count, 3.0 * 4.0, 10.0);
  layer.backward("d choose experts", tokens * count, 3.0 * 4.0, 6.0);
}

// A row for each copy of a token, in the order of experts; on arrival from other devices ordered
// again by expert. Each kernel reads or writes every copy once, and the tokens once where they are
// single.
void add_permutation(LayerBuilder& layer, const TransformerModel& model, const RoutedWork& work,
                     bool to_experts) {
  const Slice& slice = layer.slice();
  const double w = slice.element_bytes;
  const auto h = static_cast<double>(model.hidden);
  const double copied = (slice.outer_tokens() + work.sent) * h;
  const bool sorts = slice.expert_shards > 1 && work.local_experts > 1.0;
  if (to_experts) {
    layer.forward("dispatch", copied, w, 0.0);
    layer.backward("d dispatch", copied, w, 1.0);
    if (sorts) {
      layer.forward("sort by expert", work.copies * h, 2.0 * w, 0.0);
      layer.backward("d sort by expert", work.copies * h, 2.0 * w, 0.0);
    }
    return;
  }
  if (sorts) {
    layer.forward("sort by source", work.copies * h, 2.0 * w, 0.0);
    layer.backward("d sort by source", work.copies * h, 2.0 * w, 0.0);
  }
  layer.forward("combine", copied, w, 1.0);
  layer.backward("d combine", copied, w, 1.0);
}

}  // namespace

void add_mlp(LayerBuilder& layer, const TransformerModel& model) {
  const Slice& slice = layer.slice();
  const auto h = static_cast<double>(model.hidden);
  const double ffn = static_cast<double>(model.ffn) / static_cast<double>(slice.tensor_shards);
  const double tokens = slice.tokens();
  layer.linear({.forward_name = "mlp up",
                .data_name = "d mlp up",
                .weight_name = "w mlp up",
                .m = tokens,
                .n = slice.composed ? ffn : halves_of(model) * ffn,
                .k = h,
                .batch = slice.composed ? halves_of(model) : 1.0,
                .column_parallel = true,
                .input = Producer::norm,
                .gradient = Producer::activation});
  add_activation(layer, model, tokens * ffn, "activation", "d activation");
  layer.linear({.forward_name = "mlp down",
                .data_name = "d mlp down",
                .weight_name = "w mlp down",
                .m = tokens,
                .n = h,
                .k = ffn,
                .row_parallel = true,
                .input = Producer::activation});
}

void add_experts(LayerBuilder& layer, const TransformerModel& model) {
  const auto h = static_cast<double>(model.hidden);
  const RoutedWork work = routed_work(model, layer.slice());
  const double rows = work.copies / work.local_experts;
  add_router(layer, model);
  add_permutation(layer, model, work, true);
  layer.linear({.forward_name = "expert up",
                .data_name = "d expert up",
                .weight_name = "w expert up",
                .m = rows,
                .n = halves_of(model) * work.ffn,
                .k = h,
                .batch = work.local_experts,
                .gradient = Producer::activation});
  add_activation(layer, model, work.copies * work.ffn, "expert activation", "d expert activation");
  layer.linear({.forward_name = "expert down",
                .data_name = "d expert down",
                .weight_name = "w expert down",
                .m = rows,
                .n = h,
                .k = work.ffn,
                .batch = work.local_experts,
                .input = Producer::activation});
  add_permutation(layer, model, work, false);
  if (model.experts.shared_ffn > 0) {
    add_shared_expert(layer, model);
  }
}

double expert_exchange_bytes(const TransformerModel& model, const Slice& slice) {
  if (!model.experts.on()) {
    return 0.0;
  }
  return routed_work(model, slice).sent * static_cast<double>(model.hidden) * slice.element_bytes;
}

namespace {

void add_activation(Assembly& layer, LinearPart part, std::string_view name, double elements) {
  const InferenceSlice& slice = layer.slice();
  const double w = slice.activation_bytes;
  const double written = layer.written_for(part);
  const double halves = halves_of(layer.model());
  if (!slice.fused_pointwise && halves > 1.0) {
    layer.pointwise("silu", elements, 2.0 * w, 6.0);
    layer.pointwise(name, elements, 2.0 * w + written, 1.0);
    return;
  }
  layer.pointwise(name, elements, halves * w + written, 8.0);
}

}  // namespace

void add_mlp(Assembly& layer, LinearPart part, double ffn, std::string_view up,
             std::string_view activation, std::string_view down) {
  const double tokens = layer.slice().tokens();
  const double width = ffn / layer.shards();
  if (layer.slice().composed) {
    layer.linear(part, up, tokens, {width, layer.hidden()}, halves_of(layer.model()));
  } else {
    layer.linear(part, up, tokens, {halves_of(layer.model()) * width, layer.hidden()});
  }
  add_activation(layer, part, activation, tokens * width);
  layer.linear(part, down, tokens, {layer.hidden(), width});
}

namespace {

// Experts that this iteration reaches are read, the others are not.
void add_routed_experts(Assembly& layer, const ExpertWork& work) {
  const InferenceSlice& slice = layer.slice();
  const double given = slice.shared_tokens();
  const auto all = given * static_cast<double>(layer.model().experts.top_k);
  const double copies = slice.all_expert_copies ? std::max(work.copies, all) : work.copies;
  const double moved = (layer.outer_tokens() + work.copies) * layer.hidden();
  const double width = static_cast<double>(layer.model().experts.ffn) /
                       static_cast<double>(slice.expert_tensor_shards);
  // Of copies that go elsewhere both products write zeros, and their sum reads some.
  const double zero = halves_of(layer.model()) * width + 2.0 * layer.hidden();
  const double rows = work.copies / work.reached;
  const double passed = moved + slice.expert_token_passes * given * layer.hidden();
  layer.pointwise("dispatch", passed, slice.activation_bytes, 0.0);
  layer.experts("expert up", rows, {halves_of(layer.model()) * width, layer.hidden()},
                work.reached);
  add_activation(layer, LinearPart::experts, "expert activation", copies * width);
  layer.experts("expert down", rows, {layer.hidden(), width}, work.reached);
  layer.pointwise("combine", moved + (copies - work.copies) * zero, slice.activation_bytes, 1.0);
}

void add_shared_experts(Assembly& layer) {
  const Experts& experts = layer.model().experts;
  if (experts.shared_ffn > 0) {
    const std::size_t first = layer.size();
    add_mlp(layer, LinearPart::shared_experts, static_cast<double>(experts.shared_ffn),
            "shared expert up", "shared expert activation", "shared expert down");
    layer.mark(first, Block::shared_experts);
  }
}

// On a device of attention whose experts are elsewhere: copies for the devices that hold some of a
// token's, and what comes back from each, added up.
void add_packing(Assembly& layer) {
  const InferenceSlice& slice = layer.slice();
  const double copies =
      parts_reached(layer.model().experts, static_cast<double>(slice.expert_devices));
  const double moved = slice.tokens() / layer.shards() * (1.0 + copies) * layer.hidden();
  layer.pointwise("pack tokens", moved, slice.activation_bytes, 0.0);
  layer.pointwise("add expert outputs", moved, slice.activation_bytes, 1.0);
}

}  // namespace

void add_experts(Assembly& layer) {
  const InferenceSlice& slice = layer.slice();
  const Experts& experts = layer.model().experts;
  const double own = layer.outer_tokens();
  const auto count = static_cast<double>(experts.count);
  layer.matmul({.name = "router",
                .m = own,
                .n = count,
                .k = layer.hidden(),
                .input_bytes = slice.activation_bytes,
                .output_bytes = fp32_bytes});
  if (!slice.choose_in_library) {
    layer.pointwise("choose experts", own * count, 2.0 * fp32_bytes, 10.0);
  }
  if (slice.expert_devices > 0) {
    add_packing(layer);
    return;
  }
  add_routed_experts(layer, expert_work(layer.model(), slice));
  add_shared_experts(layer);
}

InferenceSlice expert_device_slice(const InferenceSlice& slice) {
  const auto devices = static_cast<double>(slice.expert_devices);
  const double part = slice.expert_sources / devices;
  InferenceSlice own = slice;
  own.prefill.sequences *= part * slice.prefill_share;
  own.decode.sequences *= part;
  own.prefill_share = 1.0;
  own.tensor_shards = own.cache_shards = 1;
  own.sequence_shards = false;
  own.expert_shards = slice.expert_devices;
  own.expert_sources = devices;
  own.expert_devices = 0;
  return own;
}

std::vector<Operator> expert_device_operators(const TransformerModel& model,
                                              const InferenceSlice& of_device) {
  Assembly layer(model, of_device);
  add_routed_experts(layer, expert_work(model, of_device));
  add_shared_experts(layer);
  return layer.take();
}

std::vector<Operator> inference_expert_operators(const TransformerModel& model,
                                                 const InferenceSlice& slice,
                                                 const ExpertWork& work) {
  Assembly layer(model, slice);
  add_routed_experts(layer, work);
  return layer.take();
}

}  // namespace scalesweep::workload
