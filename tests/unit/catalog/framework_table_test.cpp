// The table of nodes/README.md that says what each framework hides, held to the catalog.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/host/files.hpp"
#include "support/shipped_catalog.hpp"

namespace scalesweep::catalog {
namespace {

constexpr std::string_view first_line = "<!-- what frameworks hide -->\n";
constexpr std::string_view last_line = "<!-- end of what frameworks hide -->\n";

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

std::string row_of(const workload::Framework& framework) {
  const auto training = [&](bool hides) { return !framework.trains ? "" : hides ? "yes" : "no"; };
  return fmt::format(
      "| `{}` | {} | {} | {} | {} | {} | {} | {} | {} |\n", framework.name,
      training(framework.hides_data_communication), training(framework.hides_sharded_reduction),
      training(framework.hides_weight_gather), training(framework.hides_tensor_communication),
      training(framework.hides_forward_tensor_communication),
      training(framework.hides_pipeline_communication),
      training(framework.hides_expert_communication),
      framework.serves ? exchange_word(framework.serving.exchange_beside) : "");
}

std::string made_table() {
  const Catalog& catalog = test::shipped_catalog();
  std::string table =
      "| framework | gradients | reductions of ZeRO | weights of ZeRO-1 | tensor, backward | "
      "tensor, forward | pipeline | experts, training | experts, serving |\n"
      "|---|---|---|---|---|---|---|---|---|\n";
  for (const std::string& name : catalog.names(Section::frameworks)) {
    const workload::Framework& framework = catalog.framework(name);
    if (framework.name == name) {
      table += row_of(framework);
    }
  }
  return table;
}

TEST(FrameworkTable, SaysWhatTheCatalogSays) {
  const char* source = std::getenv("SCALESWEEP_SOURCE_DIR");
  const std::filesystem::path path =
      std::filesystem::path(source == nullptr ? "." : source) / "nodes" / "README.md";
  const std::string text = read_file(path);
  const std::size_t begin = text.find(first_line);
  const std::size_t end = text.find(last_line);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const std::string made =
      text.substr(0, begin) + std::string(first_line) + made_table() + text.substr(end);
  if (std::getenv("SCALESWEEP_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << made;
    return;
  }
  EXPECT_EQ(text, made) << "if on purpose: SCALESWEEP_UPDATE_GOLDEN=1 ctest -R catalog_test";
}

}  // namespace
}  // namespace scalesweep::catalog
