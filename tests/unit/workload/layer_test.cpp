#include "workload/layer.hpp"

#include <gtest/gtest.h>

#include "support/examples.hpp"

namespace scalesweep::workload {
namespace {

Slice megatron_slice(std::int64_t tensor_shards, bool sequence_shards) {
  Slice slice;
  slice.sequence = 2048;
  slice.micro_batch = 4;
  slice.tensor_shards = tensor_shards;
  slice.sequence_shards = sequence_shards;
  slice.flash_attention = false;
  return slice;
}

double saved(const SavedActivations& activations) {
  return activations.dropped_bytes + activations.kept_bytes;
}

// Korthikanti et al. 2022 (arXiv:2205.05198), equations 1, 2 and 4.
TEST(SavedActivations, MatchTheFormulasOfKorthikanti) {
  const TransformerModel model = test::gpt(6144, 48, 64);
  const double s = 2048, b = 4, h = 6144, a = 64, t = 8;

  EXPECT_DOUBLE_EQ(saved(saved_activations(model, megatron_slice(1, false))),
                   s * b * h * (34 + 5 * a * s / h));
  EXPECT_DOUBLE_EQ(saved(saved_activations(model, megatron_slice(8, false))),
                   s * b * h * (10 + 24 / t + 5 * a * s / (h * t)));
  EXPECT_DOUBLE_EQ(saved(saved_activations(model, megatron_slice(8, true))),
                   s * b * h / t * (34 + 5 * a * s / h));
}

TEST(SavedActivations, SelectiveRecomputationDropsTheScores) {
  const TransformerModel model = test::gpt(6144, 48, 64);
  const SavedActivations activations = saved_activations(model, megatron_slice(8, true));

  EXPECT_DOUBLE_EQ(activations.kept_bytes, 34.0 * 2048 * 4 * 6144 / 8);
  EXPECT_DOUBLE_EQ(activations.input_bytes, 2.0 * 2048 * 4 * 6144 / 8);
}

TEST(SavedActivations, FlashAttentionKeepsOneNumberPerRow) {
  Slice slice = megatron_slice(1, false);
  slice.flash_attention = true;

  EXPECT_DOUBLE_EQ(saved_activations(test::gpt(6144, 48, 64), slice).dropped_bytes,
                   4.0 * 4 * 64 * 2048);
}

// Korthikanti et al. 2022, equation 7 (without recomputation): 72 B L s h^2 (1 + s/6h + V/12hL).
TEST(ModelFlop, MatchesTheFormulaOfKorthikanti) {
  const TransformerModel model = test::gpt3_175b();
  const double s = 2048, h = 12288, layers = 96, v = 51200;
  const double expected = 72 * layers * s * h * h * (1 + s / (6 * h) + v / (12 * h * layers));

  EXPECT_NEAR(model_flop_per_sequence(model, 2048) / expected, 1.0, 1e-12);
}

TEST(LayerOperators, ForwardGemmsAddUpToTheModelFlop) {
  for (const bool flash : {false, true}) {
    Slice slice = megatron_slice(1, false);
    slice.flash_attention = flash;
    const TransformerModel model = test::gpt(6144, 48, 64);
    double flop = 0.0;
    for (const Operator& op : layer_operators(model, slice).forward) {
      if (op.is<MatMul>()) {
        flop += op.as<MatMul>()->flop();
      }
    }
    const double weights = 2.0 * 2048 * 4 * 12.0 * 6144 * 6144;
    const double scores = flash ? 0.0 : 4.0 * 4 * 2048.0 * 2048 * 6144;
    EXPECT_DOUBLE_EQ(flop, weights + scores);
  }
}

TEST(LayerOperators, GradientsCostTwiceTheForwardGemms) {
  const LayerOperators layer =
      layer_operators(test::llama(8192, 80, 64, 8, 28672, 32000), megatron_slice(8, true));
  double forward = 0.0;
  double gradients = 0.0;
  for (const Operator& op : layer.forward) {
    forward += op.is<MatMul>() && op.block == Block::other ? op.as<MatMul>()->flop() : 0;
  }
  for (const MatMul& op : layer.data_gradients) {
    gradients += op.flop();
  }
  for (const MatMul& op : layer.weight_gradients) {
    gradients += op.flop();
    EXPECT_TRUE(op.accumulates);
  }
  EXPECT_DOUBLE_EQ(gradients, 2.0 * forward);
}

TEST(LayerOperators, TensorParallelismDividesEveryGemm) {
  const TransformerModel model = test::gpt3_175b();
  const auto whole = layer_operators(model, megatron_slice(1, false));
  const auto shard = layer_operators(model, megatron_slice(8, false));
  ASSERT_EQ(whole.data_gradients.size(), shard.data_gradients.size());
  for (std::size_t i = 0; i < whole.data_gradients.size(); ++i) {
    EXPECT_DOUBLE_EQ(whole.data_gradients[i].flop(), 8.0 * shard.data_gradients[i].flop());
  }
}

TEST(LayerOperators, FewerKeyHeadsThanShardsAreReplicated) {
  const TransformerModel model = test::llama(8192, 80, 64, 8, 28672, 32000);
  const auto columns = [&](std::int64_t shards) {
    return layer_operators(model, megatron_slice(shards, false)).weight_gradients[0].n;
  };
  EXPECT_DOUBLE_EQ(columns(8), (64.0 / 8 + 2.0) * 128);
  EXPECT_DOUBLE_EQ(columns(16), (64.0 / 16 + 2.0) * 128);
}

// FLOP of fused attention, the mean of the layers.
double attention_flop(const std::vector<Operator>& operators) {
  double flop = 0.0;
  for (const Operator& op : operators) {
    if (const auto* a = op.as<FlashAttention>()) {
      flop += op.share * 2.0 * a->batch_heads * a->sequence * a->keys() * a->visible_share *
              (a->head_dim + a->values());
    }
  }
  return flop;
}

TEST(Layer, AttendsToAWindowInItsShareOfTheLayers) {
  TransformerModel model = test::llama(4096, 32, 32, 8, 14336, 128256);
  const Slice slice = megatron_slice(1, false);  // 2048 tokens
  Slice fused = slice;
  fused.flash_attention = true;
  const auto flop = [&] { return attention_flop(layer_operators(model, fused).forward); };
  const double whole = flop();
  const double pairs = 2048.0 * 2048 / 2;
  const double window = 256.0 * 256 / 2 + (2048.0 - 256) * 256;
  model.local = {.window = 256, .layers = 32};
  EXPECT_NEAR(flop() / whole, window / pairs, 1e-12);
  EXPECT_EQ(layer_operators(model, fused).forward.size(),
            layer_operators(test::llama(4096, 32, 32, 8, 14336, 128256), fused).forward.size());
  model.local.layers = 24;
  EXPECT_NEAR(flop() / whole, 0.25 + 0.75 * window / pairs, 1e-12);
  EXPECT_NEAR(attention_flop(layer_operators(model, fused).backward) / flop(), 1.0, 1e-12);
  model.local.chunked = true;  // eight chunks of 256
  EXPECT_NEAR(flop() / whole, 0.25 + 0.75 / 8.0, 1e-12);
  model.local.window = 4096;  // as wide as the sequence
  EXPECT_NEAR(flop() / whole, 1.0, 1e-12);
}

TEST(Layer, ModelFlopCountTheWindowAsTheyCountTheMatrix) {
  TransformerModel model = test::llama(4096, 32, 32, 8, 14336, 128256);
  const double whole = model_flop_per_sequence(model, 8192);
  const double scores = 3.0 * 32 * 4.0 * 8192 * 8192 * 4096;  // of the whole matrix
  model.local = {.window = 1024, .layers = 16};
  const double seen = (1024.0 * 1024 + 2.0 * (8192 - 1024) * 1024) / (8192.0 * 8192);
  EXPECT_NEAR((whole - model_flop_per_sequence(model, 8192)) / (scores * 0.5 * (1.0 - seen)), 1.0,
              1e-9);
}

}  // namespace
}  // namespace scalesweep::workload
