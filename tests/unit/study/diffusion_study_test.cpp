// Studies of diffusion models: from a spec to rows, and what a wrong one is told.
#include <gmock/gmock.h>

#include "estimator/diffusion/diffusion.hpp"
#include "study/kinds/workload_kind.hpp"
#include "unit/study/study_fixture.hpp"
#include "workload/framework.hpp"

namespace scalesweep::study {
namespace {

using ::testing::HasSubstr;

std::string spec_with(const std::string& workload = "", const std::string& rest = "") {
  return R"(schema = 1
title = "Diffusion"
[workload]
kind = "diffusion"
diffusion_model = "flux-1-dev"
batch = 4
width = 1024
height = 1024
)" + workload +
         R"([system]
accelerators = [1, 4]
device = ["a100-sxm-80gb", "h100-sxm"]
)" + rest;
}

TEST(DiffusionStudy, GoesFromASpecToRows) {
  const Study study = test::load_good(spec_with("denoising_steps = [4, 28]\n"));
  const engine::RangeResult result = test::evaluate_all(study);
  const store::Schema& schema = study.description().schema;
  const auto number = [&](const char* column, std::size_t row) {
    return result.rows.number(column_named(schema, column), row);
  };
  constexpr auto attention = static_cast<std::size_t>(estimator::DiffusionPhase::attention);
  ASSERT_GT(study.space().size(), 2 * 2 * 2);
  for (PointId id = 0; id < study.space().size(); ++id) {
    const Point point = study.point_at(id);
    const auto& job = work_of<estimator::DiffusionJob>(point.job);
    const estimator::DiffusionEstimate estimate =
        estimator::estimate_diffusion(job, *point.system.system, point.strategy);
    const double time_s = estimate.batch_time_s();
    const auto row = static_cast<std::size_t>(id);
    EXPECT_DOUBLE_EQ(number("batch_time", row), time_s);
    EXPECT_NEAR(number("images_per_second", row) * time_s / 4.0, 1.0, 1e-6);
    EXPECT_NEAR(number("step_time", row), estimate.step_s, 1e-6 * estimate.step_s);
    EXPECT_NEAR(number("attended_tokens", row), estimate.tokens, 1e-6 * estimate.tokens);
    EXPECT_NEAR(number("energy_per_image", row) * 4.0, number("energy_per_batch", row),
                1e-6 * number("energy_per_batch", row));
    EXPECT_NEAR(number("memory_denoiser", row), estimate.memory.denoiser_bytes,
                1e-6 * estimate.memory.denoiser_bytes);
    EXPECT_NEAR(number("memory_short", row), estimate.memory.short_bytes(),
                1e-6 * estimate.memory.total_bytes());
    EXPECT_NEAR(number("phase_attention", row), estimate.phase_s[attention],
                1e-6 * estimate.phase_s[attention]);
    EXPECT_GT(number("cost_per_million_images", row), 0.0);
  }
  EXPECT_EQ(
      study.description().root_attributes.at("objectives"),
      R"([{"minimize":"batch_time"},{"minimize":"energy_per_image"},{"minimize":"accelerators"}])");
}

TEST(DiffusionStudy, AxesArriveInTheJob) {
  const Study study = test::load_good(test::replaced(
      test::replaced(spec_with("frames = 81\ndenoising_steps = 7\nprecision = \"fp8\"\n"),
                     "flux-1-dev", "wan-2.1-t2v-14b"),
      "\"a100-sxm-80gb\", ", ""));
  const Point point = study.point_at(0);
  const auto& job = work_of<estimator::DiffusionJob>(point.job);
  EXPECT_EQ(job.model.name, "wan-2.1-t2v-14b");
  EXPECT_EQ(job.model.steps, 7);
  EXPECT_EQ(job.batch, 4);
  EXPECT_EQ(job.image, (workload::ImageSize{1024, 1024, 81}));
  EXPECT_EQ(job.operands, technology::Precision::fp8);
  EXPECT_EQ(job.stack, study.catalog().framework("diffusers").diffusion);
  EXPECT_EQ(point.job.work_units, 4.0);
  EXPECT_EQ(point.job.multiplied,
            multiplied_of(technology::Precision::fp8, technology::Precision::bf16));
}

TEST(DiffusionStudy, WithoutStepsAModelHasItsOwn) {
  const Study study = test::load_good(spec_with());
  const Point point = study.point_at(0);
  const auto& job = work_of<estimator::DiffusionJob>(point.job);
  EXPECT_EQ(job.model, study.catalog().diffusion_model("flux-1-dev"));
  EXPECT_EQ(job.image.frames, 1);
}

TEST(DiffusionStudy, KeepsTheBestStrategy) {
  const Study study = test::load_good(
      spec_with("", "[keep]\npolicy = \"best\"\nper = [\"device\", \"accelerators\"]\n"));
  engine::RangeResult result = test::evaluate_all(study);
  study.make_evaluator().reduce(result);
  EXPECT_EQ(result.rows.rows(), 4U);
}

TEST(DiffusionStudy, SaysByHowMuchAnImageDoesNotFit) {
  const Study study =
      test::load_good(test::replaced(test::replaced(spec_with(), "width = 1024", "width = 60000"),
                                     "height = 1024", "height = 60000"));
  const Point point = study.point_at(0);
  ASSERT_EQ(point.accelerators, 1.0);
  const auto estimator = diffusion_kind().estimator(point.job, point.system, {}, nullptr);
  EXPECT_EQ(estimator->estimate(point.strategy).status, Status::does_not_fit);
  EXPECT_THAT(estimator->reason(), HasSubstr("a device lacks"));
}

TEST(DiffusionStudy, MistakesHaveTheirPlace) {
  const auto messages = [](const std::string& workload, const std::string& rest = "") {
    return test::load_text(spec_with(workload, rest)).messages;
  };
  EXPECT_THAT(
      messages("framework = \"vllm\"\n"),
      HasSubstr("spec.toml:9:13: error: how 'vllm@0.14' runs diffusion models is not in the "
                "catalog; choose one of "));
  EXPECT_THAT(messages("frames = [1, 81]\n"),
              HasSubstr("spec.toml:9:14: error: 'flux-1-dev' makes images; leave frames out or "
                        "write 1\n"));
  EXPECT_EQ(messages("frames = 1\n"), "");
  EXPECT_THAT(messages("global_batch = 4\n"), HasSubstr("write batch"));
  EXPECT_THAT(messages("steps = 4\n"), HasSubstr("'steps' goes with kind = \"training\""));
  EXPECT_THAT(messages("precision = \"fp15\"\n"), HasSubstr("there is no precision 'fp15'"));
  EXPECT_THAT(
      messages("precision = { name = \"lean\" }\n"),
      HasSubstr("spec.toml:9:13: error: 'workload.precision' must be a string, not a table"));
  EXPECT_THAT(messages("denoising_steps = 0\n"),
              HasSubstr("denoising_steps must be between 1 and 1,000,000,000, not 0"));
  EXPECT_THAT(messages("", "[strategy]\npipeline_parallel = 2\n"),
              HasSubstr("leave 'pipeline_parallel' out"));
  EXPECT_THAT(test::load_text(test::replaced(spec_with(), "flux-1-dev", "flux-9")).messages,
              HasSubstr("the catalog has no diffusion model 'flux-9'"));
}

// Of values that vary together, only what a point has is judged.
TEST(DiffusionStudy, FramesAreOfTheModelThatTheyGoWith) {
  const std::string both = test::replaced(spec_with("frames = [1, 81]\n"), "\"flux-1-dev\"",
                                          "[\"flux-1-dev\", \"wan-2.1-t2v-14b\"]");
  EXPECT_THAT(test::load_text(both).messages, HasSubstr("'flux-1-dev' makes images"));
  test::load_good(both + "[[together]]\naxes = [\"diffusion_model\", \"frames\"]\n");
}

std::string training_spec(const std::string& workload = "", const std::string& rest = "") {
  return spec_with("work = \"training\"\n" + workload, rest);
}

TEST(DiffusionStudy, TrainingGoesFromASpecToRows) {
  const Study study = test::load_good(training_spec(
      "weight_average = \"none\"\nlatents = \"stored\"\nstates = \"as_weights\"\n"
      "optimizer = \"lion\"\n",
      "[strategy]\nmicro_batch = [1, 2]\nzero = [0, 1]\nrecompute = [\"none\", \"full\"]\n"));
  const engine::RangeResult result = test::evaluate_all(study);
  const store::Schema& schema = study.description().schema;
  const auto number = [&](const char* column, std::size_t row) {
    return result.rows.number(column_named(schema, column), row);
  };
  ASSERT_GT(study.space().size(), 2 * 2);
  for (PointId id = 0; id < study.space().size(); ++id) {
    const Point point = study.point_at(id);
    const auto& job = work_of<estimator::DiffusionJob>(point.job);
    EXPECT_TRUE(job.trains());
    EXPECT_FALSE(job.training.averages_weights);
    EXPECT_FALSE(job.training.encodes);
    EXPECT_TRUE(job.training.states_as_weights);
    EXPECT_EQ(job.training.optimizer.name, "lion");
    const parallel::Strategy& strategy = point.strategy;
    EXPECT_EQ(strategy.data_parallel * strategy.micro_batch * strategy.micro_batches, 4);
    const estimator::DiffusionEstimate estimate =
        estimator::estimate_diffusion(job, *point.system.system, strategy);
    const auto row = static_cast<std::size_t>(id);
    EXPECT_DOUBLE_EQ(number("batch_time", row), estimate.batch_time_s());
    EXPECT_NEAR(number("step_time", row), estimate.batch_time_s(), 1e-6 * estimate.batch_time_s());
    EXPECT_NEAR(number("memory_gradients", row), estimate.memory.gradients_bytes,
                1e-6 * estimate.memory.gradients_bytes);
    EXPECT_NEAR(number("memory_optimizer", row), estimate.memory.optimizer_bytes,
                1e-6 * estimate.memory.optimizer_bytes);
    EXPECT_EQ(number("memory_average", row), 0.0);
    constexpr auto backward = static_cast<std::size_t>(estimator::DiffusionPhase::backward);
    EXPECT_NEAR(number("phase_backward", row), estimate.phase_s[backward],
                1e-6 * estimate.phase_s[backward]);
  }
}

// Both works in one study: each has the strategies that go with it.
TEST(DiffusionStudy, MakesImagesAndTrainsOnThem) {
  for (const char* works : {"work = [\"inference\", \"training\"]\n",  //
                            "work = [\"training\", \"inference\"]\n"}) {
    const Study study = test::load_good(spec_with(works));
    std::size_t trained = 0;
    for (PointId id = 0; id < study.space().size(); ++id) {
      const Point point = study.point_at(id);
      const parallel::Strategy& strategy = point.strategy;
      const auto& job = work_of<estimator::DiffusionJob>(point.job);
      trained += job.trains() ? 1U : 0U;
      if (!job.trains()) {
        EXPECT_EQ(strategy.recompute, parallel::Recompute::none);
        EXPECT_EQ(strategy.zero, 0);
      } else {
        EXPECT_EQ(strategy.data_parallel * strategy.micro_batch * strategy.micro_batches, 4);
      }
    }
    EXPECT_GT(trained, 0U);
    EXPECT_LT(trained, static_cast<std::size_t>(study.space().size()));
  }
}

TEST(DiffusionStudy, SaysByHowMuchTrainingDoesNotFit) {
  const Study study =
      test::load_good(training_spec("", "[strategy]\nmicro_batch = 4\nrecompute = \"none\"\n"));
  const Point point = study.point_at(0);
  const auto estimator = diffusion_kind().estimator(point.job, point.system, {}, nullptr);
  EXPECT_EQ(estimator->estimate(point.strategy).status, Status::does_not_fit);
  EXPECT_THAT(estimator->reason(), HasSubstr("weights and their states take "));
}

TEST(DiffusionStudy, MistakesOfTrainingHaveTheirPlace) {
  const auto messages = [](const std::string& spec) { return test::load_text(spec).messages; };
  EXPECT_THAT(messages(spec_with("latents = \"stored\"\n")),
              HasSubstr("spec.toml:9:11: error: 'latents' goes with work = \"training\"; leave it "
                        "out\n"));
  EXPECT_THAT(messages(spec_with("weight_average = \"none\"\n")),
              HasSubstr("'weight_average' goes with work = \"training\""));
  EXPECT_THAT(messages(spec_with("states = \"as_weights\"\n")),
              HasSubstr("'states' goes with work = \"training\""));
  EXPECT_THAT(messages(spec_with("optimizer = \"lion\"\n")),
              HasSubstr("'optimizer' goes with work = \"training\""));
  EXPECT_THAT(messages(training_spec("denoising_steps = 4\n")),
              HasSubstr("spec.toml:10:19: error: 'denoising_steps' goes with work = "
                        "\"inference\": in training each image has one noise level a step; "
                        "leave it out\n"));
  EXPECT_EQ(messages(spec_with("work = [\"inference\", \"training\"]\ndenoising_steps = 4\n")), "");
  EXPECT_THAT(messages(training_spec("precision = [\"bf16\", \"fp8\"]\n")),
              HasSubstr("spec.toml:10:22: error: in fp8 diffusion models are run and not trained; "
                        "with work = \"training\" write for example \"bf16\"\n"));
  EXPECT_THAT(messages(training_spec("optimizer = \"muon\"\n")),
              HasSubstr("spec.toml:10:13: error: 'muon' multiplies matrices, which kind = "
                        "\"diffusion\" does not know of; write for example \"adam\"\n"));
  EXPECT_THAT(messages(spec_with("", "[strategy]\nrecompute = \"full\"\n")),
              HasSubstr("'recompute' is of training; with kind = \"diffusion\" write work = "
                        "\"training\", or leave it out\n"));
  EXPECT_THAT(messages(spec_with("work = \"rest\"\n")), HasSubstr("work"));
  EXPECT_THAT(messages(training_spec("", "[strategy]\nrecompute = \"selective\"\n")),
              HasSubstr("layers of a diffusion model are recomputed whole: recompute must be "
                        "\"none\" or \"full\" removed"));
}

}  // namespace
}  // namespace scalesweep::study
