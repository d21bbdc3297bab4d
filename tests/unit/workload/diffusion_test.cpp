#include "workload/diffusion/diffusion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator_sums.hpp"
#include "workload/diffusion/diffusion_layers.hpp"

namespace scalesweep::workload {
namespace {

using test::matmul_flop;
using testing::DoubleNear;

// DiT-XL/2 (arXiv:2212.09748, table 1): 28 layers, width 1152, 16 heads, classes and no text.
DiffusionModel dit_xl() {
  DiffusionModel model;
  model.layers = {0, 0, 28};
  model.hidden = 1152;
  model.heads = 16;
  model.head_dim = 72;
  model.ffn = 4608;
  model.modulation_width = 1152;
  return model;
}

// The shape of FLUX.1: two kinds of layers, text beside latents.
DiffusionModel mixed_layers() {
  DiffusionModel model;
  model.layers = {19, 38, 0};
  model.hidden = 3072;
  model.heads = 24;
  model.head_dim = 128;
  model.ffn = 12288;
  model.parallel_mlp = true;
  model.modulation_width = 3072;
  model.text_tokens = 512;
  model.text_width = 4096;
  model.channels = 16;
  model.passes = 1;
  return model;
}

DiffusionModel video() {
  DiffusionModel model = dit_xl();
  model.text_tokens = 512;
  model.text_width = 4096;
  model.frames = 4;
  model.channels = 16;
  return model;
}

DiffusionSlice slice_of(const DiffusionModel& model, const ImageSize& image) {
  DiffusionSlice slice;
  slice.latent_tokens = latent_tokens(model, image);
  return slice;
}

double attention_flop(const std::vector<Operator>& operators) {
  double flop = 0.0;
  for (const Operator& op : operators) {
    if (const auto* attention = op.as<FlashAttention>()) {
      flop += 2.0 * attention->batch_heads * attention->sequence * attention->keys() * 2.0 *
              attention->head_dim * attention->visible_share;
    }
  }
  return flop;
}

double flop_of(const DiffusionModel& model, const DiffusionSlice& slice) {
  const std::vector<Operator> ends = diffusion_ends(model, slice).operators.forward;
  double flop = matmul_flop(ends);
  for (std::size_t i = 0; i < diffusion_layer_count; ++i) {
    if (model.layers[i] > 0) {
      const auto layer =
          diffusion_layer(model, static_cast<DiffusionLayer>(i), slice).operators.forward;
      flop += static_cast<double>(model.layers[i]) * (matmul_flop(layer) + attention_flop(layer));
    }
  }
  return flop;
}

TEST(Diffusion, CountsItsParameters) {
  EXPECT_NEAR(dit_xl().parameters(), 675e6, 0.02 * 675e6);
  EXPECT_NEAR(mixed_layers().parameters(), 11.9e9, 0.02 * 11.9e9);
}

// Table 4 of arXiv:2212.09748: 118.6 G multiply-adds for 256 x 256 pixels.
TEST(Diffusion, MultipliesAsPublished) {
  EXPECT_NEAR(denoiser_flop(dit_xl(), {256, 256, 1}), 2.0 * 118.6e9, 0.02 * 2.0 * 118.6e9);
}

TEST(Diffusion, TokensFillPatchesAndFramesFollowTheFirst) {
  EXPECT_EQ(latent_tokens(dit_xl(), {256, 256, 1}), 256.0);
  EXPECT_EQ(latent_tokens(dit_xl(), {250, 256, 1}), 256.0);
  EXPECT_EQ(latent_tokens(video(), {1280, 720, 81}), 21.0 * 45 * 80);
  EXPECT_EQ(latent_tokens(video(), {1280, 720, 82}), 22.0 * 45 * 80);
  EXPECT_EQ(latent_tokens(video(), {1280, 720, 1}), 45.0 * 80);
  DiffusionModel pairs = video();
  pairs.patch_frames = 2;
  EXPECT_EQ(latent_tokens(pairs, {1280, 720, 81}), 11.0 * 45 * 80);
}

TEST(Diffusion, OperatorsHaveTheFlopOfTheModel) {
  for (const DiffusionModel& model : {dit_xl(), mixed_layers(), video()}) {
    const ImageSize image = {512, 512, 1};
    EXPECT_THAT(flop_of(model, slice_of(model, image)) / denoiser_flop(model, image),
                DoubleNear(1.0, 1e-3));
  }
}

// Shards share matrices, heads and tokens; what every device has of its own is small.
TEST(Diffusion, ShardsAddUpToTheWhole) {
  for (const DiffusionModel& model : {dit_xl(), mixed_layers(), video()}) {
    const DiffusionSlice whole = slice_of(model, {1024, 1024, 1});
    for (const bool heads : {false, true}) {
      DiffusionSlice part = whole;
      part.tensor_shards = 2;
      part.context_shards = 4;
      part.exchanges_heads = heads;
      const double ratio = 8.0 * flop_of(model, part) / flop_of(model, whole);
      EXPECT_GE(ratio, 1.0 - 1e-9);
      EXPECT_LT(ratio, 1.06);
    }
  }
}

TEST(Diffusion, EagerStacksReadAndWriteMore) {
  const auto bytes = [](const DiffusionSlice& slice) {
    double sum = 0.0;
    for (const Operator& op :
         diffusion_layer(mixed_layers(), DiffusionLayer::joint, slice).operators.forward) {
      const auto* pointwise = op.as<Pointwise>();
      sum += pointwise != nullptr ? pointwise->traffic_bytes : 0.0;
    }
    return sum;
  };
  DiffusionSlice slice = slice_of(mixed_layers(), {1024, 1024, 1});
  const double eager = bytes(slice);
  slice.fused_pointwise = true;
  EXPECT_GT(eager, 2.0 * bytes(slice));
}

// Nothing is prepared for operands as wide as activations; narrow ones are read once and written.
TEST(Diffusion, NarrowOperandsAreWrittenBeforeTheyAreMultiplied) {
  DiffusionSlice slice = slice_of(dit_xl(), {256, 256, 1});
  const auto count = [&] {
    return diffusion_layer(dit_xl(), DiffusionLayer::cross, slice).operators.forward.size();
  };
  const std::size_t wide = count();
  slice.operand_bytes = 1.0;
  EXPECT_EQ(count(), wide + 5);  // modulation, two products of attention, two of the MLP
}

TEST(Diffusion, TextIsEncodedByAllWeightsOfItsEncoder) {
  DiffusionModel model = mixed_layers();
  EXPECT_TRUE(text_encoder(model, 1.0, 2.0).empty());
  model.encoder_parameters = 4.8e9;
  model.encoder_width = 4096;
  EXPECT_DOUBLE_EQ(matmul_flop(text_encoder(model, 2.0, 2.0)), 2.0 * 2.0 * 512 * 4.8e9);
}

// Two all-reduces of a block, one where attention and MLP stand side by side, a third behind text.
TEST(Diffusion, TensorRanksAddUpWhatBlocksLeave) {
  const auto sums = [](const DiffusionModel& model, DiffusionLayer kind) {
    const TensorReductions of = tensor_reductions(model, kind);
    return std::pair(of.latents, of.text);
  };
  EXPECT_EQ(sums(mixed_layers(), DiffusionLayer::separate), std::pair(2.0, 2.0));
  EXPECT_EQ(sums(mixed_layers(), DiffusionLayer::joint), std::pair(1.0, 1.0));
  EXPECT_EQ(sums(dit_xl(), DiffusionLayer::cross), std::pair(2.0, 0.0));
  EXPECT_EQ(sums(video(), DiffusionLayer::cross), std::pair(3.0, 0.0));
}

DiffusionSlice trained_slice(const DiffusionModel& model, const ImageSize& image) {
  DiffusionSlice slice = slice_of(model, image);
  slice.trains = true;
  slice.master_bytes = slice.gradient_bytes = slice.element_bytes;
  return slice;
}

double flop_of(const std::vector<MatMul>& products) {
  double flop = 0.0;
  for (const MatMul& product : products) {
    flop += product.flop();
  }
  return flop;
}

// Of each product one with the gradient for either operand: twice the FLOP of the forward pass. Of
// the ends inputs that nobody learns have none.
TEST(DiffusionTraining, BackwardPassHasTwiceTheProducts) {
  for (const DiffusionModel& model : {dit_xl(), mixed_layers(), video()}) {
    const DiffusionSlice slice = trained_slice(model, {1024, 1024, 1});
    for (std::size_t i = 0; i < diffusion_layer_count; ++i) {
      if (model.layers[i] == 0) {
        continue;
      }
      const LayerOperators layer =
          diffusion_layer(model, static_cast<DiffusionLayer>(i), slice).operators;
      EXPECT_DOUBLE_EQ(flop_of(layer.data_gradients), matmul_flop(layer.forward));
      EXPECT_DOUBLE_EQ(flop_of(layer.weight_gradients), matmul_flop(layer.forward));
      std::size_t attentions = 0;
      for (const Operator& op : layer.backward) {
        const auto* attention = op.as<FlashAttention>();
        attentions += attention != nullptr && attention->backward ? 1U : 0U;
      }
      EXPECT_EQ(attentions, model.layers[2] > 0 && model.text_tokens > 0 ? 2U : 1U);
    }
    const LayerOperators ends = diffusion_ends(model, slice).operators;
    EXPECT_EQ(ends.data_gradients.size(), 1U);
    EXPECT_EQ(ends.weight_gradients.size(), model.text_tokens > 0 ? 3U : 2U);
  }
}

TEST(DiffusionTraining, TheMakingOfImagesGoesOneWayAndKeepsNothingOfIt) {
  const DiffusionModel model = dit_xl();
  const DiffusionPasses layer =
      diffusion_layer(model, DiffusionLayer::cross, slice_of(model, {256, 256, 1}));
  EXPECT_TRUE(layer.operators.backward.empty());
  EXPECT_TRUE(layer.operators.data_gradients.empty());
  EXPECT_TRUE(layer.operators.weight_gradients.empty());
}

// By hand, of a token of DiT in eager PyTorch, in states of 1152 elements: of attention its norm's
// input, the norm, the operand, queries, keys, values and output, what is gated; of the MLP the
// first three again, four before and behind the activation each, what is gated.
TEST(DiffusionTraining, LayersKeepWhatTheirGradientsNeed) {
  const DiffusionModel model = dit_xl();
  DiffusionSlice slice = trained_slice(model, {256, 256, 1});
  const double state = 256.0 * 1152.0 * 2.0;
  const auto kept = [&] { return diffusion_layer(model, DiffusionLayer::cross, slice).kept; };
  EXPECT_DOUBLE_EQ(kept().kept_bytes, (3 + 4 + 1 + 3 + 8 + 1) * state);
  EXPECT_DOUBLE_EQ(kept().input_bytes, state);
  // A compiler computes norms and the activation again.
  slice.fused_pointwise = true;
  EXPECT_DOUBLE_EQ(kept().kept_bytes, (2 + 4 + 1 + 2 + 4 + 1) * state);
  slice.tensor_shards = 2;
  EXPECT_DOUBLE_EQ(kept().kept_bytes, (2 + 2 + 1 + 2 + 2 + 1) * state);
  slice.context_shards = 2;
  EXPECT_DOUBLE_EQ(kept().kept_bytes, 0.5 * (2 + 2 + 1 + 2 + 2 + 1) * state);
}

// Automatic casts: weights are read as fp32 in each pass, and states between layers are as wide.
TEST(DiffusionTraining, WideWeightsAreMadeOperandsOf) {
  const DiffusionModel model = dit_xl();
  const DiffusionSlice narrow = trained_slice(model, {256, 256, 1});
  DiffusionSlice wide = narrow;
  wide.master_bytes = wide.gradient_bytes = 4.0;
  const auto bytes = [&](const DiffusionSlice& slice) {
    double sum = 0.0;
    const DiffusionPasses layer = diffusion_layer(model, DiffusionLayer::cross, slice);
    for (const Operator& op : layer.operators.forward) {
      sum += op.name() == "narrowed weights" ? op.as<Pointwise>()->traffic_bytes : 0.0;
    }
    return sum;
  };
  const double weights = 18.0 * 1152.0 * 1152.0;  // those of modulation among them
  EXPECT_DOUBLE_EQ(bytes(wide), 6.0 * weights);
  EXPECT_EQ(bytes(narrow), 0.0);
  EXPECT_GT(diffusion_layer(model, DiffusionLayer::cross, wide).kept.kept_bytes,
            diffusion_layer(model, DiffusionLayer::cross, narrow).kept.kept_bytes);
}

}  // namespace
}  // namespace scalesweep::workload
