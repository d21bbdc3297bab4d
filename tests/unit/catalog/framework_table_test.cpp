// The tables of nodes/README.md that say what each framework hides, what recipes are and which a
// framework follows, held to the catalog and to the code.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/host/files.hpp"
#include "support/shipped_catalog.hpp"
#include "workload/framework.hpp"

namespace scalesweep::catalog {
namespace {

std::string exchange_word(workload::ExchangeOverlap beside) {
  switch (beside) {
    case workload::ExchangeOverlap::nothing:
      return "no";
    case workload::ExchangeOverlap::shared_experts:
      return "behind shared experts";
    case workload::ExchangeOverlap::two_batches:
      return "two batches";
  }
  return "";
}

std::string hides_row(const workload::Framework& framework) {
  const auto training = [&](bool hides) { return !framework.trains ? "" : hides ? "yes" : "no"; };
  return fmt::format("| `{}` | {} | {} | {} | {} | {} | {} | {} | {} |\n", framework.name,
                     training(framework.training.replicas.hides_data_communication),
                     training(framework.training.replicas.hides_sharded_reduction),
                     training(framework.training.replicas.hides_weight_gather),
                     training(framework.training.hides_tensor_communication),
                     training(framework.training.hides_forward_tensor_communication),
                     training(framework.training.hides_pipeline_communication),
                     training(framework.training.hides_expert_communication),
                     framework.serves ? exchange_word(framework.serving.exchange_beside) : "");
}

template <typename Row>
std::string rows_of_frameworks(Row row) {
  const Catalog& catalog = test::shipped_catalog();
  std::string rows;
  for (const std::string& name : catalog.names(Section::frameworks)) {
    const workload::Framework& framework = catalog.framework(name);
    const bool has_layers = framework.trains || framework.serves;
    rows += framework.name == name && has_layers ? row(framework) : "";
  }
  return rows;
}

std::string hides_table() {
  return "| framework | gradients | reductions of ZeRO | weights of ZeRO-1 | tensor, backward | "
         "tensor, forward | pipeline | experts, training | experts, serving |\n"
         "|---|---|---|---|---|---|---|---|---|\n" +
         rows_of_frameworks(hides_row);
}

std::string way_word(workload::OnTheWay way) {
  switch (way) {
    case workload::OnTheWay::nothing:
      return "nothing";
    case workload::OnTheWay::maxima:
      return "a reading less";
    case workload::OnTheWay::copies:
      return "all of it";
  }
  return "";
}

std::string recipes_table() {
  std::string table =
      "| recipe | of | scales, bytes for an element of weights; of activations | training: "
      "readings, what the kernel before may do | copies; where units take any layout | serving: "
      "readings, what the kernel before may do | sums scaled outside |\n"
      "|---|---|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < workload::recipe_rows.size(); ++i) {
    const workload::RecipeRow& row = workload::recipe_rows[i];
    table += fmt::format("| `{}` | {} | {:.3g}; {:.3g} | {:g}, {} | 2; {:g} | {:g}, {} | {} |\n",
                         workload::recipe_names[i], row.format, row.scale_bytes,
                         row.scale_bytes + row.activation_scale_bytes, row.training.reads,
                         way_word(row.training.on_the_way),
                         workload::OperandRecipe::trained(row, true).copies, row.serving.reads,
                         way_word(row.serving.on_the_way),
                         row.scaled_depth > 0.0
                             ? fmt::format("every {:g} products, on units that do not scale blocks",
                                           row.scaled_depth)
                             : "no");
  }
  return table;
}

std::string framework_recipes_table() {
  return "| framework | fp8 in training | kernels that prepare | fp8 in serving | kernels that "
         "prepare |\n|---|---|---|---|---|\n" +
         rows_of_frameworks([](const workload::Framework& framework) {
           const std::string_view fusion =
               framework.training.fused_pointwise
                   ? workload::operand_fusion_names[framework.training.operand_fusion]
                   : "nothing";
           const workload::ServingStack& serving = framework.serving;
           return fmt::format("| `{}` | {} | {} | {} | {} |\n", framework.name,
                              framework.trains
                                  ? workload::recipe_names[framework.training.replicas.fp8_recipe]
                                  : "",
                              framework.trains ? fusion : "",
                              framework.serves ? workload::recipe_names[serving.fp8_recipe] : "",
                              !framework.serves            ? ""
                              : serving.fused_quantization ? "everything"
                                                           : "nothing");
         });
}

// Between the lines "<!-- NAME -->" and "<!-- end of NAME -->".
void hold(std::string_view name, const std::string& table) {
  const char* source = std::getenv("SCALESWEEP_SOURCE_DIR");
  const std::filesystem::path path =
      std::filesystem::path(source == nullptr ? "." : source) / "nodes" / "README.md";
  const std::string first = fmt::format("<!-- {} -->\n", name);
  const std::string text = read_file(path);
  const std::size_t begin = text.find(first);
  const std::size_t end = text.find(fmt::format("<!-- end of {} -->\n", name));
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const std::string made = text.substr(0, begin) + first + table + text.substr(end);
  if (std::getenv("SCALESWEEP_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << made;
    return;
  }
  EXPECT_EQ(text, made) << "if on purpose: SCALESWEEP_UPDATE_GOLDEN=1 ctest -R catalog_test";
}

TEST(FrameworkTable, SaysWhatTheCatalogSays) {
  hold("what frameworks hide", hides_table());
}

TEST(RecipeTable, SaysWhatTheCodeSays) {
  hold("recipes", recipes_table());
}

TEST(RecipeTable, SaysWhatFrameworksFollow) {
  hold("recipes of frameworks", framework_recipes_table());
}

}  // namespace
}  // namespace scalesweep::catalog
