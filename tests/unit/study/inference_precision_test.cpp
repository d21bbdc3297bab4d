// Formats of the operators of requests: what specs say, and what devices multiply.
#include <gmock/gmock.h>

#include <string>

#include "estimator/inference/job.hpp"
#include "unit/study/study_fixture.hpp"

namespace scalesweep::study {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string spec() {
  return R"(schema = 1
title = "Inference"
[workload]
kind = "inference"
model = "llama-2-7b"
prompt = 200
output = 200
batch = 64
precision = "fp16"
[system]
accelerators = [1, 4]
device = ["a100-sxm-80gb", "h100-sxm"]
[strategy]
tensor_parallel = { powers_of_two_to = 4 }
)";
}

// Of a device that multiplies all of them.
std::string on_blackwell(const std::string& model, const std::string& table) {
  return test::replaced(
      test::replaced(test::replaced(spec(), "llama-2-7b", model), "\"fp16\"", table),
      "[\"a100-sxm-80gb\", \"h100-sxm\"]", "\"b200-sxm\"");
}

TEST(InferencePrecision, PrecisionsMayDifferByOperator) {
  const auto job = [](const std::string& table) {
    const Study study = test::load_good(on_blackwell("deepseek-v3", table));
    return work_of<estimator::InferenceJob>(study.point_at(0).job).precision;
  };
  using technology::Precision;
  const auto said = job(
      "{ name = 'a', operands = 'fp8', experts = 'mxfp8', expert_weights = 'int4', shared = 'bf16',"
      " attention = 'bf16' }");
  EXPECT_EQ(said.experts, Precision::mxfp8);
  EXPECT_EQ(said.expert_weights, Precision::fp4) << "int4 takes as many bytes";
  EXPECT_EQ(said.shared, Precision::bf16);
  EXPECT_EQ(said.attention, Precision::bf16);
  EXPECT_EQ(said.weights, Precision::fp8);
  EXPECT_TRUE(job("{ name = 'a', operands = 'fp8', cache = 'fp8' }").is_uniform());
  const test::Loaded unknown = test::load_text(
      test::replaced(spec(), "\"fp16\"", "{ name = 'a', attention = 'int4', experts = 'mxfp5' }"));
  EXPECT_THAT(unknown.messages,
              AllOf(HasSubstr("there is no precision 'int4' for attention; int4 is only stored"),
                    HasSubstr("there is no precision 'mxfp5' for experts; did you mean 'mxfp")));
}

// Of a model without them, formats of experts ask nothing of a device.
TEST(InferencePrecision, DevicesMultiplyTheFormatsOfTheLayersThatThereAre) {
  const auto loaded = [](const std::string& model, const std::string& table) {
    return test::load_text(
        test::replaced(test::replaced(spec(), "llama-2-7b", model), "\"fp16\"", table));
  };
  const std::string experts = "{ name = 'a', operands = 'fp16', experts = 'mxfp4' }";
  EXPECT_EQ(loaded("llama-2-7b", experts).messages, "");
  const test::Loaded deepseek = loaded("deepseek-v3", experts);
  ASSERT_TRUE(deepseek.study) << deepseek.messages;
  EXPECT_THAT(deepseek.messages, HasSubstr("h100-sxm has no matrix unit for mxfp4"));
  EXPECT_EQ(
      loaded("deepseek-v3", "{ name = 'a', operands = 'fp16', expert_weights = 'mxfp4' }").messages,
      "");
  EXPECT_THAT(loaded("llama-2-7b", "\"mxfp4\"").messages,
              HasSubstr("(it has tf32, bf16, fp16, int8), h100-sxm has no matrix unit for "
                        "mxfp4 (it has tf32, bf16, fp16, fp8, int8); no estimate for 2 of 2 "
                        "combinations of precision and device (status unsupported_precision); "
                        "weights alone may have it, multiplied in 16 bits: write { name = "
                        "\"mxfp4-weights\", weights = \"mxfp4\" }"));
}

// What the catalog says of a published checkpoint, and what a table says beside it.
TEST(InferencePrecision, MayBeThoseOfAPublishedCheckpoint) {
  using technology::Precision;
  const auto job = [](const std::string& model, const std::string& table) {
    const Study study = test::load_good(on_blackwell(model, table));
    return work_of<estimator::InferenceJob>(study.point_at(0).job).precision;
  };
  const auto nvfp4 = job("deepseek-v3", "{ name = 'a', checkpoint = 'nvfp4', cache = 'fp8' }");
  EXPECT_EQ(nvfp4.operands, Precision::fp4);
  EXPECT_EQ(nvfp4.weights, Precision::fp4);
  EXPECT_EQ(nvfp4.attention, Precision::bf16);
  EXPECT_EQ(nvfp4.attention_output, Precision::fp4);
  EXPECT_EQ(nvfp4.cache, Precision::fp8);
  EXPECT_EQ(nvfp4.head, Precision::bf16);
  const auto own = job("deepseek-v3", "{ name = 'a', checkpoint = 'nvfp4', attention = 'fp8' }");
  EXPECT_EQ(own.attention, Precision::fp8) << "the table first";
  const auto alone = job("gpt-oss-120b", "{ name = 'a', checkpoint = 'mxfp4' }");
  EXPECT_EQ(alone.operands, Precision::bf16);
  EXPECT_EQ(alone.weights, Precision::mxfp4);
  EXPECT_EQ(alone.attention, Precision::bf16);
  const auto blackwell =
      job("gpt-oss-120b", "{ name = 'a', checkpoint = 'mxfp4', operands = 'mxfp8' }");
  EXPECT_EQ(blackwell.operands, Precision::mxfp8);
  EXPECT_EQ(blackwell.weights, Precision::mxfp4);
  EXPECT_TRUE(job("deepseek-v3", "{ name = 'a', checkpoint = 'fp8' }").is_uniform());
}

TEST(InferencePrecision, OfACheckpointThatIsNotPublishedNamesThoseThatAre) {
  const auto refused = [](const std::string& model, const std::string& table) {
    return test::load_text(
               test::replaced(test::replaced(spec(), "llama-2-7b", model), "\"fp16\"", table))
        .messages;
  };
  EXPECT_THAT(
      refused("deepseek-v3", "{ name = 'a', checkpoint = 'int8' }"),
      HasSubstr("spec.toml:9:40: error: the catalog knows no checkpoint of 'deepseek-v3' in "
                "int8; it knows fp8, fp4, mxfp4; write one of these, or say formats "
                "instead"));
  EXPECT_THAT(refused("llama-2-7b", "{ name = 'a', checkpoint = 'fp8' }"),
              HasSubstr("it knows none; say formats instead, for example operands = \"fp8\""));
  EXPECT_THAT(refused("deepseek-v3", "{ name = 'a', checkpoint = 'fp8', weights = 'fp8' }"),
              HasSubstr("the checkpoint says how weights are stored; leave weights out, or leave "
                        "checkpoint out"));
  EXPECT_THAT(refused("deepseek-v3", "{ name = 'a', checkpoint = 'fp5' }"),
              HasSubstr("there is no precision 'fp5' of a checkpoint; did you mean 'fp"));
}

}  // namespace
}  // namespace scalesweep::study
