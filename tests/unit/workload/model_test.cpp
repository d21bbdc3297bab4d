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

TEST(Model, ShorterOnesKeepTheirShareOfDenseLayers) {
  TransformerModel model = test::llama(7168, 61, 128, 128, 18432, 129280);
  model.experts.count = 256;
  model.experts.dense_layers = 3;
  EXPECT_EQ(model.expert_layers(), 58);
  EXPECT_EQ(with_layers(model, 4).experts.dense_layers, 1);
  EXPECT_EQ(with_layers(model, 4).expert_layers(), 3);
  EXPECT_EQ(with_layers(model, 40).experts.dense_layers, 2);
  EXPECT_EQ(with_layers(model, 80).experts.dense_layers, 3);
  model.experts.dense_layers = 0;
  EXPECT_EQ(with_layers(model, 4).experts.dense_layers, 0);
}

TEST(Model, ShorterOnesKeepTheirShareOfLocalLayers) {
  TransformerModel model = test::llama(5376, 62, 32, 16, 21504, 262208);
  EXPECT_EQ(with_layers(model, 12).local.layers, 0);
  model.local = {.window = 1024, .layers = 52};
  EXPECT_EQ(with_layers(model, 62).local.layers, 52);
  EXPECT_EQ(with_layers(model, 12).local.layers, 10);
  EXPECT_EQ(layers_with(with_layers(model, 12), AttentionSpan::whole), 2.0);
}

TEST(Model, ExpertsMayStandInEveryOtherLayer) {
  TransformerModel model = test::llama(1024, 24, 16, 16, 4096, 32000);
  const double dense = model.parameters();
  model.experts.count = 4;
  model.experts.top_k = 1;
  model.experts.ffn = 4096;
  model.experts.every = 2;
  EXPECT_EQ(model.expert_layers(), 12);
  // Three more MLPs in every other layer, and a router.
  EXPECT_DOUBLE_EQ(model.parameters() - dense, 12.0 * (3.0 * 3.0 * 1024 * 4096 + 4.0 * 1024));
  EXPECT_DOUBLE_EQ(model.active_parameters() - dense, 12.0 * 4.0 * 1024);
}

TEST(Model, BiasesOfQueriesKeysAndValuesAlone) {
  TransformerModel model = test::llama(8192, 80, 64, 8, 29568, 152064);
  const double without = model.parameters();
  model.qkv_biases = true;
  EXPECT_DOUBLE_EQ(model.parameters() - without, 80.0 * (8192 + 2 * 1024));
}

}  // namespace
}  // namespace scalesweep::workload
