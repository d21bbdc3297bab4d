#include "workload/model.hpp"

#include <gtest/gtest.h>

#include "support/examples.hpp"

namespace scalesweep::workload {
namespace {

TEST(Model, CountsTheParametersOfPublishedModels) {
  // Brown et al. 2020 give 174.6e9 with their vocabulary of 50257; 51200 adds 11.6e6.
  EXPECT_NEAR(test::gpt3_175b().parameters(), 174.616e9, 0.01e9);
  // Touvron et al. 2023: Llama-2 7B and 70B; Grattafiori et al. 2024: Llama-3 8B.
  EXPECT_NEAR(test::llama(4096, 32, 32, 32, 11008, 32000).parameters(), 6.738e9, 0.001e9);
  EXPECT_NEAR(test::llama(8192, 80, 64, 8, 28672, 32000).parameters(), 68.977e9, 0.01e9);
  EXPECT_NEAR(test::llama(4096, 32, 32, 8, 14336, 128256).parameters(), 8.030e9, 0.001e9);
}

TEST(Model, TiedEmbeddingsAreCountedOnce) {
  TransformerModel model = test::gpt(1024, 24, 16);
  const double tied = model.parameters();
  model.tied_embeddings = false;

  EXPECT_DOUBLE_EQ(model.parameters() - tied, 51200.0 * 1024.0);
}

}  // namespace
}  // namespace scalesweep::workload
