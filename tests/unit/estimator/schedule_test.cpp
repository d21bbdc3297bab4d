// What a pipeline waits for, by schedule and by what its stages hold; what runs beside its passes.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "estimator/training/states/memory.hpp"
#include "estimator/training/step.hpp"
#include "support/examples.hpp"
#include "support/pipeline_simulation.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Schedule;
using parallel::Strategy;

struct Pipeline {
  technology::System system = test::example_system();
  TrainingJob job;
  Strategy strategy;

  Pipeline(std::int64_t layers, int stages) {
    job.model = test::gpt(6144, layers, 64);
    strategy.tensor_parallel = 8;
    strategy.pipeline_parallel = stages;
    strategy.micro_batches = 32;
  }
  StepCost step() const {
    return step_cost({job, system, strategy}, layer_costs({job, system, strategy}));
  }
  // Seconds of a micro-batch on each kind of stage, one entry a stage, given by `seconds_of`.
  template <typename Function>
  std::vector<double> stages(const Function& seconds_of) const {
    const LayerCosts costs = layer_costs({job, system, strategy});
    const StageShares shares = step().shares;
    std::vector<double> seconds;
    for (const StageShare& share : shares.kinds()) {
      const StageCost stage = stage_cost({job, system, strategy}, costs, share,
                                         pipeline_transfers({job, system, strategy}));
      seconds.insert(seconds.end(), static_cast<std::size_t>(share.count), seconds_of(stage));
    }
    return seconds;
  }
};

double total_s(const StageCost& stage) {
  return stage.total().time.total_s();
}

// All but the one that takes longest.
double sum_of_others(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  double sum_s = 0.0;
  for (std::size_t i = 0; i + 1 < seconds.size(); ++i) {
    sum_s += seconds[i];
  }
  return sum_s;
}

TEST(Bubble, IsAMicroBatchOfEveryOtherStage) {
  for (const std::int64_t layers : {16, 14, 13}) {  // evenly and not
    const Pipeline pipeline(layers, 4);
    EXPECT_NEAR(pipeline.step().phase_s(Phase::bubble), sum_of_others(pipeline.stages(total_s)),
                1e-12)
        << layers;
  }
}

TEST(Bubble, OfUnevenStagesFollowsTheSlowest) {
  const Pipeline pipeline(14, 4);  // 3, 4, 4 and 3 layers, the last with the head
  const std::vector<double> stages = pipeline.stages(total_s);
  ASSERT_EQ(stages.size(), 4U);
  EXPECT_DOUBLE_EQ(total_s(pipeline.step().stage), *std::max_element(stages.begin(), stages.end()));
  EXPECT_NE(*std::max_element(stages.begin(), stages.end()),
            *std::min_element(stages.begin(), stages.end()));
}

TEST(Bubble, OfOneStageIsNone) {
  EXPECT_EQ(Pipeline(16, 1).step().phase_s(Phase::bubble), 0.0);
}

TEST(Bubble, InterleavedChunksWaitForAChunkEach) {
  Pipeline pipeline(16, 4);
  pipeline.strategy.chunks = 2;
  EXPECT_NEAR(pipeline.step().phase_s(Phase::bubble), 0.5 * sum_of_others(pipeline.stages(total_s)),
              1e-12);
}

// Chunks of stages that layers do not divide, embedding and head counted as layers: parts of the
// model one by one, from a list of what each holds.
struct Interleaved : Pipeline {
  std::vector<int> parts;  // layers

  Interleaved(std::vector<int> layers_of_parts, int stages, int micro_batches)
      : Pipeline(std::accumulate(layers_of_parts.begin(), layers_of_parts.end(), 0), stages),
        parts(std::move(layers_of_parts)) {
    strategy.chunks = static_cast<int>(parts.size()) / stages;
    strategy.micro_batches = micro_batches;
  }

  test::SimulatedPipeline simulated() const {
    const LayerCosts costs = layer_costs({job, system, strategy});
    const double send_s =
        pipeline_transfers({job, system, strategy}).time.total_s() / (2.0 * strategy.chunks);
    const auto passes = [&](const BlockCost& block, double times, test::ChunkPasses& chunk) {
      chunk.forward_s += times * block.forward.total().time.total_s();
      chunk.backward_s += times * block.backward.total().time.total_s();
    };
    const auto stages = static_cast<std::size_t>(strategy.pipeline_parallel);
    std::vector<std::vector<test::ChunkPasses>> chunks(stages);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      test::ChunkPasses chunk = {send_s, send_s, static_cast<double>(parts[part])};
      passes(costs.layer, parts[part], chunk);
      if (part == 0) {
        passes(costs.embedding, 1.0, chunk);
      }
      if (part + 1 == parts.size()) {
        passes(costs.head, 1.0, chunk);
      }
      chunks[part % stages].push_back(chunk);
    }
    return test::PipelineSimulation(chunks, strategy.micro_batches).run();
  }

  double off() const {
    const StepCost all = step();
    const double passes_s = strategy.micro_batches * total_s(all.stage) + all.bubble.time.total_s();
    return passes_s / simulated().time_s - 1.0;
  }

  // Of the stage that holds most layers of micro-batches in flight.
  double held_off() const {
    double most = 0.0;
    const StepCost all = step();
    for (const StageShare& share : all.shares.kinds()) {
      most = std::max(most, micro_batches_in_flight(strategy, share.first) * share.layers);
    }
    const std::vector<double> held = simulated().most_held;
    return most / *std::max_element(held.begin(), held.end()) - 1.0;
  }
};

const std::vector<std::vector<int>> uneven_parts = {
    {1, 2, 2, 2, 2, 2, 2, 0},              // 13 layers
    {3, 4, 4, 4, 4, 4, 4, 2},              // 29
    {1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 2, 1},  // 30
    {7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 7},  // 94, as Qwen3-235B has
};

TEST(Interleaving, OfUnevenChunksLastsAsLongAsASimulatedSchedule) {
  for (const std::vector<int>& parts : uneven_parts) {
    for (const int micro_batches : {4, 8, 16, 32, 64}) {
      // The whole fill and drain weigh the less, the more micro-batches there are.
      const double tolerance = micro_batches < 16 ? 0.07 : 0.04;
      EXPECT_NEAR(Interleaved(parts, 4, micro_batches).off(), 0.0, tolerance)
          << parts.size() << " parts, " << micro_batches << " micro-batches";
    }
    EXPECT_NEAR(Interleaved(parts, 4, 256).off(), 0.0, 0.005) << parts.size();
  }
}

// But for what the edges of the model hold even so, once a step.
TEST(Interleaving, OfEvenChunksIsExact) {
  for (const int micro_batches : {4, 8, 32}) {
    Interleaved even({2, 2, 2, 2, 2, 2, 2, 2}, 4, micro_batches);
    even.job.model.vocab = 1;
    EXPECT_NEAR(even.off(), 0.0, 0.08 / micro_batches) << micro_batches;
  }
}

TEST(Interleaving, HoldsWhatASimulatedScheduleHolds) {
  for (const std::vector<int>& parts : uneven_parts) {
    for (const int micro_batches : {4, 8, 32}) {
      EXPECT_NEAR(Interleaved(parts, 4, micro_batches).held_off(), 0.0, 0.05)
          << parts.size() << " parts, " << micro_batches << " micro-batches";
    }
  }
}

TEST(Interleaving, OfAFirstAndALastStageWithLayersOfTheirOwn) {
  Interleaved own({3, 4, 4, 2, 3, 4, 4, 2}, 4, 32);
  own.strategy.first_stage_layers = 6;
  own.strategy.last_stage_layers = 4;
  EXPECT_NEAR(own.off(), 0.0, 0.03);
  // As dealt out by itself: 3, 4, 3, 3, 3, 4, 4, 2 and so on would be another answer.
  Interleaved other = own;
  other.strategy.first_stage_layers = other.strategy.last_stage_layers = 0;
  EXPECT_NE(own.step().time.total_s(), other.step().time.total_s());
}

// Of stages without embedding and head, so that all are alike: those of a long pipeline.
struct Alike : Pipeline {
  double forward_s = 0.0;   // with the communication of both passes
  double gradient_s = 0.0;  // of the inputs
  double weight_s = 0.0;

  explicit Alike(Schedule schedule) : Pipeline(16, 8) {
    strategy.schedule = schedule;
    const StageCost middle =
        stage_cost({job, system, strategy}, layer_costs({job, system, strategy}), {2.0, 0.0},
                   pipeline_transfers({job, system, strategy}));
    weight_s = middle.weight_gradients.time.total_s();
    gradient_s = middle.phases[Phase::backward].time.total_s() - weight_s;
    forward_s = total_s(middle) - gradient_s - weight_s;
  }
  // What four more stages in the middle add.
  double middle_s() const {
    Pipeline longer = *this;
    longer.job.model.layers = 24;
    longer.strategy.pipeline_parallel = 12;
    return longer.step().phase_s(Phase::bubble) - step().phase_s(Phase::bubble);
  }
};

TEST(Bubble, ZeroBubbleFillsItWithWeightGradients) {
  const Alike plain(Schedule::one_forward_one_backward);
  const Alike zero(Schedule::zero_bubble);
  ASSERT_GT(zero.weight_s, 0.0);
  // Four more stages: F + B + W each, or F + B - W (arXiv:2401.10241, table 2).
  EXPECT_NEAR(plain.middle_s(), 4.0 * (plain.forward_s + plain.gradient_s + plain.weight_s), 1e-12);
  const double filling_s = zero.step().stage.weight_gradients.time.total_s();  // the slowest's
  EXPECT_GE(filling_s, zero.weight_s);
  EXPECT_NEAR(zero.middle_s(), 4.0 * (zero.forward_s + zero.gradient_s - filling_s), 1e-12);
}

TEST(Bubble, NoMoreWeightGradientsFillItThanThereAreMicroBatches) {
  Pipeline few(16, 8);
  few.strategy.schedule = Schedule::zero_bubble;
  few.strategy.micro_batches = 8;
  const double enough_s = few.step().phase_s(Phase::bubble);
  few.strategy.micro_batches = 4;
  const double weights_s = few.step().stage.weight_gradients.time.total_s();
  EXPECT_NEAR(few.step().phase_s(Phase::bubble), enough_s + 4.0 * weights_s, 1e-12);
  few.strategy.micro_batches = 32;
  EXPECT_DOUBLE_EQ(few.step().phase_s(Phase::bubble), enough_s);
}

TEST(Bubble, IsFilledAtMost) {
  Pipeline uneven(2, 8);  // most of its stages hold nothing
  uneven.strategy.schedule = Schedule::zero_bubble;
  EXPECT_GE(uneven.step().phase_s(Phase::bubble), 0.0);
}

TEST(WeightGradients, ThatWaitShortenAPassAsFarAsTheySetItsTime) {
  Pipeline pipeline(16, 4);
  pipeline.strategy.schedule = Schedule::zero_bubble;
  const double kernels_s = pipeline.step().stage.weight_gradients.time.total_s();
  ASSERT_GT(kernels_s, 0.0);
  pipeline.strategy.offload_activations = true;
  pipeline.system.device.host_bandwidth = BytesPerSecond::si(1e8);
  // The link does; but for rounding of the part that the link is longer.
  EXPECT_NEAR(pipeline.step().stage.weight_gradients.time.total_s(), 0.0, 1e-9 * kernels_s);

  pipeline.strategy.offload_activations = false;
  pipeline.job.stack.backward_issue_interval_s = 1.0;  // the host does
  const Charges waits = pipeline.step().stage.weight_gradients.time;
  EXPECT_EQ(dominant(waits), Resource::latency);
  // Four GEMMs a layer of four layers, and the head's on the last stage.
  EXPECT_NEAR(waits.total_s(), 4.0 * 4.0 + (pipeline.step().slowest.head ? 1.0 : 0.0), 1e-9);
}

TEST(Bubble, DualPipeRunsFromBothEnds) {
  Alike dual(Schedule::dual_pipe);
  // (p/2 - 1) (F&B + B - 3W) with B = input and weight gradients (arXiv:2412.19437, table 2); here
  // F&B takes both passes one after the other.
  const double each_s =
      dual.forward_s + 2.0 * (dual.gradient_s + dual.weight_s) - 3.0 * dual.weight_s;
  const double bubble_s = dual.step().phase_s(Phase::bubble);
  // Edges have the embedding or the head as well.
  EXPECT_GT(bubble_s, 0.95 * 3.0 * each_s);
  EXPECT_LT(bubble_s, 1.3 * 3.0 * each_s);
  dual.strategy.pipeline_parallel = 2;
  EXPECT_NEAR(dual.step().phase_s(Phase::bubble), 0.0, 1e-15);
}

TEST(PipelineSends, CostTheirCallAloneWhereTheyRunBesideKernels) {
  Pipeline pipeline(16, 4);
  pipeline.strategy.sequence_parallel = true;
  const Cost open = pipeline_transfers({pipeline.job, pipeline.system, pipeline.strategy});
  pipeline.job.stack.hides_pipeline_communication = true;
  const Cost hidden = pipeline_transfers({pipeline.job, pipeline.system, pipeline.strategy});
  EXPECT_GT(open.time[Resource::scale_out], 0.0);
  EXPECT_EQ(hidden.time[Resource::scale_out], 0.0);
  EXPECT_GT(hidden.time[Resource::latency], 0.0);
  EXPECT_EQ(hidden.work[Amount::scale_out_bytes], open.work[Amount::scale_out_bytes]);
}

TEST(Offload, HidesBehindThePassesAsFarAsTheLinkIsFast) {
  Pipeline pipeline(16, 1);
  pipeline.strategy.offload_activations = true;
  const auto offload = [&](double bytes_per_s) {
    pipeline.system.device.host_bandwidth = BytesPerSecond::si(bytes_per_s);
    return pipeline.step().stage;
  };
  EXPECT_EQ(offload(1e13).phases[Phase::offload].time.total_s(), 0.0);
  EXPECT_GT(offload(1e13).phases[Phase::offload].work[Amount::dram_bytes], 0.0);

  // As slow as it takes, each way lasts as long as the bytes need.
  const StageCost slow = offload(1e8);
  const double one_way_s = 0.5 * slow.phases[Phase::offload].work[Amount::dram_bytes] / 1e8;
  EXPECT_NEAR(total_s(slow) / (2.0 * one_way_s), 1.0, 1e-12);
  EXPECT_EQ(dominant(slow.total().time), Resource::host);
}

TEST(Offload, RecomputedLayersSendTheirInputsAlone) {
  Pipeline pipeline(16, 1);
  pipeline.strategy.offload_activations = true;
  const double all = pipeline.step().stage.phases[Phase::offload].work[Amount::dram_bytes];
  pipeline.strategy.recompute = parallel::Recompute::full;
  // 2 s b h bytes of every layer, out and back.
  EXPECT_NEAR(pipeline.step().stage.phases[Phase::offload].work[Amount::dram_bytes],
              2.0 * 16.0 * 2.0 * 2048.0 * 6144.0, 1.0);
  EXPECT_GT(all, 2.0 * pipeline.step().stage.phases[Phase::offload].work[Amount::dram_bytes]);
}

// Weights and offloaded activations run beside the same passes: a faster device never loses.
TEST(Offload, AndGatheredWeightsHideBehindAPassOnce) {
  Pipeline pipeline(16, 1);
  pipeline.strategy.data_parallel = 16;
  pipeline.strategy.zero = 3;
  pipeline.strategy.offload_activations = true;
  pipeline.system.device.host_bandwidth = BytesPerSecond::si(1e9);
  pipeline.system.scale_out().bandwidth = BytesPerSecond::si(1e9);
  const StageCost stage = pipeline.step().stage;
  ASSERT_GT(stage.phases[Phase::offload].time.total_s(), 0.0);
  ASSERT_GT(stage.phases[Phase::data_communication].time.total_s(), 0.0);
  for (const double charge_s : stage.total().time.values) {
    EXPECT_GE(charge_s, -1e-12 * total_s(stage));
  }
}

// Of the first stage, with the embedding, offloaded activations outlast the passes; those of the
// last one hide behind its head. What gradients hide behind is no more than what the step has.
TEST(Gradients, OfChunksHideBehindWhatTheStepHas) {
  Pipeline pipeline(8, 2);
  pipeline.job.stack.replicas.hides_weight_gather = true;
  pipeline.strategy.zero = 1;
  pipeline.strategy.data_parallel = 16;
  pipeline.strategy.micro_batches = 2;
  pipeline.strategy.chunks = 4;
  pipeline.strategy.offload_activations = true;
  pipeline.system.scale_out().bandwidth = BytesPerSecond::si(1e9);
  int unlike = 0;
  for (double bytes_per_s = 1e9; bytes_per_s < 1e12; bytes_per_s *= 1.05) {
    pipeline.system.device.host_bandwidth = BytesPerSecond::si(bytes_per_s);
    const StepCost step = pipeline.step();
    ASSERT_GT(step.data_communication.time.total_s(), 0.0);
    for (const double charge_s : step.time.values) {
      EXPECT_GE(charge_s, -1e-12 * step.time.total_s()) << bytes_per_s;
    }
    const std::vector<double> offload = pipeline.stages(
        [](const StageCost& stage) { return stage.phases[Phase::offload].time.total_s(); });
    unlike += offload.front() > 0.0 && offload.back() <= 0.0 ? 1 : 0;
  }
  EXPECT_GT(unlike, 0);
}

}  // namespace
}  // namespace scalesweep::estimator
