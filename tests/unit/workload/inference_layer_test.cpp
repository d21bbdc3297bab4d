// A layer in inference: GEMMs and attention by hand, experts by enumeration, caches.
#include "workload/inference_layer.hpp"
#include "workload/feed_forward/expert_load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "operator_sums.hpp"

namespace scalesweep::workload {
namespace {

using test::deepseek_v3;
using test::matmul_flop;
using test::mixtral;
using test::named;
using test::names;
using testing::Contains;
using testing::Not;

TransformerModel llama_8b() {
  return scalesweep::test::llama(4096, 32, 32, 8, 14336, 128256);
}

TransformerModel windowed() {
  TransformerModel model = llama_8b();
  model.local = {.window = 1024, .layers = 32};
  return model;
}

InferenceSlice decode(double sequences, double cached, double new_tokens = 1.0) {
  InferenceSlice slice;
  slice.decode = {sequences, new_tokens, cached};
  return slice;
}

InferenceSlice prefill(double sequences, double tokens, double cached = 0.0) {
  InferenceSlice slice;
  slice.prefill = {sequences, tokens, cached};
  return slice;
}

double attention_flop(const std::vector<Operator>& operators) {
  double flop = 0.0;
  for (const Operator& op : operators) {
    if (op.is<PrefillAttention>()) {
      const PrefillAttention& a = *op.as<PrefillAttention>();
      flop +=
          2.0 * a.batch_heads * a.sequence * a.keys() * a.visible_share * (a.head_dim + a.values());
    } else if (op.is<DecodeAttention>()) {
      const DecodeAttention& a = *op.as<DecodeAttention>();
      const double value_dim = a.value_dim > 0.0 ? a.value_dim : a.head_dim;
      flop += 2.0 * a.batch * a.queries * a.heads * a.context * (a.head_dim + value_dim);
    }
  }
  return flop;
}

TEST(InferenceLayer, DenseGemmsAreTwiceTheWeightsForEveryToken) {
  const TransformerModel model = llama_8b();
  const double h = 4096;
  const double weights = h * (4096 + 2 * 1024) + 4096 * h + 3.0 * h * 14336;
  InferenceSlice slice = prefill(3, 500);
  slice.decode = {7, 1, 900};

  EXPECT_DOUBLE_EQ(matmul_flop(inference_layer_operators(model, slice, LayerKind::dense)),
                   2.0 * weights * (3 * 500 + 7));
  // All layers, and the head for the last token of each prompt and every next one.
  EXPECT_DOUBLE_EQ(matmul_flop(inference_head_operators(model, slice)), 2.0 * h * 128256 * (3 + 7));
  EXPECT_NEAR(32.0 * weights + h * 128256,
              model.active_parameters() - (2 * 32 + 1) * h - h * 128256, 1.0);
}

TEST(InferenceLayer, ExpertGemmsAreTwiceTheWeightsThatATokenGoesTo) {
  const TransformerModel model = mixtral();
  const double h = 4096;
  const double attention = h * (4096 + 2 * 1024) + 4096 * h;
  const double active = 2.0 * 3.0 * h * 14336 + h * 8;
  for (const double tokens : {1.0, 5.0, 64.0}) {
    const auto layer = inference_layer_operators(model, decode(tokens, 100), LayerKind::experts);
    EXPECT_NEAR(matmul_flop(layer) / (2.0 * tokens * (attention + active)), 1.0, 1e-12);
  }
}

TEST(InferenceLayer, APromptSeesEveryTokenBeforeOnce) {
  // n new tokens over c cached ones: n c + n^2 / 2 scores of each head.
  const TransformerModel model = llama_8b();
  const auto whole =
      inference_attention_operators(model, prefill(2, 600, 400), AttentionSpan::whole);
  EXPECT_DOUBLE_EQ(attention_flop(whole), 2.0 * 32 * (600.0 * 400 + 600.0 * 600 / 2) * 4.0 * 128);
  // Two parts see together what the whole sees.
  const double first = attention_flop(inference_attention_operators(model, prefill(1, 300)));
  const double second = attention_flop(inference_attention_operators(model, prefill(1, 700, 300)));
  EXPECT_NEAR(first + second,
              attention_flop(inference_attention_operators(model, prefill(1, 1000))), 1.0);
}

TEST(InferenceLayer, AWindowHidesWhatIsFarther) {
  const TransformerModel model = windowed();
  const auto window = [&](const InferenceSlice& slice) {
    return attention_flop(inference_attention_operators(model, slice, AttentionSpan::window));
  };
  const double score = 32.0 * 4.0 * 128;  // FLOP of all heads for one token and one it sees
  EXPECT_DOUBLE_EQ(window(prefill(1, 1000)), score * 1000.0 * 1000 / 2);
  EXPECT_NEAR(window(prefill(1, 3000)) / (score * (1024.0 * 1024 / 2 + (3000.0 - 1024) * 1024)),
              1.0, 1e-12);
  EXPECT_NEAR(window(prefill(1, 500, 2000)) / (score * 500.0 * 1024), 1.0, 1e-12);
  EXPECT_DOUBLE_EQ(window(decode(4, 5000)), 4 * score * 1024);
  EXPECT_DOUBLE_EQ(window(decode(4, 99)), 4 * score * 100);
  EXPECT_DOUBLE_EQ(
      attention_flop(inference_attention_operators(model, decode(4, 4999), AttentionSpan::whole)),
      4 * score * 5000);
}

TEST(InferenceLayer, DecodeReadsTheCacheOfItsOwnHeads) {
  InferenceSlice slice = decode(16, 2047);
  slice.tensor_shards = 4;
  slice.cache_bytes = 1.0;
  const auto layer = inference_layer_operators(llama_8b(), slice, LayerKind::dense);
  const DecodeAttention attention = named<DecodeAttention>(layer, "decode attention");
  EXPECT_DOUBLE_EQ(attention.batch, 16);
  EXPECT_DOUBLE_EQ(attention.context, 2048);
  EXPECT_DOUBLE_EQ(attention.heads, 8);
  EXPECT_DOUBLE_EQ(attention.kv_heads, 2);
  EXPECT_DOUBLE_EQ(attention.element_bytes, 1.0);
  EXPECT_DOUBLE_EQ(attention.query_bytes, 2.0);
  // A draft is checked in one go.
  const auto drafted = inference_layer_operators(llama_8b(), decode(16, 2000, 5), LayerKind::dense);
  EXPECT_DOUBLE_EQ(named<DecodeAttention>(drafted, "decode attention").queries, 5);
  EXPECT_DOUBLE_EQ(named<MatMul>(drafted, "mlp up").m, 80);
}

TEST(InferenceLayer, LatentAttentionWorksOnTheLatentsThemselves) {
  // DeepSeek-V3: 128 heads; latent 512 and 64 with positions; 128 without them, 128 of values.
  InferenceSlice slice = decode(10, 999);
  slice.tensor_shards = 8;
  const auto layer = inference_layer_operators(deepseek_v3(), slice, LayerKind::dense);
  const MatMul absorb = named<MatMul>(layer, "absorb queries");
  EXPECT_DOUBLE_EQ(absorb.m, 10);
  EXPECT_DOUBLE_EQ(absorb.n, 512);
  EXPECT_DOUBLE_EQ(absorb.k, 128);
  EXPECT_DOUBLE_EQ(absorb.batch, 16);
  const MatMul expand = named<MatMul>(layer, "expand values");
  EXPECT_DOUBLE_EQ(expand.n, 128);
  EXPECT_DOUBLE_EQ(expand.k, 512);
  EXPECT_DOUBLE_EQ(expand.batch, 16);
  const DecodeAttention attention = named<DecodeAttention>(layer, "decode attention");
  EXPECT_DOUBLE_EQ(attention.kv_heads, 1);
  EXPECT_DOUBLE_EQ(attention.heads, 16);
  EXPECT_DOUBLE_EQ(attention.head_dim, 576);
  EXPECT_DOUBLE_EQ(attention.value_dim, 512);
  EXPECT_THAT(names(layer), Not(Contains("key value up")));
}

TEST(InferenceLayer, PromptsExpandTheLatents) {
  const auto layer = inference_layer_operators(deepseek_v3(), prefill(2, 300, 100),  //
                                               LayerKind::dense);
  const MatMul up = named<MatMul>(layer, "key value up");
  EXPECT_DOUBLE_EQ(up.m, 2 * 400);  // of what is cached as well
  EXPECT_DOUBLE_EQ(up.n, 128 * 256);
  EXPECT_DOUBLE_EQ(up.k, 512);
  const auto attention = named<PrefillAttention>(layer, "prompt attention");
  EXPECT_DOUBLE_EQ(attention.head_dim, 192);
  EXPECT_DOUBLE_EQ(attention.values(), 128);
  EXPECT_THAT(names(layer), Not(Contains("absorb queries")));
}

TEST(InferenceLayer, WeightsHaveTheirOwnBytes) {
  InferenceSlice slice = decode(4, 100);
  slice.linear = LinearFormats({2.0, 0.5, {}});
  const auto layer = inference_layer_operators(llama_8b(), slice, LayerKind::dense);
  EXPECT_DOUBLE_EQ(named<MatMul>(layer, "mlp up").weight_bytes, 0.5);
  EXPECT_DOUBLE_EQ(named<MatMul>(layer, "mlp up").input_bytes, 2.0);
  const auto head = inference_head_operators(llama_8b(), slice);
  EXPECT_DOUBLE_EQ(named<MatMul>(head, "output projection").weight_bytes, 2.0);
}

TEST(InferenceLayer, WithoutFusionEveryStepIsAKernel) {
  InferenceSlice slice = decode(4, 100);
  const auto fused = names(inference_layer_operators(llama_8b(), slice, LayerKind::dense));
  slice.fused_pointwise = false;
  const auto eager = names(inference_layer_operators(llama_8b(), slice, LayerKind::dense));
  for (const char* name : {"silu", "rotary queries", "rotary keys", "attention residual"}) {
    EXPECT_THAT(eager, Contains(name));
    EXPECT_THAT(fused, Not(Contains(name)));
  }
  slice.flash_attention = false;
  const auto scores = inference_layer_operators(llama_8b(), slice, LayerKind::dense);
  const MatMul scores_of = named<MatMul>(scores, "attention scores");
  EXPECT_DOUBLE_EQ(scores_of.m, 4);  // query heads of one head of keys
  EXPECT_DOUBLE_EQ(scores_of.n, 101);
  EXPECT_DOUBLE_EQ(scores_of.batch, 4 * 8);
  EXPECT_THAT(names(scores), Contains("softmax"));
}

TEST(InferenceLayer, ParallelBlocksShareANorm) {
  TransformerModel model = llama_8b();
  model.parallel_blocks = true;
  const auto layer = names(inference_layer_operators(model, decode(1, 1), LayerKind::dense));
  EXPECT_THAT(layer, Not(Contains("mlp norm")));
  EXPECT_THAT(layer, Contains("attention norm"));
}

// Every way in which `tokens` tokens choose top_k of `count` experts each; how many of the first
// `held` experts are chosen at all, on average.
double enumerated(int count, int top_k, int held, int tokens) {
  std::vector<std::uint32_t> choices;
  for (std::uint32_t set = 0; set < (1U << count); ++set) {
    if (__builtin_popcount(set) == top_k) {
      choices.push_back(set);
    }
  }
  std::vector<double> ways(1U << count, 0.0);
  ways[0] = 1.0;
  for (int token = 0; token < tokens; ++token) {
    std::vector<double> next(ways.size(), 0.0);
    for (std::uint32_t reached = 0; reached < ways.size(); ++reached) {
      for (const std::uint32_t choice : choices) {
        next[reached | choice] += ways[reached] / static_cast<double>(choices.size());
      }
    }
    ways = next;
  }
  double mean = 0.0;
  for (std::uint32_t reached = 0; reached < ways.size(); ++reached) {
    mean += ways[reached] * __builtin_popcount(reached & ((1U << held) - 1U));
  }
  return mean;
}

// Activations of two bytes to operands of one before each of the four linear layers.
TEST(InferenceLayer, QuantisesInKernelsOfTheirOwnWhereNothingElseDoes) {
  InferenceSlice slice = decode(8, 100);
  slice.linear = LinearFormats({1.0, 2.0, {}});
  const auto quantised = [&] {
    double bytes = 0.0;
    for (const Operator& op : inference_layer_operators(llama_8b(), slice, LayerKind::dense)) {
      bytes += op.name() == "quantise" ? op.as<Pointwise>()->traffic_bytes : 0.0;
    }
    return bytes;
  };
  EXPECT_EQ(quantised(), 0.0);
  slice.fused_quantization = false;
  EXPECT_EQ(quantised(), 8.0 * (3.0 * 4096.0 + 14336.0) * 3.0);
  slice.linear = {};
  EXPECT_EQ(quantised(), 0.0);
}

TEST(InferenceLayer, PartsHaveFormatsOfTheirOwn) {
  InferenceSlice slice = decode(8, 100);
  slice.linear[LinearPart::experts] = {1.0, 0.5, {}};
  slice.linear[LinearPart::shared_experts] = {1.0, 1.0, {}};
  const auto layer = inference_layer_operators(deepseek_v3(), slice, LayerKind::experts);
  const auto bytes = [&](const char* name) {
    const MatMul op = named<MatMul>(layer, name);
    return std::pair(op.input_bytes, op.weight_bytes);
  };
  for (const char* name : {"query down", "query up", "key value down"}) {
    EXPECT_EQ(bytes(name), std::pair(2.0, 2.0)) << name;
    EXPECT_EQ(named<MatMul>(layer, name).part, LinearPart::attention) << name;
  }
  EXPECT_EQ(named<MatMul>(layer, "attention projection").part, LinearPart::attention_output);
  for (const char* name : {"expert up", "expert down"}) {
    EXPECT_EQ(bytes(name), std::pair(1.0, 0.5)) << name;
    EXPECT_EQ(named<MatMul>(layer, name).part, LinearPart::experts) << name;
  }
  for (const char* name : {"shared expert up", "shared expert down"}) {
    EXPECT_EQ(bytes(name), std::pair(1.0, 1.0)) << name;
  }
  const auto dense = inference_layer_operators(deepseek_v3(), slice, LayerKind::dense);
  EXPECT_EQ(named<MatMul>(dense, "mlp up").part, LinearPart::mlp);
  EXPECT_EQ(named<MatMul>(dense, "mlp up").weight_bytes, 2.0);
}

// The norm before them has one reader that it prepares operands for.
TEST(InferenceLayer, QuantisesOnceMoreWhereTwoReadersWantOtherFormats) {
  InferenceSlice slice = decode(8, 100);
  const auto quantised = [&] {
    double bytes = 0.0;
    for (const Operator& op : inference_layer_operators(deepseek_v3(), slice, LayerKind::experts)) {
      bytes += op.name() == "quantise" ? op.as<Pointwise>()->traffic_bytes : 0.0;
    }
    return bytes;
  };
  slice.linear = LinearFormats({1.0, 1.0, {}});
  EXPECT_EQ(quantised(), 0.0);
  slice.linear[LinearPart::experts] = {0.5, 0.5, {}};
  EXPECT_EQ(quantised(), 8.0 * 7168.0 * 3.0) << "of what the shared experts read";
}

TEST(ExpertsReached, IsTheMeanOverAllChoices) {
  for (const int top_k : {1, 2, 3}) {
    for (const int held : {2, 6}) {
      for (const int tokens : {1, 2, 5}) {
        Experts experts;
        experts.count = 6;
        experts.top_k = top_k;
        EXPECT_NEAR(experts_reached(experts, held, tokens), enumerated(6, top_k, held, tokens),
                    1e-12)
            << top_k << " of 6, " << held << " held, " << tokens << " tokens";
      }
    }
  }
}

TEST(ExpertsReached, CopiesOfARequestReachThoseOfOne) {
  Experts experts = mixtral().experts;
  experts.alike = 16.0;
  EXPECT_NEAR(experts_reached(experts, 8.0, 16.0), 2.0, 1e-12);
  EXPECT_NEAR(experts_reached(experts, 8.0, 4.0), 2.0, 1e-12);
  EXPECT_NEAR(experts_reached(experts, 8.0, 32.0), 8.0 * (1.0 - 0.75 * 0.75), 1e-12);
}

TEST(ExpertsReached, AgreesWithDrawnTokensOfALargeModel) {
  const Experts experts = deepseek_v3().experts;
  std::mt19937 engine(7);
  std::uniform_int_distribution<int> any(0, 255);
  constexpr int rounds = 400, tokens = 40, held = 32;
  double sum = 0.0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<bool> reached(256, false);
    for (int token = 0; token < tokens; ++token) {
      std::vector<bool> own(256, false);
      for (int chosen = 0; chosen < 8;) {
        const auto expert = static_cast<std::size_t>(any(engine));
        if (!own[expert]) {
          own[expert] = reached[expert] = true;
          ++chosen;
        }
      }
    }
    for (std::size_t expert = 0; expert < held; ++expert) {
      sum += reached[expert] ? 1.0 : 0.0;
    }
  }
  // Standard error of the mean: 32 experts, each reached with p = 0.72, over 400 rounds: 0.13.
  EXPECT_NEAR(experts_reached(experts, held, tokens), sum / rounds, 0.5);
}

TEST(ExpertsReached, WeightsOfTheOthersAreNotRead) {
  const auto up = [](const InferenceSlice& slice) {
    return named<MatMul>(inference_layer_operators(deepseek_v3(), slice, LayerKind::experts),
                         "expert up");
  };
  EXPECT_DOUBLE_EQ(up(decode(1, 10)).batch, 8.0);
  EXPECT_DOUBLE_EQ(up(decode(1, 10)).m, 1.0);
  EXPECT_NEAR(up(decode(4096, 10)).batch, 256.0, 1e-6);
  // Eight devices with 16 sequences each, an eighth of the experts on each: all tokens meet there.
  InferenceSlice slice = decode(16, 10);
  slice.expert_shards = 8;
  slice.expert_sources = 8;
  const double reached = 32.0 * (1.0 - std::pow(1.0 - 8.0 / 256.0, 128.0));
  EXPECT_NEAR(up(slice).batch, reached, 1e-9);
  EXPECT_NEAR(up(slice).m * up(slice).batch, 128.0 * 8 / 8, 1e-9);
  EXPECT_DOUBLE_EQ(inference_exchange_bytes(deepseek_v3(), slice), 16.0 * 8 * 7168 * 2);
  slice.expert_shards = 1;
  EXPECT_EQ(inference_exchange_bytes(deepseek_v3(), slice), 0.0);
}

// What kernels of a library do beside the copies of their own experts: passes over all tokens, and
// activations, zeros and sums of copies that go to other devices.
TEST(ExpertKernels, TouchTokensAndCopiesOfOtherDevices) {
  InferenceSlice slice = decode(128, 10);
  slice.expert_shards = 8;
  const ExpertWork work = {128.0, 32.0};
  const auto bytes = [&](const char* name) {
    return named<Pointwise>(inference_expert_operators(deepseek_v3(), slice, work), name)
        .traffic_bytes;
  };
  const double moved = (128.0 + 128.0) * 7168.0 * 2.0;
  EXPECT_DOUBLE_EQ(bytes("dispatch"), moved);
  EXPECT_DOUBLE_EQ(bytes("combine"), moved);
  const double own = bytes("expert activation");
  slice.expert_token_passes = 3.0;
  EXPECT_DOUBLE_EQ(bytes("dispatch"), moved + 3.0 * 128.0 * 7168.0 * 2.0);
  slice.all_expert_copies = true;
  const double copies = 128.0 * 8.0;
  EXPECT_DOUBLE_EQ(bytes("expert activation"), own * copies / work.copies);
  EXPECT_DOUBLE_EQ(bytes("combine"),
                   moved + (copies - work.copies) * (2.0 * 2048.0 + 2.0 * 7168.0) * 2.0);
  slice.expert_shards = 1;
  const ExpertWork all = {copies, 256.0};
  EXPECT_DOUBLE_EQ(
      named<Pointwise>(inference_expert_operators(deepseek_v3(), slice, all), "combine")
          .traffic_bytes,
      (128.0 + copies) * 7168.0 * 2.0);
}

// Training balances its tokens by a loss; nothing does those of requests.
TEST(ExpertsReached, TokensOfRequestsHaveASkewOfTheirOwn) {
  TransformerModel model = deepseek_v3();
  InferenceSlice served = decode(256, 10);
  served.expert_shards = 32;
  served.expert_sources = 32;
  Slice trained;
  trained.sequence = 4096;
  trained.expert_shards = 32;
  const double even = busiest_expert_load(model, served);
  const double balanced = busiest_expert_load(model, trained);
  model.experts.request_skew = 0.7;
  const double uneven = busiest_expert_load(model, served);
  EXPECT_GT(uneven, 2.0 * even);
  EXPECT_EQ(busiest_expert_load(model, trained), balanced);
  model.experts.skew = 0.3;
  EXPECT_LT(busiest_expert_load(model, served), uneven) << "a study's own holds for both";
  EXPECT_GT(busiest_expert_load(model, trained), balanced);
  model.experts.skew = 0.7;
  model.experts.request_skew.reset();
  EXPECT_EQ(busiest_expert_load(model, served), uneven);
}

// 256 experts: up to as many tokens go in the small tiles, narrow weights in their own.
TEST(ExpertTiles, FollowTheTokensAndTheWeights) {
  InferenceSlice slice = decode(256, 10);
  const auto rows = [&] {
    return named<MatMul>(inference_layer_operators(deepseek_v3(), slice, LayerKind::experts),
                         "expert down")
        .tile_rows;
  };
  EXPECT_EQ(rows(), 0.0);
  slice.expert_tiles = {.few = 16, .many = 64, .narrow = 32};
  EXPECT_EQ(rows(), 16.0);
  slice.decode.sequences = 257;
  EXPECT_EQ(rows(), 64.0);
  slice.decode.sequences = 128;
  slice.expert_sources = 4;
  EXPECT_EQ(rows(), 64.0);
  slice.linear = LinearFormats({1.0, 1.0, {}});
  EXPECT_EQ(rows(), 32.0);
}

TEST(CacheElements, AreTwoRowsOfEveryHeadOfKeys) {
  TransformerModel many = llama_8b();
  many.kv_heads = 32;
  EXPECT_DOUBLE_EQ(cache_elements(many, 1), 2.0 * 32 * 128);
  EXPECT_DOUBLE_EQ(cache_elements(many, 4), 2.0 * 8 * 128);
  EXPECT_DOUBLE_EQ(cache_elements(llama_8b(), 1), 2.0 * 8 * 128);
  EXPECT_DOUBLE_EQ(cache_elements(llama_8b(), 8), 2.0 * 128);
  EXPECT_DOUBLE_EQ(cache_elements(llama_8b(), 32), 2.0 * 128);  // one on every device at least
  EXPECT_DOUBLE_EQ(cache_elements(deepseek_v3(), 1), 576);
  EXPECT_DOUBLE_EQ(cache_elements(deepseek_v3(), 16), 576);  // latents are on all of them
}

TEST(AttentionSpans, AreThoseOfTheModel) {
  EXPECT_DOUBLE_EQ(layers_with(llama_8b(), AttentionSpan::whole), 32);
  EXPECT_DOUBLE_EQ(layers_with(llama_8b(), AttentionSpan::window), 0);
  TransformerModel model = windowed();
  EXPECT_DOUBLE_EQ(layers_with(model, AttentionSpan::window), 32);
  model.local.layers = 27;
  EXPECT_DOUBLE_EQ(layers_with(model, AttentionSpan::whole), 5);
  EXPECT_DOUBLE_EQ(layers_with(model, AttentionSpan::window), 27);
  EXPECT_DOUBLE_EQ(kept_tokens(model, AttentionSpan::window, 5000), 1024);
  EXPECT_DOUBLE_EQ(kept_tokens(model, AttentionSpan::window, 500), 500);
  EXPECT_DOUBLE_EQ(kept_tokens(model, AttentionSpan::whole, 5000), 5000);
}

// Pairs of a query and a key that it sees, token by token.
double counted_scores(int cached, int tokens, int window, bool chunked) {
  double scores = 0.0;
  for (int query = cached; query < cached + tokens; ++query) {
    const int seen = chunked ? query % window + 1 : std::min(query + 1, window);
    scores += seen;
  }
  return scores;
}

TEST(AttentionSpans, AWindowLeavesWhatTokensCanSee) {
  TransformerModel model = windowed();
  for (const bool chunked : {false, true}) {
    model.local.chunked = chunked;
    for (const int cached : {0, 700, 5000}) {
      for (const int tokens : {500, 1024, 9000}) {
        // Half a token of each query is what a continuous diagonal leaves out.
        EXPECT_NEAR(visible_scores(model, AttentionSpan::window, cached, tokens),
                    counted_scores(cached, tokens, 1024, chunked), 0.5 * tokens + 1.0)
            << chunked << " " << cached << " + " << tokens;
      }
    }
  }
  EXPECT_DOUBLE_EQ(visible_scores(model, AttentionSpan::whole, 100, 50), 100.0 * 50 + 1250);
  model.causal = false;
  EXPECT_DOUBLE_EQ(visible_scores(model, AttentionSpan::window, 0, 4096), 4096.0 * 1024);
}

TEST(AttentionSpans, TokensAreAnywhereInTheirChunk) {
  TransformerModel model = windowed();
  EXPECT_DOUBLE_EQ(seen_tokens(model, AttentionSpan::window, 5000), 1024);
  model.local.chunked = true;
  double mean = 0.0;
  for (int token = 4096; token < 4096 + 1024; ++token) {
    mean += (token % 1024 + 1) / 1024.0;
  }
  EXPECT_DOUBLE_EQ(seen_tokens(model, AttentionSpan::window, 5000), mean);
  EXPECT_DOUBLE_EQ(seen_tokens(model, AttentionSpan::window, 900), 900);
  EXPECT_DOUBLE_EQ(seen_tokens(model, AttentionSpan::whole, 5000), 5000);
  EXPECT_DOUBLE_EQ(kept_tokens(model, AttentionSpan::window, 5000), 1024);
  const auto decoded = inference_attention_operators(model, decode(4, 4999), AttentionSpan::window);
  EXPECT_DOUBLE_EQ(attention_flop(decoded), 4 * 32.0 * 4.0 * 128 * 512.5);
}

}  // namespace
}  // namespace scalesweep::workload
