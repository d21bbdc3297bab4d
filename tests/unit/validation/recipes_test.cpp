#include "validation/cases/recipes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/shipped_catalog.hpp"

namespace scalesweep::validation {
namespace {

using technology::Precision;
using testing::HasSubstr;
using workload::Recipe;

struct Said {
  std::optional<Recipe> recipe;
  Precision format;
  std::string messages;
};

Said read(const std::string& cell, Precision format, const std::string& name = "a",
          const std::string& source = "") {
  Diagnostics diagnostics;
  const auto table = CsvTable::parse(
      "f.csv", "case,source,recipe\n" + name + "," + source + "," + cell + "\n", diagnostics);
  RowReader row(*table, 0, test::shipped_catalog(), diagnostics);
  Said said{std::nullopt, format, ""};
  said.recipe = read_recipe(row, said.format);
  if (!said.recipe && row.good()) {
    said.recipe = named_recipe(row, said.format);
  }
  said.messages = diagnostics.text();
  return said;
}

TEST(CaseRecipes, AreReadInTheWordsOfPublications) {
  EXPECT_EQ(read("current scaling", Precision::fp8).recipe, Recipe::current);
  EXPECT_EQ(read("tensorwise", Precision::fp8).recipe, Recipe::current);
  EXPECT_EQ(read("fp8_cs", Precision::fp8).recipe, Recipe::current);
  EXPECT_EQ(read("Delayed", Precision::fp8).recipe, Recipe::delayed);
  EXPECT_EQ(read("row-wise", Precision::fp8).recipe, Recipe::row);
  EXPECT_EQ(read("block scaling", Precision::fp8).recipe, Recipe::block);
  EXPECT_EQ(read("nvfp4", Precision::fp4).recipe, Recipe::nvfp4);
  EXPECT_EQ(read("", Precision::fp8).recipe, std::nullopt);
  const Said micro = read("fp8_mx", Precision::fp8);
  EXPECT_EQ(micro.recipe, Recipe::mxfp8);
  EXPECT_EQ(micro.format, Precision::mxfp8);
}

TEST(CaseRecipes, FollowFromNamesAndSources) {
  EXPECT_EQ(read("", Precision::fp8, "mbridge_FP8-CS_0").recipe, Recipe::current);
  EXPECT_EQ(read("", Precision::bf16, "mbridge_FP8-CS_0").recipe, std::nullopt);
  const std::string old = "NVIDIA/dgxc-benchmarking @85380ff (v25.04.01) llama3.1/README.md";
  EXPECT_EQ(read("", Precision::fp8, "a", old).recipe, Recipe::delayed);
  EXPECT_EQ(read("current", Precision::fp8, "a", old).recipe, Recipe::current);
}

TEST(CaseRecipes, SayWhatIsWrong) {
  EXPECT_THAT(read("wild", Precision::fp8).messages,
              HasSubstr("f.csv:2:3: error: recipe: 'wild' is none of delayed, current, row, block, "
                        "mxfp8, nvfp4, mxfp6, mxfp4, nor another word for one of them"));
  EXPECT_THAT(read("nvfp4", Precision::fp8).messages,
              HasSubstr("recipe: nvfp4 scales operands of fp4, not of fp8; leave the cell empty, "
                        "or write that precision"));
  EXPECT_THAT(read("block", Precision::bf16).messages, HasSubstr("not of bf16"));
}

TEST(CaseRecipes, VendorsMultiplyOperandsThatAreReady) {
  for (const char* library : {"cublaslt", "cuBLASLt 12.8", "hipBLASLt", "CUTLASS 3.9"}) {
    EXPECT_TRUE(multiplies_ready_operands(library)) << library;
  }
  for (const char* library : {"", "TensorRT-LLM 1.3.0rc10", "vLLM"}) {
    EXPECT_FALSE(multiplies_ready_operands(library)) << library;
  }
}

}  // namespace
}  // namespace scalesweep::validation
