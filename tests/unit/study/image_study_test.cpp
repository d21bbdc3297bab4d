// Images in studies: from a spec to rows, and what is wrong with one.
#include <gmock/gmock.h>

#include <string>

#include "estimator/inference/inference.hpp"
#include "estimator/inference/service/serving.hpp"
#include "estimator/training/training.hpp"
#include "study/kinds/workload_kind.hpp"
#include "unit/study/study_fixture.hpp"

namespace scalesweep::study {
namespace {

using ::testing::HasSubstr;

std::string training_spec(const std::string& workload) {
  return R"(schema = 1
title = "Images"
[workload]
kind = "training"
model = "llava-1.5-7b"
sequence = 2048
global_batch = 64
)" + workload +
         R"([system]
accelerators = 8
device = "h100-sxm"
[strategy]
zero = 3
micro_batch = 1
)";
}

std::string requests_spec(const std::string& workload) {
  return R"(schema = 1
title = "Images"
[workload]
kind = "inference"
model = "llava-1.5-7b"
prompt = 64
output = 8
batch = 8
)" + workload +
         R"([system]
accelerators = 1
device = "h100-sxm"
)";
}

TEST(ImageStudy, AxesArriveInTheJob) {
  const Study study = test::load_good(training_spec(
      "images = 2\nimage_width = 336\nimage_height = 200\ntrained = \"projector\"\n"));
  const Point point = study.point_at(0);
  const auto& job = work_of<estimator::TrainingJob>(point.job);
  EXPECT_EQ(job.model.encoder.inputs, 2.0);
  EXPECT_EQ(job.model.encoder.width, 336);
  EXPECT_EQ(job.model.encoder.height, 200);
  EXPECT_EQ(job.tuning.parts, workload::TrainedParts::projector);
  EXPECT_EQ(job.sequence, 2048);  // has the tokens of images among its own

  const engine::RangeResult result = test::evaluate_all(study);
  EXPECT_GT(result.rows.number(column_named(study.description().schema, "phase_encoder"), 0), 0.0);
}

TEST(ImageStudy, PromptsGetTheTokensOfImages) {
  const Study study = test::load_good(requests_spec("images = 2\n"));
  const Point point = study.point_at(0);
  const auto& job = work_of<estimator::InferenceJob>(point.job);
  EXPECT_EQ(job.prompt, 64 + 2 * 576);
  EXPECT_EQ(job.model.encoder.prompt_tokens, 64.0 + 2.0 * 576.0);

  const engine::RangeResult result = test::evaluate_all(study);
  EXPECT_GT(
      result.rows.number(column_named(study.description().schema, "phase_prefill_encoder"), 0),
      0.0);
}

TEST(ImageStudy, ClassesOfRequestsGetThemToo) {
  const Study study = test::load_good(test::replaced(
      test::replaced(requests_spec("images = 1\n"), "kind = \"inference\"",
                     "kind = \"serving\"\nrequests = [{ prompt = 100, output = 9, share = 0.5 }, "
                     "{ prompt = 300, output = 9, share = 0.5 }]"),
      "prompt = 64\noutput = 8\nbatch = 8\n", ""));
  const Point point = study.point_at(0);
  const auto& job = work_of<estimator::ServingJob>(point.job);
  ASSERT_EQ(job.requests.size(), 2U);
  EXPECT_EQ(job.requests[0].prompt, 676.0);
  EXPECT_EQ(job.requests[1].prompt, 876.0);
  EXPECT_EQ(job.inference.model.encoder.prompt_tokens, 776.0);
}

std::string messages_of(const std::string& spec) {
  return test::load_text(spec).messages;
}

std::string with_audio(const std::string& spec) {
  return test::replaced(spec, "llava-1.5-7b", "qwen2-audio-7b");
}

TEST(ImageStudy, RecordingsArriveInTheJob) {
  const Study study = test::load_good(with_audio(
      training_spec("recordings = 2\nrecording_length = \"20 s\"\ninput_spread = 0.5\n")));
  const Point point = study.point_at(0);
  const auto& job = work_of<estimator::TrainingJob>(point.job);
  EXPECT_EQ(job.model.encoder.inputs, 2.0);
  EXPECT_EQ(job.model.encoder.length_s, 20.0);
  EXPECT_EQ(job.model.encoder.spread, 0.5);

  const Study of_requests = test::load_good(with_audio(requests_spec("recordings = 1\n")));
  const Point batch = of_requests.point_at(0);
  EXPECT_EQ(work_of<estimator::InferenceJob>(batch.job).prompt, 64 + 750);
}

TEST(ImageStudy, MistakesAreToldWithTheirPlace) {
  EXPECT_THAT(
      messages_of(test::replaced(training_spec("images = 1\n"), "llava-1.5-7b", "llama-2-7b")),
      HasSubstr("spec.toml:8:10: error: images = 1, but 'llama-2-7b' has no encoder of "
                "images; choose a model that has one, or leave 'images' out"));
  EXPECT_THAT(messages_of(test::replaced(training_spec("trained = \"projector\"\n"), "llava-1.5-7b",
                                         "llama-2-7b")),
              HasSubstr("trained = \"projector\", but 'llama-2-7b' has no encoder; choose a model "
                        "that has one, or leave 'trained' out"));
  EXPECT_THAT(messages_of(training_spec("recordings = 1\n")),
              HasSubstr("recordings = 1, but 'llava-1.5-7b' has no encoder of audio; choose a "
                        "model that has one, or leave 'recordings' out"));
  EXPECT_THAT(messages_of(with_audio(training_spec("images = 1\n"))),
              HasSubstr("images = 1, but 'qwen2-audio-7b' has no encoder of images"));
  EXPECT_THAT(messages_of(with_audio(training_spec("recordings = 3\n"))),
              HasSubstr("3 recordings are 2250 tokens of 'qwen2-audio-7b', more than a sequence of "
                        "2048; write a longer sequence or fewer recordings"));
  EXPECT_THAT(messages_of(training_spec("recording_length = \"9 s\"\n")),
              HasSubstr("'recording_length' goes with recordings, for example recordings = 1"));
  EXPECT_THAT(messages_of(training_spec("input_spread = 1\n")),
              HasSubstr("'input_spread' goes with images or recordings, for example images = 1"));
  EXPECT_THAT(messages_of(training_spec("images = 4\n")),
              HasSubstr("spec.toml:6:12: error: 4 images are 2304 tokens of 'llava-1.5-7b', more "
                        "than a sequence of 2048; write a longer sequence or fewer images"));
  EXPECT_THAT(messages_of(training_spec("image_width = 336\n")),
              HasSubstr("'image_width' goes with images, for example images = 1"));
  EXPECT_THAT(messages_of(requests_spec("trained = \"projector\"\n")), HasSubstr("trained"));
}

}  // namespace
}  // namespace scalesweep::study
