// Weights that stay as they are and adapters beside them; documents of packed sequences.
#include "workload/training/tuning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "operator_sums.hpp"
#include "workload/training/linear_shapes.hpp"

namespace scalesweep::workload {
namespace {

using test::matmul_flop;
using test::slice_of;

TransformerModel llama_70b() {
  return scalesweep::test::llama(8192, 80, 64, 8, 28672, 128256);
}

double weights_of(const MatMul& gemm) {
  return gemm.m * gemm.n * gemm.batch;
}

double weights_of(const std::vector<MatMul>& gemms) {
  return std::accumulate(gemms.begin(), gemms.end(), 0.0,
                         [](double sum, const MatMul& one) { return sum + weights_of(one); });
}

// The weights that a layer's gradients are of, in their order.
void expect_shapes(const TransformerModel& model, const Slice& slice, LayerKind kind, Mixer mixer) {
  const LayerOperators layer = layer_operators(model, slice, kind, mixer);
  const LinearShapes shapes = linear_shapes(model, slice, kind, mixer);
  std::vector<double> expected;
  for (const MatMul& gemm : layer.weight_gradients) {
    expected.push_back(weights_of(gemm));
  }
  std::vector<double> found;
  for (const LinearShape& shape : shapes) {
    found.push_back(shape.parameters());
    EXPECT_TRUE(std::any_of(layer.forward.begin(), layer.forward.end(), [&](const Operator& op) {
      return op.name() == shape.gemm;
    })) << shape.gemm;
  }
  ASSERT_EQ(found.size(), expected.size());
  std::sort(found.begin(), found.end());
  std::sort(expected.begin(), expected.end());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_DOUBLE_EQ(found[i], expected[i]);
  }
}

TEST(LinearShapes, AreThoseOfTheOperators) {
  Slice slice = slice_of(2048, 1);
  slice.tensor_shards = 4;
  slice.expert_tensor_shards = 4;
  TransformerModel sparse = test::deepseek_v3();
  sparse.sparse = {.index_heads = 64, .index_dim = 128, .top_k = 1024};
  TransformerModel mamba = scalesweep::test::llama(4096, 32, 32, 8, 14336, 32000);
  mamba.linear.layers = 16;
  mamba.linear.heads = 8192;
  mamba.linear.key_heads = mamba.linear.value_dim = 1;
  mamba.linear.key_dim = 16;
  mamba.linear.gates = 1;
  mamba.linear.gate_rank = 256;
  for (const TransformerModel& model : {scalesweep::test::gpt3_175b(), llama_70b(),
                                        test::deepseek_v3(), test::mixtral(), sparse, mamba}) {
    for (const LayerKind kind : {LayerKind::dense, LayerKind::experts}) {
      for (const LayerVariant& one : LayerVariants(model, kind)) {
        if (kind == LayerKind::dense || model.experts.on()) {
          expect_shapes(model, slice, one.kind, one.mixer);
        }
      }
    }
  }
}

TEST(Adapters, HaveTwoThinMatricesBesideEachLinearLayer) {
  const TransformerModel model = llama_70b();
  Slice slice = slice_of(4096, 1);
  slice.tuning = {.rank = 16};
  constexpr double h = 8192, kv = 1024, ffn = 28672;
  const double attention = 16.0 * (2.0 * (h + h) + 2.0 * (h + kv));
  const double mlp = 16.0 * 3.0 * (h + ffn);
  const auto parameters = [&](AdapterLayers layers) {
    slice.tuning.layers = layers;
    const LayerOperators operators = layer_operators(model, slice);
    EXPECT_DOUBLE_EQ(
        weights_of(operators.weight_gradients),
        adapter_parameters(model, slice.tuning, slice, LayerKind::dense, Mixer::attention));
    return weights_of(operators.weight_gradients);
  };
  EXPECT_DOUBLE_EQ(parameters(AdapterLayers::attention), attention);
  EXPECT_DOUBLE_EQ(parameters(AdapterLayers::mlp), mlp);
  EXPECT_DOUBLE_EQ(parameters(AdapterLayers::all), attention + mlp);
}

TEST(Adapters, FrozenWeightsHaveNoGradients) {
  const TransformerModel model = llama_70b();
  const Slice trained = slice_of(4096, 1);
  Slice frozen = trained;
  frozen.tuning = {.rank = 1, .layers = AdapterLayers::attention};
  const LayerOperators all = layer_operators(model, trained);
  const LayerOperators few = layer_operators(model, frozen);

  // Half of the backward pass; the adapters of rank 1 are next to nothing.
  EXPECT_NEAR(matmul_flop(few.data_gradients) / matmul_flop(all.data_gradients), 1.0, 1e-3);
  EXPECT_LT(matmul_flop(few.weight_gradients), 1e-3 * matmul_flop(all.weight_gradients));
  EXPECT_TRUE(head_operators(model, frozen).weight_gradients.empty());
  EXPECT_EQ(head_operators(model, frozen).data_gradients.size(), 1u);
  EXPECT_TRUE(embedding_operators(model, frozen).backward.empty());
  // Of the inputs of linear layers only those are kept that an adapter multiplies.
  const double kept = test::saved(model, trained) - test::saved(model, frozen);
  EXPECT_NEAR(kept / (4096.0 * 2.0 * (8192.0 + 28672.0)), 1.0, 1e-3);
}

TEST(Adapters, NarrowWeightsAreMadeOperandsOfInBothPasses) {
  const TransformerModel model = llama_70b();
  Slice slice = slice_of(4096, 1);
  slice.tuning = {.rank = 16, .frozen = FrozenWeights::nf4};
  const LayerOperators layer = layer_operators(model, slice);
  double forward = 0.0;
  double backward = 0.0;
  for (const Operator& op : layer.forward) {
    forward += op.name() == "dequantise weights" ? op.as<Pointwise>()->traffic_bytes : 0.0;
  }
  for (const Operator& op : layer.backward) {
    backward += op.name() == "d dequantise weights" ? op.as<Pointwise>()->traffic_bytes : 0.0;
  }
  const double weights = 2.0 * 8192.0 * 8192.0 + 2.0 * 8192.0 * 1024.0 + 3.0 * 8192.0 * 28672.0;
  EXPECT_DOUBLE_EQ(forward, weights * (4.127 / 8.0 + 2.0));
  EXPECT_DOUBLE_EQ(backward, forward);
  // The head's weights are not narrow.
  for (const Operator& op : head_operators(model, slice).forward) {
    EXPECT_NE(op.name(), "dequantise weights");
  }
}

TEST(ModelFlop, OfFrozenWeightsIsTwoThirdsButForAttention) {
  const TransformerModel model = llama_70b();
  const double all = model_flop_per_sequence(model, 4096);
  const double frozen =
      model_flop_per_sequence(model, 4096, {.rank = 1, .layers = AdapterLayers::attention});
  const double scores = 3.0 * 80.0 * 4.0 * 4096.0 * 4096.0 * 8192.0;
  EXPECT_NEAR((frozen - scores) / (all - scores), 2.0 / 3.0, 1e-4);
}

TEST(Documents, AttendToThemselvesAlone) {
  TransformerModel model = llama_70b();
  const double whole = visible_scores(model, AttentionSpan::whole, 0.0, 4096.0);
  model.document = 512;
  EXPECT_NEAR(visible_scores(model, AttentionSpan::whole, 0.0, 4096.0) / whole, 1.0 / 8.0, 2e-3);
  model.document = 8192;  // longer than a sequence
  EXPECT_DOUBLE_EQ(visible_scores(model, AttentionSpan::whole, 0.0, 4096.0), whole);
  model.document = 512;
  const LayerOperators layer = layer_operators(model, slice_of(4096, 1));
  EXPECT_NEAR(test::named<FlashAttention>(layer.forward, "flash attention").visible_share,
              0.5 / 8.0, 1e-3);
  // A window inside of them sees less.
  model.local = {.window = 128, .layers = 80};
  EXPECT_LT(visible_scores(model, AttentionSpan::window, 0.0, 4096.0), 4096.0 * 128.0);
  model.local.window = 1024;
  EXPECT_NEAR(visible_scores(model, AttentionSpan::window, 0.0, 4096.0) / whole, 1.0 / 8.0, 2e-3);
}

}  // namespace
}  // namespace scalesweep::workload
