#include "validation/cases/recipes.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace scalesweep::validation {
namespace {

using workload::Recipe;

struct Word {
  std::string_view text;  // lower case, letters and digits alone
  Recipe recipe;
};

// In the words of Transformer Engine, Megatron-Bridge, torchao and DeepSeek.
constexpr std::array<Word, 21> words = {
    {{"delayed", Recipe::delayed},    {"ds", Recipe::delayed},        {"static", Recipe::delayed},
     {"current", Recipe::current},    {"cs", Recipe::current},        {"dynamic", Recipe::current},
     {"tensorwise", Recipe::current}, {"pertensor", Recipe::current}, {"row", Recipe::row},
     {"rowwise", Recipe::row},        {"pertoken", Recipe::row},      {"block", Recipe::block},
     {"blockwise", Recipe::block},    {"subchannel", Recipe::block},  {"sc", Recipe::block},
     {"deepseek", Recipe::block},     {"mx", Recipe::mxfp8},          {"mxfp8", Recipe::mxfp8},
     {"mxfp6", Recipe::mxfp6},        {"mxfp4", Recipe::mxfp4},       {"nvfp4", Recipe::nvfp4}}};

// In the names of cases, as letters and digits alone.
constexpr std::array<Word, 4> names = {{{"fp8cs", Recipe::current},
                                        {"fp8ds", Recipe::delayed},
                                        {"fp8sc", Recipe::block},
                                        {"fp8blockwise", Recipe::block}}};

// NVIDIA's releases before current scaling came with NeMo 25.07, from memory.
constexpr std::array<std::string_view, 6> delayed_sources = {"NeMo-Megatron-Launcher",
                                                             "NVIDIA/Megatron-LM ",
                                                             "user-guide/24.09",
                                                             "NeMo 25.02",
                                                             "(v25.04",
                                                             "(v25.05"};

// Whether a GEMM stands alone in its row, or with what quantises its activations.
constexpr std::array<std::string_view, 2> operand_words = {"ready", "quantised"};

constexpr std::array<std::string_view, 6> vendor_libraries = {"cublas",  "hipblas", "rocblas",
                                                              "cutlass", "onednn",  "deepgemm"};

std::string plain(std::string_view text) {
  std::string letters;
  for (const char c : text) {
    const auto one = static_cast<unsigned char>(c);
    if (std::isalnum(one) != 0) {
      letters += static_cast<char>(std::tolower(one));
    }
  }
  return letters;
}

// "FP8 current scaling" as "current".
std::string word_of(std::string_view cell) {
  constexpr std::string_view before = "fp8";
  constexpr std::string_view after = "scaling";
  std::string word = plain(cell);
  if (word.starts_with(before) && word.size() > before.size()) {
    word.erase(0, before.size());
  }
  if (word.ends_with(after) && word.size() > after.size()) {
    word.erase(word.size() - after.size());
  }
  return word;
}

}  // namespace

std::optional<Recipe> read_recipe(RowReader& row, technology::Precision& format) {
  if (!row.has("recipe")) {
    return std::nullopt;
  }
  const std::string word = word_of(row.text("recipe"));
  const auto* const known =
      std::find_if(words.begin(), words.end(), [&](const Word& one) { return one.text == word; });
  if (known == words.end()) {
    row.error("recipe", fmt::format("'{}' is none of {}, nor another word for one of them",
                                    row.text("recipe"), fmt::join(workload::recipe_names, ", ")));
    return std::nullopt;
  }
  if (known->recipe == Recipe::mxfp8 && format == technology::Precision::fp8) {
    format = technology::Precision::mxfp8;
  }
  if (known->recipe == Recipe::mxfp4 && format == technology::Precision::fp4) {
    format = technology::Precision::mxfp4;
  }
  if (!workload::goes_with(known->recipe, technology::name_of(format))) {
    row.error("recipe",
              fmt::format("{} scales operands of {}, not of {}; leave the cell empty, or "
                          "write that precision",
                          workload::recipe_names[known->recipe],
                          workload::row_of(known->recipe).format, technology::name_of(format)));
    return std::nullopt;
  }
  return known->recipe;
}

std::optional<Recipe> named_recipe(const RowReader& row, technology::Precision format) {
  if (format != technology::Precision::fp8) {
    return std::nullopt;
  }
  const std::string name = plain(row.text("case"));
  for (const Word& one : names) {
    if (name.find(one.text) != std::string::npos) {
      return one.recipe;
    }
  }
  const std::string_view source = row.text("source");
  const bool delayed =
      std::any_of(delayed_sources.begin(), delayed_sources.end(),
                  [&](std::string_view mark) { return source.find(mark) != source.npos; });
  return delayed ? std::optional(Recipe::delayed) : std::nullopt;
}

bool multiplies_ready_operands(std::string_view library) {
  const std::string name = plain(library);
  return std::any_of(vendor_libraries.begin(), vendor_libraries.end(),
                     [&](std::string_view known) { return name.starts_with(known); });
}

bool has_ready_operands(RowReader& row) {
  return row.has("operands") ? row.choice("operands", operand_words) == 0
                             : multiplies_ready_operands(row.text("library"));
}

void check_weights(RowReader& row, std::string_view column, technology::Precision weights,
                   technology::Precision operands) {
  if (row.good() && technology::element_bytes(weights) > technology::element_bytes(operands)) {
    row.error(column, fmt::format("{} is wider than the {} that is multiplied",
                                  technology::name_of(weights), technology::name_of(operands)));
  }
}

}  // namespace scalesweep::validation
