// No device whose budgets lie between those of the corners of a box is better than their envelope.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "estimator/inference/inference.hpp"
#include "estimator/training/training.hpp"
#include "random_training.hpp"
#include "support/shipped_catalog.hpp"
#include "technology/derive/envelope.hpp"
#include "workload/framework.hpp"

namespace scalesweep::estimator {
namespace {

using catalog::DerivedSystem;
using technology::Derivation;
using technology::Device;
using technology::Envelope;
using test::log_uniform;

const catalog::Catalog& shipped() {
  return scalesweep::test::shipped_catalog();
}

double between(double low, double high) {
  return low + (high - low) * *rc::gen::inRange(0, 10001) * 1e-4;
}

// A budget that a box is wide in: both ends, and what lies between.
struct Side {
  std::function<void(technology::Budget&, double)> set;
  double low = 0.0;
  double high = 0.0;
  double inside = 0.0;
};

Side any_side(std::function<void(technology::Budget&, double)> set, double least, double most) {
  Side side = {std::move(set), between(least, most), between(least, most)};
  if (*rc::gen::arbitrary<bool>()) {  // a small one
    side.high = side.low + (side.high - side.low) * log_uniform(0.002, 1.0);
  }
  if (side.low > side.high) {
    std::swap(side.low, side.high);
  }
  side.inside = between(side.low, side.high);
  return side;
}

// What is wide in some of the budgets, of devices that mostly can be built.
struct Box {
  DerivedSystem choice;
  std::vector<Side> sides;

  DerivedSystem inside() const {
    DerivedSystem at = choice;
    for (const Side& side : sides) {
      side.set(at.budget, side.inside);
    }
    return at;
  }
  std::vector<DerivedSystem> corners() const {
    std::vector<DerivedSystem> all = {choice};
    for (const Side& side : sides) {
      std::vector<DerivedSystem> more;
      for (const DerivedSystem& at : all) {
        for (const double value : {side.low, side.high}) {
          more.push_back(at);
          side.set(more.back().budget, value);
        }
      }
      all = std::move(more);
    }
    return all;
  }
};

Box any_box() {
  Box box;
  const auto device =
      *rc::gen::element<std::string>("a100-sxm-80gb", "h100-sxm", "b200-sxm", "mi300x", "tpu-v4");
  box.choice = shipped().published_budget(device, shipped().architecture_of(device)).value();
  box.choice.logic = *rc::gen::element<std::string>("N7", "N5", "N3", "N2");
  const technology::Budget budget = box.choice.budget;
  using technology::Budget;
  const bool by_edge = *rc::gen::arbitrary<bool>();
  const auto perhaps = [&](Side side) {
    if (*rc::gen::arbitrary<bool>()) {
      box.sides.push_back(std::move(side));
    }
  };
  perhaps(any_side([](Budget& b, double v) { b.power = Watts::si(v); }, 0.3 * budget.power.si(),
                   2.0 * budget.power.si()));
  perhaps(any_side([](Budget& b, double v) { b.die_area = SquareMetres::si(v); },
                   0.4 * budget.die_area.si(), budget.die_area.si()));
  perhaps(any_side([](Budget& b, double v) { b.shares.core_area = v; }, 0.3, 0.95));
  perhaps(any_side([](Budget& b, double v) { b.shares.memory_power = v; }, 0.03, 0.4));
  if (by_edge) {
    box.sides.push_back(any_side([](Budget& b, double v) { b.shares.memory_edge = v; }, 0.15, 0.7));
  } else {
    perhaps(any_side([](Budget& b, double v) { b.stacks = static_cast<int>(v); }, 1.0, 9.0));
  }
  return box;
}

struct Made {
  Envelope envelope;
  technology::System fastest;
  technology::System inside;
};

// Nothing where some of it cannot be built.
std::optional<Made> made_of(const Box& box) {
  std::vector<Derivation> derivations;
  std::optional<technology::System> system;
  for (const DerivedSystem& corner : box.corners()) {
    catalog::DerivedResult made = shipped().derived_system(corner);
    derivations.push_back(std::move(made.derivation));
    system = made.system ? std::move(made.system) : std::move(system);
  }
  const std::optional<Envelope> envelope = technology::envelope_of(derivations);
  const auto inside = shipped().derived_system(box.inside()).system;
  if (!envelope || !inside) {
    return std::nullopt;
  }
  system->device = envelope->fastest;
  system->scale_up() = envelope->scale_up;
  return Made{*envelope, *system, *inside};
}

// The rated clock is found to so much.
constexpr double rounding = 1.0 + 1e-5;

// At the clock of the other.
void expect_no_better(const Device& inside, const Device& fastest) {
  RC_ASSERT(inside.clock.si() <= fastest.clock.si() * rounding);
  RC_ASSERT(inside.cores <= fastest.cores);
  const double faster = fastest.clock / inside.clock;
  for (std::size_t p = 0; p < technology::precision_count; ++p) {
    RC_ASSERT(inside.tensor_peak[p].si() * faster <= fastest.tensor_peak[p].si() * rounding);
  }
  RC_ASSERT(inside.vector_peak.si() * faster <= fastest.vector_peak.si() * rounding);
  RC_ASSERT(inside.l2.bandwidth.si() <= fastest.l2.bandwidth.si() * rounding);
  RC_ASSERT(inside.l2.capacity.si() <= fastest.l2.capacity.si() * rounding);
  RC_ASSERT(inside.dram.bandwidth.si() <= fastest.dram.bandwidth.si() * rounding);
  RC_ASSERT(inside.dram.capacity.si() <= fastest.dram.capacity.si() * rounding);
  RC_ASSERT(inside.thermal_design_power.si() <= fastest.thermal_design_power.si() * rounding);
  const double volts = fastest.supply / inside.supply;
  RC_ASSERT(inside.l2.energy.si() * volts * volts * rounding >= fastest.l2.energy.si());
  RC_ASSERT(inside.dram.energy.si() * rounding >= fastest.dram.energy.si());
  RC_ASSERT(inside.leakage_power.si() * volts * rounding >= fastest.leakage_power.si());
  RC_ASSERT(inside.active_power.si() * faster * volts * volts * rounding >=
            fastest.active_power.si());
}

TEST(EnvelopeProperty, NoDeviceInsideIsBetterInAnyPart) {
  EXPECT_TRUE(rc::check([] {
    const auto made = made_of(any_box());
    RC_PRE(made.has_value());
    expect_no_better(made->inside.device, made->envelope.fastest);
    RC_ASSERT(made->inside.device.clock.si() * rounding >= made->envelope.least_clock.si());
    RC_ASSERT(made->inside.device.supply.si() * rounding >= made->envelope.least_supply.si());
    RC_ASSERT(made->inside.scale_up().bandwidth.si() <=
              made->fastest.scale_up().bandwidth.si() * rounding);
  }));
}

TrainingJob any_job(const std::string& model) {
  return {.model = shipped().model(model),
          .sequence = 4096,
          .global_batch = 64,
          .precision = mixed_precision(technology::Precision::bf16),
          .stack = shipped().framework("overlapped").training};
}

parallel::Strategy any_layout() {
  parallel::Strategy strategy;
  strategy.tensor_parallel = *rc::gen::element(1, 2, 8);
  strategy.sequence_parallel = strategy.tensor_parallel > 1;
  strategy.pipeline_parallel = *rc::gen::element(1, 4);
  strategy.recompute = *rc::gen::element(parallel::Recompute::none, parallel::Recompute::selective,
                                         parallel::Recompute::full);
  strategy.micro_batch = *rc::gen::element(1, 2);
  strategy.micro_batches = 64 / strategy.micro_batch;
  return strategy;
}

TEST(EnvelopeProperty, NoStepInsideIsBelowTheBound) {
  EXPECT_TRUE(rc::check([] {
    const auto made = made_of(any_box());
    RC_PRE(made.has_value());
    const TrainingJob job = any_job(*rc::gen::element<std::string>("llama-3-8b", "gpt3-175b"));
    const std::array layouts = {any_layout()};
    technology::System roomy = made->fastest;
    roomy.device.dram.capacity = Bytes::si(1e15);
    TrainingEstimator bounds(job, roomy);
    const TrainingEstimate least = bounds.at_least(layouts, 0, made->envelope);
    const TrainingEstimate b = estimate_training({job, made->inside, layouts[0]});
    RC_ASSERT(least.step_time_s() <= b.step_time_s());
    RC_ASSERT(least.energy.total_j() <= b.energy.total_j());
    RC_ASSERT(least.model_flop_utilization >= b.model_flop_utilization);
    RC_CLASSIFY(least.step_time_s() > 0.9 * b.step_time_s(), "within 10 %");
    RC_CLASSIFY(b.clock_fraction < 1.0, "limited by power");
  }));
}

// On how many devices a batch stands depends on its layout alone.
TEST(EnvelopeProperty, NoBatchInsideIsBelowTheBound) {
  EXPECT_TRUE(rc::check([] {
    const auto made = made_of(any_box());
    RC_PRE(made.has_value());
    InferenceJob job;
    job.model =
        shipped().model(*rc::gen::element<std::string>("llama-3-8b", "gpt3-175b", "mixtral-8x7b"));
    job.prompt = *rc::gen::element(100, 1000, 5000);
    job.output = *rc::gen::element(1, 50, 1000);
    job.stack = shipped().framework(*rc::gen::element<std::string>("vllm", "tensorrt-llm")).serving;
    parallel::Strategy layout;
    layout.tensor_parallel = *rc::gen::element(1, 2, 8);
    layout.pipeline_parallel = *rc::gen::element(1, 4);
    layout.micro_batch = *rc::gen::element(1, 16, 256);
    layout.micro_batches = layout.pipeline_parallel > 1 ? *rc::gen::element(1, 4) : 1;
    job.batch = std::int64_t{layout.micro_batch} * layout.micro_batches;
    const std::array layouts = {layout};
    technology::System roomy = made->fastest;
    technology::System inside = made->inside;
    roomy.device.dram.capacity = inside.device.dram.capacity = Bytes::si(1e15);
    InferenceEstimator bounds(job, roomy);
    const LeastBatch far = bounds.least_batches(layouts).front();
    const InferenceEstimate b = estimate_inference(job, inside, layout);
    const auto expect_not_above = [&](const InferenceEstimate& least) {
      RC_ASSERT(least.latency_s() <= b.latency_s());
      RC_ASSERT(least.time_to_first_token_s() <= b.time_to_first_token_s());
      RC_ASSERT(least.energy.total_j() <= b.energy.total_j());
      RC_ASSERT(least.tokens_per_s >= b.tokens_per_s);
    };
    expect_not_above(bounds.at_least(layouts, far, made->envelope));
    const InferenceEstimate least = bounds.at_least(layouts, 0, made->envelope);
    expect_not_above(least);
    RC_CLASSIFY(least.latency_s() > 0.9 * b.latency_s(), "within 10 %");
    RC_CLASSIFY(std::min(b.prefill_clock_fraction, b.decode_clock_fraction) < 1.0,
                "limited by power");
  }));
}

}  // namespace
}  // namespace scalesweep::estimator
