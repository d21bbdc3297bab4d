// Recipes: how operands are scaled and prepared where linear layers multiply fewer bits than
// activations have. What stands here is told of libraries in general; what a stack fuses is its
// own (training_stack.hpp, serving_stack.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/enum_names.hpp"

namespace scalesweep::workload {

enum class Recipe : std::uint8_t {
  delayed,  // one scale a tensor, known before it comes: of earlier steps, or calibrated
  current,  // one scale a tensor, of its own maximum
  row,      // a scale for each token, and for each output of the weights
  block,    // a scale for 128 elements of a token and for 128 x 128 weights
  mxfp8,    // 32 elements share a power of two
  nvfp4,    // 16 elements share an 8-bit scale, the tensor one more
  mxfp6,    // as mxfp8
  mxfp4,    // as mxfp8
};
inline constexpr auto recipe_names =
    enum_names<Recipe>("delayed", "current", "row", "block", "mxfp8", "nvfp4", "mxfp6", "mxfp4");

// What the kernel that makes a 16-bit tensor can do of its preparation.
enum class OnTheWay : std::uint8_t {
  nothing,
  maxima,  // one reading less
  copies,  // all of it: the tensor is written prepared, and not in 16 bits
};

// How a 16-bit tensor becomes operands.
struct Preparation {
  double reads = 1.0;  // of it, until all copies are written
  OnTheWay on_the_way = OnTheWay::copies;

  friend bool operator==(const Preparation&, const Preparation&) = default;
};

struct RecipeRow {
  std::string_view format;  // of the elements, as technology::precision_names has it
  // Of scales in memory: for each element of either operand, and beside that for one of
  // activations. Scales of whole rows are left out (4 B for thousands of elements).
  double scale_bytes;
  double activation_scale_bytes;
  Preparation training;  // two copies, along tokens and along features, as they are multiplied
  Preparation serving;   // one
  // Both copies differ, since scales run along the axis that is summed; else the second is the
  // first one turned, which matrix units that take any layout do without.
  bool scales_along_sums;
  // Products along K after which sums are scaled: by vector units where matrix units cannot; 0:
  // once, at the end.
  double scaled_depth;
};

// By Recipe. What is read how often is unverified but for the formats themselves:
// - delayed, current: Micikevicius et al., arXiv:2209.05433; passes of Transformer Engine and
//   torchao from memory: a maximum over the tensor, then one kernel that writes both copies;
// - row: maxima of tokens are found on the way, those of features need all tokens first;
// - block: DeepSeek-V3, arXiv:2412.19437, section 3.3: 1 x 128 and 128 x 128, sums promoted every
//   128 products on CUDA cores; one kernel reads 128 x 128 and writes both copies;
// - mxfp8, mxfp6, mxfp4: OCP Microscaling Formats 1.0, whose scales are in the bytes of the format;
//   arXiv:2506.08027 for training; norms and activations of Transformer Engine write both copies;
// - nvfp4: arXiv:2509.25149: scales of 16 under a scale of the tensor; the weight gradient
//   multiplies what a random Hadamard transform of 16 tokens leaves, so that training reads for the
//   maxima of both and then for both copies (Transformer Engine; its first version read for each).
//   Rounding at random costs no pass. When serving, the scale of the tensor is calibrated.
inline constexpr std::array<RecipeRow, recipe_names.size()> recipe_rows = {{
    {"fp8", 0.0, 0.0, {1.0, OnTheWay::copies}, {1.0, OnTheWay::copies}, false, 0.0},
    {"fp8", 0.0, 0.0, {2.0, OnTheWay::maxima}, {2.0, OnTheWay::maxima}, false, 0.0},
    {"fp8", 0.0, 0.0, {2.0, OnTheWay::maxima}, {1.0, OnTheWay::copies}, true, 0.0},
    {"fp8", 0.0, 4.0 / 128.0, {1.0, OnTheWay::nothing}, {1.0, OnTheWay::copies}, true, 128.0},
    {"mxfp8", 0.0, 0.0, {1.0, OnTheWay::copies}, {1.0, OnTheWay::copies}, true, 0.0},
    {"fp4", 1.0 / 16.0, 0.0, {2.0, OnTheWay::nothing}, {1.0, OnTheWay::copies}, true, 0.0},
    {"mxfp6", 0.0, 0.0, {1.0, OnTheWay::copies}, {1.0, OnTheWay::copies}, true, 0.0},
    {"mxfp4", 0.0, 0.0, {1.0, OnTheWay::copies}, {1.0, OnTheWay::copies}, true, 0.0},
}};

// Of fp8, which has several: the first ones.
inline constexpr auto fp8_recipe_names =
    std::span(recipe_names.begin(), static_cast<std::size_t>(std::count_if(
                                        recipe_rows.begin(), recipe_rows.end(),
                                        [](const RecipeRow& row) { return row.format == "fp8"; })));

constexpr const RecipeRow& row_of(Recipe recipe) {
  return recipe_rows[static_cast<std::size_t>(recipe)];
}

constexpr bool goes_with(Recipe recipe, std::string_view format) {
  return row_of(recipe).format == format;
}

// The recipe of operands in this format: the one that was asked for, else the usual one, else the
// format's first. Nothing where none goes with it: 16 bits and more, and int8, whose scales are
// known before.
constexpr std::optional<Recipe> recipe_for(std::string_view format, std::optional<Recipe> asked,
                                           Recipe usual) {
  if (asked && goes_with(*asked, format)) {
    return asked;
  }
  if (goes_with(usual, format)) {
    return usual;
  }
  for (std::size_t i = 0; i < recipe_rows.size(); ++i) {
    if (recipe_rows[i].format == format) {
      return static_cast<Recipe>(i);
    }
  }
  return std::nullopt;
}

// Which kernels prepare operands for the linear layer that reads what they make, as far as a recipe
// lets them.
enum class OperandFusion : std::uint8_t { nothing, norms, everything };
inline constexpr auto operand_fusion_names =
    enum_names<OperandFusion>("nothing", "norms", "everything");

// What a slice of the work is prepared by; as it stands, one that a format without a recipe has.
struct OperandRecipe {
  Preparation preparation;
  double activation_scale_bytes = 0.0;
  double copies = 2.0;        // that training writes
  double scaled_depth = 0.0;  // as in RecipeRow

  // In training, on matrix units that take operands in any layout or in one.
  static constexpr OperandRecipe trained(const RecipeRow& row, bool any_layout) {
    return {row.training, row.activation_scale_bytes,
            any_layout && !row.scales_along_sums ? 1.0 : 2.0, row.scaled_depth};
  }
  static constexpr OperandRecipe served(const RecipeRow& row) {
    return {row.serving, row.activation_scale_bytes, 1.0, row.scaled_depth};
  }

  // `fused`: the kernel before does what it can.
  bool written_before(bool fused) const {
    return fused && preparation.on_the_way == OnTheWay::copies;
  }
  // By a kernel of its own.
  double reads(bool fused) const {
    const bool maxima = fused && preparation.on_the_way == OnTheWay::maxima;
    return preparation.reads - (maxima ? 1.0 : 0.0);
  }

  friend bool operator==(const OperandRecipe&, const OperandRecipe&) = default;
};

}  // namespace scalesweep::workload
