#include "validation/kinds/kernel_cases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/shipped_catalog.hpp"

namespace scalesweep::validation {
namespace {

using test::shipped_catalog;
using testing::HasSubstr;

const std::string header =
    "case,device,gpus,op,m,k,n,batch,seq,heads,kv_heads,head_dim,kv_precision,causal,bytes,"
    "precision,time_s\n";

std::vector<KernelCase> read(const std::string& rows, Diagnostics& diagnostics) {
  std::vector<KernelCase> cases;
  const auto table = CsvTable::parse("k.csv", header + rows, diagnostics);
  for (std::size_t i = 0; table && i < table->rows(); ++i) {
    RowReader row(*table, i, shipped_catalog(), diagnostics);
    if (auto c = read_kernel_case(row)) {
      cases.push_back(*c);
    }
  }
  return cases;
}

KernelPrediction predict(const std::string& row) {
  Diagnostics diagnostics;
  const auto cases = read(row + "\n", diagnostics);
  EXPECT_EQ(diagnostics.text(), "");
  Systems systems(shipped_catalog());
  return cases.empty() ? KernelPrediction() : KernelPredictor(systems).predict(cases.front());
}

TEST(KernelCases, AreReadByTheirOperator) {
  Diagnostics diagnostics;
  const auto cases = read(
      "a,h100-sxm,1,matmul,128,256,512,,,,,,,,,fp8,1e-5\n"
      "b,h100-sxm,1,attention_prefill,,,,2,1024,32,8,128,fp8,,,bf16,\n"
      "c,h100-sxm,1,attention_decode,,,,2,1024,32,,128,,,,bf16,1e-5\n"
      "d-host-timed,h100,4,all_reduce,,,,,,,,,,,65536,fp16,1e-5\n",
      diagnostics);

  ASSERT_EQ(cases.size(), 4U) << diagnostics.text();
  EXPECT_EQ(cases[0].op, KernelOperator::matmul);
  EXPECT_EQ(cases[0].m, 128.0);
  EXPECT_EQ(cases[0].k, 256.0);
  EXPECT_EQ(cases[0].n, 512.0);
  EXPECT_EQ(cases[0].precision, technology::Precision::fp8);
  EXPECT_EQ(cases[0].measured_s, 1e-5);
  EXPECT_EQ(cases[1].op, KernelOperator::attention_prefill);
  EXPECT_EQ(cases[1].kv_heads, 8.0);
  EXPECT_EQ(cases[1].cache_precision, technology::Precision::fp8);
  EXPECT_TRUE(cases[1].causal);
  EXPECT_FALSE(cases[1].measured_s);
  EXPECT_EQ(cases[2].op, KernelOperator::attention_decode);
  EXPECT_EQ(cases[2].kv_heads, 32.0) << "as many as heads";
  EXPECT_EQ(cases[2].cache_precision, technology::Precision::bf16) << "that of the operands";
  EXPECT_EQ(cases[3].op, KernelOperator::all_reduce);
  EXPECT_EQ(cases[3].device, "h100-sxm");
  EXPECT_EQ(cases[3].devices, 4);
  EXPECT_EQ(cases[3].bytes, 65536.0);
  EXPECT_TRUE(cases[3].host_timed);
  EXPECT_FALSE(cases[0].host_timed);
}

TEST(KernelCases, NeedTheCellsOfTheirOperator) {
  Diagnostics diagnostics;
  const auto cases = read(
      "a,h100-sxm,1,matmul,128,,512,,,,,,,,,fp8,1e-5\n"
      "b,h100-sxm,1,attention_prefill,,,,2,,32,8,,,,,bf16,1e-5\n"
      "c,h100-sxm,,all_gather,,,,,,,,,,,,bf16,1e-5\n"
      "d,h100-sxm,1,matmull,1,1,1,,,,,,,,,bf16,1e-5\n"
      "e,h100-sxm,1,,1,1,1,,,,,,,,,bf16,1e-5\n"
      "f,h100-sxm,1,matmul,1,1,1,,,,,,,,,bf16,1e-5\n",
      diagnostics);

  EXPECT_EQ(cases.size(), 1U);
  const std::string text = diagnostics.text();
  EXPECT_THAT(text, HasSubstr("k.csv:2:6: error: k: is required: a positive number"));
  EXPECT_THAT(text, HasSubstr("k.csv:3:9: error: seq: is required: a positive number"));
  EXPECT_THAT(text, HasSubstr("k.csv:3:12: error: head_dim: is required: a positive number"));
  EXPECT_THAT(text, HasSubstr("k.csv:4:3: error: gpus: is required: a whole number of at least 1"));
  EXPECT_THAT(text, HasSubstr("k.csv:4:15: error: bytes: is required: a positive number"));
  EXPECT_THAT(text, HasSubstr("k.csv:5:4: error: op: 'matmull' is none of matmul, "
                              "attention_prefill, attention_decode, pointwise, experts, "
                              "latent_prefill, latent_decode, all_reduce, "
                              "all_gather, reduce_scatter, all_to_all"));
  EXPECT_THAT(text, HasSubstr("k.csv:6:4: error: op: is required: one of matmul"));
}

TEST(KernelPredictor, GivesLargeGemmsTheTimeOfTheirWork) {
  const KernelPrediction p = predict("a,h100-sxm,1,matmul,8192,8192,8192,,,,,,,,,bf16,");
  EXPECT_EQ(p.note, "");
  const technology::Device& device = shipped_catalog().device("h100-sxm");
  const double flop = 2.0 * 8192.0 * 8192.0 * 8192.0;
  const double peak = device.tensor_peak[technology::index_of(technology::Precision::bf16)].si();
  EXPECT_GT(p.time_s, flop / peak);
  EXPECT_LT(p.time_s, 2.0 * flop / peak);
  EXPECT_EQ(estimator::dominant(p.charges), estimator::Resource::tensor_compute);
  EXPECT_NEAR(p.charges.total_s(), p.time_s, 1e-12 * p.time_s);
}

TEST(KernelPredictor, StreamsFromDramWhatL2DoesNotHold) {
  const technology::Device& device = shipped_catalog().device("h100-sxm");
  const double rate = device.dram.bandwidth.si() * device.dram.sustained;
  const KernelPrediction large = predict("a,h100-sxm,1,pointwise,,,,,,,,,,,1e9,bf16,");
  EXPECT_NEAR(large.time_s, 1e9 / rate + device.kernel_latency.si(), 1e-9);
  EXPECT_EQ(estimator::dominant(large.charges), estimator::Resource::dram);
  const KernelPrediction small = predict("a,h100-sxm,1,pointwise,,,,,,,,,,,2e7,bf16,");
  EXPECT_LT(small.time_s, 2e7 / rate) << "half of L2 holds it";
}

// The same product of fp8 operands, alone and as a layer of a library runs it.
TEST(KernelPredictor, QuantisesActivationsWhereTheLibraryDoes) {
  const auto seconds = [](const std::string& columns, const std::string& cells) {
    Diagnostics diagnostics;
    const auto table = CsvTable::parse("k.csv",
                                       "case,device,op,m,k,n,precision" + columns +
                                           "\na,h100-sxm,matmul,8192,4096,4096,fp8" + cells + "\n",
                                       diagnostics);
    RowReader row(*table, 0, shipped_catalog(), diagnostics);
    const auto kernel = read_kernel_case(row);
    EXPECT_TRUE(kernel) << diagnostics.text();
    Systems systems(shipped_catalog());
    return KernelPredictor(systems).predict(kernel.value_or(KernelCase())).time_s;
  };
  const double layer = seconds("", "");
  const double alone = seconds(",operands", ",ready");
  EXPECT_EQ(seconds(",library", ",cublaslt"), alone);
  EXPECT_EQ(seconds(",library,operands", ",cublaslt,quantised"), layer);
  EXPECT_EQ(seconds(",recipe", ",current"), layer);
  // Two readings of two bytes and one byte written, at 0.7 of what DRAM sustains, and launches.
  const double bytes = 8192.0 * 4096.0 * 5.0;
  EXPECT_NEAR(layer - alone, bytes / (0.7 * 0.858 * 3350e9) + 9.49e-6, 1e-9);
  EXPECT_NEAR(layer - seconds(",recipe", ",row"), bytes * 2.0 / 5.0 / (0.7 * 0.858 * 3350e9), 1e-9);
}

TEST(KernelPredictor, AddsTheHostToWhatIsTimedFromThere) {
  const double device_s = predict("a,a100-sxm-80gb,1,matmul,512,512,512,,,,,,,,,fp16,").time_s;
  const double host_s =
      predict("a host-timed,a100-sxm-80gb,1,matmul,512,512,512,,,,,,,,,fp16,").time_s;
  EXPECT_NEAR(host_s - device_s, 20e-6, 1e-12);
}

TEST(KernelPredictor, SaysWhatItHasNoRateFor) {
  EXPECT_EQ(predict("a,a100-sxm-80gb,1,matmul,512,512,512,,,,,,,,,fp8,").note,
            "the catalog has no fp8 rate for a100-sxm-80gb");
}

TEST(KernelPredictor, GivesLargeCollectivesTheTimeOfTheirBytes) {
  // Bus bandwidth is bytes (p - 1) / p / time, twice that for an all-reduce.
  const double bytes = 1e9;
  const double port = shipped_catalog()
                          .catalogued_system(shipped_catalog().usual_system("h100-sxm"))
                          .scale_up()
                          .bandwidth.si();
  for (const auto& [op, factor] : {std::pair("all_gather", 1.0), std::pair("reduce_scatter", 1.0),
                                   std::pair("all_reduce", 2.0)}) {
    const KernelPrediction p =
        predict(std::string("a,h100-sxm,8,") + op + ",,,,,,,,,,,1000000000,fp16,");
    const double bus = factor * bytes * 7.0 / 8.0 / p.time_s;
    EXPECT_GT(bus, 0.5 * port) << op;
    EXPECT_LT(bus, 1.2 * port) << op;
    EXPECT_EQ(estimator::dominant(p.charges), estimator::Resource::scale_up) << op;
  }
}

}  // namespace
}  // namespace scalesweep::validation
