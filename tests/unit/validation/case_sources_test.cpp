#include "validation/case_sources.hpp"

#include <gtest/gtest.h>

#include "support/shipped_catalog.hpp"

namespace scalesweep::validation {
namespace {

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

}  // namespace
}  // namespace scalesweep::validation
