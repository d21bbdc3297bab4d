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

TEST(InferencePrecision, PrecisionsMayDifferByOperator) {
  const auto job = [](const std::string& table) {
    const Study study = test::load_good(
        test::replaced(test::replaced(spec(), "llama-2-7b", "deepseek-v3"), "\"fp16\"", table));
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

}  // namespace
}  // namespace scalesweep::study
