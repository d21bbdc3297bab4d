#include "estimator/explain/iteration_operators.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "estimator/parts/collective.hpp"

namespace scalesweep::estimator {
namespace {

using workload::AttentionSpan;
using workload::LayerKind;
using workload::Operator;

std::string shape_of(const Operator& op) {
  switch (op.kind) {
    case Operator::Kind::matmul: {
      const std::string product =
          fmt::format("{:.4g} x {:.6g} x {:.6g}", op.matmul.m, op.matmul.n, op.matmul.k);
      return op.matmul.batch == 1.0 ? product
                                    : fmt::format("{:.4g} of {}", op.matmul.batch, product);
    }
    case Operator::Kind::pointwise:
      return "";
    case Operator::Kind::flash_attention:
    case Operator::Kind::prefill_attention:
      return fmt::format("{:.4g} heads, {:.6g} queries, {:.6g} keys", op.flash.batch_heads,
                         op.flash.sequence, op.flash.keys());
    case Operator::Kind::decode_attention:
      return fmt::format("{:.4g} sequences, {:.4g} heads, {:.6g} keys", op.decode.batch,
                         op.decode.heads, op.decode.context);
  }
  return "";
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
      row.shape = shape_of(op);
      row.times = times;
      row.flop = cost.work[Amount::tensor_flop] + cost.work[Amount::vector_flop];
      // What DRAM would see if nothing were found in L2.
      row.bytes = std::max(cost.work[Amount::dram_bytes],
                           op.kind == Operator::Kind::pointwise ? op.pointwise.traffic_bytes : 0.0);
      row.once = cost;
      row.bound = dominant(cost.time);
      list.push_back(row);
    }
  }

  void add(const std::vector<Message>& messages, std::vector<IterationOperator>& list) const {
    for (const Message& message : messages) {
      const CollectiveCost cost = message_cost(message, setting_);
      IterationOperator row;
      row.block = block_;
      row.name = message.name;
      row.shape = fmt::format("{:.4g} kB", message.bytes / 1e3);
      row.times = times_;
      row.bytes = cost.cost.work.sent_bytes();
      row.once = cost.cost;
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

}  // namespace

std::vector<IterationOperator> iteration_operators(const InferenceSetting& set,
                                                   const parallel::Strategy& strategy,
                                                   const Iteration& iteration) {
  const workload::TransformerModel& shape = set.job.model;
  const workload::InferenceSlice slice =
      slice_of(set, strategy, iteration.prompts, iteration.decoding);
  std::vector<IterationOperator> list;
  Listing(set, "embedding", 1.0).add(inference_embedding_operators(shape, slice), list);
  const double windowed =
      workload::layers_with(shape, AttentionSpan::window) / static_cast<double>(shape.layers);
  const auto add_layers = [&](const char* name, LayerKind kind, double layers) {
    if (layers <= 0.0) {
      return;
    }
    const Listing listing(set, name, layers);
    for (const Operator& op : inference_layer_operators(shape, slice, kind)) {
      const bool varies = op.block == workload::Block::attention_core;
      if (!varies || windowed < 1.0) {
        listing.add({op}, varies ? layers * (1.0 - windowed) : layers, list);
      }
    }
    if (windowed > 0.0) {
      listing.add(inference_attention_operators(shape, slice, AttentionSpan::window),
                  layers * windowed, list);
    }
    listing.add(layer_messages(set, strategy, slice, kind), list);
  };
  const auto expert_layers = static_cast<double>(shape.expert_layers());
  add_layers("layer", LayerKind::dense, static_cast<double>(shape.layers) - expert_layers);
  add_layers("expert layer", LayerKind::experts, expert_layers);
  const Listing head(set, "head", 1.0);
  head.add(inference_head_operators(shape, slice), list);
  head.add(head_messages(set, strategy, slice), list);
  return list;
}

}  // namespace scalesweep::estimator
