// Rows of experts and of latent attention: read with their places, predicted by the operators that
// services run, and against times of published tables.
#include "validation/kinds/served_kernels.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/shipped_catalog.hpp"
#include "validation/kinds/kernel_cases.hpp"

namespace scalesweep::validation {
namespace {

using technology::Precision;
using test::shipped_catalog;
using testing::HasSubstr;

const std::string experts =
    "case,device,op,tokens,hidden,expert_ffn,experts,experts_per_token,ep,tp,precision,"
    "weight_precision,recipe,copies,reached,framework,operands\n";
const std::string latent =
    "case,device,op,batch,seq,cached,heads,kv_rank,rope_dim,nope_dim,value_dim,part,hidden,"
    "query_rank,precision,kv_precision,recipe\n";

std::vector<KernelCase> read(const std::string& text, Diagnostics& diagnostics) {
  std::vector<KernelCase> cases;
  const auto table = CsvTable::parse("k.csv", text, diagnostics);
  for (std::size_t i = 0; table && i < table->rows(); ++i) {
    RowReader row(*table, i, shipped_catalog(), diagnostics);
    if (auto c = read_kernel_case(row)) {
      cases.push_back(*c);
    }
  }
  return cases;
}

double seconds(const std::string& text) {
  Diagnostics diagnostics;
  const auto cases = read(text + "\n", diagnostics);
  EXPECT_EQ(diagnostics.text(), "");
  Systems systems(shipped_catalog());
  return cases.empty() ? 0.0 : KernelPredictor(systems).predict(cases.front()).time_s;
}
double experts_s(const std::string& cells) {
  return seconds(experts + "a,h100-sxm,experts," + cells);
}
double latent_s(const std::string& cells) {
  return seconds(latent + "a,h100-sxm," + cells);
}

TEST(ServedKernels, NeedTheCellsOfTheirKernels) {
  Diagnostics diagnostics;
  EXPECT_TRUE(read(experts + "a,h100-sxm,experts,,7168,2048,256,8,,,bf16,,,,,,\n"
                             "b,h100-sxm,experts,64,7168,2048,8,9,16,,bf16,,,,,,\n"
                             "c,h100-sxm,experts,64,7168,2048,256,8,8,,bf16,,,64,,,\n"
                             "d,h100-sxm,experts,64,7168,2048,256,8,8,,bf16,,,64,33,,\n"
                             "e,h100-sxm,experts,64,7168,2048,256,8,8,,fp8,bf16,,,,,\n"
                             "f,h100-sxm,experts,64,7168,2048,256,8,8,,fp8,,,,,megatron-lm-2022,\n"
                             "g,h100-sxm,experts,64,7168,2048,256,8,8,,fp8,,,,,vlm,\n",
                   diagnostics)
                  .empty());
  const std::string text = diagnostics.text();
  EXPECT_THAT(text, HasSubstr("k.csv:2:4: error: tokens: is required: a positive number"));
  EXPECT_THAT(text, HasSubstr("k.csv:3:8: error: experts_per_token: 9 of 8 experts"));
  EXPECT_THAT(text, HasSubstr("k.csv:3:9: error: ep: 16 devices for 8 experts"));
  EXPECT_THAT(text, HasSubstr("k.csv:4:15: error: reached: copies of tokens and the experts that "
                              "they reach stand together; leave both empty for what chance makes "
                              "of them"));
  EXPECT_THAT(text, HasSubstr("k.csv:5:15: error: reached: 33 experts of a device that holds 32 "
                              "and gets 64 copies"));
  EXPECT_THAT(text, HasSubstr("k.csv:6:12: error: weight_precision: bf16 is wider than the fp8 "
                              "that is multiplied"));
  EXPECT_THAT(text, HasSubstr("k.csv:7:16: error: framework: nobody says how 'megatron-lm-2022' "
                              "serves; leave it empty for kernels alone"));
  EXPECT_THAT(text, HasSubstr("k.csv:8:16: error: framework: the catalog has no framework 'vlm'"));
}

TEST(ServedKernels, OfLatentAttentionNeedTheCellsOfTheirPhase) {
  Diagnostics diagnostics;
  EXPECT_TRUE(read(latent + "a,h100-sxm,latent_prefill,1,2048,,128,512,64,,,,,,bf16,,\n"
                            "b,h100-sxm,latent_decode,1,2048,5,128,512,64,,,,,,bf16,,\n"
                            "c,h100-sxm,latent_decode,1,2048,,128,512,64,128,,layer,,,bf16,,\n"
                            "d,h100-sxm,latent_decode,1,2048,,128,512,64,128,,module,,,bf16,,\n",
                   diagnostics)
                  .empty());
  const std::string text = diagnostics.text();
  EXPECT_THAT(text,
              HasSubstr("k.csv:2:10: error: nope_dim: is required: a whole number of at least 1"));
  EXPECT_THAT(text, HasSubstr("k.csv:3:6: error: cached: is of a prompt; the context of one new "
                              "token is seq"));
  EXPECT_THAT(text,
              HasSubstr("k.csv:4:13: error: hidden: is required: a whole number of at least 1"));
  EXPECT_THAT(text, HasSubstr("k.csv:5:12: error: part: 'module' is none of core, layer"));
}

// Every expert of the device is read once, whatever the kernels are.
TEST(ServedKernels, FewTokensOfManyExpertsReadTheirWeights) {
  const double weights = 3.0 * 7168.0 * 2048.0;
  const double rate = 0.858 * 3350e9;
  const double few = experts_s("256,7168,2048,256,8,8,1,bf16,,,256,32,,");
  EXPECT_GT(few, 32.0 * weights * 2.0 / rate);
  EXPECT_LT(few, 1.3 * 32.0 * weights * 2.0 / rate);
  EXPECT_LT(experts_s("256,7168,2048,256,8,8,1,fp8,,block,256,32,,"), 0.7 * few);
  EXPECT_LT(experts_s("256,7168,2048,256,8,8,1,bf16,mxfp4,,256,32,,"), 0.6 * few);
  EXPECT_LT(experts_s("256,7168,2048,256,8,8,2,bf16,,,256,32,,"), 0.7 * few);
}

TEST(ServedKernels, MoreOfAnythingIsNeverFaster) {
  double before = 0.0;
  for (const char* tokens : {"1", "8", "64", "512", "4096", "32768"}) {
    const double now = experts_s(std::string(tokens) + ",7168,2048,256,8,8,1,fp8,,block,,,,");
    EXPECT_GE(now, before) << tokens;
    before = now;
  }
  before = 0.0;
  for (const char* context : {"1", "512", "4096", "32768"}) {
    const double now =
        latent_s(std::string("latent_decode,32,") + context + ",,128,512,64,,,,,,bf16,,");
    EXPECT_GE(now, before) << context;
    before = now;
  }
}

// What chance makes of 64 tokens that go to 8 of 256 experts each, 32 of them here.
TEST(ServedKernels, AreDealtOutByChanceWhereNobodySays) {
  const double reached = 32.0 * (1.0 - std::pow(1.0 - 8.0 / 256.0, 64.0));
  EXPECT_NEAR(experts_s("64,7168,2048,256,8,8,1,bf16,,,,,,"),
              experts_s(fmt::format("64,7168,2048,256,8,8,1,bf16,,,64,{:.15g},,", reached)), 1e-12);
}

// A stack has shares and gaps that kernels alone do not have, and prepared operands save a pass.
TEST(ServedKernels, HeedTheirStackAndOperands) {
  const std::string row = "4096,7168,2048,256,8,8,1,fp8,,block,,,";
  EXPECT_GT(experts_s(row + "vllm@0.12,"), experts_s(row + ","));
  EXPECT_LT(experts_s(row + ",ready"), experts_s(row + ",quantised"));
  EXPECT_EQ(experts_s(row + ",quantised"), experts_s(row + ","));
}

// A library has its own fixed times and rates in its formats, and GEMMs stand for it in others.
TEST(ServedKernels, HeedTheLibraryOfTheirExperts) {
  std::string head = experts;
  head.replace(head.find("operands"), 8, "library");
  const auto time_s = [&](const std::string& cells) {
    return seconds(head + "a,h200-sxm,experts," + cells);
  };
  const std::string triton = ",SGLang 0.5.14 sglang_fused_moe_triton";
  const std::string few = "1,7168,2048,384,8,128,1,bf16,,,1,1,";
  EXPECT_GT(time_s(few + triton), time_s(few + ",") + 5e-6);
  // Copies that go elsewhere are written and summed as well.
  const std::string others = "16384,4096,1536,128,8,128,1,bf16,,,1024,1,";
  const double zeros = 15.0 * 8192.0 * (2.0 * 1536.0 + 2.0 * 4096.0) * 2.0;
  EXPECT_GT(time_s(others + triton), time_s(others + ",") + zeros / 4800e9);
  const std::string of_ints = "1,7168,2048,384,8,128,1,int8,,,1,1,";
  EXPECT_EQ(time_s(of_ints + triton), time_s(of_ints + ","));
}

// One latent of 576 values for all heads: a long context streams it once.
TEST(ServedKernels, LatentDecodeReadsOneCacheForAllHeads) {
  const double bytes = 64.0 * 32768.0 * 576.0 * 2.0;
  const double rate = 0.858 * 3350e9;
  const double time = latent_s("latent_decode,64,32768,,16,512,64,,,,,,bf16,,");
  EXPECT_GT(time, bytes / rate);
  EXPECT_LT(time, 1.1 * bytes / rate);
  EXPECT_LT(latent_s("latent_decode,64,32768,,16,512,64,,,,,,bf16,fp8,"), 0.6 * time);
}

// The layer has the projections around it; what is cached is expanded again by a prompt.
TEST(ServedKernels, LayersHoldTheirProjections) {
  const std::string core = "latent_prefill,1,2048,,128,512,64,128,128,core,,,bf16,,";
  const std::string layer = "latent_prefill,1,2048,,128,512,64,128,128,layer,7168,1536,bf16,,";
  const std::string cached = "latent_prefill,1,2048,2048,128,512,64,128,128,layer,7168,1536,bf16,,";
  const double weights = 7168.0 * (1536.0 + 576.0) + 1536.0 * 128.0 * 192.0 +
                         512.0 * 128.0 * 256.0 + 128.0 * 128.0 * 7168.0;
  const double peak = 989.4e12;
  EXPECT_GT(latent_s(layer), latent_s(core) + 2.0 * 2048.0 * weights / peak);
  EXPECT_GT(latent_s(cached), latent_s(layer) + 2.0 * 2048.0 * 512.0 * 128.0 * 256.0 / peak);
  EXPECT_LT(latent_s("latent_prefill,1,2048,,128,512,64,128,128,layer,7168,1536,fp8,,block"),
            latent_s(layer));
}

}  // namespace
}  // namespace scalesweep::validation
