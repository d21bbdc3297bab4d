// Layers with experts and latent attention: their GEMMs, what moves tokens, what is saved.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator_sums.hpp"

namespace scalesweep::workload {
namespace {

using test::deepseek_v3;
using test::matmul_flop;
using test::mixtral;
using test::named;
using test::names;
using test::slice_of;
using testing::Contains;
using testing::Not;

TEST(Experts, GemmsAddUpToTheActiveWeights) {
  const TransformerModel model = mixtral();
  const LayerOperators layer = layer_operators(model, slice_of(2048, 2), LayerKind::experts);
  const double h = 4096, tokens = 2048.0 * 2;
  const double attention = h * (4096 + 2 * 1024) + 4096 * h;
  const double active = 2.0 * 3.0 * h * 14336 + h * 8;

  EXPECT_DOUBLE_EQ(matmul_flop(layer.forward), 2.0 * tokens * (attention + active));
  EXPECT_DOUBLE_EQ(matmul_flop(layer.data_gradients), matmul_flop(layer.forward));
  EXPECT_DOUBLE_EQ(matmul_flop(layer.weight_gradients), matmul_flop(layer.forward));
}

TEST(Experts, ModelFlopCountTheExpertsThatATokenGoesTo) {
  for (const TransformerModel& model : {mixtral(), deepseek_v3()}) {
    Slice slice = slice_of(4096, 1);
    const auto forward = [&](LayerKind kind) {
      return matmul_flop(layer_operators(model, slice, kind).forward);
    };
    const double scores = 2.0 * 4096.0 * 4096.0 * (model.query_width() + model.output_width());
    const auto experts = static_cast<double>(model.expert_layers());
    const auto dense = static_cast<double>(model.layers) - experts;
    const double head = 2.0 * 4096 * static_cast<double>(model.hidden * model.vocab);
    const double expected = experts * (forward(LayerKind::experts) + scores) +
                            dense * (forward(LayerKind::dense) + scores) + head;
    EXPECT_NEAR(model_flop_per_sequence(model, 4096) / (3.0 * expected), 1.0, 1e-12);
  }
}

TEST(Experts, AreSpreadOverDevicesWithTheirTokens) {
  Slice slice = slice_of(4096, 1);
  const auto up = [&](const TransformerModel& model) {
    return named<MatMul>(layer_operators(model, slice, LayerKind::experts).forward, "expert up");
  };
  const MatMul whole = up(deepseek_v3());
  EXPECT_DOUBLE_EQ(whole.batch, 256);
  EXPECT_DOUBLE_EQ(whole.m, 4096.0 * 8 / 256);
  EXPECT_DOUBLE_EQ(whole.n, 2.0 * 2048);
  EXPECT_DOUBLE_EQ(whole.k, 7168);
  // Eight devices bring eight times the tokens to an eighth of the experts.
  slice.expert_shards = 8;
  const MatMul shard = up(deepseek_v3());
  EXPECT_DOUBLE_EQ(shard.batch, 32);
  EXPECT_DOUBLE_EQ(shard.m, 8.0 * whole.m);
  EXPECT_DOUBLE_EQ(shard.flop(), whole.flop());
}

TEST(Experts, TheBusiestDeviceSetsTheTokensUpToTheCapacity) {
  TransformerModel model = mixtral();
  Slice slice = slice_of(4096, 1);
  const auto rows = [&] {
    return named<MatMul>(layer_operators(model, slice, LayerKind::experts).forward, "expert up").m;
  };
  const double mean = rows();
  model.experts.imbalance = 1.5;
  EXPECT_DOUBLE_EQ(rows(), mean) << "one device has all tokens";
  slice.expert_shards = 4;
  EXPECT_DOUBLE_EQ(rows(), 1.5 * 4.0 * mean);
  model.experts.capacity = 1.25;
  EXPECT_DOUBLE_EQ(rows(), 1.25 * 4.0 * mean);
}

TEST(Experts, FilledUpToTheirCapacityWorkOnAsManyRows) {
  TransformerModel model = mixtral();
  Slice slice = slice_of(4096, 1);
  slice.expert_shards = 4;
  model.experts.imbalance = 1.1;
  model.experts.capacity = 1.5;
  EXPECT_DOUBLE_EQ(busiest_expert_load(model, slice), 1.1);
  EXPECT_GE(dropped_copies(model, slice), 0.0);
  model.experts.padded = true;
  EXPECT_DOUBLE_EQ(busiest_expert_load(model, slice), 1.5);
  model.experts.capacity = 0.5;  // half of all are dropped, and little by chance
  EXPECT_NEAR(dropped_copies(model, slice), 0.5, 1e-3);
  model.experts.capacity = 0.0;
  EXPECT_EQ(dropped_copies(model, slice), 0.0);
}

TEST(Experts, CutIntoColumnsSeeTheTokensOfAllWhoShareThem) {
  Slice slice = slice_of(4096, 1);
  slice.tensor_shards = 4;
  slice.sequence_shards = true;
  const auto up = [&] {
    return named<MatMul>(layer_operators(mixtral(), slice, LayerKind::experts).forward,
                         "expert up");
  };
  const MatMul whole = up();  // experts whole: each device has its own part of the tokens
  EXPECT_DOUBLE_EQ(whole.m * whole.batch, 4096.0 / 4 * 2);
  EXPECT_DOUBLE_EQ(whole.n, 2.0 * 14336);
  slice.expert_tensor_shards = 4;
  const MatMul cut = up();
  EXPECT_DOUBLE_EQ(cut.m * cut.batch, 4096.0 * 2);
  EXPECT_DOUBLE_EQ(cut.n, 2.0 * 14336 / 4);
  // Without sequence parallelism they all have the same tokens already.
  slice.sequence_shards = false;
  EXPECT_DOUBLE_EQ(up().m * up().batch, 4096.0 * 2);
}

TEST(Experts, TokensAreSortedAgainWhereSeveralExpertsGetThemFromElsewhere) {
  Slice slice = slice_of(1024, 1);
  const auto forward = [&] {
    return names(layer_operators(mixtral(), slice, LayerKind::experts).forward);
  };
  EXPECT_THAT(forward(), Contains("dispatch"));
  EXPECT_THAT(forward(), Contains("combine"));
  EXPECT_THAT(forward(), Not(Contains("sort by expert")));
  slice.expert_shards = 4;
  EXPECT_THAT(forward(), Contains("sort by expert"));
  slice.expert_shards = 8;  // one expert on each
  EXPECT_THAT(forward(), Not(Contains("sort by expert")));
}

TEST(Experts, ExchangeOneRowForEachCopyOfAToken) {
  Slice slice = slice_of(1024, 2);
  EXPECT_DOUBLE_EQ(expert_exchange_bytes(mixtral(), slice), 2048.0 * 2 * 4096 * 2);
  slice.tensor_shards = 4;
  slice.sequence_shards = true;
  EXPECT_DOUBLE_EQ(expert_exchange_bytes(mixtral(), slice), 2048.0 / 4 * 2 * 4096 * 2);
  EXPECT_EQ(expert_exchange_bytes(scalesweep::test::gpt3_175b(), slice), 0.0);
}

// Each of four tensor-parallel ranks has the same 2,048 tokens and two of eight whole experts: a
// quarter of the 4,096 copies goes to it, whether it sends them or has them already.
TEST(Experts, OverTensorParallelRanksEachTakesItsPartOfTheCopies) {
  Slice slice = slice_of(1024, 2);
  slice.tensor_shards = slice.expert_shards = 4;
  slice.experts_over_tensor = true;
  for (const bool sharded : {false, true}) {
    slice.sequence_shards = sharded;
    EXPECT_DOUBLE_EQ(expert_exchange_bytes(mixtral(), slice), 1024.0 * 4096 * 2);
    const auto forward = layer_operators(mixtral(), slice, LayerKind::experts).forward;
    const auto up = std::find_if(forward.begin(), forward.end(),
                                 [](const Operator& op) { return op.name() == "expert up"; });
    ASSERT_NE(up, forward.end());
    EXPECT_DOUBLE_EQ(up->as<MatMul>()->m, 512.0);
    EXPECT_DOUBLE_EQ(up->as<MatMul>()->batch, 2.0);
    EXPECT_DOUBLE_EQ(up->as<MatMul>()->n, 2.0 * 14336.0);
  }
}

TEST(Experts, SharedOnesAndTheRouterAreGemmsOfTheirOwn) {
  Slice slice = slice_of(1024, 1);
  slice.tensor_shards = 2;
  const LayerOperators layer = layer_operators(deepseek_v3(), slice, LayerKind::experts);
  const MatMul shared = named<MatMul>(layer.forward, "shared expert up");
  EXPECT_DOUBLE_EQ(shared.n, 2.0 * 2048 / 2);
  EXPECT_TRUE(shared.column_parallel);
  const MatMul router = named<MatMul>(layer.forward, "router");
  EXPECT_DOUBLE_EQ(router.n, 256);
  EXPECT_FALSE(router.low_precision);
  EXPECT_FALSE(router.column_parallel);
  EXPECT_FALSE(named<MatMul>(layer.forward, "expert up").column_parallel);
}

// DeepSeek-V3: 187.1 million weights of attention a layer.
TEST(LatentAttention, GemmsHaveTheRanks) {
  const TransformerModel model = deepseek_v3();
  Slice slice = slice_of(4096, 1);
  const LayerOperators layer = layer_operators(model, slice);
  const double mlp = 3.0 * 7168 * 18432;
  const double attention = 7168.0 * 1536 + 1536.0 * 128 * 192 + 7168.0 * (512 + 64) +
                           512.0 * 128 * 256 + 128.0 * 128 * 7168;
  EXPECT_DOUBLE_EQ(matmul_flop(layer.forward), 2.0 * 4096 * (attention + mlp));
  const FlashAttention& flash = named<FlashAttention>(layer.forward, "flash attention");
  EXPECT_DOUBLE_EQ(flash.head_dim, 192);
  EXPECT_DOUBLE_EQ(flash.values(), 128);
  EXPECT_DOUBLE_EQ(flash.batch_kv_heads, 128);
  EXPECT_NEAR(model.attention_parameters(), attention + 2 * 7168 + 1536 + 512, 0.5);
}

TEST(LatentAttention, TensorParallelismCutsTheUpProjectionsOnly) {
  Slice slice = slice_of(4096, 1);
  slice.tensor_shards = 4;
  slice.sequence_shards = true;
  const LayerOperators layer = layer_operators(deepseek_v3(), slice);
  const MatMul down = named<MatMul>(layer.forward, "key value down");
  EXPECT_DOUBLE_EQ(down.m, 1024);
  EXPECT_DOUBLE_EQ(down.n, 576);
  EXPECT_FALSE(down.column_parallel);
  const MatMul up = named<MatMul>(layer.forward, "key value up");
  EXPECT_DOUBLE_EQ(up.m, 4096);
  EXPECT_DOUBLE_EQ(up.n, 32.0 * 256);
  EXPECT_TRUE(up.column_parallel);
}

TEST(LatentAttention, WithoutAQueryRankQueriesAreOneGemm) {
  TransformerModel model = deepseek_v3();
  model.latent.query_rank = 0;
  const LayerOperators layer = layer_operators(model, slice_of(128, 1));
  EXPECT_DOUBLE_EQ(named<MatMul>(layer.forward, "query").n, 128.0 * 192);
  EXPECT_THAT(names(layer.forward), Not(Contains("query down")));
  const double attention =
      7168.0 * 128 * 192 + 7168.0 * (512 + 64) + 512.0 * 128 * 256 + 128.0 * 128 * 7168;
  EXPECT_NEAR(model.attention_parameters(), attention + 2 * 7168 + 512, 0.5);
}

TEST(Experts, SavedTensorsAreThoseOfTheCopies) {
  const TransformerModel model = mixtral();
  const double tokens = 1024, h = 4096, w = 2, copies = 2 * tokens;
  // Norm inputs, inputs of the joint GEMM and the router, queries, keys and values, the
  // attention's output and one number a row, ...
  const double attention = tokens * w * (4.0 * h + h + 2 * 1024 + h) + 4.0 * tokens * 32;
  // ... scores of the router, and for each copy its row, both halves, their product, its weight.
  const double experts = tokens * 8 * 4 + copies * (w * (h + 3.0 * 14336) + 4);
  EXPECT_DOUBLE_EQ(test::saved(model, slice_of(1024, 1), LayerKind::experts), attention + experts);
}

TEST(LatentAttention, SavesLatentsAndWholeHeads) {
  const TransformerModel model = deepseek_v3();
  const double tokens = 1024, w = 2;
  const double latents = 2.0 * 1536 + 2.0 * 512;
  const double heads = 128.0 * (192 + 192 + 128 + 128);
  const double mlp = 3.0 * 18432;
  EXPECT_DOUBLE_EQ(test::saved(model, slice_of(1024, 1)),
                   tokens * w * (4.0 * 7168 + latents + heads + mlp) + 4.0 * tokens * 128);
}

}  // namespace
}  // namespace scalesweep::workload
