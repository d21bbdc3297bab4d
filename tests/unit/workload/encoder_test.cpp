// Images as encoders cut them, and what the parts around a language model hold.
#include "workload/encoder/inputs.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/image_examples.hpp"
#include "workload/layer.hpp"

namespace scalesweep::workload {
namespace {

TEST(Encoder, ATileHasAllPatchesAndAClassToken) {
  const EncodedInput image = encoded_input(test::clip_encoder(1.0));

  EXPECT_DOUBLE_EQ(image.pieces, 1.0);
  EXPECT_DOUBLE_EQ(image.patches, 577.0);
  EXPECT_DOUBLE_EQ(image.tokens, 576.0);  // LLaVA-1.5
}

Encoder in_tiles(std::int64_t width, std::int64_t height) {
  Encoder encoder = test::clip_encoder(1.0);
  encoder.tiles = {.patch = 14, .side = 448, .most = 12, .overview = true, .merged = 4};
  encoder.width = width;
  encoder.height = height;
  return encoder;
}

// Grids of InternVL: 800 x 1300 is nearest to 2 x 3 (arXiv:2404.16821, figure 4), and a square has
// 3 x 3 where it is more than half as large.
TEST(Encoder, TilesAreTheNearestGrid) {
  EXPECT_DOUBLE_EQ(encoded_input(in_tiles(800, 1300)).pieces, 7.0);
  EXPECT_DOUBLE_EQ(encoded_input(in_tiles(448, 448)).pieces, 1.0);
  EXPECT_DOUBLE_EQ(encoded_input(in_tiles(1344, 1344)).pieces, 10.0);
  EXPECT_DOUBLE_EQ(encoded_input(in_tiles(5000, 448)).pieces, 12.0);  // 11 x 1, nearest to 11.2
  EXPECT_DOUBLE_EQ(encoded_input(in_tiles(448, 448)).tokens, 256.0);
}

Encoder whole(std::int64_t width, std::int64_t height) {
  Encoder encoder = test::clip_encoder(1.0);
  encoder.tiles = {.patch = 14, .merged = 4, .least_tokens = 4, .most_tokens = 16384};
  encoder.width = width;
  encoder.height = height;
  return encoder;
}

// Qwen2-VL: a token is 28 x 28 pixels.
TEST(Encoder, WholeImagesHaveTokensByTheirSize) {
  EXPECT_DOUBLE_EQ(encoded_input(whole(1344, 1008)).tokens, 48.0 * 36.0);
  EXPECT_DOUBLE_EQ(encoded_input(whole(1344, 1008)).patches, 4.0 * 48.0 * 36.0);
  EXPECT_DOUBLE_EQ(encoded_input(whole(1350, 1000)).tokens, 48.0 * 36.0);
  EXPECT_DOUBLE_EQ(encoded_input(whole(10, 10)).tokens, 4.0);  // scaled up
  const double most = encoded_input(whole(8000, 8000)).tokens;
  EXPECT_LE(most, 16384.0);
  EXPECT_GE(most, 0.97 * 16384.0);
}

// Of 576 tokens 2,048 hold three: with two in the mean a third of the sequences may have none.
TEST(Encoder, SequencesDifferByWhatTheyHold) {
  Encoder encoder = test::clip_encoder(2.0);
  encoder.spread = 0.5;
  EXPECT_DOUBLE_EQ(spread_in(encoder, 2048.0), 0.5);
  encoder.spread = 1.0;
  EXPECT_DOUBLE_EQ(spread_in(encoder, 2048.0), std::sqrt(0.5));
  encoder.inputs = 3.0;
  EXPECT_DOUBLE_EQ(spread_in(encoder, 2048.0), 0.0);
  encoder.inputs = 0.0;
  EXPECT_DOUBLE_EQ(spread_in(encoder, 2048.0), 0.0);
}

// Whisper: 1,500 vectors of 30 s, however long the rest of a recording is. Qwen2-Audio takes means
// of two of them, Voxtral four side by side.
TEST(Encoder, AudioIsCutIntoClips) {
  Encoder encoder = test::clip_encoder(1.0);
  encoder.audio = {.clip_s = 30.0, .vectors_per_s = 50.0, .pooled = 2};
  encoder.length_s = 70.0;
  EXPECT_DOUBLE_EQ(encoded_input(encoder).pieces, 3.0);
  EXPECT_DOUBLE_EQ(encoded_input(encoder).patches, 1500.0);
  EXPECT_DOUBLE_EQ(encoded_input(encoder).tokens, 1750.0);
  encoder.audio.pooled = 1;
  encoder.audio.merged = 4;
  encoder.inputs = 2.0;
  EXPECT_DOUBLE_EQ(encoded_tokens(encoder), 2.0 * 875.0);
  encoder.projector_ffn = 0;
  EXPECT_DOUBLE_EQ(projector_parameters(encoder, 4096), (4.0 * 1024.0 + 1.0) * 4096.0);
}

// 7.06 billion: 6.738 of Vicuna, 0.303 of CLIP without its last head, 0.021 of the projector.
TEST(Encoder, ParametersAreOfAllParts) {
  const TransformerModel model = test::llava_7b(1.0);

  EXPECT_NEAR(model.parameters() / 7.06e9, 1.0, 0.003);
  EXPECT_DOUBLE_EQ(projector_parameters(model.encoder, 4096), 1025.0 * 4096.0 + 4097.0 * 4096.0);
  EXPECT_DOUBLE_EQ(encoder_parameters(model.encoder), test::clip_vit_l().parameters());
  EXPECT_DOUBLE_EQ(encoder_parameters(Encoder()), 0.0);
}

// Of a frozen part there is a third: the forward pass.
TEST(Encoder, FlopAreOfWhatIsTrained) {
  const TransformerModel text = test::llava_7b(0.0);
  const TransformerModel model = test::llava_7b(2.0);
  const auto flop = [](const TransformerModel& of, TrainedParts parts) {
    return model_flop_per_sequence(of, 2048, {.parts = parts});
  };
  const double all = flop(model, TrainedParts::all) - flop(text, TrainedParts::all);
  const double frozen =
      flop(model, TrainedParts::language_model) - flop(text, TrainedParts::language_model);
  const double projector = 2.0 * 6.0 * 576.0 * projector_parameters(model.encoder, 4096);

  // 577 tokens of 302 million parameters, and scores of 577 x 577.
  const double forward = 2.0 * 577.0 * 24.0 * (12.0 * 1024.0 * 1024.0 + 2.0 * 577.0 * 1024.0);
  EXPECT_NEAR((all - projector) / (2.0 * 3.0 * forward), 1.0, 0.01);
  EXPECT_NEAR((all - projector) / (frozen - projector), 3.0, 1e-9);
}

// The first GEMM of a projector behind an encoder that is not trained needs no gradient of its
// input.
TEST(Encoder, ProjectorsAreTrained) {
  const TransformerModel model = test::llava_7b(1.0);
  Slice slice;
  slice.sequence = 2048;
  slice.micro_batch = 2;
  EXPECT_DOUBLE_EQ(encoded_tokens(model, slice), 1152.0);
  slice.tuning.parts = TrainedParts::projector;
  const LayerOperators frozen = projector_operators(model, slice);
  EXPECT_EQ(frozen.weight_gradients.size(), 2U);
  EXPECT_EQ(frozen.data_gradients.size(), 1U);
  slice.tuning.parts = TrainedParts::encoder;
  EXPECT_EQ(projector_operators(model, slice).data_gradients.size(), 2U);
}

// An MLP of 3,420 columns (Qwen2.5-VL) has rows of 6,840 bytes, no multiple of 16: its GEMMs and
// their gradients. Those of attention are.
TEST(Encoder, RowsOfUnevenWidthsAreNotAligned) {
  TransformerModel model = test::clip_vit_l();
  model.ffn = 3420;
  Slice slice;
  slice.sequence = 1024;
  const LayerOperators layer = layer_operators(model, slice);
  for (const auto* gradients : {&layer.data_gradients, &layer.weight_gradients}) {
    ASSERT_EQ(gradients->size(), 4U);
    EXPECT_TRUE(gradients->at(0).aligned);
    EXPECT_TRUE(gradients->at(1).aligned);
    EXPECT_FALSE(gradients->at(2).aligned);
    EXPECT_FALSE(gradients->at(3).aligned);
  }
  EXPECT_TRUE(has_aligned_rows(3424.0, 2.0));
}

// Without adapters nothing of a language model that stays as it is has weight gradients.
TEST(Encoder, FrozenLanguageModelsPassGradientsOn) {
  Slice slice;
  slice.sequence = 2048;
  slice.tuning.parts = TrainedParts::projector;
  const LayerOperators layer = layer_operators(test::llava_7b(1.0), slice);

  EXPECT_TRUE(layer.weight_gradients.empty());
  EXPECT_EQ(layer.data_gradients.size(), 4U);
}

}  // namespace
}  // namespace scalesweep::workload
