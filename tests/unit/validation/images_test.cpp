// Images of rows, of training and of inference; devices of experts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/shipped_catalog.hpp"
#include "validation/inference_cases.hpp"
#include "validation/training_cases.hpp"

namespace scalesweep::validation {
namespace {

using test::shipped_catalog;
using testing::HasSubstr;

// The only row of a table, and what is wrong with it.
template <typename Case>
struct Read {
  std::optional<Case> row;
  std::string mistakes;
};

template <typename Case, typename Reader>
Read<Case> read_row(const std::string& text, const Reader& reader) {
  Diagnostics diagnostics;
  const auto table = CsvTable::parse("f.csv", text, diagnostics);
  Systems systems(shipped_catalog());
  const CaseDefaults defaults{shipped_catalog(), systems, ""};
  RowReader row(*table, 0, shipped_catalog(), diagnostics);
  Read<Case> read;
  read.row = reader(row, defaults);
  read.mistakes = diagnostics.text();
  return read;
}

Read<TrainingCase> training(const std::string& model, const std::string& columns,
                            const std::string& cells) {
  return read_row<TrainingCase>("case,device,gpus,seq,global_batch,micro_batch,model," + columns +
                                    "\na,h100-sxm,8,2048,8,1," + model + "," + cells + "\n",
                                read_training_case);
}

Read<InferenceCase> inference(const std::string& model, const std::string& columns,
                              const std::string& cells) {
  return read_row<InferenceCase>("case,device,batch,prompt_tokens,output_tokens,metric,model," +
                                     columns + "\na,h100-sxm,8,100,24,ttft_s," + model + "," +
                                     cells + "\n",
                                 read_inference_case);
}

TEST(Images, OfTrainingAreAmongTheTokensOfASequence) {
  const auto read = training("llava-1.5-7b", "images,trained", "0.94,language_model");
  ASSERT_TRUE(read.row) << read.mistakes;
  const workload::Encoder& encoder = read.row->job.model.encoder;
  EXPECT_EQ(encoder.inputs, 0.94);
  EXPECT_EQ(encoder.width, 336) << "its tile";
  EXPECT_EQ(encoder.height, 336);
  EXPECT_EQ(read.row->job.sequence, 2048);
  EXPECT_EQ(read.row->job.tuning.parts, workload::TrainedParts::language_model);
  EXPECT_THAT(training("llava-1.5-7b", "images", "4").mistakes,
              HasSubstr("images: they make 2304 tokens of a sequence of 2048, which they are "
                        "counted among; write fewer, or a longer seq"));
}

TEST(Images, OfInferenceComeBesideThePrompt) {
  const auto read = inference("llava-1.5-7b", "images", "1.5");
  ASSERT_TRUE(read.row) << read.mistakes;
  EXPECT_EQ(read.row->job.prompt, 100 + 864);
  EXPECT_EQ(read.row->job.model.encoder.prompt_tokens, 964.0);
  const auto none = inference("llava-1.5-7b", "images", "");
  ASSERT_TRUE(none.row) << none.mistakes;
  EXPECT_EQ(none.row->job.prompt, 100);
  EXPECT_FALSE(none.row->job.model.encoder.asked());
}

TEST(Images, MayBeRecordings) {
  const auto read = inference("qwen2-audio-7b", "recordings,recording_s", "2,12");
  ASSERT_TRUE(read.row) << read.mistakes;
  EXPECT_EQ(read.row->job.model.encoder.length_s, 12.0);
  EXPECT_EQ(read.row->job.prompt, 100 + 2 * 300);
}

TEST(Images, HaveASizeWhereItMatters) {
  EXPECT_THAT(training("qwen2-vl-7b", "images", "1").mistakes,
              HasSubstr("image_width: is required: a whole number of at least 1"));
  EXPECT_THAT(inference("llava-next-7b", "images,image_width", "1,640").mistakes,
              HasSubstr("image_height: is required"));
  const auto read = inference("qwen2-vl-7b", "images,image_width,image_height", "2,280,140");
  ASSERT_TRUE(read.row) << read.mistakes;
  EXPECT_EQ(read.row->job.prompt, 100 + 2 * 10 * 5);
}

TEST(Images, NeedAnEncoder) {
  EXPECT_THAT(inference("llama-3-8b", "images", "1").mistakes,
              HasSubstr("images: the model has no encoder of images; name one that has, such as "
                        "llava-1.5-7b, or leave this cell empty"));
  EXPECT_THAT(inference("llava-1.5-7b", "recordings", "1").mistakes,
              HasSubstr("recordings: the model has no encoder of audio; name one that has, such as "
                        "qwen2-audio-7b, or leave this cell empty"));
  EXPECT_THAT(training("qwen2-audio-7b", "recording_s", "12").mistakes,
              HasSubstr("recording_s: is of recordings; write how many there are in the column "
                        "recordings, or leave this cell empty"));
  EXPECT_THAT(training("qwen2-audio-7b", "recordings", "3").mistakes,
              HasSubstr("recordings: they make 2250 tokens of a sequence of 2048"));
  EXPECT_THAT(training("llama-3-8b", "trained", "projector").mistakes,
              HasSubstr("trained: the model has no encoder, and all of it is trained; name a "
                        "model that has one, or leave this cell empty"));
  EXPECT_THAT(training("llava-1.5-7b", "images,trained", "1,eyes").mistakes,
              HasSubstr("trained: 'eyes' is none of all, language_model, encoder, projector"));
  EXPECT_THAT(training("llava-1.5-7b", "image_width", "336").mistakes,
              HasSubstr("image_width: is of images; write how many there are in the column "
                        "images, or leave this cell empty"));
}

TEST(Images, LeaveWeightsThatMayBeNarrow) {
  EXPECT_EQ(training("llava-1.5-7b", "images,trained,frozen_weights", "1,projector,nf4").mistakes,
            "");
  EXPECT_THAT(training("llava-1.5-7b", "images,frozen_weights", "1,nf4").mistakes,
              HasSubstr("frozen_weights: needs adapter_rank, or trained encoder or projector"));
  EXPECT_THAT(training("llava-1.5-7b", "images,trained,adapter_layers", "1,projector,mlp").mistakes,
              HasSubstr("adapter_layers: needs adapter_rank"));
}

// Of inference, whose experts have devices of their own.
const std::string header =
    "case,source,framework,device,gpus,model,tp,pp,batch,concurrency,prompt_tokens,output_tokens,"
    "precision,metric,value,kv_precision,weight_precision,dp,ep\n";

std::vector<InferenceCase> read_table(const std::string& text, Diagnostics& diagnostics) {
  std::vector<InferenceCase> cases;
  const auto table = CsvTable::parse("f.csv", text, diagnostics);
  Systems systems(shipped_catalog());
  for (std::size_t i = 0; table && i < table->rows(); ++i) {
    RowReader row(*table, i, shipped_catalog(), diagnostics);
    if (auto c = read_inference_case(row, {shipped_catalog(), systems, ""})) {
      cases.push_back(*c);
    }
  }
  return cases;
}

TEST(ExpertDeviceCases, MayHaveExpertsOnDevicesOfTheirOwn) {
  const auto read_cell = [](const std::string& model, const std::string& gpus, Diagnostics& d) {
    return read_table(header.substr(0, header.size() - 1) + ",expert_devices\na,,vllm,h100-sxm," +
                          gpus + "," + model + ",1,1,16,,100,20,fp8,tpot_s,1,,,16,1,8\n",
                      d);
  };
  Diagnostics none, wrong, other;
  const auto cases = read_cell("deepseek-v3", "24", none);
  EXPECT_EQ(cases.at(0).strategy.expert_devices, 8);
  EXPECT_EQ(cases.at(0).gpus, 24);
  read_cell("deepseek-v3", "16", wrong);
  EXPECT_THAT(wrong.text(), HasSubstr("tp x pp x dp = 1 x 1 x 16 and expert_devices = 8 are 24 "
                                      "devices, not 16"));
  read_cell("llama-3-70b", "24", other);
  EXPECT_THAT(other.text(), HasSubstr("expert_devices: expert_devices needs a model with experts"));
}

}  // namespace
}  // namespace scalesweep::validation
