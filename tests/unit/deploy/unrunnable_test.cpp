// What frameworks lack for a layout, by the table `runs` of their entries.
#include "deploy/rules/unrunnable.hpp"

#include <gmock/gmock.h>

#include "deploy/target.hpp"
#include "support/shipped_catalog.hpp"
#include "workload/framework.hpp"

namespace scalesweep::deploy {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> lacks(std::string_view framework, const parallel::Strategy& strategy) {
  return unrunnable(test::shipped_catalog().framework(framework), strategy);
}

TEST(Unrunnable, NothingOfAPlainLayout) {
  for (const std::string& name : test::shipped_catalog().names(catalog::Section::frameworks)) {
    EXPECT_THAT(lacks(name, {}), IsEmpty()) << name;
  }
}

TEST(Unrunnable, NothingWhereNobodySaysWhatRuns) {
  parallel::Strategy all;
  all.tensor_parallel = 8;
  all.zero = 3;
  all.schedule = parallel::Schedule::dual_pipe;
  EXPECT_THAT(lacks("overlapped", all), IsEmpty());
}

TEST(Unrunnable, SaysEachOptionThatIsLacking) {
  parallel::Strategy layout;
  layout.pipeline_parallel = 4;
  layout.chunks = 2;
  layout.data_parallel = 2;
  layout.zero = 3;
  EXPECT_THAT(lacks("nanotron", layout),
              ElementsAre("several chunks of layers in a pipeline stage", "ZeRO stage 3"));
  EXPECT_THAT(lacks("megatron-lm", layout),
              ElementsAre("ZeRO stage 3 with several pipeline stages"));
  EXPECT_THAT(lacks("torchtitan", layout), IsEmpty());
}

TEST(Unrunnable, ExpertsBesideTensorParallelism) {
  parallel::Strategy layout;
  layout.tensor_parallel = 2;
  layout.expert_parallel = 8;
  layout.data_parallel = 8;
  EXPECT_THAT(lacks("vllm", layout),
              ElementsAre("expert parallelism together with tensor parallelism that cuts the "
                          "experts too"));
  layout.experts_over_tensor = true;
  EXPECT_THAT(lacks("vllm", layout), IsEmpty());
  EXPECT_THAT(lacks("megatron-lm", layout),
              ElementsAre("expert and tensor parallelism without sequence parallelism"));
}

TEST(Unrunnable, ExpertsOnDevicesOfTheirOwn) {
  parallel::Strategy layout;
  layout.data_parallel = 8;
  layout.expert_devices = 4;
  EXPECT_THAT(lacks("vllm-afd", layout), IsEmpty());
  layout.redundant_experts = 4;
  EXPECT_THAT(lacks("vllm-afd", layout), ElementsAre("redundant experts"));
  layout.redundant_experts = 0;
  for (const char* name : {"vllm", "sglang", "tensorrt-llm"}) {
    EXPECT_THAT(lacks(name, layout), ElementsAre("experts on devices of their own")) << name;
  }
}

TEST(Unrunnable, CachesThatRanksShare) {
  parallel::Strategy layout;
  layout.tensor_parallel = 8;
  layout.decode_context_parallel = 8;
  for (const char* name : {"vllm", "vllm@0.11", "sglang", "tensorrt-llm"}) {
    EXPECT_THAT(lacks(name, layout), IsEmpty()) << name;
  }
  for (const char* name : {"vllm-rocm", "sglang@0.4", "tensorrt-llm@1.0"}) {
    EXPECT_THAT(lacks(name, layout), ElementsAre("decode context parallelism")) << name;
  }
}

TEST(Unrunnable, SequenceParallelismThatIsAlwaysThere) {
  parallel::Strategy layout;
  layout.tensor_parallel = 8;
  workload::Framework always = test::shipped_catalog().framework("torchtitan");
  ASSERT_TRUE(always.runs);
  always.runs->sequence_parallel = workload::SequenceSplit::always;
  EXPECT_THAT(unrunnable(always, layout),
              ElementsAre("tensor parallelism without sequence parallelism"));
  EXPECT_THAT(lacks("torchtitan", layout), IsEmpty());
  layout.sequence_parallel = true;
  EXPECT_THAT(unrunnable(always, layout), IsEmpty());
  EXPECT_THAT(lacks("vllm", layout), ElementsAre("sequence parallelism"));
}

TEST(Unrunnable, Formats) {
  const catalog::Catalog& catalog = test::shipped_catalog();
  EXPECT_EQ(unrunnable_format(catalog.framework("nanotron"), "fp8"), "linear layers in fp8");
  EXPECT_EQ(unrunnable_format(catalog.framework("megatron-lm"), "fp8"), "");
  EXPECT_EQ(unrunnable_format(catalog.framework("overlapped"), "fp4"), "");
}

TEST(Unrunnable, VariantsAndRelativesTakeItOver) {
  parallel::Strategy layout;
  layout.context_parallel = 2;
  EXPECT_THAT(lacks("megatron-lm-2025", layout), IsEmpty());
  EXPECT_EQ(test::shipped_catalog().framework("megatron-lm-2025").runs->version, "main-2026-08-22");
  EXPECT_EQ(test::shipped_catalog().framework("megatron-lm-2025").runs->precisions,
            test::shipped_catalog().framework("megatron-lm").runs->precisions);
  EXPECT_TRUE(test::shipped_catalog().framework("sglang").runs->experts_beside_tensor);
  EXPECT_TRUE(test::shipped_catalog().framework("sglang").runs->tensor_parallel);  // of vllm
}

TEST(Targets, HaveTheVersionThatTheCatalogSaysRuns) {
  const catalog::Catalog& catalog = test::shipped_catalog();
  const auto same = [&](const TargetText& text) {
    ASSERT_TRUE(catalog.framework(text.name).runs.has_value()) << text.name;
    // Entries of a version have its name.
    const bool is_of_one = catalog.framework(text.name).name != text.name;
    EXPECT_TRUE(is_of_one ||
                catalog.framework(text.name).runs->version == text.versions.back().name)
        << text.name;
  };
  for (const TrainingTarget* target : training_targets()) {
    same(target->text);
  }
  for (const ServingTarget* target : serving_targets()) {
    same(target->text);
  }
}

}  // namespace
}  // namespace scalesweep::deploy
