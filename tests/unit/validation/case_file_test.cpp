#include "validation/cases/case_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "support/shipped_catalog.hpp"

namespace scalesweep::validation {
namespace {

using test::shipped_catalog;
using testing::HasSubstr;

const std::string training_header =
    "case,device,gpus,model,seq,global_batch,micro_batch,tp,outcome,step_time_s,memory_states_gb,"
    "memory_allocated_gb,extra\n";

std::optional<CaseFile> evaluate(const std::string& text, Diagnostics& diagnostics) {
  return evaluate_file("f.csv", text, shipped_catalog(), "overlapped", diagnostics);
}

// The predictions of a file as a table again.
CsvTable predictions(const std::string& text, Diagnostics& diagnostics) {
  const auto cases = evaluate(text, diagnostics);
  EXPECT_TRUE(cases.has_value());
  Diagnostics none;
  auto table = CsvTable::parse("out.csv", predictions_csv(*cases), none);
  EXPECT_EQ(none.text(), "");
  return *table;
}

TEST(CaseFile, PredictsTrainingSteps) {
  Diagnostics diagnostics;
  const CsvTable out = predictions(
      training_header + "\"a, first\",h100-sxm,8,llama-2-7b,4096,16,1,8,success,1.5,20,30,x\n",
      diagnostics);

  EXPECT_EQ(diagnostics.text(), "");
  ASSERT_EQ(out.rows(), 1U);
  EXPECT_EQ(out.cell(0, "case"), "a, first");
  EXPECT_EQ(out.cell(0, "extra"), "x") << "unknown columns pass through";
  EXPECT_EQ(out.cell(0, "step_time_s"), "1.5");
  EXPECT_GT(std::stod(out.cell(0, "predicted_step_time_s")), 0.0);
  const double states_gb = std::stod(out.cell(0, "predicted_memory_states_gb"));
  // 6.74e9 parameters over 8 devices: 2 + 4 + 12 bytes each.
  EXPECT_NEAR(states_gb, 6.74 / 8.0 * 18.0, 0.5);
  EXPECT_GT(std::stod(out.cell(0, "predicted_memory_allocated_gb")), states_gb);
  EXPECT_GE(std::stod(out.cell(0, "predicted_memory_reserved_gb")),
            std::stod(out.cell(0, "predicted_memory_allocated_gb")));
  EXPECT_EQ(out.cell(0, "predicted_fits"), "true");
  EXPECT_NE(out.cell(0, "bottleneck"), "");
  EXPECT_EQ(out.cell(0, "note"), "");
  EXPECT_EQ(out.columns().back(), "note");
}

// What `run` gives for the same configuration comes out of the same look-up (resolve_test).
TEST(CaseFile, HasTheErrorBarsOfWhatRowsAreEstimatedWith) {
  Diagnostics diagnostics;
  const std::string columns = "case,device,gpus,model,seq,global_batch,micro_batch,step_time_s,";
  const CsvTable steps = predictions(columns +
                                         "framework\n"
                                         "a,h100-sxm,16,llama-3-8b,4096,16,1,1.5,nanotron\n"
                                         "b,h100-sxm,8,llama-3-8b,4096,16,1,1.5,nanotron\n"
                                         "c,tpu-v4,8,llama-3-8b,4096,16,1,1.5,nanotron\n"
                                         "d,pencil,8,llama-3-8b,4096,16,1,1.5,nanotron\n",
                                     diagnostics);
  const auto known = shipped_catalog().uncertainty("h100-sxm", "nanotron");
  ASSERT_NE(known.single_node.relative, known.multi_node.relative);
  const auto bar = [&](std::size_t row) {
    return std::stod(steps.cell(row, "predicted_relative_uncertainty"));
  };
  EXPECT_DOUBLE_EQ(bar(0), known.multi_node.relative);
  EXPECT_DOUBLE_EQ(bar(1), known.single_node.relative);
  const auto other = shipped_catalog().uncertainty("tpu-v4", "nanotron");
  ASSERT_TRUE(other.single_node.lacks.any());
  EXPECT_NEAR(bar(2), technology::relative_uncertainty(other, 8.0, {}), 1e-8);
  EXPECT_EQ(steps.cell(3, "predicted_relative_uncertainty"), "");
  EXPECT_EQ(steps.cell(0, "estimated_device"), "h100-sxm");
  EXPECT_EQ(steps.cell(0, "estimated_framework"), "nanotron");

  const CsvTable answers = predictions(
      "case,source,framework,device,model,tp,batch,prompt_tokens,output_tokens,metric,value\n"
      "a,NVIDIA/TensorRT-LLM docs,tensorrt-llm,h100-sxm,llama-2-7b,1,8,128,128,tokens_per_s,400\n",
      diagnostics);
  EXPECT_EQ(answers.cell(0, "estimated_framework"), "tensorrt-llm-2023") << "of its time";
  EXPECT_DOUBLE_EQ(
      std::stod(answers.cell(0, "predicted_relative_uncertainty")),
      shipped_catalog()
          .uncertainty("h100-sxm", "tensorrt-llm-2023", catalog::MeasuredWork::inference)
          .single_node.relative);
}

// A batch waits for nobody: its first token is known as well as the rest of it.
TEST(CaseFile, GivesFirstTokensOfServicesABarOfTheirOwn) {
  Diagnostics diagnostics;
  const CsvTable out = predictions(
      "case,framework,device,model,tp,batch,concurrency,prompt_tokens,output_tokens,metric,value\n"
      "a,vllm@0.14,h200-sxm,llama-3-8b,1,8,,128,128,ttft_s,0.1\n"
      "a,vllm@0.14,h200-sxm,llama-3-8b,1,,8,128,128,ttft_s,0.1\n"
      "a,vllm@0.14,h200-sxm,llama-3-8b,1,,8,128,128,tpot_s,0.1\n",
      diagnostics);
  const auto bar = [&](std::size_t row) {
    return std::stod(out.cell(row, "predicted_relative_uncertainty"));
  };
  const auto known = [](catalog::MeasuredWork work) {
    return shipped_catalog().uncertainty("h200-sxm", "vllm@0.14", work).single_node.relative;
  };
  EXPECT_NEAR(bar(0), known(catalog::MeasuredWork::inference), 1e-8);
  EXPECT_NEAR(bar(1), known(catalog::MeasuredWork::first_token), 1e-8);
  EXPECT_NEAR(bar(2), known(catalog::MeasuredWork::inference), 1e-8);
  EXPECT_GT(bar(1), bar(2));
}

TEST(CaseFile, PredictsATimeWhereItDoesNotFit) {
  Diagnostics diagnostics;
  const CsvTable out =
      predictions(training_header + "a,h100-sxm,8,llama-3-70b,8192,8,1,1,oom,,,,\n", diagnostics);

  EXPECT_EQ(out.cell(0, "predicted_fits"), "false");
  EXPECT_GT(std::stod(out.cell(0, "predicted_step_time_s")), 0.0);
}

TEST(CaseFile, KeepsEveryRowInOrderWithTheReasonOfFailure) {
  Diagnostics diagnostics;
  const std::string good = ",h100-sxm,8,llama-2-7b,4096,16,1,8,success,1.5,,,\n";
  const CsvTable out = predictions(training_header + "a" + good +
                                       "b,h100-sxm,8,lama-2-7b,4096,16,1,8,success,1.5,,,\n"
                                       "c,h100-sxm,8\n"
                                       "d,h100-sxm,8,llama-2-7b,4096,16,1,8,success,soon,,,\n"
                                       "e" +
                                       good,
                                   diagnostics);

  ASSERT_EQ(out.rows(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(out.cell(i, "case"), std::string(1, static_cast<char>('a' + i)));
    EXPECT_EQ(out.cell(i, "predicted_step_time_s").empty(), i >= 1 && i <= 3);
    EXPECT_EQ(out.cell(i, "note").empty(), i == 0 || i == 4);
  }
  EXPECT_EQ(out.cell(1, "note"),
            "model: the catalog has no model 'lama-2-7b'; did you mean 'llama-2-7b'?");
  EXPECT_EQ(out.cell(2, "note"), "3 fields where the header names 13 columns");
  EXPECT_EQ(out.cell(3, "note"), "step_time_s: 'soon' is not a positive number");
  EXPECT_EQ(diagnostics.error_count(), 3);
  EXPECT_EQ(out.cell(0, "predicted_step_time_s"), out.cell(4, "predicted_step_time_s"));
}

TEST(CaseFile, ReadsWhatWasMeasured) {
  Diagnostics diagnostics;
  const auto cases = evaluate(training_header +
                                  "a,h100-sxm,8,llama-2-7b,4096,16,1,8,success,1.5,20,30,\n"
                                  "b,h100-sxm,8,llama-2-7b,4096,16,1,8,oom,,,,\n"
                                  "c,h100-sxm,8,llama-2-7b,4096,16,1,8,,,,,\n",
                              diagnostics);

  ASSERT_TRUE(cases) << diagnostics.text();
  const CaseRow& a = cases->rows[0];
  EXPECT_EQ(a.measured, 1.5);
  EXPECT_EQ(a.measured_memory.states_bytes, 20e9);
  EXPECT_EQ(a.measured_memory.allocated_bytes, 30e9);
  EXPECT_FALSE(a.measured_memory.reserved_bytes);
  EXPECT_EQ(a.measured_fits, true);
  EXPECT_EQ(a.gpus, 8);
  EXPECT_DOUBLE_EQ(a.tokens, 16.0 * 4096.0);
  // 6 x 6.74e9 parameters x tokens, and attention, over 8 x 989 TFLOP/s x 1.5 s.
  EXPECT_NEAR(a.measured_utilization, 0.25, 0.05);
  EXPECT_EQ(cases->rows[1].measured_fits, false);
  EXPECT_FALSE(cases->rows[1].measured);
  EXPECT_FALSE(cases->rows[1].error());
  EXPECT_FALSE(cases->rows[2].measured_fits);
}

TEST(CaseFile, PredictsKernels) {
  Diagnostics diagnostics;
  const CsvTable out = predictions(
      "case,device,op,m,k,n,precision,library,time_s\n"
      "a,h100-sxm,matmul,1024,1024,1024,bf16,cuBLAS,1e-5\n"
      "b,a100-sxm-80gb,matmul,1024,1024,1024,fp8,cuBLAS,1e-5\n",
      diagnostics);

  EXPECT_EQ(diagnostics.text(), "");
  EXPECT_GT(std::stod(out.cell(0, "predicted_time_s")), 0.0);
  EXPECT_EQ(out.cell(0, "predicted_memory_states_gb"), "");
  EXPECT_EQ(out.cell(0, "predicted_fits"), "");
  EXPECT_FALSE(out.has("requests_in_flight"));
  EXPECT_EQ(out.cell(1, "predicted_time_s"), "");
  EXPECT_EQ(out.cell(1, "note"), "the catalog has no fp8 rate for a100-sxm-80gb");
}

TEST(CaseFile, PredictsInference) {
  Diagnostics diagnostics;
  const std::string header =
      "case,workload,device,gpus,model,tp,batch,concurrency,prompt_tokens,output_tokens,metric,"
      "value\n";
  const CsvTable out =
      predictions(header +
                      "a,inference,h100-sxm,8,llama-2-70b,8,1,,128,128,latency_s,3.2\n"
                      "b,inference,h100-sxm,8,llama-2-70b,8,1,,128,128,latency_s,fast\n"
                      "c,inference,h100-sxn,8,llama-2-70bb,8,1,,128,128,latency,1\n"
                      "d,inference,h100-sxm,8,llama-2-70b,8,1,,128,128,,1\n"
                      "e,inference,h100-sxm,8,llama-2-70b,8,,16,128,128,tpot_s,0.02\n"
                      "f,inference,v100-sxm2-32gb,1,gpt-20b,1,1,,128,128,latency_s,1\n",
                  diagnostics);

  EXPECT_EQ(out.cell(0, "note"), "");
  EXPECT_NEAR(std::stod(out.cell(0, "predicted_value")), 128 * 9e-3, 0.6);
  EXPECT_EQ(out.cell(0, "predicted_fits"), "true");
  EXPECT_EQ(out.cell(0, "bottleneck"), "dram");
  EXPECT_EQ(out.cell(0, "requests_in_flight"), "1");
  EXPECT_EQ(out.cell(4, "requests_in_flight"), "16");
  EXPECT_EQ(out.cell(4, "requests_in_flight_per_replica"), "16");
  EXPECT_EQ(out.cell(4, "largest_batch"), out.cell(4, "largest_batch_per_replica"));
  EXPECT_GT(std::stod(out.cell(4, "largest_batch")), 16.0);
  EXPECT_EQ(out.cell(1, "requests_in_flight"), "");
  // 69e9 parameters of 2 bytes on 8 devices.
  const double weights_gb = std::stod(out.cell(0, "predicted_memory_states_gb"));
  EXPECT_NEAR(weights_gb, 69.0 * 2.0 / 8.0, 0.5);
  EXPECT_GT(std::stod(out.cell(0, "predicted_memory_allocated_gb")), weights_gb);
  EXPECT_EQ(out.cell(1, "note"), "value: 'fast' is not a positive number");
  EXPECT_GT(std::stod(out.cell(4, "predicted_value")), 0.0);
  EXPECT_EQ(out.cell(5, "predicted_fits"), "");
  EXPECT_EQ(out.cell(5, "note"), "the catalog has no bf16 rate for v100-sxm2-32gb");
  const std::string text = diagnostics.text();
  EXPECT_THAT(text, HasSubstr("f.csv:3:12: error: value: 'fast'"));
  EXPECT_THAT(text, HasSubstr("f.csv:4:3: error: device: the catalog has no device 'h100-sxn'"));
  EXPECT_THAT(text, HasSubstr("f.csv:4:5: error: model: the catalog has no model 'llama-2-70bb'"));
  EXPECT_THAT(text, HasSubstr("f.csv:4:11: error: metric: 'latency' is none of latency_s, ttft_s, "
                              "tpot_s, tokens_per_s"));
  EXPECT_THAT(text, HasSubstr("f.csv:5:11: error: metric: is required: one of latency_s"));
}

TEST(CaseFile, NeedsTheColumnsOfItsKind) {
  Diagnostics training;
  EXPECT_FALSE(evaluate("case,device,gpus,sequence,global_batch\n", training));
  EXPECT_THAT(training.text(), HasSubstr("f.csv:1:1: error: the column 'seq' is missing"));
  EXPECT_THAT(training.text(), HasSubstr("the column 'micro_batch' is missing"));
  Diagnostics kernel;
  EXPECT_FALSE(evaluate("case,op,time_s\n", kernel));
  EXPECT_THAT(kernel.text(), HasSubstr("the column 'device' is missing"));
  Diagnostics inference;
  EXPECT_FALSE(evaluate("case,metric\n", inference));
  EXPECT_THAT(inference.text(), HasSubstr("the column 'device' is missing"));
}

std::string many_cases() {
  std::string text = training_header;
  for (int i = 0; i < 1500; ++i) {
    text += fmt::format("case {0},{1},8,llama-2-7b,4096,16,{2},8,success,{3},,,\n", i,
                        i % 3 == 0   ? "h100-sxm"
                        : i % 7 == 0 ? "h1000"
                                     : "a100-sxm-80gb",
                        1 << i % 3, 1.0 + 0.01 * (i % 50));
  }
  return text;
}

// As the whole at once is, by any number of threads.
TEST(CaseFile, IsTheSameInParts) {
  Diagnostics expected_problems;
  const CaseFile whole = *evaluate(many_cases(), expected_problems);
  for (const std::size_t threads : {1U, 3U}) {
    std::istringstream text(many_cases());
    Diagnostics diagnostics;
    std::string predicted;
    std::size_t parts = 0;
    EXPECT_TRUE(evaluate_parts({"f.csv", shipped_catalog(), "overlapped", threads}, text,
                               diagnostics, [&](const CaseFile& part) {
                                 predicted += parts++ == 0 ? predictions_header(part) : "";
                                 predicted += predictions_lines(part);
                               }));
    EXPECT_EQ(predicted, predictions_csv(whole));
    EXPECT_EQ(diagnostics.text(), expected_problems.text());
    EXPECT_GT(parts, 2U);
  }
}

TEST(CaseFile, InPartsEndsWhereTheTextIsNoCsvAndSaysNothingElse) {
  std::istringstream text(many_cases() + "\"x\" y\n");
  Diagnostics diagnostics;
  EXPECT_FALSE(evaluate_parts({"f.csv", shipped_catalog(), "", 2}, text, diagnostics,
                              [](const CaseFile&) {}));
  EXPECT_THAT(diagnostics.text(), testing::StartsWith("f.csv:1502:1: error: not a CSV file: "));
  EXPECT_EQ(diagnostics.error_count(), 1);
  std::istringstream header(training_header);
  Diagnostics none;
  std::size_t parts = 0;
  EXPECT_TRUE(
      evaluate_parts({"f.csv", shipped_catalog(), "", 2}, header, none, [&](const CaseFile& part) {
        ++parts;
        EXPECT_TRUE(part.rows.empty());
      }));
  EXPECT_EQ(parts, 1U);
  std::istringstream lacks("case,device\n");
  EXPECT_FALSE(
      evaluate_parts({"f.csv", shipped_catalog(), "", 2}, lacks, none, [](const CaseFile&) {}));
  EXPECT_THAT(none.text(), HasSubstr("is missing"));
}

}  // namespace
}  // namespace scalesweep::validation
