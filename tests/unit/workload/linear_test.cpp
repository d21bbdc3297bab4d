// Layers with a state, and attention to chosen tokens: by hand, and by running both algorithms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "operator_sums.hpp"
#include "workload/inference_layer.hpp"

namespace scalesweep::workload {
namespace {

using test::deepseek_v3;
using test::matmul_flop;
using test::named;
using test::names;
using test::slice_of;
using testing::Contains;
using testing::Not;

// Three layers of four have a state.
TransformerModel with_states(const LinearAttention& linear) {
  TransformerModel model = scalesweep::test::llama(2048, 48, 16, 2, 5632, 32000);
  model.linear = linear;
  model.linear.layers = 36;
  return model;
}
TransformerModel delta_net() {
  return with_states({.heads = 32,
                      .key_heads = 16,
                      .key_dim = 128,
                      .value_dim = 128,
                      .convolution = 4,
                      .gates = 2,
                      .chunk = 64,
                      .delta_rule = true});
}
TransformerModel mamba2() {
  return with_states({.heads = 64,
                      .key_heads = 8,
                      .key_dim = 128,
                      .value_dim = 64,
                      .convolution = 4,
                      .gates = 1,
                      .chunk = 128});
}
TransformerModel mamba() {
  return with_states({.heads = 4096,
                      .key_heads = 1,
                      .key_dim = 16,
                      .value_dim = 1,
                      .convolution = 4,
                      .gates = 1,
                      .gate_rank = 128});
}
TransformerModel lightning() {
  return with_states(
      {.heads = 16, .key_heads = 16, .key_dim = 128, .value_dim = 128, .chunk = 256});
}

TransformerModel sparse_deepseek() {
  TransformerModel model = deepseek_v3();
  model.sparse = {.index_heads = 64, .index_dim = 128, .top_k = 2048};
  return model;
}

InferenceSlice decode(double sequences, double cached) {
  InferenceSlice slice;
  slice.decode = {sequences, 1.0, cached};
  return slice;
}
InferenceSlice prefill(double sequences, double tokens, double cached = 0.0) {
  InferenceSlice slice;
  slice.prefill = {sequences, tokens, cached};
  return slice;
}

struct Published {
  TransformerModel model;
  double weights;  // of the projections of a layer with a state
};
// Written out as the papers have them: inputs with z, x, B, C and dt of Mamba-2; x, z, then dt, B,
// C out of x, then dt of Mamba; queries, keys, values, gate, beta and decay of gated DeltaNet;
// queries, keys, values and gate of Lightning attention; each with its output projection.
std::vector<Published> all_kinds() {
  const double h = 2048;
  return {{delta_net(), h * (2 * 2048 + 2 * 4096 + 2 * 32) + 4096 * h},
          {mamba2(), h * (2 * 4096 + 2 * 8 * 128 + 64) + 4096 * h},
          {mamba(), h * 2 * 4096 + 4096 * (128 + 2 * 16) + 128 * 4096 + 4096 * h},
          {lightning(), h * 4 * 2048 + 2048 * h}};
}

TEST(LinearLayer, GemmsAreTwiceTheWeightsForEveryToken) {
  for (const auto& [model, weights] : all_kinds()) {
    const double tokens = 3 * 4096;
    const double mlp = 3.0 * 2048 * 5632;
    const LayerOperators layer =
        layer_operators(model, slice_of(4096, 3), LayerKind::dense, Mixer::linear);
    EXPECT_DOUBLE_EQ(matmul_flop(layer.forward), 2.0 * tokens * (weights + mlp));
    EXPECT_DOUBLE_EQ(matmul_flop(layer.data_gradients), 2.0 * tokens * (weights + mlp));
    EXPECT_DOUBLE_EQ(matmul_flop(layer.weight_gradients), 2.0 * tokens * (weights + mlp));
    InferenceSlice slice = prefill(2, 700, 100);
    slice.decode = {9, 1, 5000};
    EXPECT_DOUBLE_EQ(matmul_flop(inference_layer_operators(model, slice, LayerKind::dense,
                                                           AttentionSpan::whole, Mixer::linear)),
                     2.0 * (2 * 700 + 9) * (weights + mlp));
  }
}

TEST(LinearLayer, ParametersByHand) {
  const double h = 2048;
  const std::array<double, 4> rest = {
      4.0 * (2 * 2048 + 4096) + 2 * 32 + 4096,  // convolution, biases of gates, norm
      4.0 * (4096 + 2 * 8 * 128) + 64 + 4096, 4.0 * 4096 + 4096 + 4096, 2048};
  std::size_t i = 0;
  for (const auto& [model, weights] : all_kinds()) {
    EXPECT_DOUBLE_EQ(model.linear_parameters(), weights + rest[i++] + 2 * h);
    const double attention = h * (2048 + 2 * 256) + 2048 * h + 2 * h;
    EXPECT_DOUBLE_EQ(model.attention_parameters(), attention);
    EXPECT_DOUBLE_EQ(model.mixer_parameters(), 0.75 * model.linear_parameters() + 0.25 * attention);
    EXPECT_NEAR(
        model.parameters(),
        36 * model.linear_parameters() + 12 * attention + 48 * 3.0 * h * 5632 + 2.0 * 32000 * h + h,
        1.0);
  }
}

// Tokens in chunks of L as the papers compute them, multiply-adds counted, against the recurrence.
// Keys of N, values of P, one head, no decay.
class Chunks {
 public:
  Chunks(std::size_t tokens, std::size_t length, bool delta) : length_(length), delta_(delta) {
    unsigned state = 1;
    const auto next = [&state] {
      state = state * 1103515245U + 12345U;
      return static_cast<double>(state >> 16U & 0xffU) / 256.0 - 0.5;
    };
    for (std::size_t t = 0; t < tokens; ++t) {
      for (std::size_t n = 0; n < width; ++n) {
        queries_.push_back(next());
        keys_.push_back(next());
      }
      for (std::size_t p = 0; p < columns; ++p) {
        values_.push_back(next());
      }
    }
  }

  static constexpr std::size_t width = 6;    // N
  static constexpr std::size_t columns = 4;  // P

  std::vector<double> recurrence() const {
    std::vector<double> state(width * columns), out;
    for (std::size_t t = 0; t < tokens(); ++t) {
      for (std::size_t p = 0; p < columns; ++p) {
        double held = 0.0;
        for (std::size_t n = 0; delta_ && n < width; ++n) {
          held += key(t, n) * state[n * columns + p];
        }
        for (std::size_t n = 0; n < width; ++n) {
          state[n * columns + p] += key(t, n) * (value(t, p) - held);
        }
      }
      for (std::size_t p = 0; p < columns; ++p) {
        double read = 0.0;
        for (std::size_t n = 0; n < width; ++n) {
          read += query(t, n) * state[n * columns + p];
        }
        out.push_back(read);
      }
    }
    return out;
  }

  // Counts into `products`.
  std::vector<double> in_chunks(double& products) const {
    std::vector<double> state(width * columns), out(tokens() * columns);
    for (std::size_t begin = 0; begin < tokens(); begin += length_) {
      const std::vector<double> writes = writes_of(begin, state, products);
      for (std::size_t i = 0; i < length_; ++i) {
        for (std::size_t p = 0; p < columns; ++p) {
          for (std::size_t n = 0; n < width; ++n) {
            out[(begin + i) * columns + p] += query(begin + i, n) * state[n * columns + p];
            ++products;
          }
        }
        for (std::size_t j = 0; j < length_; ++j) {
          double score = 0.0;
          for (std::size_t n = 0; n < width; ++n) {
            score += query(begin + i, n) * key(begin + j, n);
            ++products;
          }
          for (std::size_t p = 0; p < columns; ++p) {
            out[(begin + i) * columns + p] += j <= i ? score * writes[j * columns + p] : 0.0;
            ++products;
          }
        }
      }
      for (std::size_t j = 0; j < length_; ++j) {
        for (std::size_t n = 0; n < width; ++n) {
          for (std::size_t p = 0; p < columns; ++p) {
            state[n * columns + p] += key(begin + j, n) * writes[j * columns + p];
            ++products;
          }
        }
      }
    }
    return out;
  }

 private:
  // Values; under the delta rule T V - (T K) S with T = (I + tril(K K^T, -1))^-1.
  std::vector<double> writes_of(std::size_t begin, const std::vector<double>& state,
                                double& products) const {
    std::vector<double> writes;
    if (!delta_) {
      for (std::size_t i = 0; i < length_ * columns; ++i) {
        writes.push_back(values_[begin * columns + i]);
      }
      return writes;
    }
    std::vector<double> inverse(length_ * length_), scores(length_ * length_);
    for (std::size_t i = 0; i < length_; ++i) {
      for (std::size_t j = 0; j < length_; ++j) {
        for (std::size_t n = 0; n < width; ++n) {
          scores[i * length_ + j] += key(begin + i, n) * key(begin + j, n);
          ++products;
        }
      }
    }
    for (std::size_t i = 0; i < length_; ++i) {
      inverse[i * length_ + i] = 1.0;
      for (std::size_t j = 0; j < i; ++j) {
        for (std::size_t k = j; k < i; ++k) {
          inverse[i * length_ + j] -= scores[i * length_ + k] * inverse[k * length_ + j];
          ++products;
        }
      }
    }
    for (std::size_t i = 0; i < length_; ++i) {
      std::array<double, width> own{};
      std::array<double, columns> written{};
      for (std::size_t j = 0; j < length_; ++j) {
        for (std::size_t n = 0; n < width; ++n) {
          own[n] += inverse[i * length_ + j] * key(begin + j, n);
          ++products;
        }
        for (std::size_t p = 0; p < columns; ++p) {
          written[p] += inverse[i * length_ + j] * value(begin + j, p);
          ++products;
        }
      }
      for (std::size_t p = 0; p < columns; ++p) {
        for (std::size_t n = 0; n < width; ++n) {
          written[p] -= own[n] * state[n * columns + p];
          ++products;
        }
        writes.push_back(written[p]);
      }
    }
    return writes;
  }

  std::size_t tokens() const { return values_.size() / columns; }
  double query(std::size_t t, std::size_t n) const { return queries_[t * width + n]; }
  double key(std::size_t t, std::size_t n) const { return keys_[t * width + n]; }
  double value(std::size_t t, std::size_t p) const { return values_[t * columns + p]; }

  std::size_t length_;
  bool delta_;
  std::vector<double> queries_, keys_, values_;
};

TEST(LinearScan, CountsWhatChunksMultiply) {
  constexpr std::size_t tokens = 192;
  constexpr std::size_t length = 32;
  for (const bool delta : {false, true}) {
    const Chunks chunks(tokens, length, delta);
    double products = 0.0;
    const std::vector<double> chunked = chunks.in_chunks(products);
    const std::vector<double> stepwise = chunks.recurrence();
    ASSERT_EQ(chunked.size(), stepwise.size());
    for (std::size_t i = 0; i < chunked.size(); ++i) {
      ASSERT_NEAR(chunked[i], stepwise[i], 1e-9);  // what is counted is the algorithm
    }
    LinearScan op;
    op.sequences = 1;
    op.tokens = tokens;
    op.heads = op.key_heads = 1;
    op.key_dim = Chunks::width;
    op.value_dim = Chunks::columns;
    op.chunk = length;
    op.delta_rule = delta;
    // The triangle has L^3 / 6 - L / 6 products and not L^3 / 6.
    const double corner = delta ? 2.0 * tokens / 6.0 : 0.0;
    EXPECT_NEAR(op.tensor_flop(), 2.0 * products + corner, 1e-6 * products);
    op.backward = true;
    EXPECT_NEAR(op.tensor_flop(), 2.5 * (2.0 * products + corner), 1e-5 * products);
  }
}

// Without chunks each element of a state decays, takes a product and is read: five FLOP; the delta
// rule reads it once more.
TEST(LinearScan, TokensOneByOneRunOnTheVectorUnits) {
  const auto scan = [](const TransformerModel& model) {
    return named<LinearScan>(inference_layer_operators(model, decode(7, 900), LayerKind::dense,
                                                       AttentionSpan::whole, Mixer::linear),
                             "linear decode attention");
  };
  EXPECT_EQ(scan(mamba2()).tensor_flop(), 0.0);
  EXPECT_DOUBLE_EQ(scan(mamba2()).vector_flop(), 7.0 * 5 * 64 * 128 * 64);
  EXPECT_DOUBLE_EQ(scan(delta_net()).vector_flop(), 7.0 * 7 * 32 * 128 * 128);
  EXPECT_DOUBLE_EQ(scan(mamba()).vector_flop(), 7.0 * 13 * 4096 * 16);  // a decay for each element
  const LinearScan trained = named<LinearScan>(
      layer_operators(mamba(), slice_of(512, 2), LayerKind::dense, Mixer::linear).forward,
      "linear attention");
  EXPECT_EQ(trained.tensor_flop(), 0.0);
  EXPECT_DOUBLE_EQ(trained.vector_flop(), 1024.0 * 13 * 4096 * 16);
  EXPECT_EQ(trained.launches(), 1.0);
}

TEST(LinearScan, DecodeReadsAndWritesTheStateOnceWhateverIsCached) {
  for (const double cached : {0.0, 1000.0, 1e6}) {
    const LinearScan op = named<LinearScan>(
        inference_layer_operators(delta_net(), decode(16, cached), LayerKind::dense,
                                  AttentionSpan::whole, Mixer::linear),
        "linear decode attention");
    const double vectors = 2.0 * 16 * 128 + 2.0 * 32 * 128;  // two of keys, values and outputs
    EXPECT_DOUBLE_EQ(op.traffic_bytes(), 16 * (2.0 * 32 * 128 * 128 * 4 + vectors * 2));
  }
}

TEST(LinearScan, PromptsWriteTheStatesOfTheirChunks) {
  const auto bytes = [](const TransformerModel& model) {
    return named<LinearScan>(
               inference_layer_operators(model, prefill(2, 1024, 512), LayerKind::dense,
                                         AttentionSpan::whole, Mixer::linear),
               "linear prompt attention")
        .traffic_bytes();
  };
  const double tokens = 2 * 1024;
  const double state = 64.0 * 128 * 64 * 4;  // of Mamba-2, in bytes
  EXPECT_DOUBLE_EQ(bytes(mamba2()), tokens * (2 * 8 * 128 + 2 * 64 * 64) * 2 +
                                        2 * (tokens / 128) * state + 2 * 2 * state);
  const double square = 32.0 * 128 * 128 * 4;
  EXPECT_DOUBLE_EQ(bytes(delta_net()), tokens * (2 * 16 * 128 + 2 * 32 * 128) * 2 +
                                           2 * (tokens / 64) * square +
                                           2 * tokens * 32 * (128 + 2 * 128) * 2 + 2 * 2 * square);
}

TEST(LinearLayer, KeepsAStateOfItsOwnHeads) {
  const double state = 32.0 * 128 * 128 * 4;
  const double reached = 3.0 * (2 * 16 * 128 + 32 * 128) * 2;
  EXPECT_DOUBLE_EQ(state_bytes(delta_net(), 1, 2.0), state + reached);
  EXPECT_DOUBLE_EQ(state_bytes(delta_net(), 8, 2.0), (state + reached) / 8);
  EXPECT_DOUBLE_EQ(state_bytes(lightning(), 1, 2.0), 16.0 * 128 * 128 * 4);
  EXPECT_DOUBLE_EQ(state_bytes(mamba(), 1, 2.0), 4096.0 * 16 * 4 + 3.0 * 4096 * 2);
  // A group of Mamba-2 is on every device at least once.
  EXPECT_DOUBLE_EQ(state_bytes(mamba2(), 16, 2.0),
                   64.0 / 16 * 128 * 64 * 4 + 3.0 * (2 * 128 + 4 * 64) * 2);
}

TEST(LinearLayer, NamesItsPartsApart) {
  const auto prompt = names(inference_layer_operators(mamba(), prefill(1, 64), LayerKind::dense,
                                                      AttentionSpan::whole, Mixer::linear));
  for (const char* name : {"linear input", "short convolution", "selection", "step sizes",
                           "linear prompt attention", "gated norm", "linear output"}) {
    EXPECT_THAT(prompt, Contains(name));
  }
  EXPECT_THAT(prompt, Not(Contains("query key value")));
  EXPECT_THAT(names(inference_layer_operators(lightning(), prefill(1, 64), LayerKind::dense,
                                              AttentionSpan::whole, Mixer::linear)),
              Not(Contains("short convolution")));
}

TEST(LinearLayer, SavesWhatItsGradientsRead) {
  const Slice slice = slice_of(1024, 2);
  double saved = 0.0;
  for (const SavedTensor& tensor :
       saved_tensors(delta_net(), slice, LayerKind::dense, Mixer::linear)) {
    saved += tensor.bytes;
  }
  const double convolved = 2 * 2048 + 4096;
  const double mixer = 2.0 * 2048 + (2 * 2048 + 2 * 4096 + 64) + convolved + 2.0 * 4096;
  const double mlp = 2.0 * 2048 + 3.0 * 5632;
  EXPECT_DOUBLE_EQ(saved, 2.0 * 2048 * (mixer + mlp));
  // The mean of three layers with a state and one that attends.
  const TransformerModel model = delta_net();
  const double attends = [&] {
    TransformerModel plain = model;
    plain.linear = {};
    return test::saved(plain, slice);
  }();
  EXPECT_NEAR(test::saved(model, slice) / (0.75 * saved + 0.25 * attends), 1.0, 1e-12);
  EXPECT_NEAR(saved_activations(model, slice).most_bytes / std::max(saved, attends), 1.0, 1e-12);
}

TEST(LayerVariants, ShareTheLayersOfAKind) {
  TransformerModel model = mamba2();  // 36 of 48 layers
  model.bare_layers = 12;
  double all = 0.0, bare = 0.0, states = 0.0;
  for (const LayerVariant& variant : LayerVariants(model, LayerKind::dense)) {
    all += variant.share;
    bare += variant.kind == LayerKind::bare ? variant.share : 0.0;
    states += variant.mixer == Mixer::linear ? variant.share : 0.0;
  }
  EXPECT_DOUBLE_EQ(all, 1.0);
  EXPECT_DOUBLE_EQ(bare, 0.25);
  EXPECT_DOUBLE_EQ(states, 0.75);
  EXPECT_EQ((LayerVariant{LayerKind::bare, Mixer::linear}.name()), "linear layer without MLP");
  EXPECT_EQ((LayerVariant{LayerKind::experts, Mixer::linear}.name()), "linear expert layer");
  const LayerVariants plain(deepseek_v3(), LayerKind::experts);
  ASSERT_EQ(plain.end() - plain.begin(), 1);
  EXPECT_EQ(plain.begin()->share, 1.0);
  EXPECT_EQ(plain.begin()->name(), "expert layer");
}

TEST(BareLayers, HaveAMixerAndNothingBehindIt) {
  TransformerModel model = mamba2();
  const double with = model.parameters();
  model.bare_layers = 12;
  EXPECT_NEAR(with - model.parameters(), 12 * (3.0 * 2048 * 5632 + 2048), 1.0);
  for (const Mixer mixer : {Mixer::attention, Mixer::linear}) {
    const LayerOperators bare = layer_operators(model, slice_of(512, 1), LayerKind::bare, mixer);
    const LayerOperators dense = layer_operators(model, slice_of(512, 1), LayerKind::dense, mixer);
    EXPECT_NEAR(matmul_flop(dense.forward) - matmul_flop(bare.forward), 2.0 * 512 * 3 * 2048 * 5632,
                1.0);
    EXPECT_THAT(names(bare.forward), Not(Contains("mlp norm")));
    EXPECT_THAT(names(bare.forward), Contains("attention residual"));
    const auto served = names(inference_layer_operators(model, prefill(1, 64), LayerKind::bare,
                                                        AttentionSpan::whole, mixer));
    EXPECT_THAT(served, Not(Contains("mlp up")));
    EXPECT_THAT(served, Not(Contains("mlp norm")));
  }
}

// Forward and backward: weights, convolution and recurrence of each token; of attention the whole
// matrix.
TEST(LinearLayer, ModelFlopByHand) {
  const double s = 4096;
  const double h = 2048;
  const double weights = all_kinds()[0].weights + 4.0 * (2 * 2048 + 4096);
  const double linear = 2.0 * s * weights + s * 7 * 32 * 128 * 128;
  const double attention = 2.0 * s * (h * (2048 + 2 * 256) + 2048 * h) + 2.0 * s * s * 2 * 2048;
  const double mlp = 2.0 * s * 3 * h * 5632;
  const double head = 2.0 * s * h * 32000;
  EXPECT_NEAR(model_flop_per_sequence(delta_net(), 4096) /
                  (3.0 * (36 * linear + 12 * attention + 48 * mlp + head)),
              1.0, 1e-12);
}

TEST(WithLayers, KeepsTheShareOfStates) {
  TransformerModel model = mamba2();
  model.bare_layers = 12;
  const TransformerModel half = with_layers(model, 24);
  EXPECT_EQ(half.linear.layers, 18);
  EXPECT_EQ(half.bare_layers, 6);
}

// Pairs that are chosen, query by query.
double chosen_by_query(double cached, double tokens, double most) {
  double pairs = 0.0;
  for (double t = 0.0; t < tokens; t += 1.0) {
    pairs += std::min(most, cached + t + 0.5);  // half of its own
  }
  return pairs;
}

TEST(SparseAttention, ChoosesSoManyOfEachQuery) {
  const TransformerModel model = sparse_deepseek();
  EXPECT_NEAR(chosen_scores(model, 0, 1000), chosen_by_query(0, 1000, 2048), 1e-6);
  EXPECT_NEAR(chosen_scores(model, 0, 5000), chosen_by_query(0, 5000, 2048), 1.0);
  EXPECT_NEAR(chosen_scores(model, 1900, 600), chosen_by_query(1900, 600, 2048), 1.0);
  EXPECT_DOUBLE_EQ(chosen_scores(model, 9000, 600), 600.0 * 2048);
}

TEST(SparseAttention, DecodeScoresAllAndReadsTheChosen) {
  const TransformerModel model = sparse_deepseek();
  for (const double cached : {999.0, 65535.0}) {
    const auto ops = inference_attention_operators(model, decode(4, cached));
    const MatMul& scores = named<MatMul>(ops, "index scores");
    EXPECT_DOUBLE_EQ(scores.flop(), 2.0 * 4 * 64 * 128 * (cached + 1));
    // One number in fp32 for a pair, from all heads together.
    EXPECT_DOUBLE_EQ(scores.m * scores.n * scores.batch * scores.output_bytes,
                     4 * (cached + 1) * 4);
    const DecodeAttention& read = named<DecodeAttention>(ops, "sparse decode attention");
    EXPECT_EQ(read.context, std::min(cached + 1, 2048.0));
    EXPECT_EQ(read.head_dim, 576);
  }
  EXPECT_DOUBLE_EQ(cache_elements(model, 8), 576 + 128);
}

// Up to where latents of the chosen cost less than keys and values of all: (4096 - 1024) latents a
// query of 1088 against half the prompt of 320.
TEST(SparseAttention, PromptsMaskWhileThatIsLess) {
  const TransformerModel model = sparse_deepseek();
  const auto attention = [&](double tokens, double cached) {
    return named<PrefillAttention>(inference_attention_operators(model, prefill(1, tokens, cached)),
                                   "sparse prompt attention");
  };
  const PrefillAttention masked = attention(4096, 0);
  EXPECT_EQ(masked.head_dim, 192);
  EXPECT_DOUBLE_EQ(masked.visible_share, 0.5);
  const PrefillAttention chosen = attention(32768, 0);
  EXPECT_EQ(chosen.head_dim, 576);
  EXPECT_EQ(chosen.value_dim, 512);
  EXPECT_EQ(chosen.batch_kv_heads, 1);
  EXPECT_NEAR(chosen.visible_share * 32768.0 * 32768, chosen_by_query(0, 32768, 2048), 1.0);
  const auto index = [&](double tokens, double cached) {
    return named<MatMul>(inference_attention_operators(model, prefill(2, tokens, cached)),
                         "index scores")
        .flop();
  };
  EXPECT_NEAR(index(1000, 500) / (2.0 * 2 * 64 * 128 * (1000.0 * 500 + 1000.0 * 1000 / 2)), 1.0,
              1e-12);
  // Latents of what is cached are expanded where all is read, and stay where they are chosen.
  const auto expanded = [&](double tokens, double cached) {
    return named<MatMul>(
               inference_layer_operators(model, prefill(1, tokens, cached), LayerKind::dense),
               "key value up")
        .m;
  };
  EXPECT_EQ(expanded(1000, 500), 1500);
  EXPECT_EQ(expanded(1000, 60000), 1000);
}

TEST(SparseAttention, ProjectionsOfTheIndexByHand) {
  const TransformerModel model = sparse_deepseek();
  const double weights = 1536.0 * 64 * 128 + 7168.0 * (128 + 64);
  EXPECT_DOUBLE_EQ(model.attention_parameters() - deepseek_v3().attention_parameters(), weights);
  const auto flop = [](const TransformerModel& of) {
    return matmul_flop(inference_layer_operators(of, prefill(1, 256), LayerKind::dense));
  };
  const double scores = 2.0 * 64 * 128 * 256.0 * 256 / 2;
  EXPECT_NEAR(flop(model) - flop(deepseek_v3()), 2.0 * 256 * weights + scores, 1.0);
  const LayerOperators trained = layer_operators(model, slice_of(8192, 1));
  EXPECT_DOUBLE_EQ(named<MatMul>(trained.forward, "index scores").flop(),
                   2.0 * 64 * 128 * 8192.0 * 8192 / 2);
  EXPECT_DOUBLE_EQ(named<MatMul>(trained.backward, "d index scores").flop(),
                   3.0 * 2.0 * 64 * 128 * 8192.0 * 8192 / 2);
  EXPECT_THAT(names(trained.backward), Contains("d sparse attention"));
}

TEST(SparseAttention, ModelFlopByHand) {
  const double s = 65536;
  TransformerModel sparse = scalesweep::test::llama(4096, 32, 32, 8, 14336, 128256);
  const TransformerModel whole = sparse;
  sparse.sparse = {.index_heads = 16, .index_dim = 64, .top_k = 2048};
  const double width = 2.0 * 4096;
  const double fewer = 2.0 * 2 * (s * s / 2 - chosen_by_query(0, s, 2048)) * width;
  const double index = 2.0 * 2 * s * s / 2 * 16 * 64 + 2.0 * s * (4096.0 * (16 * 64 + 64 + 16));
  EXPECT_NEAR((model_flop_per_sequence(whole, 65536) - model_flop_per_sequence(sparse, 65536)) /
                  (3.0 * 32 * (fewer - index)),
              1.0, 1e-9);
}

TEST(GatedAttention, IsOneMoreProjectionAsWideAsTheOutputs) {
  TransformerModel model = scalesweep::test::llama(2048, 48, 16, 2, 5632, 32000);
  const TransformerModel plain = model;
  model.gated_attention = true;
  EXPECT_DOUBLE_EQ(model.attention_parameters() - plain.attention_parameters(), 2048.0 * 2048);
  const auto flop = [](const TransformerModel& of) {
    return matmul_flop(layer_operators(of, slice_of(256, 1)).forward);
  };
  EXPECT_DOUBLE_EQ(flop(model) - flop(plain), 2.0 * 256 * 2048 * 2048);
  EXPECT_THAT(names(inference_layer_operators(model, decode(1, 1), LayerKind::dense)),
              Contains("attention gate"));
}

TEST(Windows, AreNamedApart) {
  TransformerModel model = scalesweep::test::llama(4096, 32, 32, 8, 14336, 128256);
  model.local = {.window = 1024, .layers = 24};
  for (const double length : {100.0, 5000.0}) {
    EXPECT_EQ(
        inference_attention_operators(model, prefill(1, length), AttentionSpan::window)[0].name(),
        "window prompt attention");
    EXPECT_EQ(
        inference_attention_operators(model, decode(1, length), AttentionSpan::window)[0].name(),
        "window decode attention");
    EXPECT_EQ(inference_attention_operators(model, decode(1, length))[0].name(),
              "decode attention");
  }
  const auto forward = names(layer_operators(model, slice_of(512, 1)).forward);
  EXPECT_THAT(forward, Contains("window attention"));
  EXPECT_THAT(forward, Contains("flash attention"));
}

}  // namespace
}  // namespace scalesweep::workload
