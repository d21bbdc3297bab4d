// What software makes of a layer: eager or fused, quantised or not, cut by context, encoders,
// blocks side by side, prediction modules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "operator_sums.hpp"

namespace scalesweep::workload {
namespace {

using scalesweep::test::gpt;
using scalesweep::test::llama;
using test::matmul_flop;
using test::named;
using test::names;
using test::saved;
using test::slice_of;
using testing::Contains;
using testing::Each;
using testing::Field;
using testing::IsSupersetOf;
using testing::Not;

TransformerModel llama_8b() {
  return llama(4096, 32, 32, 8, 14336, 128256);
}

TEST(Eager, OneKernelForEachStep) {
  Slice slice = slice_of(2048, 1);
  const LayerOperators fused = layer_operators(llama_8b(), slice);
  slice.fused_pointwise = false;
  const LayerOperators eager = layer_operators(llama_8b(), slice);

  EXPECT_GT(eager.forward.size(), fused.forward.size() + 5);
  EXPECT_GT(eager.backward.size(), fused.backward.size() + 8);
  EXPECT_GT(test::traffic(eager.forward), test::traffic(fused.forward));
  EXPECT_GT(test::traffic(eager.backward), 2.0 * test::traffic(fused.backward));
  EXPECT_DOUBLE_EQ(matmul_flop(eager.forward), matmul_flop(fused.forward));
  EXPECT_THAT(names(eager.forward), Contains("gate"));
  EXPECT_THAT(names(eager.forward), Contains("rotary queries"));
  EXPECT_THAT(names(eager.forward), Not(Contains("dropout")));
}

TEST(Eager, WeightGradientsAreAddedByAKernelOfTheirOwn) {
  Slice slice = slice_of(2048, 1);
  slice.fused_pointwise = false;
  const LayerOperators layer = layer_operators(llama_8b(), slice);
  EXPECT_THAT(layer.weight_gradients, Each(Field(&MatMul::accumulates, false)));
  EXPECT_THAT(layer.weight_gradients, Each(Field(&MatMul::output_bytes, 2.0)));
  // Reads 16 bit and the fp32 sum, writes the sum, for each weight of the layer.
  const TransformerModel model = llama_8b();
  double bytes = 0.0;
  for (const Operator& op : layer.backward) {
    bytes += op.name() == "accumulate gradient" ? op.as<Pointwise>()->traffic_bytes : 0.0;
  }
  EXPECT_DOUBLE_EQ(bytes, 10.0 * (model.layer_parameters() - 2.0 * 4096));
}

TEST(Eager, KeepsTheNonlinearityBesideItsGemm) {
  Slice slice = slice_of(2048, 1);
  const double fused = saved(llama_8b(), slice);
  slice.fused_pointwise = false;
  EXPECT_DOUBLE_EQ(saved(llama_8b(), slice) - fused, 2.0 * 2048 * 14336);
  EXPECT_DOUBLE_EQ(saved(gpt(4096, 32, 32), slice), saved(gpt(4096, 32, 32), slice_of(2048, 1)));
}

TEST(Eager, DropoutAndMasksAreKernelsToo) {
  Slice slice = slice_of(512, 1);
  slice.fused_pointwise = false;
  slice.flash_attention = false;
  const LayerOperators layer = layer_operators(gpt(1024, 2, 16), slice);
  EXPECT_THAT(names(layer.forward), IsSupersetOf({"cast scores", "mask", "cast probabilities"}));
  EXPECT_THAT(names(layer.forward), Contains("dropout").Times(2));
  EXPECT_THAT(names(layer.backward), Contains("d dropout").Times(2));
  EXPECT_GT(head_operators(gpt(1024, 2, 16), slice).forward.size(), 6u);
}

// The fused kernel takes matrices of scores by fours.
TEST(Fused, SoftmaxMasksOnlyMultiplesOfFourMatrices) {
  Slice slice = slice_of(512, 1);
  slice.flash_attention = false;
  EXPECT_THAT(names(layer_operators(gpt(1024, 2, 16), slice).forward), Not(Contains("mask")));
  EXPECT_THAT(names(layer_operators(gpt(1024, 2, 2), slice).forward), Contains("mask"));
  EXPECT_THAT(names(layer_operators(gpt(1024, 2, 2), slice).backward), Contains("d mask"));
}

Slice fp8_slice(bool fused) {
  Slice slice = slice_of(2048, 1);
  slice.operand_bytes = 1.0;
  slice.fused_pointwise = fused;
  return slice;
}

TEST(Quantised, LinearLayersMultiplyFewerBytes) {
  const LayerOperators layer = layer_operators(llama_8b(), fp8_slice(true));
  for (const char* name : {"query key value", "attention projection", "mlp up", "mlp down"}) {
    const MatMul& op = named<MatMul>(layer.forward, name);
    EXPECT_EQ(op.input_bytes, 1.0) << name;
    EXPECT_EQ(op.output_bytes, 2.0) << name;
    EXPECT_TRUE(op.low_precision) << name;
  }
  EXPECT_EQ(named<FlashAttention>(layer.forward, "flash attention").element_bytes, 2.0);
  const LayerOperators head = head_operators(llama_8b(), fp8_slice(true));
  EXPECT_EQ(named<MatMul>(head.forward, "output projection").input_bytes, 2.0);
  EXPECT_FALSE(named<MatMul>(head.forward, "output projection").low_precision);
}

// Four inputs and four gradients: norms and activation quantise three and one of them on the way.
TEST(Quantised, OperandsAreWrittenBothWaysRound) {
  const LayerOperators fused = layer_operators(llama_8b(), fp8_slice(true));
  EXPECT_THAT(names(fused.forward), Contains("quantise").Times(1));
  EXPECT_THAT(names(fused.backward), Contains("d quantise").Times(3));
  const LayerOperators eager = layer_operators(llama_8b(), fp8_slice(false));
  EXPECT_THAT(names(eager.forward), Contains("quantise").Times(4));
  EXPECT_THAT(names(eager.backward), Contains("d quantise").Times(4));
  const double elements = 2048.0 * 4096;
  EXPECT_DOUBLE_EQ(named<Pointwise>(eager.forward, "quantise").traffic_bytes,
                   elements * (2.0 + 2.0 * 1.0));
  // A norm that quantises reads 16 bit and writes two copies of 8.
  EXPECT_DOUBLE_EQ(named<Pointwise>(fused.forward, "mlp norm").traffic_bytes,
                   elements * (2.0 + 2.0 * 1.0));
  EXPECT_THAT(names(layer_operators(llama_8b(), slice_of(2048, 1)).forward),
              Not(Contains("quantise")));
}

TEST(Quantised, KeepsOneCopyOfEachOperand) {
  const double inputs = 2048.0 * (2.0 * 4096 + 14336);
  // Attention keeps its output in 16 bit, and the projection its quantised copy beside it.
  const double projection = -1.0 * 2048 * 4096;
  EXPECT_DOUBLE_EQ(saved(llama_8b(), slice_of(2048, 1)) - saved(llama_8b(), fp8_slice(true)),
                   inputs + projection);
}

TEST(Context, DevicesHaveTheirPartOfTheTokensAndAllKeys) {
  Slice whole = slice_of(8192, 1);
  Slice part = whole;
  part.context_shards = 4;
  const LayerOperators layer = layer_operators(llama_8b(), part);
  EXPECT_DOUBLE_EQ(named<MatMul>(layer.forward, "query key value").m, 2048);
  const FlashAttention& flash = named<FlashAttention>(layer.forward, "flash attention");
  EXPECT_DOUBLE_EQ(flash.sequence, 2048);
  EXPECT_DOUBLE_EQ(flash.keys(), 8192);
  EXPECT_DOUBLE_EQ(flash.visible_share, 0.5);
  EXPECT_DOUBLE_EQ(saved(llama_8b(), part), saved(llama_8b(), whole) / 4.0);
  // Unfused, the rows of a device's own queries over all keys.
  whole.flash_attention = part.flash_attention = false;
  EXPECT_DOUBLE_EQ(matmul_flop(layer_operators(llama_8b(), part).forward),
                   matmul_flop(layer_operators(llama_8b(), whole).forward) / 4.0);
}

TEST(Encoder, SeesTheWholeScoreMatrix) {
  TransformerModel model = gpt(768, 12, 12);
  model.causal = false;
  const LayerOperators layer = layer_operators(model, slice_of(512, 8));
  EXPECT_EQ(named<FlashAttention>(layer.forward, "flash attention").visible_share, 1.0);
  EXPECT_EQ(named<FlashAttention>(layer.backward, "d flash attention").visible_share, 1.0);
}

TEST(Encoder, ImagesAreEmbeddedByAProjectionAndClassifiedByOneToken) {
  TransformerModel model = gpt(768, 12, 12);
  model.patch_inputs = 768;
  model.vocab = 1000;
  const Slice slice = slice_of(197, 8);
  const LayerOperators embedding = embedding_operators(model, slice);
  EXPECT_DOUBLE_EQ(matmul_flop(embedding.forward), 2.0 * 197 * 8 * 768 * 768);
  EXPECT_TRUE(embedding.data_gradients.empty());
  EXPECT_EQ(embedding.weight_gradients.size(), 1u);
  EXPECT_DOUBLE_EQ(named<MatMul>(head_operators(model, slice).forward, "output projection").m, 8);
  // 17.6 billion multiply-adds of one forward pass (Dosovitskiy et al., arXiv:2010.11929).
  EXPECT_NEAR(model_flop_per_sequence(model, 197) / 6.0 / 17.6e9, 1.0, 0.01);
}

TEST(ParallelBlocks, ShareTheirNormAndTheirResidual) {
  TransformerModel model = gpt(4096, 28, 16);
  const Slice slice = slice_of(2048, 1);
  const LayerOperators serial = layer_operators(model, slice);
  const double serial_saved = saved(model, slice);
  model.parallel_blocks = true;
  const LayerOperators parallel = layer_operators(model, slice);
  EXPECT_EQ(parallel.forward.size() + 2, serial.forward.size());
  EXPECT_DOUBLE_EQ(matmul_flop(parallel.forward), matmul_flop(serial.forward));
  EXPECT_DOUBLE_EQ(serial_saved - saved(model, slice), 2.0 * 2.0 * 2048 * 4096);
}

TEST(Positions, LinearBiasesNeedNoKernelAndHalfAHeadHalfTheTraffic) {
  TransformerModel model = llama_8b();
  const Slice slice = slice_of(2048, 1);
  const auto rotary = [&] {
    return named<Pointwise>(layer_operators(model, slice).forward, "rotary embedding")
        .traffic_bytes;
  };
  const double whole = rotary();
  model.rotary_share = 0.5;
  EXPECT_DOUBLE_EQ(rotary(), 0.5 * whole);
  model.rotary_share = 0.0;
  EXPECT_THAT(names(layer_operators(model, slice).forward), Not(Contains("rotary embedding")));
}

TEST(Prediction, ModulesJoinTwoInputsAndCountInTheModelFlop) {
  TransformerModel model = test::deepseek_v3();
  const double without = model_flop_per_sequence(model, 4096);
  model.prediction_layers = 1;
  const double module = model_flop_per_sequence(model, 4096) - without;
  const Slice slice = slice_of(4096, 1);
  const double joined = matmul_flop(prediction_operators(model, slice).forward);
  EXPECT_DOUBLE_EQ(joined, 2.0 * 4096 * 2.0 * 7168 * 7168);
  const double layer = matmul_flop(layer_operators(model, slice, LayerKind::experts).forward) +
                       2.0 * 4096.0 * 4096 * (128 * 192 + 128 * 128);
  const double head = matmul_flop(head_operators(model, slice).forward);
  EXPECT_NEAR(module / (3.0 * (joined + layer + head)), 1.0, 1e-12);
}

const Operator& operator_named(const LayerOperators& layer, std::string_view name) {
  return *std::find_if(layer.forward.begin(), layer.forward.end(),
                       [name](const Operator& op) { return op.name() == name; });
}

TEST(Recompute, OfEveryOtherGemmRepeatsAHalfOfThemAndAllThatStreams) {
  Slice slice = slice_of(8192, 2);
  slice.selective = SelectiveRecompute::alternate;
  const LayerOperators layer = layer_operators(llama_8b(), slice);
  EXPECT_EQ(operator_named(layer, "query key value").selective_repeats, 0.5);
  EXPECT_EQ(operator_named(layer, "mlp down").selective_repeats, 0.5);
  EXPECT_EQ(operator_named(layer, "flash attention").selective_repeats, 0.0);
  EXPECT_EQ(operator_named(layer, "activation").selective_repeats, 1.0);
}

TEST(Recompute, OfAttentionRepeatsItsCoreAlone) {
  const LayerOperators layer = layer_operators(llama_8b(), slice_of(8192, 2));
  for (const Operator& op : layer.forward) {
    EXPECT_EQ(op.selective_repeats, op.name() == "flash attention" ? 1.0 : 0.0) << op.name();
    EXPECT_EQ(op.full_repeats, 1.0) << op.name();
  }
}

TEST(Recompute, EndsWithTheInputOfTheLastLinearLayerWhereItStopsEarly) {
  Slice slice = slice_of(8192, 2);
  slice.recompute_stops_early = true;
  const LayerOperators layer = layer_operators(llama_8b(), slice);
  EXPECT_EQ(operator_named(layer, "activation").full_repeats, 1.0);
  EXPECT_EQ(operator_named(layer, "mlp down").full_repeats, 0.0);
  EXPECT_EQ(operator_named(layer, "mlp residual").full_repeats, 0.0);
}

TEST(SequenceCopies, AreOneForEachGatherAndScatter) {
  Slice slice = slice_of(8192, 2);
  slice.tensor_shards = 8;
  slice.copies_sequence_shards = true;
  EXPECT_THAT(names(layer_operators(llama_8b(), slice).forward),
              Not(Contains("order gathered input")));  // no sequence parallelism
  slice.sequence_shards = true;
  const LayerOperators layer = layer_operators(llama_8b(), slice);
  // Read and written: two gathers and two scatters of 16,384 x 4,096 in 16 bits.
  const double all = 4.0 * 16384 * 4096 * 4.0;
  double copied = 0.0;
  for (const Operator& op : layer.forward) {
    const bool copy = op.name() == "order gathered input" || op.name() == "cut sums to scatter";
    copied += copy ? op.as<Pointwise>()->traffic_bytes : 0.0;
  }
  EXPECT_DOUBLE_EQ(copied, all);
  slice.keeps_gathered_inputs = true;
  EXPECT_EQ(layer_operators(llama_8b(), slice).backward.size() + 2, layer.backward.size());
}

TEST(SavedTensors, OfEveryOtherGemmAreWhatAttentionAndReductionsLeave) {
  Slice slice = slice_of(8192, 1);
  slice.selective = SelectiveRecompute::alternate;
  // Of a token: layer input, attention output and its 32 sums of exponentials; half of queries,
  // keys and values, of the attention's projection, and of both halves of the MLP's input.
  const double gemms = 0.5 * (4096 + 1024 + 1024 + 4096 + 2 * 14336);
  EXPECT_DOUBLE_EQ(saved_activations(llama_8b(), slice).kept_bytes,
                   8192.0 * (2.0 * (4096 + 4096 + gemms) + 32 * 4.0));
  slice.tensor_shards = 2;
  const double sharded = saved_activations(llama_8b(), slice).kept_bytes;
  slice.sequence_shards = true;
  EXPECT_LT(saved_activations(llama_8b(), slice).kept_bytes, sharded);
  slice.keeps_gathered_inputs = true;
  const SavedActivations whole = saved_activations(llama_8b(), slice);
  slice.keeps_gathered_inputs = false;
  const SavedActivations parts = saved_activations(llama_8b(), slice);
  EXPECT_DOUBLE_EQ(whole.kept_bytes, parts.kept_bytes);  // dropped either way
  EXPECT_DOUBLE_EQ(whole.dropped_bytes - parts.dropped_bytes, 2.0 * 8192.0 * 4096 * 2.0 / 2.0);
}

TEST(SavedTensors, HaveNamesAndAddUp) {
  const TransformerModel model = gpt(6144, 48, 64);
  Slice slice = slice_of(2048, 4);
  slice.flash_attention = false;
  double core = 0.0;
  double other = 0.0;
  for (const SavedTensor& tensor : saved_tensors(model, slice)) {
    EXPECT_FALSE(tensor.name.empty());
    (tensor.dropped == 1.0 ? core : other) += tensor.bytes;
  }
  const SavedActivations sums = saved_activations(model, slice);
  EXPECT_DOUBLE_EQ(sums.dropped_bytes, core);
  EXPECT_DOUBLE_EQ(sums.kept_bytes, other);
}

}  // namespace
}  // namespace scalesweep::workload
