#include "validation/cases/case_sources.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/shipped_catalog.hpp"
#include "validation/inference_cases.hpp"

namespace scalesweep::validation {
namespace {

using test::shipped_catalog;
using testing::HasSubstr;

std::string source_name(const std::string& columns, const std::string& cells) {
  Diagnostics diagnostics;
  const auto table = CsvTable::parse("f.csv", columns + "\n" + cells + "\n", diagnostics);
  return std::string(source_of(RowReader(*table, 0, test::shipped_catalog(), diagnostics)).name);
}

TEST(CaseSources, AreToldByTheirText) {
  EXPECT_EQ(source_name("source", "\"Korthikanti et al. 2022 arXiv:2205.05198 Table 5\""),
            "Korthikanti 2022");
  EXPECT_EQ(source_name("source", "Smith et al. 2022 arXiv:2201.11990 sec 2.4"), "Smith 2022");
  EXPECT_EQ(source_name("source", "mosaicml/llm-foundry scripts/train/benchmarking"), "MosaicML");
  EXPECT_EQ(source_name("source", "pytorch/torchtitan benchmarks/llama3-8b"), "TorchTitan");
  EXPECT_EQ(source_name("source", "NVIDIA-NeMo/Megatron-Bridge docs"), "NVIDIA");
  EXPECT_EQ(source_name("source", "https://docs.nvidia.com/nemo-framework/user-guide"), "NVIDIA");
  EXPECT_EQ(source_name("source", "somebody's blog"), "");
}

TEST(CaseSources, AVariantOfAFrameworkIsToldByTheCase) {
  EXPECT_EQ(framework_variant("torchtitan", "titan 2025 8b TP8 async fp8 64", ""),
            "torchtitan-async-tensor");
  EXPECT_EQ(framework_variant("torchtitan", "titan 2025 8b TP8 vanilla fp8 64", ""), "torchtitan");
  EXPECT_EQ(framework_variant("nanotron", "an async one", ""), "nanotron");
  const char* benchmarks = "NVIDIA/dgxc-benchmarking @dfc8039 (v25.05) deepseek_v3/README.md";
  EXPECT_EQ(framework_variant("megatron-bridge", "dgxc deepseek-v3", benchmarks),
            "megatron-bridge-2025");
  EXPECT_EQ(framework_variant("nanotron", "dgxc deepseek-v3", benchmarks), "nanotron");
}

TEST(CaseSources, KernelsThatDidNotShareTheirCacheAreToldByLibraryAndDevice) {
  EXPECT_EQ(measured_shared_heads("TensorRT-LLM 1.3.0rc10", "gb200"), 1);
  EXPECT_EQ(measured_shared_heads("TensorRT-LLM 1.3.0rc10", "h100-sxm"), std::nullopt);
  EXPECT_EQ(measured_shared_heads("TensorRT-LLM 1.4", "gb200"), std::nullopt);
}

TEST(CaseSources, WithoutTextAreToldByTheirColumns) {
  EXPECT_EQ(source_name("measured_all_reduce_gb_per_s,outcome", "12,success"), "ultra-scale");
  EXPECT_EQ(source_name("memory_states_gb,outcome", ",oom"), "ultra-scale");
  EXPECT_EQ(source_name("precision,flash_attention", "fp16,false"), "vTrain");
  EXPECT_EQ(source_name("precision,memory_allocated_gb", "bf16,71.46"), "SimuMax");
  EXPECT_EQ(source_name("precision,flash_attention", "bf16,true"), "");
}

TEST(CaseSources, WithoutTextAreToldByTheirNames) {
  EXPECT_EQ(source_name("case,precision", "h100-13436292,bf16"), "ultra-scale");
  EXPECT_EQ(source_name("case,precision", "a100-single-12,"), "vTrain");
  EXPECT_EQ(source_name("case,precision", "a100-multi-3,"), "vTrain");
  EXPECT_EQ(source_name("case,precision", "b200-llama3_70b_l12_tp1,bf16"), "SimuMax");
  EXPECT_EQ(source_name("case,precision", "h100-mine,bf16"), "");
  EXPECT_EQ(source_name("case,precision", "h100-,bf16"), "");
}

InferenceSource inference_source(const std::string& text, const std::string& name = "") {
  Diagnostics diagnostics;
  const auto table =
      CsvTable::parse("f.csv", "source,case\n\"" + text + "\"," + name + "\n", diagnostics);
  return inference_source_of(RowReader(*table, 0, test::shipped_catalog(), diagnostics));
}

TEST(InferenceSources, AreToldByTheirText) {
  const auto framework = [](const char* text) { return inference_source(text).framework; };
  EXPECT_EQ(framework("NVIDIA/TensorRT-LLM docs/source/performance.md v0.5"), "tensorrt-llm-2023");
  EXPECT_EQ(framework("docs.nvidia.com/nim/benchmarking/llm/1.0.0/performance"),
            "tensorrt-llm@1.0");
  EXPECT_EQ(framework("NVIDIA NeMo docs llms/llama/performance.html"), "nemo");
  EXPECT_EQ(framework("NVIDIA/FasterTransformer docs/gpt_guide.md"), "fastertransformer");
  EXPECT_EQ(framework("NVIDIA/NeMo-Megatron-Launcher README.md @e78c2d41"), "fastertransformer");
  EXPECT_EQ(framework("InternLM/lmdeploy docs/en/benchmark/a100_fp16.md"), "lmdeploy");
  EXPECT_EQ(framework("Rapid-LLM imec_data/uci_inf.csv (UCI vLLM measurement,"), "vllm-2023");
  EXPECT_EQ(framework("He et al. 2024 arXiv:2407.00029"), "xfastertransformer");
  EXPECT_EQ(framework("lmsys.org large-scale-ep blog 2025-05-05 (SGLang, H100)"),
            "sglang-large-ep");
  EXPECT_EQ(framework("DeepSeek open-infra-index day 6"), "sglang-large-ep");
  EXPECT_EQ(framework("somebody's blog"), "overlapped");
  for (const char* text : {"lmsys.org", "open-infra-index", "nim/benchmarking", "TensorRT-LLM",
                           "NVIDIA NeMo docs", "UCI vLLM", "lmdeploy", "2407.00029"}) {
    EXPECT_TRUE(test::shipped_catalog().has(catalog::Section::frameworks, framework(text))) << text;
  }
}

TEST(InferenceSources, AreToldByTheirCasesWhereOneTextHasSeveralStacks) {
  const std::string bench = "argonne-lcf/LLM-Inference-Bench Plots/All_results.csv";
  EXPECT_EQ(inference_source(bench, "Llama-2-7b Nvidia A100 GPU x1 vLLM").framework, "vllm-2024");
  EXPECT_EQ(inference_source(bench, "Llama-2-7b AMD MI250 GPU x4 vLLM").framework,
            "vllm-2024-rocm-cdna2");
  EXPECT_EQ(inference_source(bench, "Llama-2-7b AMD MI300X GPU x1 vLLM").framework,
            "vllm-2024-rocm");
  EXPECT_TRUE(inference_source(bench, "Mixtral Nvidia H100 GPU x4 TensorRT-LLM").copies_of_one);
  EXPECT_FALSE(inference_source(bench, "Mixtral Nvidia H100 GPU x4 vLLM").copies_of_one);
}

TEST(InferenceSources, SayWhatTheirRowsDoNot) {
  EXPECT_TRUE(inference_source("ml-energy/leaderboard v3").under_load);
  EXPECT_TRUE(inference_source("NVIDIA NIM LLM benchmarking").narrow_cache);
  EXPECT_TRUE(inference_source("NVIDIA/TensorRT-LLM docs").narrow_cache);
  EXPECT_FALSE(inference_source("InternLM/lmdeploy docs").narrow_cache);
  EXPECT_TRUE(inference_source("NVIDIA/FasterTransformer docs").cuts_batch_by_stages);
  EXPECT_FALSE(inference_source("NVIDIA/TensorRT-LLM docs").cuts_batch_by_stages);
  EXPECT_TRUE(inference_source("(UCI vLLM measurement,").rate_without_prompt);
  EXPECT_FALSE(inference_source("NVIDIA/TensorRT-LLM docs").rate_without_prompt);
}

TEST(InferenceSources, HaveGroupsThatAreAskedFor) {
  const auto group = [](const char* text, const char* framework, InferenceMetric metric) {
    return inference_group(inference_source(text), framework, metric);
  };
  EXPECT_EQ(group("nim/benchmarking", "tensorrt-llm", InferenceMetric::output_token),
            "NIM, time per output token");
  EXPECT_EQ(group("nim/benchmarking", "tensorrt-llm", InferenceMetric::first_token), "");
  EXPECT_EQ(group("NVIDIA NeMo docs", "megatron-bridge", InferenceMetric::latency),
            "Llama-2, one request");
  EXPECT_EQ(group("FasterTransformer", "fastertransformer", InferenceMetric::latency),
            "FasterTransformer");
  EXPECT_EQ(group("FasterTransformer", "megatron-lm", InferenceMetric::latency), "");
  EXPECT_EQ(group("2407.00029", "xfastertransformer", InferenceMetric::output_token), "Xeon");
}

std::vector<InferenceCase> read_row(const std::string& row, Diagnostics& diagnostics) {
  const auto table = CsvTable::parse(
      "f.csv",
      "case,source,framework,device,gpus,model,batch,concurrency,prompt_tokens,output_tokens,"
      "metric,value,lengths\n" +
          row + "\n",
      diagnostics);
  Systems systems(shipped_catalog());
  std::vector<InferenceCase> cases;
  RowReader reader(*table, 0, shipped_catalog(), diagnostics);
  if (auto c = read_inference_case(reader, {shipped_catalog(), systems, ""})) {
    cases.push_back(*c);
  }
  return cases;
}

// Lengths that a benchmark draws from 0.8 to 1 of a power of two have a mean of 9/10 of it.
TEST(CaseSources, TellWhetherLengthsAreFixed) {
  const auto read = [](const std::string& source, const std::string& requests,
                       const std::string& lengths, const std::string& complaint = "") {
    Diagnostics diagnostics;
    const auto cases =
        read_row("a," + source + ",vllm,h100-sxm,1,llama-3-8b," + requests + ",ttft_s,1," + lengths,
                 diagnostics);
    EXPECT_THAT(diagnostics.text(), HasSubstr(complaint));
    EXPECT_EQ(diagnostics.text().empty(), complaint.empty()) << diagnostics.text();
    return !cases.empty() && cases.front().lengths == estimator::Lengths::fixed;
  };
  const std::string table = "AIConfigurator silicon table";
  EXPECT_TRUE(read(table, ",8,1024,128", ""));
  EXPECT_FALSE(read(table, ",8,922,7373", ""));
  EXPECT_FALSE(read(table, ",8,922,128", ""));
  EXPECT_TRUE(read(table, ",8,922,7373", "fixed"));
  EXPECT_FALSE(read(table, ",8,1024,128", "drawn"));
  EXPECT_FALSE(read("", ",8,1024,128", ""));
  EXPECT_TRUE(read("", ",8,1024,128", "fixed"));
  read("", ",8,1024,128", "fix", "f.csv:2:13: error: lengths: ");
  read("", "8,,1024,128", "fixed",
       "f.csv:2:13: error: lengths: of a batch that starts together they are fixed; it is for rows "
       "with a concurrency");
}

TEST(FixedLengths, LetFirstTokensWaitForThePromptsBefore) {
  const auto first_s = [](int open, const std::string& lengths) {
    Diagnostics diagnostics;
    const auto cases = read_row("a,,tensorrt-llm@1.0,h100-sxm,1,llama-3-8b,," +
                                    std::to_string(open) + ",2048,512,ttft_s,1," + lengths,
                                diagnostics);
    EXPECT_EQ(diagnostics.text(), "");
    return cases.empty() ? 0.0 : predict(cases.front()).value.value_or(0.0);
  };
  EXPECT_DOUBLE_EQ(first_s(1, "fixed"), first_s(1, "drawn"));
  EXPECT_GT(first_s(2, "fixed"), 1.5 * first_s(2, "drawn"));
  EXPECT_GT(first_s(8, "fixed"), 2.0 * first_s(8, "drawn"));  // the host schedules ahead
  EXPECT_LT(first_s(8, "fixed"), 3.5 * first_s(8, "drawn"));
}

}  // namespace
}  // namespace scalesweep::validation
