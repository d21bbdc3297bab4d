// How operands are prepared: what is read and written for them, by recipe and by stack.
#include "workload/recipe.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "operator_sums.hpp"
#include "workload/inference_layer.hpp"

namespace scalesweep::workload {
namespace {

using scalesweep::test::llama;
using test::named;
using test::slice_of;

constexpr double tokens = 2048.0;
constexpr double hidden = 4096.0;
constexpr double ffn = 14336.0;

TransformerModel llama_8b() {
  return llama(4096, 32, 32, 8, 14336, 128256);
}

// Bytes of an element in these formats, beside the scales.
double element_bytes(Recipe recipe) {
  return recipe == Recipe::nvfp4   ? 0.5
         : recipe == Recipe::mxfp8 ? 1.0 + 1.0 / 32.0
         : recipe == Recipe::mxfp6 ? 0.75 + 1.0 / 32.0
         : recipe == Recipe::mxfp4 ? 0.5 + 1.0 / 32.0
                                   : 1.0;
}

Slice trained_by(Recipe recipe, OperandFusion fusion, bool any_layout = false) {
  const RecipeRow& row = row_of(recipe);
  Slice slice = slice_of(2048, 1);
  slice.operand_bytes = element_bytes(recipe) + row.scale_bytes;
  slice.recipe = OperandRecipe::trained(row, any_layout);
  slice.operand_fusion = fusion;
  return slice;
}

constexpr std::array all_recipes = {Recipe::delayed, Recipe::current, Recipe::row,   Recipe::block,
                                    Recipe::mxfp8,   Recipe::nvfp4,   Recipe::mxfp6, Recipe::mxfp4};

double prepared_bytes(const std::vector<Operator>& operators) {
  double bytes = 0.0;
  for (const Operator& op : operators) {
    bytes += op.name().ends_with("quantise") ? op.as<Pointwise>()->traffic_bytes : 0.0;
  }
  return bytes;
}

TEST(Recipes, AreOfOneFormat) {
  EXPECT_EQ(recipe_for("fp8", {}, Recipe::current), Recipe::current);
  EXPECT_EQ(recipe_for("fp8", Recipe::block, Recipe::current), Recipe::block);
  EXPECT_EQ(recipe_for("fp8", Recipe::nvfp4, Recipe::current), Recipe::current);
  EXPECT_EQ(recipe_for("mxfp8", {}, Recipe::current), Recipe::mxfp8);
  EXPECT_EQ(recipe_for("fp4", {}, Recipe::current), Recipe::nvfp4);
  EXPECT_EQ(recipe_for("mxfp6", {}, Recipe::current), Recipe::mxfp6);
  EXPECT_EQ(recipe_for("mxfp4", {}, Recipe::current), Recipe::mxfp4);
  for (const char* plain : {"bf16", "fp16", "fp32", "int8"}) {
    EXPECT_EQ(recipe_for(plain, Recipe::block, Recipe::current), std::nullopt) << plain;
  }
  EXPECT_EQ(std::vector<std::string>(fp8_recipe_names.begin(), fp8_recipe_names.end()),
            (std::vector<std::string>{"delayed", "current", "row", "block"}));
}

// Whoever prepares, forward and backward: each of four inputs and four gradients once.
TEST(Recipes, KernelsOfTheirOwnReadAndWriteWhatTheTableSays) {
  struct Expected {
    Recipe recipe;
    double reads;    // of two bytes
    double written;  // bytes of a copy
  };
  constexpr std::array<Expected, 8> table = {{{Recipe::delayed, 1.0, 1.0},
                                              {Recipe::current, 2.0, 1.0},
                                              {Recipe::row, 2.0, 1.0},
                                              {Recipe::block, 1.0, 1.0 + 1.0 / 32.0},
                                              {Recipe::mxfp8, 1.0, 1.0 + 1.0 / 32.0},
                                              {Recipe::nvfp4, 2.0, 0.5 + 1.0 / 16.0},
                                              {Recipe::mxfp6, 1.0, 0.75 + 1.0 / 32.0},
                                              {Recipe::mxfp4, 1.0, 0.5 + 1.0 / 32.0}}};
  const double qkv = hidden + 2.0 * 1024.0;
  for (const Expected& e : table) {
    const LayerOperators layer =
        layer_operators(llama_8b(), trained_by(e.recipe, OperandFusion::nothing));
    const double element = 2.0 * e.reads + 2.0 * e.written;
    EXPECT_DOUBLE_EQ(prepared_bytes(layer.forward), tokens * (3.0 * hidden + ffn) * element)
        << recipe_names[e.recipe];
    EXPECT_DOUBLE_EQ(prepared_bytes(layer.backward),
                     tokens * (qkv + 2.0 * hidden + 2.0 * ffn) * element)
        << recipe_names[e.recipe];
    EXPECT_DOUBLE_EQ(named<Pointwise>(layer.forward, "mlp norm").traffic_bytes,
                     tokens * hidden * 4.0);
  }
}

TEST(Recipes, NormsAndActivationsDoWhatTheirRecipeLetsThem) {
  const auto inputs = [](Recipe recipe, OperandFusion fusion) {
    return prepared_bytes(layer_operators(llama_8b(), trained_by(recipe, fusion)).forward) / tokens;
  };
  // Norms write two of the four inputs prepared, the activation one more.
  EXPECT_DOUBLE_EQ(inputs(Recipe::delayed, OperandFusion::norms), (hidden + ffn) * 4.0);
  EXPECT_DOUBLE_EQ(inputs(Recipe::delayed, OperandFusion::everything), hidden * 4.0);
  // Or find the maximum for what is read once then.
  EXPECT_DOUBLE_EQ(inputs(Recipe::current, OperandFusion::norms),
                   2.0 * hidden * 4.0 + (hidden + ffn) * 6.0);
  EXPECT_DOUBLE_EQ(inputs(Recipe::current, OperandFusion::everything),
                   (2.0 * hidden + ffn) * 4.0 + hidden * 6.0);
  // Or nothing: the maxima are those of what a transform makes of 16 tokens.
  EXPECT_DOUBLE_EQ(inputs(Recipe::nvfp4, OperandFusion::everything),
                   inputs(Recipe::nvfp4, OperandFusion::nothing));
  for (const Recipe recipe : all_recipes) {
    const auto bytes = [&](OperandFusion fusion) {
      const LayerOperators layer = layer_operators(llama_8b(), trained_by(recipe, fusion));
      return test::traffic(layer.forward) + test::traffic(layer.backward);
    };
    EXPECT_LE(bytes(OperandFusion::everything), bytes(OperandFusion::norms));
    EXPECT_LE(bytes(OperandFusion::norms), bytes(OperandFusion::nothing));
  }
}

TEST(Recipes, UnitsOfAnyLayoutNeedNoTurnedCopy) {
  for (const Recipe recipe : all_recipes) {
    const auto copies = [&](bool any_layout) {
      const Slice slice = trained_by(recipe, OperandFusion::nothing, any_layout);
      const double read = slice.recipe.reads(false) * 2.0;
      const std::vector<Operator> forward = layer_operators(llama_8b(), slice).forward;
      const auto op = std::ranges::find_if(
          forward, [](const Operator& one) { return one.name() == "quantise"; });
      return (op->as<Pointwise>()->traffic_bytes / (tokens * hidden) - read) /
             slice.prepared_bytes();
    };
    const bool one_scale = recipe == Recipe::delayed || recipe == Recipe::current;
    EXPECT_DOUBLE_EQ(copies(true), one_scale ? 1.0 : 2.0) << recipe_names[recipe];
    EXPECT_DOUBLE_EQ(copies(false), 2.0) << recipe_names[recipe];
  }
}

TEST(Recipes, SumsAreScaledOutsideByBlocksAlone) {
  for (const Recipe recipe : all_recipes) {
    const LayerOperators layer =
        layer_operators(llama_8b(), trained_by(recipe, OperandFusion::norms));
    const double depth = recipe == Recipe::block ? 128.0 : 0.0;
    EXPECT_EQ(named<MatMul>(layer.forward, "mlp up").scaled_depth, depth);
    EXPECT_EQ(layer.weight_gradients.front().scaled_depth, depth);
  }
}

// Eight tokens of decode: each of four inputs once.
TEST(Recipes, ServingPreparesOneCopy) {
  InferenceSlice slice;
  slice.decode = {8.0, 1.0, 100.0};
  const auto quantised = [&](Recipe recipe, bool fused) {
    const RecipeRow& row = row_of(recipe);
    const double bytes_of_both = element_bytes(recipe) + row.scale_bytes;
    slice.linear = LinearFormats({bytes_of_both, bytes_of_both, OperandRecipe::served(row)});
    slice.fused_quantization = fused;
    double bytes = 0.0;
    for (const Operator& op : inference_layer_operators(llama_8b(), slice, LayerKind::dense)) {
      bytes += op.name() == "quantise" ? op.as<Pointwise>()->traffic_bytes : 0.0;
    }
    return bytes / (8.0 * (3.0 * hidden + ffn));
  };
  EXPECT_DOUBLE_EQ(quantised(Recipe::delayed, false), 3.0);
  EXPECT_DOUBLE_EQ(quantised(Recipe::current, false), 5.0);
  EXPECT_DOUBLE_EQ(quantised(Recipe::row, false), 3.0);
  EXPECT_DOUBLE_EQ(quantised(Recipe::block, false), 3.0 + 1.0 / 32.0);
  EXPECT_DOUBLE_EQ(quantised(Recipe::nvfp4, false), 2.0 + 0.5 + 1.0 / 16.0);
  EXPECT_DOUBLE_EQ(quantised(Recipe::mxfp4, false), 2.0 + 0.5 + 1.0 / 32.0);
  EXPECT_DOUBLE_EQ(quantised(Recipe::current, true), 3.0);
  for (const Recipe recipe : {Recipe::delayed, Recipe::row, Recipe::block, Recipe::nvfp4}) {
    EXPECT_EQ(quantised(recipe, true), 0.0) << recipe_names[recipe];
  }
}

}  // namespace
}  // namespace scalesweep::workload
