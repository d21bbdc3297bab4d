#include "estimator/explain/explain_training.hpp"

#include <fmt/format.h>

#include "core/text.hpp"
#include "estimator/parts/collective.hpp"
#include "estimator/parts/kernels.hpp"
#include "estimator/parts/matmul.hpp"
#include "estimator/training/states/memory.hpp"
#include "estimator/training/step.hpp"
#include "estimator/training/training.hpp"
#include "technology/derive/clock.hpp"
#include "workload/encoder/inputs.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Recompute;
using workload::Operator;

std::string matmul_detail(const workload::MatMul& op, const Tiling& tiling) {
  std::string text = fmt::format("{:.0f} x {:.0f} x {:.0f}", op.m, op.n, op.k);
  if (op.batch > 1.0) {
    text += fmt::format(" ({:.0f} of them)", op.batch);
  }
  text += fmt::format(", tile {} x {}", tiling.m, tiling.n);
  if (tiling.split_k > 1) {
    text += fmt::format(", K split {}", tiling.split_k);
  }
  return text;
}

Term matmul_term(const std::string& group, const workload::MatMul& op, const BlockRates& rates,
                 double times) {
  const MatMulCost cost = matmul_cost(op, rates.of(op));
  return {group,     std::string(op.name), matmul_detail(op, cost.tiling), times, cost.cost,
          cost.bound};
}

Term operator_term(const std::string& group, const Operator& op, const BlockRates& rates,
                   double times) {
  if (const auto* matmul = op.as<workload::MatMul>()) {
    return matmul_term(group, *matmul, rates, times);
  }
  const Cost cost = operator_cost(op, rates.of(op));
  std::string detail;
  if (const auto* streamed = op.as<workload::Pointwise>()) {
    detail = with_si_prefix(streamed->traffic_bytes, "B");
  } else if (const auto* flash = op.as<workload::FlashAttention>()) {
    detail = fmt::format("{:.0f} heads of {:.0f} x {:.0f}", flash->batch_heads, flash->sequence,
                         flash->head_dim);
  } else if (const auto* scan = op.as<workload::LinearScan>()) {
    detail =
        fmt::format("{:.0f} heads, {:.0f} tokens", scan->sequences * scan->heads, scan->tokens);
  }
  return {group, std::string(op.name()), detail, times, cost, dominant(cost.time)};
}

// Collects terms. Those of the slowest stage count once a micro-batch.
class Explainer {
 public:
  explicit Explainer(const Setting& setting)
      : setting_(setting),
        job_(setting.job),
        strategy_(setting.strategy),
        rates_(block_rates(setting.job, setting.system)),
        costs_(layer_costs(setting)),
        step_(step_cost(setting, costs_)) {
    if (job_.model.prediction_layers > 0) {
      prediction_ = costs_.prediction;
      prediction_ -= costs_.last_layer();
      prediction_ -= costs_.head;
    }
  }

  Explanation run() {
    const workload::Slice slice =
        slice_of(job_, strategy_, technology::scales_blocks(setting_.system.device));
    const StageShare& share = step_.slowest;
    for (const Part& part : parts()) {
      const bool layer = part.block == &costs_.layer || part.block == &costs_.expert_layer;
      add_block(part, pieces_of(part, slice), layer);
    }
    add_exchanges();
    add_phases();

    for (const StageShare& kind : step_.shares.kinds()) {
      const MemoryUse memory = stage_memory(job_, strategy_, costs_.saved, kind);
      if (kind.embedding) {
        result_.first_stage = memory;
      }
      if (kind.head) {
        result_.last_stage = memory;
      }
    }
    result_.usable_bytes = usable_memory_bytes(setting_.system.device);
    result_.first_stage_slowest = share.embedding;
    result_.micro_batches_in_flight = micro_batches_in_flight(strategy_, 0);
    return std::move(result_);
  }

 private:
  // A block that the slowest stage holds `count` of.
  struct Part {
    std::string name;
    const BlockCost* block;
    double count;
  };

  // Layers of a block that are alike, or all of another block.
  struct Piece {
    std::string name;
    double share;  // of the block's
    workload::LayerOperators operators;
  };

  std::vector<Part> parts() const {
    const StageShare& share = step_.slowest;
    std::vector<Part> parts = {{"layer", &costs_.layer, share.layers},
                               {"expert layer", &costs_.expert_layer, share.expert_layers},
                               {"embedding", &costs_.embedding, share.embedding ? 1.0 : 0.0},
                               {"head", &costs_.head, share.head ? 1.0 : 0.0}};
    // A prediction module is its own part, one more layer and one more head.
    if (share.predictions > 0.0) {
      parts[costs_.saved.has_experts ? 1 : 0].count += share.predictions;
      parts[3].count += share.predictions;
      parts.push_back({"prediction", &prediction_, share.predictions});
    }
    std::erase_if(parts, [](const Part& part) { return part.count == 0.0; });
    return parts;
  }

  std::vector<Piece> pieces_of(const Part& part, const workload::Slice& slice) const {
    if (part.block == &costs_.embedding) {
      return {{part.name, 1.0, workload::embedding_operators(job_.model, slice)}};
    }
    if (part.block == &prediction_) {
      return {{part.name, 1.0, workload::prediction_operators(job_.model, slice)}};
    }
    if (part.block == &costs_.head) {
      return {{part.name, 1.0, workload::head_operators(job_.model, slice)}};
    }
    std::vector<Piece> pieces;
    const workload::LayerKind kind =
        part.block == &costs_.layer ? workload::LayerKind::dense : workload::LayerKind::experts;
    for (const workload::LayerVariant& variant : workload::LayerVariants(job_.model, kind)) {
      pieces.push_back({std::string(variant.name()), variant.share,
                        workload::layer_operators(job_.model, slice, variant.kind, variant.mixer)});
    }
    return pieces;
  }

  double recomputed() const {
    return strategy_.recompute == Recompute::full ? 1.0 / strategy_.recompute_every : 0.0;
  }

  // Of a layer's communication of one kind in the forward pass.
  double recomputed(const BlockCost& block, PassPart kind) const {
    const double share =
        kind == PassPart::tensor_communication ? repeated_tensor_share(setting_, block) : 1.0;
    return recomputed() * share;
  }
  double recomputed(const BlockCost& block, const Operator& op) const {
    return recomputed() * (stops_early(setting_, block) ? op.full_repeats : 1.0);
  }

  // What selective recomputation gathers of the inputs of GEMMs again.
  void add_repeated_gathers(const Part& part, const std::vector<Piece>& pieces, double times) {
    Cost gathers = part.block->selective_repeats;
    for (const Piece& piece : pieces) {
      for (const Operator& op : piece.operators.forward) {
        if (op.selective_repeats > 0.0) {
          gathers -=
              piece.share * op.selective_repeats * op.share * operator_cost(op, rates_.of(op));
        }
      }
    }
    add_cost("tensor communication", part.name + " recompute", "inputs gathered again", times,
             gathers);
  }

  void add_piece(const Part& part, const Piece& piece, bool layer) {
    const double times = step_.micro_batches * part.count * piece.share;
    const std::string& name = piece.name;
    const workload::LayerOperators& operators = piece.operators;
    for (const Operator& op : operators.forward) {
      result_.terms.push_back(operator_term(name + " forward", op, rates_, times * op.share));
    }
    for (const Operator& op : operators.forward) {
      const double again = strategy_.recompute == Recompute::selective
                               ? op.selective_repeats
                               : recomputed(*part.block, op);
      if (layer && again > 0.0) {
        result_.terms.push_back(
            operator_term(name + " recompute", op, rates_, times * op.share * again));
      }
    }
    for (const Operator& op : operators.backward) {
      result_.terms.push_back(operator_term(name + " backward", op, rates_, times * op.share));
    }
    for (const workload::MatMul& op : operators.data_gradients) {
      result_.terms.push_back(matmul_term(name + " backward", op, rates_, times));
    }
    for (const workload::MatMul& op : operators.weight_gradients) {
      result_.terms.push_back(matmul_term(name + " backward", op, rates_, times));
    }
  }

  void add_block(const Part& part, const std::vector<Piece>& pieces, bool layer) {
    for (const Piece& piece : pieces) {
      add_piece(part, piece, layer);
    }
    const double times = step_.micro_batches * part.count;
    const std::string& name = part.name;
    if (layer && strategy_.recompute == Recompute::selective && strategy_.tensor_parallel > 1 &&
        strategy_.sequence_parallel && job_.stack.keeps_gathered_inputs) {
      add_repeated_gathers(part, pieces, times);
    }
    const std::string group = "waiting for the host";
    const std::string detail = "issuing takes longer than running";
    add_cost(group, name + " forward", detail, times, part.block->forward[PassPart::host_wait]);
    add_cost(group, name + " backward", detail, times, part.block->backward[PassPart::host_wait]);
    if (layer && recomputed() > 0.0) {
      add_cost(group, name + " recompute", detail, times * recomputed(),
               part.block->forward[PassPart::host_wait]);
    }
  }

  void add_cost(const std::string& group, const std::string& name, const std::string& detail,
                double times, const Cost& cost) {
    if (cost.time.total_s() > 0.0 || cost.work.sent_bytes() > 0.0) {
      result_.terms.push_back({group, name, detail, times, cost, dominant(cost.time)});
    }
  }

  // One kind of communication of every block.
  void add_exchanges(const std::string& group, const std::string& detail, PassPart kind) {
    for (const Part& part : parts()) {
      const double times = step_.micro_batches * part.count;
      const bool layer = part.block == &costs_.layer || part.block == &costs_.expert_layer;
      add_cost(group, part.name + " forward", detail, times, part.block->forward[kind]);
      if (layer && recomputed() > 0.0) {
        add_cost(group, part.name + " recompute", detail, times * recomputed(*part.block, kind),
                 part.block->forward[kind]);
      }
      add_cost(group, part.name + " backward, not hidden", detail, times,
               part.block->backward[kind]);
    }
  }

  void add_exchanges() {
    const parallel::Collective collective =
        tensor_collective(setting_, parallel::CollectiveKind::all_reduce);
    add_exchanges("tensor communication",
                  fmt::format("{} over {} x {} ranks", with_si_prefix(collective.bytes, "B"),
                              collective.group.inner(), collective.group.outer()),
                  PassPart::tensor_communication);
    add_exchanges("context communication",
                  fmt::format("{} ranks, {}", strategy_.context_parallel,
                              parallel::name_of(strategy_.context_exchange)),
                  PassPart::context_communication);
    const parallel::Group experts = setting_.group(parallel::Dimension::expert_exchange);
    const auto dispatch =
        workload::resolved(job_.stack.expert_dispatch, job_.model.experts, experts.outer() > 1);
    add_exchanges("expert communication",
                  fmt::format("{} x {} ranks, {}", experts.inner(), experts.outer(),
                              workload::expert_dispatch_names[dispatch]),
                  PassPart::expert_communication);
  }

  // What a phase takes of each micro-batch on the stage, or once a step.
  void add_each(Phase phase, const std::string& group, const std::string& name,
                const std::string& detail) {
    add_cost(group, name, detail, step_.micro_batches, step_.stage.phases[phase]);
  }
  void add_once(Phase phase, const std::string& group, const std::string& name,
                const std::string& detail) {
    add_cost(group, name, detail, 1.0, *step_.once(phase));
  }

  // The encoder, all of its layers and its projector together.
  void add_encoder() {
    const double times = step_.micro_batches * step_.slowest.encoders;
    if (times <= 0.0 || !job_.model.encoder.asked()) {
      return;
    }
    const workload::EncodedInput input = workload::encoded_input(job_.model.encoder);
    const workload::Encoder& encoder = job_.model.encoder;
    const std::string detail = fmt::format(
        "{}: {:.4g} {} a sequence, {:.4g} x {:.6g} {}, {:.6g} tokens", encoder.model->name,
        encoder.inputs, encoder.audio.on() ? "recordings" : "images", input.pieces, input.patches,
        encoder.audio.on() ? "vectors" : "patches", input.tokens);
    add_cost("encoder", "encoder forward", detail, times, costs_.encoder.forward.total());
    add_cost("encoder", "encoder backward", detail, times, costs_.encoder.backward.total());
    if (!job_.tuning.trains_encoder()) {
      return;
    }
    if (strategy_.recompute == Recompute::selective) {
      add_cost("encoder", "encoder recompute", detail, times, costs_.encoder.selective_repeats);
    } else if (strategy_.recompute == Recompute::full) {
      const BlockCost& block = costs_.encoder;
      Cost again = block.forward.total();
      if (stops_early(setting_, block)) {
        again -= block.full_omits;
        again -= (1.0 - repeated_tensor_share(setting_, block)) *
                 block.forward[PassPart::tensor_communication];
      }
      add_cost("encoder", "encoder recompute", detail, times * recomputed(), again);
    }
  }

  // All that is not of a block.
  void add_phases() {
    add_encoder();
    add_each(Phase::pipeline_communication, "pipeline communication", "activations and gradients",
             fmt::format("{} chunks, both ways", strategy_.chunks));
    add_each(Phase::offload, "offload", "activations, not hidden", "host memory");
    add_each(Phase::data_communication, "data communication",
             "weights and gradients of each layer, not hidden",
             fmt::format("ZeRO-{}", int{strategy_.zero}));
    add_once(Phase::data_communication, "data communication", "gradients, not hidden",
             fmt::format("{} replicas", strategy_.data_parallel));
    add_once(Phase::bubble, "pipeline bubble", "waiting for other stages", "");
    add_once(Phase::optimizer, "optimizer", job_.optimizer.name,
             job_.optimizer.multiplies() ? "with products of matrices" : "");
    add_once(Phase::stragglers, "stragglers", "waiting for the slowest device", "");
    add_once(Phase::uneven_inputs, "uneven inputs", "waiting for those that encode more", "");
  }

  Setting setting_;
  const TrainingJob& job_;
  const parallel::Strategy& strategy_;
  BlockRates rates_;
  LayerCosts costs_;
  BlockCost prediction_;  // what a prediction module has beside its layer and its head
  StepCost step_;
  Explanation result_;
};

}  // namespace

Explanation explain_training(const Setting& setting) {
  const TrainingEstimate estimate = estimate_training(setting);
  technology::System settled = setting.system;
  settled.device = technology::at_clock(settled.device, estimate.clock_fraction);
  Explanation explanation = Explainer({setting.job, settled, setting.strategy}).run();
  explanation.dropped_copies =
      workload::dropped_copies(setting.job.model, slice_of(setting.job, setting.strategy));
  explanation.estimate = estimate;
  return explanation;
}

}  // namespace scalesweep::estimator
