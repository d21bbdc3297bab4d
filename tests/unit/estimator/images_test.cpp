// Images in training steps and in prompts, against what their encoder takes by itself.
#include <gtest/gtest.h>

#include "estimator/inference/inference.hpp"
#include "estimator/training/layer_cost.hpp"
#include "estimator/training/stage_cost.hpp"
#include "estimator/training/states/memory.hpp"
#include "estimator/training/states/parameters.hpp"
#include "estimator/training/training.hpp"
#include "support/image_examples.hpp"

namespace scalesweep::estimator {
namespace {

using workload::TrainedParts;

TrainingJob llava(double images, TrainedParts parts = TrainedParts::all) {
  TrainingJob job;
  job.model = test::llava_7b(images);
  job.sequence = 2048;
  job.global_batch = 64;
  job.tuning.parts = parts;
  return job;
}

parallel::Strategy on(int tensor, int pipeline, int data) {
  parallel::Strategy strategy;
  strategy.tensor_parallel = tensor;
  strategy.pipeline_parallel = pipeline;
  strategy.data_parallel = data;
  strategy.micro_batch = 4;
  strategy.micro_batches = 64 / 4 / data;
  return strategy;
}

technology::System unlimited() {
  technology::System system = test::example_system();
  system.device.thermal_design_power = Watts::si(0.0);
  return system;
}

double phase_s(const TrainingEstimate& estimate, Phase phase) {
  return estimate.phase_s[static_cast<std::size_t>(phase)];
}

// The encoder by itself: a job whose sequences are pieces of images.
double alone_s(const technology::System& system, double pieces, bool backward) {
  TrainingJob job;
  job.model = test::clip_vit_l();
  job.sequence = 577;
  parallel::Strategy strategy;
  strategy.micro_batch = static_cast<std::int32_t>(pieces);
  const LayerCosts costs = layer_costs({job, system, strategy});
  const auto seconds = [&](const BlockCost& block) {
    return block.forward.total().time.total_s() +
           (backward ? block.backward.total().time.total_s() : 0.0);
  };
  return 24.0 * seconds(costs.layer) + seconds(costs.embedding);
}

TEST(Images, AnEncoderTakesWhatItsLayersTake) {
  const technology::System system = unlimited();
  const parallel::Strategy strategy = on(1, 1, 8);
  const auto encoder_s = [&](TrainedParts parts) {
    const TrainingJob job = llava(2.0, parts);
    return phase_s(estimate_training({job, system, strategy}), Phase::encoder);
  };
  const double all_s = encoder_s(TrainedParts::all);
  const double frozen_s = encoder_s(TrainedParts::language_model);

  // Two micro-batches of eight images. What the projector takes is in both.
  const double spared_s = 2.0 * (alone_s(system, 8.0, true) - alone_s(system, 8.0, false));
  EXPECT_NEAR((all_s - frozen_s) / spared_s, 1.0, 0.02);
  EXPECT_GT(frozen_s, 2.0 * alone_s(system, 8.0, false));
  EXPECT_LT(frozen_s, 2.0 * alone_s(system, 8.0, false) * 1.3);
}

// A fraction of an image has its share of what one takes.
TEST(Images, FewerThanOneOfASequenceTakeTheirShare) {
  const technology::System system = unlimited();
  parallel::Strategy strategy = on(1, 1, 8);
  strategy.micro_batch = 1;
  strategy.micro_batches = 8;
  const auto encoder_s = [&](double images) {
    const TrainingJob job = llava(images, TrainedParts::language_model);
    return phase_s(estimate_training({job, system, strategy}), Phase::encoder);
  };
  // Kernels of the projector take a fixed time each, however few tokens there are.
  EXPECT_NEAR(encoder_s(0.25) / encoder_s(1.0), 0.25, 0.04);
}

TEST(Images, NoImagesNoEncoderTime) {
  const technology::System system = unlimited();
  const parallel::Strategy strategy = on(1, 1, 8);
  const TrainingJob job = llava(0.0);
  const TrainingEstimate estimate = estimate_training({job, system, strategy});
  TrainingJob text = job;
  text.model.encoder = {};
  const TrainingEstimate of_text = estimate_training({text, system, strategy});

  EXPECT_EQ(phase_s(estimate, Phase::encoder), 0.0);
  EXPECT_EQ(phase_s(estimate, Phase::forward), phase_s(of_text, Phase::forward));
  EXPECT_GT(estimate.memory.weights_bytes, of_text.memory.weights_bytes);
}

// The first stage of a pipeline has it, and is then the slowest; layers moved away from it help.
TEST(Images, TheFirstStageHasTheEncoder) {
  const technology::System system = unlimited();
  const TrainingJob job = llava(8.0);
  parallel::Strategy even = on(1, 4, 1);
  parallel::Strategy fewer = even;
  fewer.first_stage_layers = 5;
  const double even_s = estimate_training({job, system, even}).step_time_s();
  const double fewer_s = estimate_training({job, system, fewer}).step_time_s();
  const TrainingJob text = llava(0.0);
  const double text_s = estimate_training({text, system, even}).step_time_s();

  EXPECT_GT(even_s, 1.3 * text_s);
  EXPECT_LT(fewer_s, 0.95 * even_s);
}

// On stages of its own it takes what it takes alone, and the others what they take without it.
TEST(Images, StagesOfTheirOwn) {
  const technology::System system = unlimited();
  const TrainingJob job = llava(8.0);
  parallel::Strategy own = on(1, 5, 1);
  own.encoder_stages = 1;
  const TrainingEstimate with_own = estimate_training({job, system, own});
  const TrainingEstimate shared = estimate_training({job, system, on(1, 4, 1)});
  EXPECT_LT(with_own.step_time_s(), shared.step_time_s());
  // Its stage holds two layers' worth of weights and as many micro-batches as all stages.
  EXPECT_LT(with_own.memory.weights_bytes, shared.memory.weights_bytes);

  const StageShares shares = stage_shares(job.model, own, workload::StageBalance::layers);
  ASSERT_EQ(shares.kinds().front().encoders, 1.0);
  const StageParameters alone = stage_parameters(job.model, own, shares.kinds().front());
  EXPECT_DOUBLE_EQ(alone.total(),
                   workload::encoder_parameters(job.model.encoder) +
                       workload::projector_parameters(job.model.encoder, job.model.hidden));
  const LayerCosts costs = layer_costs({job, system, own});
  const StageCost stage = stage_cost({job, system, own}, costs, shares.kinds().front(), {});
  EXPECT_DOUBLE_EQ(stage.total().time.total_s(), stage.phases[Phase::encoder].time.total_s());
  EXPECT_NEAR(stage.total().time.total_s() / alone_s(system, 32.0, true), 1.0, 0.1);
}

// What comes once a step is that of the stage with the most to train: with an encoder that stays as
// it is, of layers. Stages of an encoder have layers to gather one by one, as others do.
TEST(Images, StagesOfTheirOwnHaveStatesOfTheirOwn) {
  const technology::System system = unlimited();
  TrainingJob job = llava(2.0, TrainedParts::language_model);
  parallel::Strategy own = on(1, 5, 2);
  own.encoder_stages = 1;
  const StageShares shares = stage_shares(job.model, own, workload::StageBalance::layers);
  EXPECT_EQ(fullest_stage(job, own, shares).encoders, 0.0);
  job.tuning.parts = TrainedParts::encoder;
  EXPECT_EQ(fullest_stage(job, own, shares).encoders, 1.0);
  EXPECT_EQ(held_layers(job.model, shares.kinds().front()), 24.0);
  EXPECT_EQ(held_layers(job.model, shares.kinds().back()), 8.0);

  job.tuning.parts = TrainedParts::all;
  own.zero = 3;
  const MemoryUse memory = stage_memory(job, own, {}, shares.kinds().front());
  const double all = stage_parameters(job.model, own, shares.kinds().front()).total();
  EXPECT_NEAR(memory.weights_bytes / (2.0 * all), 0.5 + 2.0 * 0.5 / 25.0, 1e-9);
}

// Weights of all parts, gradients and states of the trained ones.
TEST(Images, StatesAreThoseOfTrainedParts) {
  const parallel::Strategy one = on(1, 1, 1);
  const auto trained = [&](TrainedParts parts) {
    const TrainingJob job = llava(1.0, parts);
    return trained_parameters(job, one, whole_model(job.model)).total();
  };
  const workload::TransformerModel model = test::llava_7b(1.0);
  const double projector = workload::projector_parameters(model.encoder, model.hidden);
  const double clip = workload::encoder_parameters(model.encoder);

  EXPECT_DOUBLE_EQ(trained(TrainedParts::projector), projector);
  EXPECT_DOUBLE_EQ(trained(TrainedParts::encoder), projector + clip);
  EXPECT_NEAR(trained(TrainedParts::all) - trained(TrainedParts::language_model), clip, 1.0);

  const TrainingJob job = llava(1.0, TrainedParts::projector);
  const MemoryUse memory = stage_memory(job, one, {}, whole_model(model));
  EXPECT_DOUBLE_EQ(memory.gradients_bytes, 4.0 * projector);
  EXPECT_NEAR(memory.weights_bytes / (2.0 * model.parameters()), 1.0, 1e-3);
}

// Of an encoder that is not trained nothing is kept but what the projector reads.
TEST(Images, FrozenEncodersKeepNothing) {
  const technology::System system = unlimited();
  const parallel::Strategy one = on(1, 1, 1);
  const TrainingJob all = llava(1.0);
  const TrainingJob frozen = llava(1.0, TrainedParts::language_model);

  EXPECT_GT(saved_encoder({all, system, one}).kept_bytes, 1e9);
  EXPECT_DOUBLE_EQ(saved_encoder({frozen, system, one}).kept_bytes,
                   4.0 * 576.0 * (1024.0 + 2.0 * 4096.0) * 2.0);
}

InferenceJob prompts(double images) {
  InferenceJob job;
  job.model = test::llava_7b(images);
  job.prompt = 64 + std::int64_t{576} * static_cast<std::int64_t>(images);
  job.model.encoder.prompt_tokens = static_cast<double>(job.prompt);
  job.output = 32;
  job.batch = 4;
  return job;
}

double phase_s(const InferenceEstimate& estimate, InferencePhase phase) {
  return estimate.phase_s[static_cast<std::size_t>(phase)];
}

TEST(Images, PromptsWaitForTheirImages) {
  const technology::System system = unlimited();
  parallel::Strategy strategy;
  strategy.micro_batch = 4;
  const InferenceEstimate one = estimate_inference(prompts(1.0), system, strategy);
  InferenceJob text_job = prompts(1.0);
  text_job.model.encoder = {};
  const InferenceEstimate text = estimate_inference(text_job, system, strategy);
  const double encoder_s = phase_s(one, InferencePhase::prefill_encoder);

  EXPECT_NEAR(one.time_to_first_token_s() - text.time_to_first_token_s(), encoder_s,
              1e-9 * one.latency_s());
  EXPECT_NEAR(one.latency_s() - text.latency_s(), encoder_s, 1e-9 * one.latency_s());
  EXPECT_EQ(phase_s(text, InferencePhase::prefill_encoder), 0.0);
  // Near the forward pass of training, whose kernels are nearly the same.
  EXPECT_NEAR(encoder_s / alone_s(system, 4.0, false), 1.1, 0.3);
}

// What a cache has of a prompt is not encoded again.
TEST(Images, CachedPromptsAreNotEncoded) {
  const technology::System system = unlimited();
  parallel::Strategy strategy;
  strategy.micro_batch = 4;
  InferenceJob job = prompts(4.0);
  const double all_s =
      phase_s(estimate_inference(job, system, strategy), InferencePhase::prefill_encoder);
  job.prefix_hits = 0.5;
  const double half_s =
      phase_s(estimate_inference(job, system, strategy), InferencePhase::prefill_encoder);
  EXPECT_NEAR(half_s / all_s, 0.5, 0.03);
}

}  // namespace
}  // namespace scalesweep::estimator
