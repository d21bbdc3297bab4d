#include "estimator/explain/iteration_operators.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <variant>

#include "estimator/inference/passes/image_pass.hpp"
#include "estimator/inference/passes/pass_kernels.hpp"
#include "estimator/parts/collective.hpp"
#include "estimator/reuse/adapters.hpp"

namespace scalesweep::estimator {
namespace {

using workload::AttentionSpan;
using workload::LayerKind;
using workload::Operator;

std::string shape_of(const workload::MatMul& op) {
  const std::string shape = fmt::format("{:.4g} x {:.6g} x {:.6g}", op.m, op.n, op.k);
  return op.batch == 1.0 ? shape : fmt::format("{:.4g} of {}", op.batch, shape);
}
std::string shape_of(const workload::Pointwise& /*op*/) {
  return "";
}
std::string shape_of(const workload::FlashAttention& op) {
  return fmt::format("{:.4g} heads, {:.6g} queries, {:.6g} keys", op.batch_heads, op.sequence,
                     op.keys());
}
std::string shape_of(const workload::DecodeAttention& op) {
  return fmt::format("{:.4g} sequences, {:.4g} heads, {:.6g} keys", op.batch, op.heads, op.context);
}

std::string shape_of(const workload::LinearScan& op) {
  return fmt::format("{:.4g} sequences, {:.4g} heads, {:.6g} tokens", op.sequences, op.heads,
                     op.tokens);
}

using technology::Precision;

std::string both(Precision multiplied, Precision stored) {
  return multiplied == stored ? std::string(name_of(multiplied))
                              : fmt::format("{} x {}", name_of(multiplied), name_of(stored));
}

std::string format_of(const Operator& op, const InferencePrecision& precision) {
  const bool attends = op.block == workload::Block::attention_core;
  if (const auto* matmul = op.as<workload::MatMul>()) {
    const bool indexes = attends && matmul->low_precision;
    const Precision operands =
        matmul->low_precision ? precision.operands_of(matmul->part) : precision.activations;
    return both(operands, indexes                            ? precision.cache
                          : matmul->low_precision            ? precision.weights_of(matmul->part)
                          : op.name() == "output projection" ? precision.head
                          : attends                          ? precision.cache
                                                             : precision.activations);
  }
  return op.is<workload::Pointwise>()    ? ""
         : op.is<workload::LinearScan>() ? std::string(name_of(precision.activations))
                                         : both(precision.activations, precision.cache);
}

class Listing {
 public:
  Listing(const InferenceSetting& setting, std::string block, double times)
      : setting_(setting), block_(std::move(block)), times_(times) {}

  void add(const std::vector<Operator>& operators, double times,
           std::vector<IterationOperator>& list) const {
    for (const Operator& op : operators) {
      const Cost cost = operator_cost(op, setting_);
      IterationOperator row;
      row.block = block_;
      row.name = op.name();
      row.shape = std::visit([](const auto& kernel) { return shape_of(kernel); }, op.kernel);
      row.format = format_of(op, setting_.job.precision);
      row.times = times;
      row.flop = cost.work[Amount::tensor_flop] + cost.work[Amount::vector_flop];
      // What DRAM would see if nothing were found in L2.
      const auto* streamed = op.as<workload::Pointwise>();
      row.bytes = std::max(cost.work[Amount::dram_bytes], streamed ? streamed->traffic_bytes : 0.0);
      row.once = cost;
      row.bound = dominant(cost.time);
      list.push_back(row);
    }
  }

  // Of those to experts and back, the share that nothing hides.
  void add(const std::vector<Message>& messages, std::vector<IterationOperator>& list,
           double open_share = 1.0) const {
    for (const Message& message : messages) {
      const CollectiveCost cost = message_cost(message, setting_);
      IterationOperator row;
      row.block = block_;
      row.name = message.name;
      row.shape = fmt::format("{:.4g} kB", message.bytes / 1e3);
      row.times = times_;
      row.bytes = cost.cost.work.sent_bytes();
      row.once = cost.cost;
      if (message.of_experts) {
        row.once.time = open_share * row.once.time;
        row.name += open_share < 1.0 ? ", not hidden" : "";
      }
      row.bound = dominant(cost.cost.time);
      row.message = true;
      list.push_back(row);
    }
  }

  void add(const std::vector<Operator>& operators, std::vector<IterationOperator>& list) const {
    add(operators, times_, list);
  }

 private:
  const InferenceSetting& setting_;
  std::string block_;
  double times_;
};

void add_inputs(const Replica& replica, const workload::InferenceSlice& all,
                std::vector<IterationOperator>& list) {
  const InferenceSetting& set = replica.setting;
  Listing(set, "embedding", 1.0).add(inference_embedding_operators(set.job.model, all), list);
  for (const EncoderBlock& block : encoder_blocks(set.job, all)) {
    Listing(set, std::string(block.name), block.times).add(block.operators, list);
  }
  const EncoderMessages sent = encoder_messages(replica, all);
  Listing(set, "encoder layer", sent.times).add(sent.messages, list);
}

// What goes to devices that hold experts alone and back, and what they run beside those of
// attention.
void add_expert_devices(const Replica& replica, const workload::InferenceSlice& micro_batch,
                        double times, std::vector<IterationOperator>& list) {
  const InferenceSetting& set = replica.setting;
  const Listing beside(set, "micro-batch on devices of experts", times);
  beside.add(expert_link_messages(replica, micro_batch), list);
  beside.add(expert_device_operators(set.job.model, workload::expert_device_slice(micro_batch)),
             list);
}

}  // namespace

std::vector<IterationOperator> iteration_operators(const Replica& replica,
                                                   const Iteration& iteration) {
  const InferenceSetting& set = replica.setting;
  const workload::TransformerModel& shape = set.job.model;
  const workload::InferenceSlice all = slice_of(replica, iteration.prefill, iteration.decode);
  std::vector<IterationOperator> list;
  add_inputs(replica, all, list);
  const auto add_variant = [&](const workload::LayerVariant& variant, const std::string& name,
                               double layers, const workload::InferenceSlice& slice,
                               double open_share) {
    const Listing listing(set, name, layers);
    const bool attends = variant.mixer == workload::Mixer::attention;
    const double windowed = attends ? workload::layers_with(shape, AttentionSpan::window) /
                                          workload::layers_with(shape, variant.mixer)
                                    : 0.0;
    const std::vector<Operator> operators =
        inference_layer_operators(shape, slice, variant.kind, AttentionSpan::whole, variant.mixer);
    for (const Operator& op : operators) {
      const bool varies = op.block == workload::Block::attention_core;
      if (!varies || windowed < 1.0) {
        listing.add({op}, varies ? layers * (1.0 - windowed) : layers, list);
      }
    }
    if (windowed > 0.0) {
      listing.add(inference_attention_operators(shape, slice, AttentionSpan::window),
                  layers * windowed, list);
    }
    listing.add(adapter_operators(set.job, slice, operators), list);
    listing.add(layer_messages(replica, slice, variant.kind, variant.mixer), list, open_share);
  };
  const auto add_layers = [&](const char* prefix, LayerKind kind, double layers,
                              const workload::InferenceSlice& slice, double open_share) {
    for (const workload::LayerVariant& variant : workload::LayerVariants(shape, kind)) {
      if (layers > 0.0) {
        add_variant(variant, prefix + std::string(variant.name()), layers * variant.share, slice,
                    open_share);
      }
    }
  };
  const auto expert_layers = static_cast<double>(shape.expert_layers());
  add_layers("", LayerKind::dense, static_cast<double>(shape.layers) - expert_layers, all, 1.0);
  if (expert_layers > 0.0) {
    const ExpertLayerRun run = expert_layer_run(replica, iteration);
    if (run.micro_batches > 0.0) {
      const workload::InferenceSlice slice = part_of(all, 1.0 / run.micro_batches);
      const double times = run.micro_batches * expert_layers;
      add_layers("micro-batch of ", LayerKind::experts, times, slice, 1.0);
      add_expert_devices(replica, slice, times, list);
    } else {
      const workload::InferenceSlice slice = part_of(all, run.halves ? 0.5 : 1.0);
      add_layers(run.halves ? "half " : "", LayerKind::experts,
                 (run.halves ? 2.0 : 1.0) * expert_layers, slice, run.open_share);
    }
  }
  const Listing head(set, "head", 1.0);
  head.add(inference_head_operators(shape, all), list);
  head.add(head_messages(replica, all), list);
  return list;
}

}  // namespace scalesweep::estimator
