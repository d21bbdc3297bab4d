// Rows of inference: what is read, what is taken where a row says nothing, and mistakes.
#include "validation/inference_cases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/shipped_catalog.hpp"
#include "workload/framework.hpp"

namespace scalesweep::validation {
namespace {

using technology::Precision;
using test::shipped_catalog;
using testing::HasSubstr;

const std::string header =
    "case,source,framework,device,gpus,model,tp,pp,batch,concurrency,prompt_tokens,output_tokens,"
    "precision,metric,value,kv_precision,weight_precision,dp,ep\n";

std::vector<InferenceCase> read_table(const std::string& text, Diagnostics& diagnostics,
                                      const std::string& framework = "") {
  std::vector<InferenceCase> cases;
  const auto table = CsvTable::parse("f.csv", text, diagnostics);
  Systems systems(shipped_catalog());
  for (std::size_t i = 0; table && i < table->rows(); ++i) {
    RowReader row(*table, i, shipped_catalog(), diagnostics);
    if (auto c = read_inference_case(row, {shipped_catalog(), systems, framework})) {
      cases.push_back(*c);
    }
  }
  return cases;
}

std::vector<InferenceCase> read(const std::string& rows, Diagnostics& diagnostics,
                                const std::string& framework = "") {
  return read_table(header + rows, diagnostics, framework);
}

InferenceCase one(const std::string& row, const std::string& framework = "") {
  Diagnostics diagnostics;
  const auto cases = read(row + "\n", diagnostics, framework);
  EXPECT_EQ(diagnostics.text(), "");
  return cases.empty() ? InferenceCase() : cases.front();
}

// What a stack is called in its newest version.
std::string newest(const std::string& stack) {
  return shipped_catalog().framework(stack).name;
}

std::string complaints(const std::string& row) {
  Diagnostics diagnostics;
  const std::size_t cases = read(row + "\n", diagnostics).size();
  EXPECT_EQ(cases, diagnostics.text().empty() ? 1U : 0U);
  return diagnostics.text();
}

TEST(InferenceCases, AreReadAsTheyStand) {
  const InferenceCase c =
      one("a,,vllm,a100-sxm-80gb,8,llama-2-7b,4,2,6,,100,20,fp16,tokens_per_s,55,,,,");
  EXPECT_EQ(c.framework, newest("vllm"));
  EXPECT_EQ(c.job.stack.page_tokens, 16.0);
  EXPECT_EQ(c.system.device.name, "a100-sxm-80gb");
  EXPECT_EQ(c.job.model.name, "llama-2-7b");
  EXPECT_EQ(c.gpus, 8);
  EXPECT_EQ(c.strategy.tensor_parallel, 4);
  EXPECT_EQ(c.strategy.pipeline_parallel, 2);
  EXPECT_EQ(c.strategy.micro_batch, 6);
  EXPECT_EQ(c.strategy.micro_batches, 1);
  EXPECT_EQ(c.job.batch, 6);
  EXPECT_EQ(c.job.prompt, 100);
  EXPECT_EQ(c.job.output, 20);
  EXPECT_EQ(c.metric, InferenceMetric::tokens_per_second);
  EXPECT_EQ(c.measured, 55.0);
  EXPECT_EQ(c.concurrency, 0.0);
  EXPECT_FALSE(c.rate_without_prompt);
  EXPECT_EQ(c.group, "");
  for (const Precision precision : {c.job.precision.operands, c.job.precision.weights,
                                    c.job.precision.activations, c.job.precision.cache}) {
    EXPECT_EQ(precision, Precision::fp16);
  }
}

TEST(InferenceCases, FillInWhatARowLeavesOut) {
  const InferenceCase c = one("a,,,h100-sxm,,llama-2-7b,,,1,,8,2,,latency_s,,,,,");
  EXPECT_EQ(c.gpus, 1);
  EXPECT_EQ(c.job.precision, estimator::InferencePrecision());
  EXPECT_EQ(c.framework, "overlapped");
  EXPECT_FALSE(c.measured);
  EXPECT_EQ(one("a,,,h100-sxm,,llama-2-7b,,,1,,8,2,,latency_s,,,,,", "lmdeploy").framework,
            "lmdeploy");
}

TEST(InferenceCases, OfEightBitsKeepTheRestIn16) {
  const std::string row = "h100-sxm,1,llama-2-7b,1,1,1,,8,2,fp8,ttft_s,1";
  const auto plain = one("a,,eager," + row + ",,,,").job.precision;
  EXPECT_EQ(plain.operands, Precision::fp8);
  EXPECT_EQ(plain.weights, Precision::fp8);
  EXPECT_EQ(plain.activations, plain.head);
  EXPECT_EQ(technology::element_bytes(plain.activations), 2.0);
  EXPECT_EQ(technology::element_bytes(plain.cache), 2.0);
  EXPECT_EQ(one("a,NVIDIA/TensorRT-LLM docs,," + row + ",,,,").job.precision.cache, Precision::fp8);
  EXPECT_EQ(one("a,NVIDIA/TensorRT-LLM docs,," + row + ",bf16,,,").job.precision.cache,
            Precision::bf16);
  EXPECT_EQ(one("a,,eager," + row + ",int8,,,").job.precision.cache, Precision::int8);
  EXPECT_EQ(one("a,NVIDIA/TensorRT-LLM docs,,h100-sxm,1,llama-2-7b,1,1,1,,8,2,fp16,ttft_s,1,,,,")
                .job.precision.cache,
            Precision::fp16);
}

TEST(InferenceCases, MayHaveNarrowWeightsAlone) {
  const auto p =
      one("a,,eager,h100-sxm,1,llama-2-7b,1,1,1,,8,2,bf16,ttft_s,1,,fp4,,").job.precision;
  EXPECT_EQ(p.operands, Precision::bf16);
  EXPECT_EQ(p.weights, Precision::fp4);
  EXPECT_EQ(one("a,,eager,b200-sxm,1,llama-2-7b,1,1,1,,8,2,mxfp8,ttft_s,1,,mxfp4,,")
                .job.precision.weights,
            Precision::mxfp4);
  EXPECT_EQ(one("a,,eager,h100-sxm,1,llama-2-7b,1,1,1,,8,2,mxfp4,ttft_s,1,,,,").not_modelled,
            "the catalog has no mxfp4 rate for h100-sxm; weights alone have it in "
            "weight_precision, beside a precision that the device multiplies");
  EXPECT_EQ(one("a,,eager,mi355x,1,llama-2-7b,1,1,1,,8,2,mxfp4,ttft_s,1,,,,").not_modelled, "");
  EXPECT_THAT(complaints("a,,eager,h100-sxm,1,llama-2-7b,1,1,1,,8,2,fp8,ttft_s,1,,bf16,,"),
              HasSubstr("bf16 is wider than the fp8 that is multiplied"));
}

// Rows that name a model of the catalog run its published checkpoint.
TEST(InferenceCases, KeepWhatThePublishedCheckpointKeeps) {
  const auto precision = [](const std::string& model, const std::string& format,
                            const std::string& weights) {
    const std::string row = "a,,tensorrt-llm,b200-sxm,8," + model + ",8,1,1,,8,2," + format;
    return one(row + ",ttft_s,1,," + weights + ",,").job.precision;
  };
  const auto deepseek = precision("deepseek-v3", "nvfp4", "");
  EXPECT_EQ(deepseek.operands, Precision::fp4);
  EXPECT_EQ(deepseek.attention, Precision::bf16);
  EXPECT_EQ(deepseek.attention_output, Precision::fp4);
  const auto gpt_oss = precision("gpt-oss-120b", "mxfp8", "mxfp4");
  EXPECT_EQ(gpt_oss.operands, Precision::mxfp8);
  EXPECT_EQ(gpt_oss.weights, Precision::mxfp4);
  EXPECT_EQ(gpt_oss.attention, Precision::bf16);
  EXPECT_TRUE(precision("deepseek-v3", "fp8", "").is_uniform());
  EXPECT_TRUE(precision("llama-2-7b", "nvfp4", "").is_uniform()) << "nothing is known of it";
}

TEST(InferenceCases, MaySayPrecisionsOfSomeLayers) {
  const std::string columns =
      "case,framework,device,gpus,model,tp,batch,prompt_tokens,output_tokens,precision,metric,"
      "value,"
      "weight_precision,expert_precision,expert_weight_precision,shared_precision,"
      "attention_precision,head_precision\n";
  const std::string row = "a,tensorrt-llm,b200-sxm,8,deepseek-v3,8,1,8,2,";
  Diagnostics diagnostics;
  const auto cases =
      read_table(columns + row + "nvfp4,ttft_s,1,,fp8,mxfp4,bf16,fp8,fp8\n", diagnostics);
  ASSERT_EQ(cases.size(), 1U) << diagnostics.text();
  const auto& p = cases.front().job.precision;
  EXPECT_EQ(p.experts, Precision::fp8);
  EXPECT_EQ(p.expert_weights, Precision::mxfp4);
  EXPECT_EQ(p.shared, Precision::bf16);
  EXPECT_EQ(p.attention, Precision::fp8);
  EXPECT_FALSE(p.attention_output) << "all of attention";
  EXPECT_EQ(p.head, Precision::fp8);
  read_table(columns + row + "nvfp4,ttft_s,1,,fp8,bf16,,,\n", diagnostics);
  EXPECT_THAT(diagnostics.text(),
              HasSubstr("expert_weight_precision: bf16 is wider than the fp8 that is multiplied"));
}

TEST(InferenceCases, OfFasterTransformerCutBatchesByStages) {
  const auto strategy = [](const std::string& source, const std::string& batch) {
    return one("a," + source + ",fastertransformer,a100-sxm-80gb,24,gpt-530b,8,3," + batch +
               ",,20,8,fp16,latency_s,1,,,,")
        .strategy;
  };
  EXPECT_EQ(strategy("NVIDIA/FasterTransformer docs", "48").micro_batches, 3);
  EXPECT_EQ(strategy("NVIDIA/FasterTransformer docs", "48").micro_batch, 16);
  EXPECT_EQ(strategy("NVIDIA/FasterTransformer docs", "16").micro_batches, 1);
  EXPECT_EQ(strategy("NVIDIA/FasterTransformer docs", "16").micro_batch, 16);
  EXPECT_EQ(strategy("NVIDIA/NeMo-Megatron-Launcher README.md", "3").micro_batches, 3);
  EXPECT_EQ(strategy("", "48").micro_batches, 1);
}

TEST(InferenceCases, DealRequestsToReplicas) {
  const InferenceCase c = one("a,,vllm,h100-sxm,8,mixtral-8x7b,2,1,8,,8,2,,ttft_s,1,,,4,4");
  EXPECT_EQ(c.strategy.data_parallel, 4);
  EXPECT_EQ(c.strategy.expert_parallel, 4);
  EXPECT_EQ(c.strategy.micro_batch, 2);
  EXPECT_THAT(complaints("a,,vllm,h100-sxm,8,mixtral-8x7b,2,1,6,,8,2,,ttft_s,1,,,4,"),
              HasSubstr("f.csv:2:9: error: batch: 6 requests cannot be dealt to 4 replicas evenly; "
                        "a batch is that of all replicas: write 4 or 8, or a smaller dp"));
  EXPECT_THAT(complaints("a,,vllm,h100-sxm,8,mixtral-8x7b,2,1,3,,8,2,,ttft_s,1,,,4,"),
              HasSubstr("write 4, or a smaller dp"));
  EXPECT_THAT(complaints("a,,vllm,h100-sxm,8,mixtral-8x7b,2,1,8,,8,2,,ttft_s,1,,,4,3"),
              HasSubstr("f.csv:2:19: error: ep: 3 must divide dp = 4"));
}

// Two replicas of half the requests each.
TEST(InferenceCases, SpreadOpenRequestsOverReplicas) {
  const auto predicted = [](const std::string& gpus, const std::string& open,
                            const std::string& metric) {
    return predict(one("a,,vllm@0.11,h100-sxm," + gpus + ",llama-2-7b,1,1,," + open + ",512,64,," +
                       metric + ",1,,," + gpus + ","));
  };
  const InferencePrediction two = predicted("2", "32", "tokens_per_s");
  const InferencePrediction half = predicted("1", "16", "tokens_per_s");
  EXPECT_NEAR(*two.value, 2.0 * *half.value, 1e-6 * *two.value);
  EXPECT_EQ(*predicted("2", "32", "tpot_s").value, *predicted("1", "16", "tpot_s").value);
  EXPECT_DOUBLE_EQ(two.requests.in_flight, 32.0);
  EXPECT_DOUBLE_EQ(two.requests.in_flight_per_replica, 16.0);
  EXPECT_DOUBLE_EQ(two.requests.largest_batch, 2.0 * half.requests.largest_batch);
  EXPECT_DOUBLE_EQ(two.requests.largest_batch_per_replica, half.requests.largest_batch);
  // A mean need not divide.
  EXPECT_DOUBLE_EQ(predicted("2", "33", "tpot_s").requests.in_flight_per_replica, 16.5);
  // Of fewer requests than replicas some have none.
  EXPECT_LT(*predicted("4", "3", "tokens_per_s").value, *predicted("4", "4", "tokens_per_s").value);
  EXPECT_NEAR(*predicted("4", "3", "tpot_s").value, *predicted("1", "1", "tpot_s").value,
              1e-6 * *predicted("1", "1", "tpot_s").value);
}

TEST(InferenceCases, MayHaveCopiesOfExperts) {
  const std::string columns = header.substr(0, header.size() - 1) + ",redundant_experts\n";
  const auto read_cell = [&](const std::string& ep, const std::string& cell, Diagnostics& d) {
    return read_table(columns +
                          "a,,sglang,h100-sxm,72,deepseek-v3,1,1,72,,100,20,fp8,tpot_s,1,,,72," +
                          ep + "," + cell + "\n",
                      d);
  };
  Diagnostics none;
  EXPECT_EQ(read_cell("72", "32", none).at(0).strategy.redundant_experts, 32);
  EXPECT_EQ(read_cell("72", "", none).at(0).strategy.redundant_experts, 0);
  EXPECT_EQ(none.text(), "");
  Diagnostics wrong;
  read_cell("1", "32", wrong);
  EXPECT_THAT(wrong.text(), HasSubstr("redundant_experts: copies of experts need ranks to hold "
                                      "them: an ep above 1"));
}

TEST(InferenceCases, MayShareACacheAmongTensorParallelRanks) {
  const auto read_cell = [](const std::string& model, Diagnostics& d) {
    return read_table(header.substr(0, header.size() - 1) + ",dcp\na,,vllm,h100-sxm,16," + model +
                          ",16,1,1,,100,20,fp8,tpot_s,1,,,1,1,16\n",
                      d);
  };
  Diagnostics none, wrong;
  EXPECT_EQ(read_cell("deepseek-v3", none).at(0).strategy.decode_context_parallel, 16);
  read_cell("llama-3-70b", wrong);
  EXPECT_THAT(wrong.text(), HasSubstr("dcp: decode_context_parallel must divide tensor_parallel"));
}

// By copies that their rows cannot tell; where a cell does, the skew of the model holds.
TEST(InferenceCases, OfEnginesThatDealOutCopiesHaveEvenExperts) {
  const auto skew = [](const std::string& source, const std::string& copies) {
    const std::string columns = header.substr(0, header.size() - 1) + ",redundant_experts\n";
    Diagnostics none;
    return read_table(columns + "a," + source +
                          ",sglang,h100-sxm,32,deepseek-v3,1,1,32,,96,20,fp8,tpot_s,1,,,32,32," +
                          copies + "\n",
                      none)
        .at(0)
        .job.model.experts.skew;
  };
  EXPECT_EQ(skew("lmsys.org (SGLang)", ""), 0.0);
  EXPECT_EQ(skew("lmsys.org (SGLang)", "32"), std::nullopt);
  EXPECT_EQ(skew("a blog", ""), std::nullopt);
}

// TensorRT-LLM's guide holds so many requests open, of all replicas.
TEST(InferenceCases, RatesUnderLoadAreThoseOfOpenRequests) {
  const InferenceCase c = one(
      "a,TRT-LLM Best_perf_practice_on_DeepSeek-R1 blog,tensorrt-llm,h200-sxm,8,deepseek-v3,1,1,"
      "1024,,1024,2048,fp8,tokens_per_s,1,,,8,8");
  EXPECT_EQ(c.concurrency, 1024.0);
  EXPECT_FALSE(c.median_gap);
}

TEST(InferenceCases, MayNameTheChunkOfPrompts) {
  const std::string columns = header.substr(0, header.size() - 1) + ",prefill_chunk\n";
  const auto chunk = [&](const std::string& cell) {
    Diagnostics diagnostics;
    const auto cases = read_table(
        columns + "a,,vllm,h100-sxm,1,llama-2-7b,1,1,1,,512,64,,ttft_s,1,,,,," + cell + "\n",
        diagnostics);
    EXPECT_EQ(diagnostics.text(), cell == "-1" ? "f.csv:2:20: error: prefill_chunk: '-1' is not a "
                                                 "whole number of at least 0\n"
                                               : "");
    return cases.empty() ? -1.0 : cases.front().job.chunk_tokens({});
  };
  EXPECT_EQ(chunk(""), shipped_catalog().framework("vllm").serving.prefill_chunk);
  EXPECT_EQ(chunk("128"), 128.0);
  EXPECT_EQ(chunk("0"), 0.0);
  EXPECT_EQ(chunk("-1"), -1.0);
}

// Four ranks of tensor parallelism, two replicas: eight experts, one on each rank.
TEST(InferenceCases, SpreadMoreExpertsThanReplicasOverTensorParallelRanks) {
  const auto row = [](const std::string& ep) {
    return "a,,vllm,h100-sxm,8,mixtral-8x7b,4,1,8,,8,2,,ttft_s,1,,,2," + ep;
  };
  EXPECT_FALSE(one(row("2")).strategy.experts_over_tensor);
  for (const char* ep : {"4", "8"}) {
    EXPECT_TRUE(one(row(ep)).strategy.experts_over_tensor) << ep;
  }
  EXPECT_THAT(complaints(row("16")),
              HasSubstr("ep: 16 must divide dp = 2, or be a multiple of tp = 4 that divides all 8 "
                        "ranks of a stage"));
  EXPECT_THAT(complaints(row("6")), HasSubstr("ep: 6 must divide dp = 2"));
}

TEST(InferenceCases, RowsThatNameVllmForWantOfTheirStackRunAsIt) {
  const auto name = [](const std::string& source, const std::string& framework) {
    return one("a," + source + "," + framework + ",h100-sxm,1,llama-2-7b,1,1,1,,8,2,,ttft_s,1,,,,")
        .framework;
  };
  EXPECT_EQ(name("lmsys.org (SGLang)", "vllm"), "sglang-large-ep");
  EXPECT_EQ(name("lmsys.org (SGLang)", "tensorrt-llm"), newest("tensorrt-llm"));
  EXPECT_EQ(name("a blog", "vllm"), newest("vllm"));
}

TEST(InferenceCases, WithoutARateAreNotModelled) {
  EXPECT_EQ(one("a,,eager,a100-sxm-80gb,1,llama-2-7b,1,1,1,,8,2,fp8,ttft_s,1,,,,").not_modelled,
            "the catalog has no fp8 rate for a100-sxm-80gb; weights alone have it in "
            "weight_precision, beside a precision that the device multiplies");
}

TEST(InferenceCases, MistakesAreTold) {
  const auto with = [](const std::string& batch, const std::string& lengths,
                       const std::string& metric) {
    return complaints("a,,vllm,h100-sxm,2,llama-2-7b,2,1," + batch + "," + lengths + ",," + metric +
                      ",1,,,,");
  };
  EXPECT_THAT(
      with("4,4", "8,2", "tpot_s"),
      HasSubstr("f.csv:2:9: error: batch: a batch that starts together has no concurrency"));
  EXPECT_THAT(with(",", "8,2", "tpot_s"), HasSubstr("batch: is required, or concurrency"));
  EXPECT_THAT(with("1,", "8,1", "tpot_s"),
              HasSubstr("output_tokens: a time per token after the first needs at least 2"));
  EXPECT_THAT(with(",4", "8,2", "latency_s"),
              HasSubstr("metric: the latency of a batch needs a batch, not a concurrency"));
  EXPECT_THAT(with("1,", ",2", "ttft_s"), HasSubstr("prompt_tokens: is required"));
  EXPECT_THAT(with("1,", "8,", "ttft_s"), HasSubstr("output_tokens: is required"));
  EXPECT_EQ(with("1,", "8,1", "ttft_s"), "");
  EXPECT_THAT(complaints("a,,vlm,h100-sxm,1,llama-2-7b,1,1,1,,8,2,,ttft_s,1,,,,"),
              HasSubstr("framework: the catalog has no framework 'vlm'; did you mean 'vllm'?"));
  EXPECT_THAT(complaints("a,,vllm,h100-sxm,8,llama-2-7b,4,1,1,,8,2,,ttft_s,1,,,,"),
              HasSubstr("gpus: tp x pp x dp = 4 x 1 x 1 are 4 devices, not 8"));
}

double predicted(const std::string& source, const std::string& open, const std::string& metric) {
  const InferencePrediction p = predict(one("a," + source + ",vllm,h100-sxm,2,llama-2-7b,2,1," +
                                            open + ",512,64,," + metric + ",1,,,,"));
  EXPECT_TRUE(p.fits);
  EXPECT_NE(p.bottleneck, "");
  EXPECT_GT(p.memory.weights_bytes, 6.5e9);
  return p.value.value_or(0.0);
}

TEST(InferenceCases, MetricsAreOfTheSameEstimate) {
  const double latency = predicted("", "8,", "latency_s");
  const double first = predicted("", "8,", "ttft_s");
  const double next = predicted("", "8,", "tpot_s");
  EXPECT_GT(first, next);
  EXPECT_NEAR(latency, first + 63.0 * next, 1e-9 * latency);
  EXPECT_NEAR(predicted("", "8,", "tokens_per_s"), 8.0 * 64.0 / latency, 1e-6);
  EXPECT_NEAR(predicted("UCI vLLM", "8,", "tokens_per_s"),
              8.0 / predicted("UCI vLLM", "8,", "tpot_s"), 1e-6);
}

TEST(InferenceCases, OpenRequestsWaitForThePromptsOfOthers) {
  const double alone = predicted("", "8,", "tpot_s");
  const double open = predicted("", ",8", "tpot_s");
  EXPECT_GT(open, alone);
  EXPECT_LT(open, 2.0 * alone);
  EXPECT_GT(predicted("", ",8", "tokens_per_s"), predicted("", ",2", "tokens_per_s"));
  EXPECT_GT(predicted("", ",8", "ttft_s"), 0.0);
}

TEST(InferenceCases, OfOneSourceRunOnTheVersionOfItsTime) {
  const auto framework = [](const std::string& source, const std::string& cell) {
    return one("a," + source + "," + cell + ",h100-sxm,1,llama-2-7b,1,1,1,,8,2,,ttft_s,1,,,,")
        .framework;
  };
  EXPECT_EQ(framework("NVIDIA/TensorRT-LLM docs", "tensorrt-llm"), "tensorrt-llm-2023");
  EXPECT_EQ(framework("NVIDIA/TensorRT-LLM docs", "trt-llm"), "tensorrt-llm-2023");
  EXPECT_EQ(framework("NVIDIA/TensorRT-LLM docs", ""), "tensorrt-llm-2023");
  EXPECT_EQ(framework("NVIDIA/TensorRT-LLM docs", "eager"), "eager");
  EXPECT_EQ(framework("nim/benchmarking", "tensorrt-llm"), "tensorrt-llm@1.0");
  EXPECT_EQ(framework("(UCI vLLM measurement", "vllm"), "vllm-2023");
  EXPECT_EQ(framework("ml-energy/leaderboard v3", "vllm"), "vllm@0.11");
  EXPECT_EQ(framework("ROCm/vllm docs/dev-docker", "vllm"), "vllm-rocm");
  EXPECT_EQ(framework("argonne-lcf/LLM-Inference-Bench", "vllm"), "vllm-2024");
  EXPECT_EQ(framework("", "vllm"), newest("vllm"));
  EXPECT_EQ(framework("", "vllm@0.11"), "vllm@0.11");
}

// By version, image and date, and on whose devices.
TEST(InferenceCases, RunOnTheVersionThatTheyName) {
  const std::string columns = header.substr(0, header.size() - 1) + ",version,image,date\n";
  const auto framework = [&](const std::string& stack, const std::string& device,
                             const std::string& cells) {
    Diagnostics none;
    const auto cases = read_table(columns + "a,a blog," + stack + "," + device +
                                      ",1,llama-2-7b,1,1,1,,8,2,,ttft_s,1,,,," + "," + cells + "\n",
                                  none);
    EXPECT_EQ(none.text(), "");
    return cases.at(0).framework;
  };
  EXPECT_EQ(framework("vllm", "h100-sxm", "0.12.0,,"), "vllm@0.12");
  EXPECT_EQ(framework("vllm", "h100-sxm", "0.18.0,,"), "vllm@0.14");
  EXPECT_EQ(framework("vllm", "h100-sxm", ",vllm-openai:v0.13.0,2026-03-01"), "vllm@0.12");
  EXPECT_EQ(framework("vllm", "h100-sxm", ",registry/vllm/vllm-openai:v0.15.1-cu130,"),
            "vllm@0.14");
  EXPECT_EQ(framework("vllm", "h100-sxm", ",,2025-12-24"), "vllm@0.12");
  EXPECT_EQ(framework("vllm", "h100-sxm", "nightly-5b8c,,2026-02-24"), "vllm@0.14");
  EXPECT_EQ(framework("vllm", "h100-sxm", ",,"), newest("vllm"));
  EXPECT_EQ(framework("vllm", "mi300x", ",,"), "vllm-rocm");
  EXPECT_EQ(framework("sglang", "mi355x", ",sglang:v0.5.9-rocm700-mi35x,"), "sglang-rocm");
  EXPECT_EQ(framework("sglang", "b200-sxm", ",sglang:v0.5.9-cu130,"), "sglang@0.5");
  // An image of another project has that project's version in its name.
  EXPECT_EQ(framework("tensorrt-llm", "b200-sxm", ",tensorrtllm-runtime:0.8.1.post2,2026-02-01"),
            "tensorrt-llm@1.1");
  EXPECT_EQ(framework("tensorrt-llm", "h100-sxm", "1.0.0rc3,,"), "tensorrt-llm@1.0");
  EXPECT_EQ(framework("vllm-rocm", "mi355x", ",atom:rocm7.1.1-ubuntu24.04-atom0.1.1-MI350x,"),
            "atom@0.1");
}

// What a draft gives is the same by the probability and by the tokens that come out.
TEST(InferenceCases, MayDraft) {
  const std::string columns =
      header.substr(0, header.size() - 1) + ",draft,acceptance,accepted_tokens,draft_model\n";
  const std::string row = "a,,vllm,h100-sxm,8,deepseek-v3,8,1,1,,512,128,fp8,tpot_s,1,,,,,";
  const auto read_cells = [&](const std::string& cells) {
    Diagnostics none;
    const auto cases = read_table(columns + row + cells + "\n", none);
    EXPECT_EQ(none.text(), "");
    return cases.at(0);
  };
  const auto problem = [&](const std::string& cells) {
    Diagnostics found;
    EXPECT_TRUE(read_table(columns + row + cells + "\n", found).empty());
    return found.text();
  };
  const InferenceCase by_share = read_cells("3,0.7,,mtp");
  EXPECT_EQ(by_share.job.speculation.draft, 3);
  EXPECT_TRUE(by_share.job.speculation.drafter.on());
  const double tokens = by_share.job.speculation.tokens_per_iteration();
  const InferenceCase by_tokens = read_cells("3,," + std::to_string(tokens) + ",mtp");
  EXPECT_NEAR(by_tokens.job.speculation.acceptance, 0.7, 1e-5);
  EXPECT_LT(*predict(by_share).value, *predict(read_cells(",,,")).value);
  EXPECT_THAT(problem("3,,,"), HasSubstr("acceptance: is required beside draft"));
  EXPECT_THAT(problem("3,0.7,2.5,"), HasSubstr("accepted_tokens: says the same as acceptance"));
  EXPECT_THAT(problem("3,,4.5,"), HasSubstr("of a draft of 3 an iteration gives 1 to 4 tokens"));
  EXPECT_THAT(problem(",0.7,,"), HasSubstr("acceptance: needs draft"));
}

// Devices of their own for prompts take them from those that decode.
TEST(InferenceCases, MayHaveTwoPools) {
  const std::string columns = header.substr(0, header.size() - 1) + ",prefill_gpus,prefill_tp\n";
  const auto read_cells = [&](const std::string& load, const std::string& cells, Diagnostics& d) {
    return read_table(columns + "a,,vllm,h100-sxm,4,llama-2-13b,4,1," + load +
                          ",2048,128,fp16,tpot_s,1,,,,," + cells + "\n",
                      d);
  };
  Diagnostics none;
  const InferenceCase pools = read_cells(",16", "4,2", none).at(0);
  const InferenceCase one_pool = read_cells(",16", ",", none).at(0);
  EXPECT_EQ(none.text(), "");
  ASSERT_TRUE(pools.prefill.has_value());
  EXPECT_EQ(pools.prefill->devices, 4);
  EXPECT_EQ(pools.prefill->groups.at(0).tensor_parallel, 2);
  EXPECT_LT(*predict(pools).value, *predict(one_pool).value);
  const auto problem = [&](const std::string& load, const std::string& cells) {
    Diagnostics found;
    EXPECT_TRUE(read_cells(load, cells, found).empty());
    return found.text();
  };
  EXPECT_THAT(problem("16,", "4,2"), HasSubstr("two pools serve open requests: write concurrency"));
  EXPECT_THAT(problem(",16", "4,3"), HasSubstr("= 3 devices do not divide 4"));
  EXPECT_THAT(problem(",16", ",2"), HasSubstr("prefill_tp: needs prefill_gpus"));
}

TEST(InferenceCases, LetRequestsWaitWhoseCachesDoNotFit) {
  const auto at = [](const std::string& batch, const std::string& metric) {
    return *predict(one("a,,lmdeploy,a100-sxm-80gb,1,llama-2-13b,1,1," + batch +
                        ",,2048,2048,fp16," + metric + ",1,,,,"))
                .value;
  };
  EXPECT_EQ(at("64", "tpot_s"), at("48", "tpot_s"));  // the cache is full
  EXPECT_EQ(at("64", "tokens_per_s"), at("48", "tokens_per_s"));
  EXPECT_GT(at("64", "tpot_s"), at("4", "tpot_s"));
}

// What fits of all replicas is not what runs on one.
TEST(InferenceCases, OfReplicasThatAreFullAddUp) {
  const auto full = [](const std::string& gpus, const std::string& batch) {
    return predict(one("a,,lmdeploy,a100-sxm-80gb," + gpus + ",llama-2-13b,1,1," + batch +
                       ",,2048,2048,fp16,tokens_per_s,1,,," + gpus + ","));
  };
  const InferencePrediction alone = full("1", "64");
  const InferencePrediction eight = full("8", "512");
  EXPECT_NEAR(*eight.value, 8.0 * *alone.value, 1e-9 * *eight.value);
  EXPECT_LT(alone.requests.in_flight, 64.0);
  EXPECT_EQ(eight.requests.in_flight_per_replica, alone.requests.in_flight);
  EXPECT_EQ(eight.requests.in_flight, 8.0 * alone.requests.in_flight);
}

// 40 GB hold weights of 26 and the caches of few requests: a batch of n times as many takes n times
// as long.
TEST(InferenceCases, OfABatchThatDoesNotFitRunInTurns) {
  const auto latency = [](int batch) {
    const InferencePrediction p =
        predict(one("a,,lmdeploy,a100-sxm-40gb,1,llama-2-13b,1,1," + std::to_string(batch) +
                    ",,2048,2048,fp16,latency_s,1,,,,"));
    EXPECT_TRUE(p.fits);
    return *p.value;
  };
  EXPECT_NEAR(latency(300), 100.0 * latency(3), 1e-9 * latency(300));
  EXPECT_LT(latency(2), latency(3));
}

// Copies of one request, as a benchmark sends them, read no more experts than one does.
TEST(InferenceCases, OfCopiesReachTheExpertsOfOne) {
  const auto time = [](const std::string& source) {
    return *predict(one("Nvidia H100 TensorRT-LLM," + source +
                        ",tensorrt-llm-2023,h100-sxm,4,mixtral-8x7b,4,1,16,,128,128,fp16,tpot_s,1,"
                        ",,,"))
                .value;
  };
  EXPECT_LT(time("argonne-lcf/LLM-Inference-Bench"), 0.7 * time("TensorRT-LLM"));
}

// Half of the iterations bring no prompt until more than 0.69 requests end in each.
TEST(InferenceCases, UnderLoadAreMediansOfTheTimesBetweenTokens) {
  const auto time = [](const std::string& source, const std::string& requests) {
    return *predict(one("a," + source + ",vllm,h100-sxm,1,llama-3-8b,1,1," + requests +
                        ",1024,128,bf16,tpot_s,1,,,,"))
                .value;
  };
  EXPECT_LT(time("ml-energy", "64,"), time("somebody", ",64"));
  EXPECT_GT(time("ml-energy", "128,"), 1.5 * time("ml-energy", "64,"));
}

TEST(InferenceCases, ThatDoNotFitSayIt) {
  const InferencePrediction p =
      predict(one("a,,vllm,h100-sxm,1,llama-2-70b,1,1,,4,512,64,,tpot_s,1,,,,"));
  EXPECT_FALSE(p.fits);
}

TEST(InferenceCases, MaySayTheShapeOfTheirModel) {
  const auto with = [](const std::string& columns, const std::string& cells,
                       Diagnostics& diagnostics) {
    return read_table("case,device,batch,prompt_tokens,output_tokens,metric,value," + columns +
                          "\na,h100-sxm,8,1000,24,latency_s,1.0," + cells + "\n",
                      diagnostics, "vllm");
  };
  Diagnostics diagnostics;
  const auto cases = with(
      "hidden,layers,heads,kv_heads,ffn,gated_ffn,vocab,experts,experts_per_token,power_limit_w",
      "1024,24,16,4,4096,true,32000,16,2,500", diagnostics);
  ASSERT_EQ(cases.size(), 1U) << diagnostics.text();
  EXPECT_EQ(cases.front().job.model.experts.count, 16);
  EXPECT_EQ(cases.front().job.model.max_positions, 1024);
  EXPECT_DOUBLE_EQ(cases.front().system.device.thermal_design_power.si(), 500.0);
  EXPECT_GT(predict(cases.front()).value.value_or(0.0), 0.0);

  Diagnostics nothing;
  EXPECT_TRUE(with("extra", "x", nothing).empty());
  EXPECT_THAT(nothing.text(), HasSubstr("model: is required: a model of the catalog, or hidden"));
  Diagnostics power;
  EXPECT_TRUE(with("model,power_limit_w", "llama-3-8b,900", power).empty());
  EXPECT_THAT(power.text(), HasSubstr("power_limit_w: 900 is above the design power of h100-sxm"));
}

TEST(InferenceCases, HaveTheSystemOfAStudy) {
  const auto on = [](const std::string& device, const std::string& replicas) {
    return one("a,,vllm," + device + ",,llama-2-7b,1,1,512,,8,2,fp8,ttft_s,,,," + replicas + ",");
  };
  // Networks of more devices have more hops.
  EXPECT_LT(on("h100-sxm", "16").system.scale_out().latency.si(),
            on("h100-sxm", "512").system.scale_out().latency.si());
  // Beside 8 bits, also where fp16 is as fast.
  EXPECT_EQ(on("gb200", "1").job.precision.activations, Precision::bf16);
  EXPECT_EQ(on("v100-sxm2-32gb", "1").job.precision.activations, Precision::fp16);
}

TEST(InferenceCases, CountTheTokensOfWhatIsTimed) {
  const auto tokens = [](const std::string& batch, const std::string& metric) {
    return tokens_of(
        one("a,,vllm,h100-sxm,2,llama-2-7b,2,1," + batch + ",512,64,," + metric + ",1,,,,"));
  };
  EXPECT_EQ(tokens("4,", "latency_s"), 4.0 * 64.0);
  EXPECT_EQ(tokens("4,", "ttft_s"), 4.0 * 512.0);
  EXPECT_EQ(tokens("4,", "tpot_s"), 4.0);
  EXPECT_EQ(tokens(",6", "tpot_s"), 6.0);
  EXPECT_EQ(tokens("4,", "tokens_per_s"), 0.0);
}

}  // namespace
}  // namespace scalesweep::validation
