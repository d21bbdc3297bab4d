// What must hold for every training estimate, whatever the system and the strategy.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "estimator/explain/explain_training.hpp"
#include "estimator/parts/kernels.hpp"
#include "estimator/parts/matmul.hpp"
#include "estimator/training/data_parallel.hpp"
#include "estimator/training/layer_cost.hpp"
#include "estimator/training/stage_cost.hpp"
#include "estimator/training/training.hpp"
#include "parallel/fields.hpp"
#include "random_training.hpp"
#include "support/seen_share.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Strategy;
using test::any_example;
using test::any_unlimited_example;
using test::estimate_of;
using test::Example;
using test::log_uniform;
using test::scaled_step_s;
using test::step_s;

TEST(TrainingProperty, ChargesAndPhasesSumToTheStep) {
  EXPECT_TRUE(rc::check([] {
    const Example e = any_example();
    const TrainingEstimate estimate = estimate_training({e.job, e.system, e.strategy});
    const double total_s = estimate.step_time_s();
    double phases_s = 0.0;
    for (const double s : estimate.phase_s) {
      RC_ASSERT(s >= 0.0);
      phases_s += s;
    }
    RC_ASSERT(std::isfinite(total_s) && total_s > 0.0);
    RC_ASSERT(std::fabs(phases_s / total_s - 1.0) < 1e-12);
    for (const double s : estimate.step.values) {
      RC_ASSERT(s >= -1e-12 * total_s);
    }
  }));
}

void expect_same_memory(const TrainingEstimate& a, const TrainingEstimate& b) {
  RC_ASSERT(a.verdict == b.verdict);
  RC_ASSERT(a.memory.total_bytes() == b.memory.total_bytes());
  RC_ASSERT(a.memory.reserved_bytes == b.memory.reserved_bytes);
}

void expect_same_bits(const TrainingEstimate& a, const TrainingEstimate& b) {
  expect_same_memory(a, b);
  RC_ASSERT(a.step.values == b.step.values);
  RC_ASSERT(a.phase_s == b.phase_s);
  RC_ASSERT(a.energy.total_j() == b.energy.total_j());
  RC_ASSERT(a.device_power_w == b.device_power_w);
  RC_ASSERT(a.clock_fraction == b.clock_fraction);
  RC_ASSERT(a.model_flop_utilization == b.model_flop_utilization);
}

// As it is where an estimate for `other` has left its layer costs behind.
void expect_plain_bits(const Example& e, const Strategy& other) {
  const std::array strategies = {other, e.strategy};
  TrainingEstimator factored(e.job, e.system);
  factored(strategies, 0);
  const TrainingEstimate plain = estimate_training({e.job, e.system, e.strategy});
  expect_same_bits(factored(strategies, 1), plain);
  expect_same_bits(factored(e.strategy), plain);
}

TEST(TrainingProperty, FactoredEqualsPlainToTheBit) {
  EXPECT_TRUE(rc::check([] {
    const Example e = any_example();
    expect_plain_bits(e, test::any_other_strategy(e));
  }));
}

// A field that is missing in the key of layers is found where it alone is another.
// Whether strategies of training differ in it.
bool is_of_training(const parallel::Field& field) {
  return field.choices != nullptr && field.is_of(parallel::WorkloadKind::training);
}

TEST(TrainingProperty, FactoredEqualsPlainToTheBitWhateverFieldChanges) {
  std::set<std::string_view> changed;
  EXPECT_TRUE(rc::check([&] {
    Example e = any_example();
    for (const parallel::Field& field : parallel::strategy_fields()) {
      if (!is_of_training(field)) {
        continue;
      }
      std::optional<parallel::Strategy> other = test::any_neighbour(e, field);
      for (int tries = 0; !other && tries < 20; ++tries) {  // few examples have experts, say
        e = any_example();
        other = test::any_neighbour(e, field);
      }
      if (other) {
        changed.insert(field.name);
        RC_LOG() << "another " << field.name << ": " << field.value(*other) << "\n";
        expect_plain_bits(e, *other);
      }
    }
  }));
  for (const parallel::Field& field : parallel::strategy_fields()) {
    EXPECT_EQ(changed.count(field.name) > 0, is_of_training(field)) << field.name;
  }
}

// As it is where estimates on another system have left their layers behind: with the same device
// and another network, on all levels or from one on, they are used as far as they hold.
TEST(TrainingProperty, LayersThatOtherNetworksLeaveBehindDoNotChangeABit) {
  EXPECT_TRUE(rc::check([] {
    const Example e = any_example();
    technology::System other = any_example().system;
    if (*rc::gen::arbitrary<bool>()) {
      const std::vector<technology::LinkLevel> links = other.levels;
      other = e.system;
      const auto same = *rc::gen::inRange<std::size_t>(0, other.levels.size());
      for (std::size_t level = same; level < std::min(links.size(), other.levels.size()); ++level) {
        other.levels[level].link = links[level].link;
      }
    }
    const std::array strategies = {test::any_other_strategy(e), e.strategy};
    TrainingEstimator before(e.job, other);
    before(strategies, 0);
    before(strategies, 1);
    TrainingEstimator factored(e.job, e.system, &before);
    const TrainingEstimate plain = estimate_training({e.job, e.system, e.strategy});
    expect_same_bits(factored(strategies, 1), plain);
    expect_same_bits(before(strategies, 1), estimate_training({e.job, other, e.strategy}));
    RC_CLASSIFY(same_layers(e.strategy, e.system, other), "the same layers");
    RC_CLASSIFY(plain.clock_fraction < 1.0, "limited by power");
  }));
}

// Whether what was asked for before has left layer costs behind, or only what layers save.
TEST(TrainingProperty, WhatDoesNotFitHasItsMemoryAlone) {
  EXPECT_TRUE(rc::check([] {
    Example e = any_example();
    e.system.device.dram.capacity = Bytes::si(log_uniform(1e9, 1e12));
    const std::array strategies = {test::any_other_strategy(e), e.strategy};
    TrainingEstimator factored(e.job, e.system);
    factored.if_fits(strategies, 0);
    const TrainingEstimate a = factored.if_fits(strategies, 1);
    const TrainingEstimate b = factored(strategies, 1);
    if (b.verdict == Verdict::fits) {
      expect_same_bits(a, b);
    } else {
      expect_same_memory(a, b);
      RC_ASSERT(a.step_time_s() == 0.0);
    }
    expect_same_bits(b, estimate_training({e.job, e.system, e.strategy}));
  }));
}

void expect_not_above(const TrainingEstimate& least, const TrainingEstimate& estimate) {
  RC_ASSERT(least.step_time_s() > 0.0);
  RC_ASSERT(least.step_time_s() <= estimate.step_time_s());
  RC_ASSERT(least.energy.total_j() > 0.0);
  RC_ASSERT(least.energy.total_j() <= estimate.energy.total_j());
  RC_ASSERT(least.model_flop_utilization >= estimate.model_flop_utilization);
}

// Also where the power limit sets the clock, of passes or of the whole step.
TEST(TrainingProperty, NoEstimateIsBelowItsBound) {
  EXPECT_TRUE(rc::check([] {
    Example e = any_example();
    e.system.device.dram.capacity = Bytes::si(log_uniform(1e10, 1e13));
    Example other = e;
    other.system = any_example().system;
    const std::array strategies = {test::any_other_strategy(e), e.strategy};
    TrainingEstimator before(e.job, other.system);
    before.at_least(strategies, *rc::gen::inRange<std::size_t>(0, 2));
    TrainingEstimator factored(e.job, e.system, &before);
    factored.at_least(strategies, 0);
    const TrainingEstimate quick = factored.at_least(strategies, 1, Closeness::quick);
    const TrainingEstimate near = factored.at_least(strategies, 1, Closeness::near);
    const TrainingEstimate b = factored(strategies, 1);
    RC_ASSERT(near.verdict == b.verdict);
    expect_same_memory(near, b);
    if (b.verdict == Verdict::fits) {
      RC_ASSERT(quick.step_time_s() <= near.step_time_s());
      expect_not_above(quick, b);
      expect_not_above(near, b);
      RC_CLASSIFY(near.step_time_s() > 0.9 * b.step_time_s(), "within 10 %");
      RC_CLASSIFY(b.clock_fraction < 1.0, "limited by power");
    }
    expect_same_bits(b, estimate_training({e.job, e.system, e.strategy}));
  }));
}

// Found out on another network with the same device, or on this one.
TEST(TrainingProperty, NoNetworkMakesAStepShorterThanTheLeast) {
  EXPECT_TRUE(rc::check([] {
    Example e = any_example();
    e.system.device.dram.capacity = Bytes::si(log_uniform(1e10, 1e13));
    technology::System other = any_example().system;
    const bool same_device = *rc::gen::arbitrary<bool>();
    if (same_device) {
      other.device = e.system.device;
    }
    const std::array strategies = {test::any_other_strategy(e), e.strategy};
    TrainingEstimator before(e.job, other);
    before.least_steps(strategies);
    TrainingEstimator factored(e.job, e.system, &before);
    const std::span<const LeastStep> steps = factored.least_steps(strategies);
    std::size_t fitting = 0;
    for (std::size_t i = 0; i < strategies.size(); ++i) {
      fitting += factored(strategies, i).verdict == Verdict::fits ? 1 : 0;
    }
    RC_ASSERT(steps.size() == fitting);
    double rest_j = std::numeric_limits<double>::infinity();
    for (std::size_t i = steps.size(); i-- > 0;) {
      rest_j = std::min(rest_j, steps[i].energy_j);
      RC_ASSERT(steps[i].energy_of_rest_j == rest_j);
      if (i > 0) {
        RC_ASSERT(steps[i - 1].step_s <= steps[i].step_s);
      }
      const TrainingEstimate least = factored.at_least(strategies, steps[i]);
      const TrainingEstimate b = factored(strategies, steps[i].index);
      RC_ASSERT(least.step_time_s() == steps[i].step_s);
      expect_same_memory(least, b);
      expect_not_above(least, b);
      RC_CLASSIFY(least.step_time_s() > 0.9 * b.step_time_s(), "within 10 %");
      RC_CLASSIFY(same_device, "the same device");
    }
  }));
}

TEST(TrainingProperty, MoreOfAnyResourceIsNeverSlower) {
  EXPECT_TRUE(rc::check([] {
    const Example e = any_unlimited_example();
    const auto resource = static_cast<Resource>(*rc::gen::inRange(0, int{resource_count}));
    const double factor = log_uniform(1.01, 8.0);
    RC_ASSERT(scaled_step_s(e, resource, factor) <= step_s(e) * (1.0 + 1e-12));
  }));
}

// Where nothing runs beside another thing that hides it.
Example one_after_the_other(Example e) {
  workload::TrainingStack& stack = e.job.stack;
  for (bool* hides :
       {&stack.hides_tensor_communication, &stack.hides_forward_tensor_communication,
        &stack.hides_expert_communication, &stack.hides_pipeline_communication,
        &stack.replicas.hides_data_communication, &stack.replicas.hides_sharded_reduction,
        &stack.replicas.hides_weight_gather}) {
    *hides = false;
  }
  stack.issue_blend = 3.5;
  e.strategy.context_exchange = parallel::ContextExchange::all_to_all;
  e.strategy.offload_activations = false;
  if (e.strategy.schedule == parallel::Schedule::dual_pipe) {  // hides what experts exchange
    e.strategy.schedule = parallel::Schedule::one_forward_one_backward;
  }
  if (e.strategy.zero == 3) {
    e.strategy.zero = 2;
    e.strategy.shard_group = 0;
  }
  return e;
}

// -d ln T / d ln rate is the charge over T (Euler), away from ties, where the derivatives from the
// left and from the right differ.
TEST(TrainingProperty, ChargesAreElasticitiesWhereNothingHides) {
  EXPECT_TRUE(rc::check([] {
    int compared = 0;
    const Example e = one_after_the_other(any_unlimited_example());
    const TrainingEstimate estimate = estimate_training({e.job, e.system, e.strategy});
    const double total_s = estimate.step_time_s();
    const double h = 1e-5;
    for (std::size_t r = 0; r < resource_count; ++r) {
      const auto resource = static_cast<Resource>(r);
      const double right = (total_s - scaled_step_s(e, resource, 1.0 + h)) / h;
      const double left = (scaled_step_s(e, resource, 1.0 - h) - total_s) / h;
      if (std::fabs(left - right) < 1e-4 * total_s) {
        ++compared;
        const double expected = estimate.step.values[r];
        RC_ASSERT(std::fabs(0.5 * (left + right) - expected) < 2e-4 * total_s);
      }
    }
    RC_PRE(compared > 5);  // most of the resources are away from ties
  }));
}

// With work fixed the step is homogeneous of degree one in inverse rates and latencies, hidden or
// not: the elasticities sum to one, away from ties. Charges sum to the step likewise; of what is
// hidden they are others.
TEST(TrainingProperty, ElasticitiesSumToOne) {
  scalesweep::test::SeenShare differs;
  EXPECT_TRUE(rc::check([&] {
    const Example e = any_unlimited_example();
    const TrainingEstimate estimate = estimate_training({e.job, e.system, e.strategy});
    const double total_s = estimate.step_time_s();
    const double h = 1e-5;
    double sum_s = 0.0;
    double apart_s = 0.0;
    for (std::size_t r = 0; r < resource_count; ++r) {
      const auto resource = static_cast<Resource>(r);
      const double right = (total_s - scaled_step_s(e, resource, 1.0 + h)) / h;
      const double left = (scaled_step_s(e, resource, 1.0 - h) - total_s) / h;
      RC_PRE(std::fabs(left - right) < 1e-4 * total_s);
      sum_s += 0.5 * (left + right);
      apart_s = std::max(apart_s, std::fabs(0.5 * (left + right) - estimate.step.values[r]));
    }
    RC_ASSERT(std::fabs(sum_s - total_s) < 1e-3 * total_s);
    differs.count(apart_s > 1e-3 * total_s);
  }));
  EXPECT_TRUE(differs.is_at_least(0.1)) << differs.seen() << " of " << differs.examples();
}

TEST(TrainingProperty, AveragePowerStaysWithinTheThermalDesignPower) {
  scalesweep::test::SeenShare limited;
  EXPECT_TRUE(rc::check([&] {
    Example e = any_unlimited_example();
    const double limit_w = estimate_of(e).busy_power_w * log_uniform(0.6, 1.1);
    e.system.device.thermal_design_power = Watts::si(limit_w);
    const TrainingEstimate estimate = estimate_of(e);
    RC_ASSERT(estimate.clock_fraction >= 0.0499 && estimate.clock_fraction <= 1.0);
    if (estimate.clock_fraction > 0.0501) {
      RC_ASSERT(estimate.device_power_w <= estimate.busy_power_w);
      RC_ASSERT(estimate.busy_power_w <= limit_w * (1.0 + 1e-12));
    }
    const bool is_limited = estimate.clock_fraction < 1.0 && estimate.clock_fraction > 0.0501;
    limited.count(is_limited);
    if (is_limited) {
      RC_ASSERT(estimate.busy_power_w > limit_w * 0.99);  // no slower than it has to be
    }
  }));
  EXPECT_TRUE(limited.is_at_least(0.3)) << limited.seen() << " of " << limited.examples();
}

TEST(TrainingProperty, MorePowerIsNeverSlower) {
  EXPECT_TRUE(rc::check([] {
    Example e = any_unlimited_example();
    e.system.device.thermal_design_power =
        Watts::si(estimate_of(e).busy_power_w * log_uniform(0.5, 1.0));
    const double less_s = estimate_of(e).step_time_s();
    e.system.device.thermal_design_power *= log_uniform(1.0, 2.0);
    RC_ASSERT(estimate_of(e).step_time_s() <= less_s * (1.0 + 1e-9));
  }));
}

TEST(TrainingProperty, ALimitThatDoesNotBindChangesNothing) {
  EXPECT_TRUE(rc::check([] {
    Example e = any_unlimited_example();
    const TrainingEstimate free = estimate_of(e);
    e.system.device.thermal_design_power = Watts::si(free.busy_power_w);
    const TrainingEstimate within = estimate_of(e);
    RC_ASSERT(within.clock_fraction == 1.0);
    RC_ASSERT(within.step.values == free.step.values);
    RC_ASSERT(within.energy.total_j() == free.energy.total_j());
    e.system.device.thermal_design_power *= 0.98;
    const TrainingEstimate limited = estimate_of(e);
    RC_ASSERT(limited.clock_fraction < 1.0);
    RC_ASSERT(limited.step_time_s() >= free.step_time_s() * (1.0 - 1e-12));
    RC_ASSERT(limited.model_flop_utilization <= free.model_flop_utilization * (1.0 + 1e-12));
  }));
}

// All energy is a device's, or burns in the networks beyond it.
TEST(TrainingProperty, EnergyIsThatOfDevicesAndOfNetworksBeyondThem) {
  EXPECT_TRUE(rc::check([] {
    const Example e = any_example();
    const TrainingEstimate estimate = estimate_of(e);
    const auto devices = static_cast<double>(e.strategy.devices());
    const double device_s = devices * estimate.step_time_s();
    const technology::RestPower rest = technology::rest_power(e.system);
    const auto beyond_j = [&](const technology::Network& network, Watts at_rest, double all_j) {
      const double rest_j = at_rest.si() * device_s;
      return rest_j + (all_j - rest_j) * (1.0 - network.device_energy / network.energy);
    };
    const EnergyUse& energy = estimate.energy;
    const double expected_j = estimate.device_power_w * device_s +
                              beyond_j(e.system.scale_up(), rest.inside, energy.scale_up_j) +
                              beyond_j(e.system.scale_out(), rest.beyond, energy.scale_out_j);
    RC_ASSERT(std::fabs(energy.total_j() / expected_j - 1.0) < 1e-12);
  }));
}

TEST(TrainingProperty, ExplainedTermsSumToTheStep) {
  EXPECT_TRUE(rc::check([] {
    const Example e = any_example();
    double sum_s = 0.0;
    for (const Term& term : explain_training({e.job, e.system, e.strategy}).terms) {
      sum_s += term.step_s();
    }
    RC_ASSERT(std::fabs(sum_s / step_s(e) - 1.0) < 1e-9);
  }));
}

// Forward and backward of one block, one kernel after the other.
double kernels_s(const workload::LayerOperators& operators, const BlockRates& rates) {
  double sum_s = 0.0;
  for (const auto* list : {&operators.forward, &operators.backward}) {
    for (const workload::Operator& op : *list) {
      sum_s += op.share * operator_cost(op, rates.of(op)).time.total_s();
    }
  }
  for (const auto* list : {&operators.data_gradients, &operators.weight_gradients}) {
    for (const workload::MatMul& op : *list) {
      sum_s += matmul_cost(op, rates.of(op)).cost.time.total_s();
    }
  }
  return sum_s;
}

TEST(TrainingProperty, AWindowIsNeverSlower) {
  EXPECT_TRUE(rc::check([] {
    Example e = any_unlimited_example();
    e.job.model.linear = {};
    e.job.model.sparse = {};
    workload::LocalAttention& local = e.job.model.local;
    local = {.window = 128 << *rc::gen::inRange(0, 6), .layers = e.job.model.layers};
    const double narrow_s = step_s(e);
    local.window *= 2;
    const double wide_s = step_s(e);
    local = {};
    RC_ASSERT(narrow_s <= wide_s * (1.0 + 1e-9));
    RC_ASSERT(wide_s <= step_s(e) * (1.0 + 1e-9));
  }));
}

TEST(TrainingProperty, OneDeviceTakesTheSumOfItsKernels) {
  EXPECT_TRUE(rc::check([] {
    Example e = any_unlimited_example();
    workload::TrainingStack& stack = e.job.stack;
    stack.issue_interval_s = stack.backward_issue_interval_s = 0.0;
    stack.expert_issue_interval_s = 0.0;
    e.job.global_batch = 1;
    e.strategy = Strategy{};
    const workload::TransformerModel& model = e.job.model;
    const workload::Slice slice =
        slice_of(e.job, e.strategy, technology::scales_blocks(e.system.device));
    const BlockRates rates = block_rates(e.job, e.system);
    const StageShare all = whole_model(model);
    const Setting setting = {e.job, e.system, e.strategy};
    Stages stages;
    const LayerCosts costs = layer_costs(setting);
    set_stages(stages, setting, costs, stage_units(setting, costs),
               stage_shares(model, e.strategy, stack.stage_balance));
    double sum_s = stack.step_overhead_s +
                   optimizer_cost(setting, optimizer_work(setting, all)).time.total_s() +
                   own_updates(stages.updates, e.strategy).time.total_s();
    const auto layers_s = [&](workload::LayerKind kind) {
      double mean_s = 0.0;
      for (const workload::LayerVariant& one : workload::LayerVariants(model, kind)) {
        mean_s += one.share *
                  kernels_s(workload::layer_operators(model, slice, one.kind, one.mixer), rates);
      }
      return mean_s;
    };
    const double dense_s = layers_s(workload::LayerKind::dense);
    const double experts_s = model.experts.on() ? layers_s(workload::LayerKind::experts) : 0.0;
    const double head_s = kernels_s(workload::head_operators(model, slice), rates);
    sum_s += all.layers * dense_s + all.expert_layers * experts_s + head_s;
    sum_s += kernels_s(workload::embedding_operators(model, slice), rates);
    if (model.encoder.asked()) {
      KernelMemo memo;
      sum_s += encoder_kernels_s(setting, rates, memo);
    }
    // A module has a layer of the last one's kind and the head once more.
    sum_s += all.predictions * (kernels_s(workload::prediction_operators(model, slice), rates) +
                                (model.experts.on() ? experts_s : dense_s) + head_s);
    RC_ASSERT(std::fabs(sum_s / step_s(e) - 1.0) < 1e-9);
  }));
}

// What a layer with a state adds to a step goes with the tokens, and not with the sequences they
// are in: scores of a chunk and its states are as many.
TEST(TrainingProperty, StatesTakeAsLongInLongSequencesAsInShort) {
  EXPECT_TRUE(rc::check([] {
    const auto has_states = [](const Example& e) {
      return e.job.model.linear.on() && !e.job.model.learned_positions;
    };
    Example e = any_unlimited_example();
    for (int i = 0; i < 50 && !has_states(e); ++i) {  // few models have any
      e = any_unlimited_example();
    }
    RC_PRE(has_states(e));
    e.strategy.context_parallel = 1;
    const workload::Slice two = [&] {
      workload::Slice slice = slice_of(e.job, e.strategy);
      slice.micro_batch *= 2;
      return slice;
    }();
    workload::Slice one = two;
    one.micro_batch /= 2;
    one.sequence *= 2;
    const BlockRates rates = block_rates(e.job, e.system);
    const auto states_s = [&](const workload::Slice& slice) {
      return kernels_s(workload::layer_operators(e.job.model, slice, workload::LayerKind::bare,
                                                 workload::Mixer::linear),
                       rates);
    };
    RC_ASSERT(std::fabs(states_s(one) / states_s(two) - 1.0) < 1e-12);
  }));
}

// Slices go with capacity: less of it is less of both.
TEST(TrainingProperty, LessSramIsNeverFaster) {
  EXPECT_TRUE(rc::check([] {
    Example e = any_unlimited_example();
    const double before_s = step_s(e);
    const double left = log_uniform(0.01, 1.0);
    e.system.device.l2.capacity *= left;
    e.system.device.l2.bandwidth *= left;
    RC_ASSERT(step_s(e) >= before_s * (1.0 - 1e-12));
  }));
}

}  // namespace
}  // namespace scalesweep::estimator
