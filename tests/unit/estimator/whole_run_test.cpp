#include "estimator/run/whole_run.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "estimator/training/training.hpp"
#include "support/examples.hpp"

namespace scalesweep::estimator {
namespace {

using technology::Reliability;

constexpr double day_s = 86400.0;
constexpr double year_s = 365.25 * day_s;

Reliability some_failures() {
  Reliability r;
  r.die = Seconds::si(10.0 * year_s);
  r.die_area = SquareMetres::si(800e-6);
  r.stack = Seconds::si(100.0 * year_s);
  r.node = Seconds::si(5.0 * year_s);
  r.link = Seconds::si(50.0 * year_s);
  r.network_switch = Seconds::si(150.0 * year_s);
  r.software = Seconds::si(40.0 * year_s);
  r.corruption = Seconds::si(400.0 * year_s);
  r.corruption_found = Seconds::si(3600.0);
  r.detection = Seconds::si(300.0);
  r.replacement = Seconds::si(120.0);
  r.start = Seconds::si(180.0);
  r.start_of_each = Seconds::si(2e-3);
  r.repaired_share = 0.5;
  r.repair = Seconds::si(2.0 * day_s);
  return r;
}

// GPT of 22 B parameters on 1,024 devices, 300 B tokens.
struct Whole {
  TrainingJob job;
  technology::System system = test::example_system();
  parallel::Strategy strategy;
  RunPlan plan;

  Whole() {
    job.model = test::gpt(6144, 48, 64);
    job.global_batch = 1024;
    strategy.tensor_parallel = 8;
    strategy.data_parallel = 128;
    strategy.micro_batches = 8;
    strategy.zero = 1;
    system.device.die_area = SquareMetres::si(800e-6);
    system.device.stacks = 5;
    plan.devices = 1024;
    plan.tokens = 300e9;
    plan.spare_share = 0.01;
    plan.reliability = some_failures();
    plan.storage.write = BytesPerSecond::si(1e9);
    plan.storage.read = BytesPerSecond::si(2e9);
    plan.storage.checkpoint_latency = Seconds::si(2.0);
  }
  TrainingEstimate step() const { return estimate_training({job, system, strategy}); }
  RunEstimate run() const { return RunEstimator(plan, job, system)(step(), strategy); }
  double part(RunPart which) const { return run().times[which]; }
};

TEST(WholeRun, IsItsStepsWhereNothingFails) {
  Whole whole;
  whole.plan.reliability = {};
  const RunEstimate run = whole.run();
  EXPECT_DOUBLE_EQ(run.steps, 300e9 / (1024.0 * 2048.0));
  EXPECT_DOUBLE_EQ(run.times[RunPart::steps], run.steps * whole.step().step_time_s());
  EXPECT_NEAR(run.times[RunPart::lost_work], 0.0, 1e-9);
  EXPECT_EQ(run.times[RunPart::repairs], 0.0);
  EXPECT_EQ(run.failures(), 0.0);
  // One checkpoint, at its end, and reading the weights once.
  EXPECT_DOUBLE_EQ(run.interval_s, run.times[RunPart::steps]);
  EXPECT_DOUBLE_EQ(run.times[RunPart::checkpoints], run.checkpoint.stop_s);
  EXPECT_GT(run.goodput(), 0.9999);
}

technology::Reliability runs_of_labs() {
  technology::Reliability reliability;
  reliability.reached = 1.5;
  reliability.reached_low = 1.2;
  reliability.reached_high = 3.0;
  reliability.batch_ramp = 0.01;
  reliability.evaluation = 0.02;
  reliability.by_hand = 0.04;
  return reliability;
}

TEST(ReachedTimes, AreThoseOfLabsAndNoNarrowerThanAStep) {
  const ReachedTimes known = reached_times(runs_of_labs(), 0.1);
  EXPECT_DOUBLE_EQ(known.middle, 1.5);
  EXPECT_DOUBLE_EQ(known.low, 1.2);
  EXPECT_DOUBLE_EQ(known.high, 3.0);
  EXPECT_DOUBLE_EQ(known.reported, 0.07);
  // The nearer side widens first.
  const ReachedTimes wider = reached_times(runs_of_labs(), 0.5);
  EXPECT_DOUBLE_EQ(wider.low, 1.0);
  EXPECT_DOUBLE_EQ(wider.high, 3.0);
  EXPECT_DOUBLE_EQ(reached_times(runs_of_labs(), 1.4).high, 3.6);
  EXPECT_FALSE(reached_times({}, 0.1).is_known());
}

TEST(ReachedTimes, TellHowManyBarsARunIsOff) {
  const ReachedTimes reached = reached_times(runs_of_labs(), 0.0);
  EXPECT_EQ(bars_off(reached, 1.5), 0.0);
  EXPECT_NEAR(bars_off(reached, 3.0), 1.0, 1e-12);
  EXPECT_NEAR(bars_off(reached, 1.2), 1.0, 1e-12);
  EXPECT_NEAR(bars_off(reached, 1.5 * 4.0), 2.0, 1e-12);
  EXPECT_NEAR(bars_off(reached, 0.96), 2.0, 1e-12);
}

TEST(WholeRun, IsReachedAsItsEntrySays) {
  Whole whole;
  EXPECT_FALSE(whole.run().reached.is_known());
  const double alone_s = whole.run().time_s();
  const technology::Reliability labs = runs_of_labs();
  whole.plan.reliability.reached = labs.reached;
  whole.plan.reliability.reached_low = labs.reached_low;
  whole.plan.reliability.reached_high = labs.reached_high;
  EXPECT_EQ(whole.run().time_s(), alone_s);
  EXPECT_EQ(whole.run().reached.middle, 1.5);
}

TEST(WholeRun, SumsToItsParts) {
  const RunEstimate run = Whole().run();
  double sum_s = 0.0;
  for (const double part_s : run.times.values) {
    EXPECT_GE(part_s, 0.0);
    sum_s += part_s;
  }
  EXPECT_DOUBLE_EQ(sum_s, run.time_s());
  EXPECT_GT(run.goodput(), 0.9);
  EXPECT_LT(run.goodput(), 1.0);
  EXPECT_DOUBLE_EQ(run.devices, 1024 + 8);  // 1 % of 128 nodes, the nearest whole number
}

// 12 bytes a parameter: moments and the weights that are updated, all in fp32.
TEST(WholeRun, CheckpointsHoldWhatIsTrainedOnce) {
  Whole whole;
  const RunEstimator runs(whole.plan, whole.job, whole.system);
  const double bytes = runs.checkpoint().bytes;
  EXPECT_NEAR(bytes / (12.0 * whole.job.model.parameters()), 1.0, 1e-6);  // but for the last norm
  const double to_host_s = bytes / 1024.0 / 55e9;
  EXPECT_DOUBLE_EQ(runs.checkpoint().stop_s, 2.0 + to_host_s);
  EXPECT_DOUBLE_EQ(runs.checkpoint().behind_s, bytes / 1024.0 / 1e9);

  whole.plan.checkpoint = CheckpointKind::synchronous;
  whole.plan.storage.most_write = BytesPerSecond::si(10e9);
  const RunEstimator stopping(whole.plan, whole.job, whole.system);
  EXPECT_DOUBLE_EQ(stopping.checkpoint().stop_s, 2.0 + to_host_s + bytes / 10e9);
  EXPECT_EQ(stopping.checkpoint().behind_s, 0.0);

  whole.plan.checkpoint = CheckpointKind::peer;
  const RunEstimator beside(whole.plan, whole.job, whole.system);
  const technology::Network& network = whole.system.scale_out();
  EXPECT_DOUBLE_EQ(beside.checkpoint().behind_s,
                   bytes / 1024.0 / (network.bandwidth.si() * network.sustained));
}

TEST(WholeRun, PeersGiveBackFasterThanFewServers) {
  Whole whole;
  whole.plan.storage.most_read = BytesPerSecond::si(20e9);
  const double from_storage_s = whole.run().restart_s;
  whole.plan.checkpoint = CheckpointKind::peer;
  EXPECT_LT(whole.run().restart_s, 0.9 * from_storage_s);
}

// The derived twin of a device fails as it does: by area and stacks, not by name.
TEST(FailureRates, FollowAreaStacksAndSwitches) {
  Whole whole;
  whole.system.scale_out().switches = 0.05;
  const auto rates = [&] {
    return failure_rates(whole.plan.reliability, 1.0, whole.system, 1024.0);
  };
  const FailureRates before = rates();
  EXPECT_DOUBLE_EQ(before[FailureCause::die], 1024.0 / (10.0 * year_s));
  EXPECT_DOUBLE_EQ(before[FailureCause::memory], 5.0 * 1024.0 / (100.0 * year_s));
  EXPECT_DOUBLE_EQ(before[FailureCause::node], 128.0 / (5.0 * year_s));
  EXPECT_DOUBLE_EQ(before[FailureCause::network_switch], 51.2 / (150.0 * year_s));
  EXPECT_DOUBLE_EQ(before.hardware(), before.sum() - before[FailureCause::software]);
  whole.system.device.dies = 2;
  whole.system.device.die_area = SquareMetres::si(400e-6);
  EXPECT_DOUBLE_EQ(rates()[FailureCause::die], before[FailureCause::die]);
  whole.system.device.die_area = SquareMetres::si(800e-6);
  EXPECT_DOUBLE_EQ(rates()[FailureCause::die], 2.0 * before[FailureCause::die]);
  whole.system.device.stacks = 8;
  EXPECT_DOUBLE_EQ(rates()[FailureCause::memory], 1.6 * before[FailureCause::memory]);
  EXPECT_DOUBLE_EQ(failure_rates(whole.plan.reliability, 3.0, whole.system, 1024.0).sum(),
                   3.0 * rates().sum());
}

// A network that nobody fills is no reason to stop: only what a job has fails.
TEST(FailureRates, AreNoneOfNothing) {
  const Whole whole;
  EXPECT_EQ(failure_rates(Reliability(), 1.0, whole.system, 1024.0).sum(), 0.0);
  EXPECT_EQ(failure_rates(whole.plan.reliability, 0.0, whole.system, 1024.0).sum(), 0.0);
}

TEST(WholeRun, WaitsForRepairsWithoutSpares) {
  Whole whole;
  whole.plan.spare_share = 0.0;
  const RunEstimate alone = whole.run();
  whole.plan.spare_share = 0.03;
  const RunEstimate spared = whole.run();
  EXPECT_GT(alone.times[RunPart::repairs], 50.0 * spared.times[RunPart::repairs]);
  EXPECT_EQ(alone.devices, 1024.0);
  EXPECT_EQ(spared.devices, 1024.0 + 32.0);
  EXPECT_LT(spared.time_s(), alone.time_s());
}

TEST(WholeRun, HasAsManySparesAsItNeeds) {
  Whole whole;
  whole.plan.spare_share.reset();
  const RunEstimate enough = whole.run();
  EXPECT_LT(enough.times[RunPart::repairs] / enough.time_s(), 0.005);
  const double spares = enough.devices - 1024.0;
  EXPECT_GT(spares, 0.0);
  whole.plan.spare_share = (spares - 8.0) / 1024.0;
  const RunEstimate fewer = whole.run();
  EXPECT_GT(fewer.times[RunPart::repairs] / fewer.time_s(), 0.005);
  whole.plan.spare_share.reset();
  whole.plan.recovery = Recovery::shrink;
  EXPECT_EQ(whole.run().devices, 1024.0);
  whole.plan.recovery = Recovery::replace;
  whole.plan.reliability = {};
  EXPECT_EQ(whole.run().devices, 1024.0);
}

// The mean number of missing nodes of 128, each with a replica of its own.
TEST(WholeRun, GoesOnWithFewerReplicas) {
  Whole whole;
  whole.plan.spare_share = 0.0;
  whole.plan.recovery = Recovery::shrink;
  const FailureRates rates =
      failure_rates(whole.plan.reliability, 1.0, whole.system, whole.plan.devices);
  const double missing = rates.hardware() * 0.5 * 2.0 * day_s / 128.0;
  const RunEstimate run = whole.run();
  EXPECT_NEAR(run.times[RunPart::repairs] / run.time_s(), missing, 1e-3 * missing);
  // Four nodes to a replica: as many nodes are missing, and four times as many devices.
  whole.strategy.pipeline_parallel = 4;
  whole.strategy.data_parallel = 32;
  whole.strategy.micro_batches = 32;
  const RunEstimate large = whole.run();
  EXPECT_NEAR(large.times[RunPart::repairs] / large.time_s(), 4.0 * missing, 4e-3 * missing);
}

TEST(WholeRun, ReadsItsInput) {
  Whole whole;
  EXPECT_EQ(whole.part(RunPart::input), 0.0);
  whole.plan.token_bytes = 1e6;  // pictures
  whole.plan.storage.most_read = BytesPerSecond::si(100e9);
  const double input_s = 1024.0 * 2048.0 * 1e6 / 100e9;
  const RunEstimate run = whole.run();
  EXPECT_DOUBLE_EQ(run.times[RunPart::input], run.steps * (input_s - whole.step().step_time_s()));
  // Storage is charged what its reading is longer than the step beside it, and what slow devices
  // make of that.
  EXPECT_GT(run.charges[Resource::tensor_compute], 0.0);
  EXPECT_GT(run.charges[Resource::storage], run.times[RunPart::input]);
  EXPECT_LT(run.charges[Resource::storage], run.steps * input_s);
}

// Of images that a model reads, pixels come from storage beside tokens.
TEST(WholeRun, ReadsImages) {
  Whole whole;
  whole.plan.storage.most_read = BytesPerSecond::si(1e9);
  whole.job.model.encoder.model = std::make_shared<const workload::TransformerModel>();
  whole.job.model.encoder.inputs = 2.0;
  whole.job.model.encoder.width = 8000;
  whole.job.model.encoder.height = 5000;
  const double bytes = 1024.0 * (2048.0 * 4.0 + 2.0 * 8000.0 * 5000.0 * 0.6);
  const RunEstimate run =
      RunEstimator(whole.plan, whole.job, whole.system)(Whole().step(), whole.strategy);
  EXPECT_DOUBLE_EQ(run.times[RunPart::steps] + run.times[RunPart::input], run.steps * bytes / 1e9);
}

// What is charged to resources is the time but for failures and fixed times. A resource that is a
// little faster wins its part of it, and a little more, since what is shorter fails less often.
TEST(WholeRun, ChargesWhatResourcesSet) {
  Whole whole;
  whole.plan.checkpoint = CheckpointKind::synchronous;
  whole.plan.interval_s = 1800.0;
  whole.plan.storage.most_write = BytesPerSecond::si(20e9);
  whole.plan.storage.most_read = BytesPerSecond::si(20e9);
  const RunEstimate run = whole.run();
  EXPECT_GT(run.charges[Resource::storage], 0.0);
  EXPECT_LT(run.charges.total_s(), run.time_s());
  EXPECT_GT(run.charges.total_s(), run.times[RunPart::steps]);
  Whole faster = whole;
  faster.plan.storage.most_write = BytesPerSecond::si(20.2e9);
  faster.plan.storage.most_read = BytesPerSecond::si(20.2e9);
  const double won_s = (run.time_s() - faster.run().time_s()) / (1.0 - 1.0 / 1.01);
  EXPECT_GT(won_s, run.charges[Resource::storage]);
  EXPECT_LT(won_s, 1.2 * run.charges[Resource::storage]);
}

TEST(WholeRun, SlowDevicesSlowAllUntilTheyAreFound) {
  Whole whole;
  whole.plan.reliability.slow = Seconds::si(100.0 * year_s);
  whole.plan.reliability.slow_found = Seconds::si(6.0 * 3600.0);
  whole.plan.reliability.slowed_by = 0.1;
  const double at_a_time = 1024.0 * 6.0 * 3600.0 / (100.0 * year_s);
  EXPECT_NEAR(whole.part(RunPart::slow_devices) / whole.part(RunPart::steps),
              0.1 * (1.0 - std::exp(-at_a_time)), 1e-12);
}

TEST(WholeRun, CannotWriteMoreOftenThanStorageDoes) {
  Whole whole;
  whole.plan.storage.most_write = BytesPerSecond::si(0.1e9);
  const RunEstimator runs(whole.plan, whole.job, whole.system);
  EXPECT_EQ(runs.over_interval(), 0.0);  // the best waits for storage
  EXPECT_DOUBLE_EQ(whole.run().interval_s, runs.checkpoint().behind_s);
  whole.plan.interval_s = runs.checkpoint().behind_s / 2.0;
  EXPECT_DOUBLE_EQ(RunEstimator(whole.plan, whole.job, whole.system).over_interval(), 2.0);
}

// What searches by bounds rest on.
TEST(WholeRun, IsNeverShorterWhereStepsAreLonger) {
  const Whole whole;
  const RunEstimator runs(whole.plan, whole.job, whole.system);
  TrainingEstimate step = whole.step();
  double before_s = 0.0;
  double before_j = 0.0;
  for (int i = 0; i < 40; ++i) {
    const RunEstimate run = runs(step, whole.strategy);
    EXPECT_GE(run.time_s(), before_s);
    EXPECT_GE(run.energy_j, before_j);
    EXPECT_LE(runs.at_least(step).time_s(), run.time_s());
    EXPECT_LE(runs.at_least(step).energy_j, run.energy_j);
    before_s = run.time_s();
    before_j = run.energy_j;
    step.step *= 1.3;
  }
}

}  // namespace
}  // namespace scalesweep::estimator
