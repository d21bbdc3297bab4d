#include "estimator/explain.hpp"

#include <fmt/format.h>

#include "core/text.hpp"
#include "estimator/collective.hpp"
#include "estimator/kernels.hpp"
#include "estimator/matmul.hpp"
#include "estimator/step.hpp"
#include "technology/clock.hpp"

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

Term matmul_term(const std::string& group, const workload::MatMul& op, const Rates& rates,
                 double times) {
  const MatMulCost cost = matmul_cost(op, rates);
  return {group,     std::string(op.name), matmul_detail(op, cost.tiling), times, cost.cost,
          cost.bound};
}

Term operator_term(const std::string& group, const Operator& op, const Rates& rates, double times) {
  if (op.kind == Operator::Kind::matmul) {
    return matmul_term(group, op.matmul, rates, times);
  }
  const Cost cost = operator_cost(op, rates);
  std::string detail;
  if (op.kind == Operator::Kind::pointwise) {
    detail = with_si_prefix(op.pointwise.traffic_bytes, "B");
  } else {
    detail = fmt::format("{:.0f} heads of {:.0f} x {:.0f}", op.flash.batch_heads, op.flash.sequence,
                         op.flash.head_dim);
  }
  return {group, std::string(op.name()), detail, times, cost, dominant(cost.time)};
}

// Collects terms; `times` is how often one micro-batch of the slowest stage counts in the step.
class Explainer {
 public:
  Explainer(const TrainingJob& job, const technology::System& system,
            const parallel::Strategy& strategy)
      : job_(job),
        system_(system),
        strategy_(strategy),
        rates_(rates_of(system_.device, job.precision.linear)),
        costs_(layer_costs(job, system_, strategy)),
        step_(step_cost(job, system_, strategy, costs_)) {}

  Explanation run() {
    const double passes = step_.micro_batches + step_.bubble_micro_batches;
    const workload::Slice slice = slice_of(job_, strategy_);
    add_block("layer", workload::layer_operators(job_.model, slice), passes * step_.layers, true);
    if (step_.has_embedding) {
      add_block("embedding", workload::embedding_operators(job_.model, slice), passes, false);
    }
    if (step_.has_head) {
      add_block("head", workload::head_operators(job_.model, slice), passes, false);
    }
    add_communication(passes);
    add_host_waits(passes);
    add_cost("optimizer", "adam", "", 1.0, step_.optimizer);

    result_.first_stage = stage_memory(job_, strategy_, costs_.saved, 0);
    result_.last_stage =
        stage_memory(job_, strategy_, costs_.saved, strategy_.pipeline_parallel - 1);
    result_.usable_bytes = usable_memory_bytes(system_.device);
    result_.first_stage_slowest = step_.has_embedding;
    result_.micro_batches_in_flight = micro_batches_in_flight(strategy_, 0);
    return std::move(result_);
  }

 private:
  void add_block(const std::string& block, const workload::LayerOperators& operators, double times,
                 bool recomputed) {
    for (const Operator& op : operators.forward) {
      result_.terms.push_back(operator_term(block + " forward", op, rates_, times));
    }
    for (const Operator& op : operators.forward) {
      const bool again =
          strategy_.recompute == Recompute::full || (strategy_.recompute == Recompute::selective &&
                                                     op.block == workload::Block::attention_core);
      if (recomputed && again) {
        result_.terms.push_back(operator_term(block + " recompute", op, rates_, times));
      }
    }
    for (const Operator& op : operators.backward) {
      result_.terms.push_back(operator_term(block + " backward", op, rates_, times));
    }
    for (const workload::MatMul& op : operators.data_gradients) {
      result_.terms.push_back(matmul_term(block + " backward", op, rates_, times));
    }
    for (const workload::MatMul& op : operators.weight_gradients) {
      result_.terms.push_back(matmul_term(block + " backward", op, rates_, times));
    }
  }

  void add_cost(const std::string& group, const std::string& name, const std::string& detail,
                double times, const Cost& cost) {
    if (cost.time.total_s() > 0.0 || cost.work.scale_up_bytes + cost.work.scale_out_bytes > 0.0) {
      result_.terms.push_back({group, name, detail, times, cost, dominant(cost.time)});
    }
  }

  void add_host_waits(double passes) {
    const std::string group = "waiting for the host";
    const std::string detail = "issuing takes longer than running";
    const auto add_block_wait = [&](const std::string& name, const BlockCost& block, double times) {
      add_cost(group, name + " forward", detail, times, block.forward.host_wait);
      add_cost(group, name + " backward", detail, times, block.backward.host_wait);
    };
    add_block_wait("layer", costs_.layer, passes * step_.layers);
    if (strategy_.recompute == Recompute::full) {
      add_cost(group, "layer recompute", detail, passes * step_.layers,
               costs_.layer.forward.host_wait);
    }
    if (step_.has_embedding) {
      add_block_wait("embedding", costs_.embedding, passes);
    }
    if (step_.has_head) {
      add_block_wait("head", costs_.head, passes);
    }
  }

  void add_communication(double passes) {
    const double layers = passes * step_.layers;
    const parallel::Collective collective =
        tensor_collective(job_, system_, strategy_, parallel::CollectiveKind::all_reduce);
    const std::string detail =
        fmt::format("{} over {} x {} ranks", with_si_prefix(collective.bytes, "B"),
                    collective.group.inner, collective.group.outer);
    const std::string group = "tensor communication";
    add_cost(group, "layer forward", detail, layers, costs_.layer.forward.communication);
    if (strategy_.recompute == Recompute::full) {
      add_cost(group, "layer recompute", detail, layers, costs_.layer.forward.communication);
    }
    add_cost(group, "layer backward, not hidden", detail, layers,
             costs_.layer.backward.communication);
    if (step_.has_embedding) {
      add_cost(group, "embedding", detail, passes,
               costs_.embedding.forward.communication + costs_.embedding.backward.communication);
    }
    if (step_.has_head) {
      add_cost(group, "head", detail, passes,
               costs_.head.forward.communication + costs_.head.backward.communication);
    }
    add_cost("pipeline communication", "activations and gradients",
             fmt::format("{} chunks, both ways", strategy_.chunks), passes,
             step_.stage.pipeline_communication);
    add_cost("data communication", "gradients, not hidden",
             fmt::format("{} replicas", strategy_.data_parallel), 1.0, step_.data_communication);
  }

  const TrainingJob& job_;
  const technology::System& system_;
  const parallel::Strategy& strategy_;
  Rates rates_;
  LayerCosts costs_;
  StepCost step_;
  Explanation result_;
};

}  // namespace

Explanation explain_training(const TrainingJob& job, const technology::System& system,
                             const parallel::Strategy& strategy) {
  const TrainingEstimate estimate = estimate_training(job, system, strategy);
  technology::System settled = system;
  settled.device = technology::at_clock(system.device, estimate.clock_fraction);
  Explanation explanation = Explainer(job, settled, strategy).run();
  explanation.estimate = estimate;
  return explanation;
}

}  // namespace scalesweep::estimator
