#include "estimator/parts/kernels.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "estimator/parts/matmul.hpp"
#include "support/example_system.hpp"

namespace scalesweep::estimator {
namespace {

Rates example_rates() {
  return rates_of(test::example_system().device, technology::Precision::bf16);
}

TEST(Pointwise, StreamsThroughDram) {
  const Cost cost = pointwise_cost({"copy", 1.6e9, 1e6}, example_rates());

  EXPECT_NEAR(cost.time[Resource::dram], 1e-3, 1e-12);
  EXPECT_NEAR(cost.time.total_s(), 1e-3 + 4e-6, 1e-12);
}

double charge(const Cost& cost, Resource resource) {
  return cost.time[resource];
}

workload::FlashAttention square_attention(double sequence) {
  return {"attention", sequence, 100, 100, 128, 2.0, false};
}

TEST(FlashAttention, SpendsTensorAndVectorTimeOnTheCausalHalf) {
  workload::FlashAttention op = square_attention(8192);
  const Rates rates = example_rates();
  const Cost forward = flash_attention_cost(op, rates);
  const double scores = 100 * (0.5 * 8192 * 8192 + 0.5 * 8192 * 128);
  // Three quarters of the longest of 100 x 64 blocks run while other cores idle.
  const double idle = 1.0 + 0.75 * 128.0 * 8192.0 * 100.0 / scores;

  EXPECT_DOUBLE_EQ(forward.work[Amount::tensor_flop], 4.0 * scores * 128);
  EXPECT_NEAR(charge(forward, Resource::tensor_compute), idle * 4.0 * scores * 128 / 240e12, 1e-9);
  EXPECT_NEAR(charge(forward, Resource::vector_compute),
              idle * rates.attention.softmax_flop * scores / 20e12, 1e-9);
  // 64 blocks a core, one after the other.
  EXPECT_NEAR(charge(forward, Resource::latency),
              rates.latency_s + 64 * rates.attention.block_latency.si(), 1e-12);
  op.backward = true;
  const Cost backward = flash_attention_cost(op, rates);
  EXPECT_DOUBLE_EQ(backward.work[Amount::tensor_flop], 2.5 * forward.work[Amount::tensor_flop]);
}

TEST(FlashAttention, WithoutAMaskComputesAllScores) {
  workload::FlashAttention op = square_attention(4096);
  op.visible_share = 1.0;
  EXPECT_DOUBLE_EQ(flash_attention_cost(op, example_rates()).work[Amount::tensor_flop],
                   4.0 * 100 * 4096.0 * 4096.0 * 128);
}

TEST(FlashAttention, KeysAndValuesMayDifferFromQueries) {
  workload::FlashAttention op = square_attention(1024);
  op.visible_share = 1.0;
  op.key_sequence = 4096;
  op.head_dim = 192;
  op.value_dim = 128;
  const Cost cost = flash_attention_cost(op, example_rates());
  EXPECT_DOUBLE_EQ(cost.work[Amount::tensor_flop], 2.0 * 100 * 1024.0 * 4096.0 * (192 + 128));
  EXPECT_DOUBLE_EQ(cost.work[Amount::dram_bytes], 2.0 * 100 * (1024.0 + 4096.0) * (192 + 128));
}

TEST(FlashAttention, OneBlockTakesAsLongAsItsKeys) {
  // A single head of 64 blocks on 100 cores: the last block sees all keys, twice the mean.
  workload::FlashAttention op = square_attention(8192);
  op.batch_heads = op.batch_kv_heads = 1;
  const double one_s = flash_attention_cost(op, example_rates()).time.total_s();
  const double rows_s = 4.0 * 128 * 8192.0 * 128 / (240e12 / 100);
  EXPECT_GT(one_s, rows_s);
}

TEST(PrefillAttention, WritesTheCacheBefore) {
  const workload::FlashAttention op = square_attention(2048);
  const Rates rates = example_rates();
  const Cost bare = flash_attention_cost(op, rates);
  const Cost wide = prefill_attention_cost({op, 2.0}, rates);
  const Cost narrow = prefill_attention_cost({op, 1.0}, rates);
  const double queries = 100 * 2048.0 * 128;
  EXPECT_DOUBLE_EQ(wide.work[Amount::dram_bytes] - bare.work[Amount::dram_bytes],
                   (2.0 + 2.0 * 4.0) * queries);
  EXPECT_DOUBLE_EQ(wide.work[Amount::dram_bytes] - narrow.work[Amount::dram_bytes], 2.0 * queries);
}

workload::DecodeAttention decode(double batch, double context, double heads, double kv_heads) {
  workload::DecodeAttention op;
  op.batch = batch;
  op.context = context;
  op.heads = heads;
  op.kv_heads = kv_heads;
  op.head_dim = 128;
  return op;
}

TEST(DecodeAttention, ReadsTheCacheOnce) {
  const Cost cost = decode_attention_cost(decode(64, 4096, 32, 8), example_rates());
  const double cache = 2.0 * 2.0 * 64 * 4096.0 * 8 * 128;
  EXPECT_DOUBLE_EQ(cost.work[Amount::dram_bytes], cache + 2.0 * 2.0 * 64 * 32 * 128);
  EXPECT_GE(cost.time.total_s(), cache / 1.6e12);
}

TEST(DecodeAttention, HeadsThatCannotShareReadForThemselves) {
  Rates rates = example_rates();
  const workload::DecodeAttention op = decode(64, 4096, 64, 8);
  const Cost together = decode_attention_cost(op, rates);
  rates.attention.shared_heads = 4;
  const Cost alone = decode_attention_cost(op, rates);
  EXPECT_EQ(charge(together, Resource::vector_compute), 0.0);
  EXPECT_GT(charge(alone, Resource::vector_compute), 0.0);
  EXPECT_GT(alone.time.total_s(), 2.0 * together.time.total_s());
  EXPECT_EQ(alone.work[Amount::dram_bytes], together.work[Amount::dram_bytes]);
}

TEST(DecodeAttention, SplitsALongContextOverTheCores) {
  const Rates rates = example_rates();
  const double one_s = decode_attention_cost(decode(1, 65536, 1, 1), rates).time.total_s();
  const double many_s = decode_attention_cost(decode(100, 65536, 1, 1), rates).time.total_s();
  EXPECT_LT(one_s, 0.2 * many_s);
}

// Also between the contexts at which one part more is worth its while.
TEST(DecodeAttention, TakesNoLessForALongerContext) {
  const Rates rates = example_rates();
  for (const double batch : {1.0, 8.0, 64.0}) {
    for (const double value_dim : {0.0, 512.0}) {
      workload::DecodeAttention op = decode(batch, 1.0, 64, value_dim > 0.0 ? 1 : 8);
      op.value_dim = value_dim;
      double before_s = 0.0;
      for (; op.context < 9000.0; op.context += 37.0) {
        const double time_s = decode_attention_cost(op, rates).time.total_s();
        ASSERT_GE(time_s, before_s * (1.0 - 1e-12)) << batch << ' ' << op.context;
        before_s = time_s;
      }
    }
  }
}

TEST(DecodeAttention, CostsLaunchesAtLeast) {
  const Rates rates = example_rates();
  const Cost cost = decode_attention_cost(decode(1, 128, 1, 1), rates);
  EXPECT_GE(charge(cost, Resource::latency),
            rates.attention.decode_latency.si() + rates.attention.decode_block_latency.si());
}

// Elements of a cache of fewer bits than the queries are converted beside being read.
TEST(DecodeAttention, ConvertsACacheOfFewerBits) {
  Rates rates = example_rates();
  workload::DecodeAttention wide = decode(64, 4096, 32, 8);
  workload::DecodeAttention narrow = wide;
  narrow.element_bytes = 1.0;
  const auto time_s = [&](const workload::DecodeAttention& op) {
    return decode_attention_cost(op, rates).time.total_s();
  };
  const double free_s = time_s(narrow);
  const double wide_s = time_s(wide);
  rates.attention.narrow_latency = Seconds::si(3e-6);
  EXPECT_DOUBLE_EQ(time_s(narrow), free_s + 3e-6);
  EXPECT_EQ(time_s(wide), wide_s);

  const double elements = 2.0 * 64 * 4096.0 * 8 * 128;
  const double flop = 4.0 * rates.vector_flop_per_s / 1.6e12;  // four times as long as a byte
  rates.attention.narrow_flop = flop;
  const Cost converted = decode_attention_cost(narrow, rates);
  EXPECT_NEAR(charge(converted, Resource::vector_compute),
              flop * elements / rates.vector_flop_per_s, 1e-12);
  EXPECT_DOUBLE_EQ(converted.work[Amount::vector_flop], flop * elements);
  EXPECT_GT(converted.time.total_s(), wide_s);
  EXPECT_EQ(time_s(wide), wide_s);
  rates.attention.narrow_flop = flop / 100.0;  // hidden behind reading
  EXPECT_DOUBLE_EQ(time_s(narrow), free_s + 3e-6);
}

// Charges are elasticities only if time is homogeneous of degree one in inverse rates and
// latencies.
TEST(DecodeAttention, TimeIsHomogeneousInRatesAndLatencies) {
  Rates slow = example_rates();
  slow.attention.narrow_latency = Seconds::si(3e-6);
  slow.attention.narrow_flop = 50.0;
  Rates fast = slow;
  fast.dram_bytes_per_s *= 2.0;
  fast.vector_flop_per_s *= 2.0;
  fast.shared_bytes_per_s *= 2.0;
  for (Seconds* latency : {&fast.attention.decode_latency, &fast.attention.merge_latency,
                           &fast.attention.decode_block_latency, &fast.attention.narrow_latency}) {
    *latency = *latency * 0.5;
  }
  for (const double context : {128.0, 4096.0, 131072.0}) {
    for (const double kv_heads : {1.0, 8.0, 64.0}) {
      for (const double bytes : {1.0, 2.0}) {
        workload::DecodeAttention op = decode(4, context, 64, kv_heads);
        op.element_bytes = bytes;
        const double slow_s = decode_attention_cost(op, slow).time.total_s();
        EXPECT_NEAR(decode_attention_cost(op, fast).time.total_s(), 0.5 * slow_s, 1e-12 * slow_s);
      }
    }
  }
}

// By hand on round rates: a state of 16 heads of 128 x 64 in fp32 and what goes with it, streamed.
TEST(LinearScan, DecodeStreamsTheState) {
  const Rates rates = example_rates();
  workload::LinearScan op = {.name = "scan",
                             .sequences = 64,
                             .tokens = 1,
                             .heads = 16,
                             .key_heads = 16,
                             .key_dim = 128,
                             .value_dim = 64};
  op.carries_state = true;
  const double bytes = 64 * (2.0 * 16 * 128 * 64 * 4 + (2.0 * 16 * 128 + 2.0 * 16 * 64) * 2);
  const Cost cost = linear_scan_cost(op, rates);
  EXPECT_DOUBLE_EQ(cost.work[Amount::dram_bytes], bytes);
  EXPECT_NEAR(cost.time.total_s(), bytes / rates.dram_bytes_per_s + rates.latency_s, 1e-12);
  EXPECT_EQ(cost.work[Amount::tensor_flop], 0.0);
}

TEST(LinearScan, PromptsTakeTheLongerOfProductsAndStreams) {
  workload::LinearScan op = {.name = "scan",
                             .sequences = 8,
                             .tokens = 4096,
                             .heads = 16,
                             .key_heads = 16,
                             .key_dim = 128,
                             .value_dim = 128,
                             .chunk = 256};
  for (const double dram : {1e11, 1e15}) {
    Rates rates = example_rates();
    rates.dram_bytes_per_s = dram;
    rates.l2_bytes_per_s = 1e16;
    const double on_chip_s =
        op.tensor_flop() / rates.tensor_flop_per_s + op.vector_flop() / rates.vector_flop_per_s;
    const double stream_s = op.traffic_bytes() / dram;
    EXPECT_NEAR(linear_scan_cost(op, rates).time.total_s(),
                std::max(on_chip_s, stream_s) + 5 * rates.latency_s, 1e-12);
  }
  // One head of one short prompt leaves all cores but one idle.
  Rates rates = example_rates();
  op.sequences = op.heads = op.key_heads = 1;
  op.tokens = 256;
  EXPECT_NEAR(linear_scan_cost(op, rates).time.total_s() - 5 * rates.latency_s,
              rates.cores * (op.tensor_flop() / rates.tensor_flop_per_s +
                             op.vector_flop() / rates.vector_flop_per_s),
              1e-12);
}

// Whatever a kernel reads passes L2, kept there or not: one rule for streams and GEMMs alike, also
// where L2 is slower than DRAM.
TEST(KeptInL2, DoesNotComeFromDramAndPassesL2) {
  const workload::MatMul gemm = {.name = "gemm", .m = 8, .n = 4096, .k = 4096};
  const workload::DecodeAttention decode = {
      .name = "decode", .batch = 64, .context = 4096, .heads = 32, .kv_heads = 32, .head_dim = 128};
  for (const double l2_over_dram : {0.25, 4.0}) {
    Rates rates = example_rates();
    rates.l2_bytes_per_s = l2_over_dram * rates.dram_bytes_per_s;
    Rates keeping = rates;
    keeping.kept_share = 0.5;
    for (const auto& cost_of :
         {std::function([&](const Rates& at) { return matmul_cost(gemm, at).cost; }),
          std::function([&](const Rates& at) { return decode_attention_cost(decode, at); })}) {
      const Cost without = cost_of(rates);
      const Cost with = cost_of(keeping);
      EXPECT_NEAR(with.work[Amount::dram_bytes] / without.work[Amount::dram_bytes], 0.5, 0.01);
      EXPECT_EQ(with.work[Amount::l2_bytes], without.work[Amount::l2_bytes]);
      EXPECT_LE(with.time.total_s(), without.time.total_s());
      EXPECT_GE(with.time.total_s(), with.work[Amount::l2_bytes] / rates.l2_bytes_per_s);
    }
  }
}

// A core reads its own part beside it: only one operand of a GEMM and its result cross the mesh.
TEST(MemoryInCores, IsReadWithoutCrossingL2) {
  Rates rates = example_rates();
  rates.memory_in_cores = true;
  rates.l2_capacity_bytes = 0.0;
  const Cost copy = pointwise_cost({"copy", 1.6e9, 1e6}, rates);
  EXPECT_EQ(copy.work[Amount::l2_bytes], 0.0);
  EXPECT_EQ(copy.time[Resource::l2], 0.0);
  EXPECT_NEAR(copy.time[Resource::dram], 1e-3, 1e-12);

  const workload::MatMul gemm = {.name = "gemm", .m = 64, .n = 8192, .k = 8192};
  const double weights = 2.0 * 8192 * 8192;
  const Cost cost = matmul_cost(gemm, rates).cost;
  EXPECT_LT(cost.work[Amount::l2_bytes], weights);  // they stay
  EXPECT_GE(cost.work[Amount::l2_bytes], 2.0 * 64 * (8192 + 8192));
  EXPECT_GE(cost.work[Amount::dram_bytes], weights);
  EXPECT_LT(cost.work[Amount::dram_bytes], 1.1 * weights);
}

}  // namespace
}  // namespace scalesweep::estimator
