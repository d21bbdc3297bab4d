#include "estimator/parts/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "estimator/parts/matmul.hpp"

namespace scalesweep::estimator {
namespace {

// Matrix multiplications per score element: forward QK^T and PV; backward repeats QK^T and adds
// four (arXiv:2205.14135, algorithm 4).
constexpr double forward_matmuls = 2.0;
constexpr double backward_matmuls = 5.0;

// Elements of queries and output, and of keys and values.
double query_elements(const workload::FlashAttention& op) {
  return op.batch_heads * op.sequence * (op.head_dim + op.values());
}
double key_elements(const workload::FlashAttention& op) {
  return op.batch_kv_heads * op.keys() * (op.head_dim + op.values());
}

// Bytes that a kernel streams.
Charges streamed(double bytes, const Rates& rates) {
  return longer(
      Charges::of(Resource::dram, rates.streamed_dram_bytes(bytes) / rates.dram_bytes_per_s),
      Charges::of(Resource::l2, rates.streamed_l2_bytes(bytes) / rates.l2_bytes_per_s));
}

// All of fused attention but its launch.
Cost attention_core(const workload::FlashAttention& op, const Rates& rates) {
  const technology::AttentionFit& fit = rates.attention_fit;
  const double rows = std::min(op.sequence, fit.block_rows);
  const double diagonal =
      (1.0 - op.visible_share) * op.sequence * std::min(op.keys(), fit.block_rows);
  const double scores = op.batch_heads * (op.visible_share * op.sequence * op.keys() + diagonal);
  const double repeats = op.backward ? backward_matmuls / forward_matmuls : 1.0;
  const double tensor_flop = repeats * 2.0 * scores * (op.head_dim + op.values());
  const double vector_flop = repeats * rates.attention.softmax_flop * scores;

  // Heads and blocks of queries are independent. The longest block bounds the time from below.
  const double blocks = op.batch_heads * std::ceil(op.sequence / fit.block_rows);
  const double most_keys =
      op.most_keys > 0.0 ? std::min(op.keys(), op.most_keys + rows) : op.keys();
  const double longest = rows * most_keys * rates.cores / scores;  // of the time of all, spread
  const double idle = std::max(1.0 + fit.idle_tail * longest, longest);
  // Heads that are narrower than the matrix unit leave a part of it idle.
  const double filled = (whole_steps(op.head_dim, rates.matrix_unit.depth) +
                         whole_steps(op.values(), rates.matrix_unit.columns)) /
                        (op.head_dim + op.values());
  Charges on_chip =
      Charges::of(Resource::tensor_compute, filled * tensor_flop / rates.tensor_flop_per_s);
  on_chip += Charges::of(Resource::vector_compute, vector_flop / rates.vector_flop_per_s);
  on_chip *= idle;

  // Queries and output once, keys and values once; backward reads the gradients as well, writes
  // three and accumulates the query gradient in fp32.
  const double traffic =
      op.element_bytes * (op.backward ? 3.0 * query_elements(op) + 2.0 * key_elements(op)
                                      : query_elements(op) + key_elements(op));
  const Charges stream = streamed(traffic, rates);

  Cost cost;
  cost.time = longer(on_chip, stream);
  cost.time += Charges::of(
      Resource::latency, rates.attention.block_latency.si() * std::max(1.0, blocks / rates.cores));
  cost.work[Amount::tensor_flop] = tensor_flop;
  cost.work[Amount::tensor_joules] = tensor_flop * rates.tensor_j_per_flop;
  cost.work[Amount::vector_flop] = vector_flop;
  cost.work[Amount::dram_bytes] = rates.streamed_dram_bytes(traffic);
  cost.work[Amount::l2_bytes] = rates.streamed_l2_bytes(traffic);
  return cost;
}

constexpr double score_bytes = 4.0;

// Not in whole parts: a context is a mean over many lengths.
double most_parts(double context, double least_part) {
  return std::max(1.0, context / least_part);
}

// Of the values, as kept: where keys hold them they take nothing of their own.
double cache_elements(const workload::DecodeAttention& op) {
  const double width = op.value_dim > 0.0 ? op.head_dim : 2.0 * op.head_dim;
  return op.batch * op.kv_heads * op.context * width;
}

double value_dim(const workload::DecodeAttention& op) {
  return op.value_dim > 0.0 ? op.value_dim : op.head_dim;
}

double decode_traffic(const workload::DecodeAttention& op) {
  return cache_elements(op) * op.element_bytes +
         op.batch * op.heads * op.queries * (op.head_dim + value_dim(op)) * op.query_bytes;
}

bool has_narrow_cache(const workload::DecodeAttention& op) {
  return op.element_bytes < op.query_bytes;
}

// The cache, queries and outputs; elements of fewer bits are converted on the way.
Charges decode_stream(const workload::DecodeAttention& op, const Rates& rates) {
  const Charges stream = streamed(decode_traffic(op), rates);
  if (!has_narrow_cache(op) || rates.attention.narrow_flop == 0.0) {
    return stream;
  }
  return longer(stream, Charges::of(Resource::vector_compute, rates.attention.narrow_flop *
                                                                  cache_elements(op) /
                                                                  rates.vector_flop_per_s));
}

double decode_flop(const workload::DecodeAttention& op) {
  return 2.0 * op.batch * op.heads * op.queries * op.context * (op.head_dim + value_dim(op));
}

// Every query head reads its cache for itself; its multiplications run on the vector units.
Charges decode_alone(const workload::DecodeAttention& op, const Rates& rates) {
  const technology::AttentionFit& fit = rates.attention_fit;
  const double heads = op.batch * op.heads;
  const double room =
      std::max(rates.shared_capacity_bytes - fit.block_bytes, score_bytes * fit.least_part);
  double parts =
      std::clamp(std::floor(rates.cores / heads), 1.0, most_parts(op.context, fit.least_part));
  parts = std::max(parts, std::ceil(score_bytes * op.context / room));
  // Not in whole tokens: a context is a mean over many lengths.
  const double part = op.context / parts;
  const double resident =
      std::clamp(std::floor(rates.shared_capacity_bytes / (score_bytes * part + fit.block_bytes)),
                 1.0, fit.core_blocks);
  const double blocks = heads * parts;
  const double active = std::clamp(blocks / rates.cores, 1.0, resident);
  const double waves = std::max(1.0, blocks / (rates.cores * active));
  const double flop = rates.attention.cache_flop * 2.0 * part * op.head_dim;
  Charges time =
      Charges::of(Resource::vector_compute, waves * flop * std::max(fit.full_blocks, active) *
                                                rates.cores / rates.vector_flop_per_s);
  time += Charges::of(Resource::latency, waves * rates.attention.decode_block_latency.si());
  const Charges stream = decode_stream(op, rates);
  time = longer(time, stream);
  if (parts > 1.0) {
    time += Charges::of(Resource::latency, rates.attention.merge_latency.si());
  }
  return time;
}

// The query heads of a cache read it together, in passes of eight through shared memory.
Charges decode_together(const workload::DecodeAttention& op, const Rates& rates) {
  const technology::AttentionFit& fit = rates.attention_fit;
  const double caches = op.batch * op.kv_heads;
  const double passes = std::ceil(op.queries * op.heads / op.kv_heads / fit.pass_heads);
  const Charges stream = decode_stream(op, rates);
  Charges best;
  const double most = most_parts(op.context, fit.least_part);
  for (double parts = 1.0;; parts = std::min(2.0 * parts, most)) {
    const double bytes = 2.0 * (op.context / parts) * op.head_dim * op.element_bytes;
    const double active = std::max(1.0, caches * parts / rates.cores);
    const Charges shared =
        Charges::of(Resource::shared_memory, rates.attention.cache_passes * passes * bytes *
                                                 active * rates.cores / rates.shared_bytes_per_s);
    Charges time = longer(shared, stream);
    if (parts > 1.0) {
      time += Charges::of(Resource::latency, rates.attention.merge_latency.si());
    }
    if (parts == 1.0 || time.total_s() < best.total_s()) {
      best = time;
    }
    if (parts >= most) {
      break;
    }
  }
  best += Charges::of(Resource::latency, rates.attention.decode_block_latency.si());
  return best;
}

// All heads read the one latent cache together; multiplications are many enough to bind.
Charges decode_latent(const workload::DecodeAttention& op, const Rates& rates) {
  const technology::AttentionFit& fit = rates.attention_fit;
  const double rows = op.queries * op.heads;
  const double blocks =
      op.batch * std::ceil(rows / fit.latent_rows) * most_parts(op.context, fit.least_part);
  const double busy = std::min(1.0, blocks / rates.cores);
  const double padded = std::ceil(rows / fit.latent_rows) * fit.latent_rows / rows;
  const Charges tensor =
      Charges::of(Resource::tensor_compute,
                  decode_flop(op) * padded / (fit.latent_share * busy * rates.tensor_flop_per_s));
  const Charges stream = decode_stream(op, rates);
  Charges time = longer(tensor, stream);
  time += Charges::of(Resource::latency, rates.attention.decode_block_latency.si() +
                                             rates.attention.merge_latency.si());
  return time;
}

}  // namespace

// What the kernel before has written is still in L2 while a part of it is enough.
Cost pointwise_cost(const workload::Pointwise& op, const Rates& rates) {
  const bool in_l2 = op.traffic_bytes <= rates.matmul_fit.resident_share * rates.l2_capacity_bytes;
  const double dram_bytes = in_l2 ? 0.0 : op.traffic_bytes;
  const double l2_bytes = rates.streamed_l2_bytes(op.traffic_bytes);
  Cost cost;
  cost.time = longer(longer(Charges::of(Resource::dram, dram_bytes / rates.dram_bytes_per_s),
                            Charges::of(Resource::l2, l2_bytes / rates.l2_bytes_per_s)),
                     Charges::of(Resource::vector_compute, op.flop / rates.vector_flop_per_s));
  cost.time += Charges::of(Resource::latency, rates.latency_s);
  cost.work[Amount::vector_flop] = op.flop;
  cost.work[Amount::dram_bytes] = dram_bytes;
  cost.work[Amount::l2_bytes] = l2_bytes;
  return cost;
}

Cost flash_attention_cost(const workload::FlashAttention& op, const Rates& rates) {
  Cost cost = attention_core(op, rates);
  cost.time += Charges::of(Resource::latency, rates.latency_s);
  return cost;
}

Cost prefill_attention_cost(const workload::PrefillAttention& op, const Rates& rates) {
  Cost cost = attention_core(op, rates);
  // Reads queries, keys and values in 16 bit and writes those to the cache that are new. Writing
  // the queries back costs no time of its own in the measurements: the attention kernel finds them
  // in L2.
  constexpr double input_bytes = 2.0;
  const double queries = op.batch_heads * op.sequence * op.head_dim;
  const double fresh = std::min(1.0, op.sequence / op.keys());
  const double traffic =
      input_bytes * queries + (input_bytes + fresh * op.cache_bytes) * key_elements(op);
  cost.time += streamed(traffic, rates);
  cost.time += Charges::of(Resource::latency, rates.attention.prefill_latency.si());
  cost.work[Amount::dram_bytes] += rates.streamed_dram_bytes(traffic);
  cost.work[Amount::l2_bytes] += rates.streamed_l2_bytes(traffic);
  return cost;
}

Cost decode_attention_cost(const workload::DecodeAttention& op, const Rates& rates) {
  const double sharing = op.heads / op.kv_heads;
  const bool latent = op.value_dim > 0.0;
  // Kernels for several queries of a sequence read its cache once.
  const bool together =
      latent || op.queries > 1.0 || (sharing > 1.0 && sharing <= rates.attention.shared_heads);
  Cost cost;
  cost.time = latent     ? decode_latent(op, rates)
              : together ? decode_together(op, rates)
                         : decode_alone(op, rates);
  cost.time += Charges::of(Resource::latency, rates.attention.decode_latency.si());
  (together ? cost.work[Amount::tensor_flop] : cost.work[Amount::vector_flop]) = decode_flop(op);
  cost.work[Amount::tensor_joules] = cost.work[Amount::tensor_flop] * rates.tensor_j_per_flop;
  if (has_narrow_cache(op)) {
    cost.time += Charges::of(Resource::latency, rates.attention.narrow_latency.si());
    cost.work[Amount::vector_flop] += rates.attention.narrow_flop * cache_elements(op);
  }
  const double traffic = decode_traffic(op);
  cost.work[Amount::dram_bytes] = rates.streamed_dram_bytes(traffic);
  cost.work[Amount::l2_bytes] = rates.streamed_l2_bytes(together ? traffic : traffic * sharing);
  return cost;
}

Cost linear_scan_cost(const workload::LinearScan& op, const Rates& rates) {
  const double chunk = std::min(op.chunk, op.tokens);
  const double blocks = op.sequences * op.heads * std::ceil(op.tokens / chunk);
  const double idle = std::max(1.0, rates.cores / blocks);
  // Heads that are narrower than the matrix unit leave a part of it idle.
  const double filled = (whole_steps(op.key_dim, rates.matrix_unit.depth) +
                         whole_steps(op.value_dim, rates.matrix_unit.columns)) /
                        (op.key_dim + op.value_dim);
  const double tensor_flop = op.tensor_flop();
  Charges on_chip =
      Charges::of(Resource::tensor_compute, filled * tensor_flop / rates.tensor_flop_per_s);
  on_chip += Charges::of(Resource::vector_compute, op.vector_flop() / rates.vector_flop_per_s);
  on_chip *= idle;
  const double traffic = op.traffic_bytes();
  Cost cost;
  cost.time = longer(on_chip, streamed(traffic, rates));
  cost.time += Charges::of(Resource::latency, op.launches() * rates.latency_s);
  cost.work[Amount::tensor_flop] = tensor_flop;
  cost.work[Amount::tensor_joules] = tensor_flop * rates.tensor_j_per_flop;
  cost.work[Amount::vector_flop] = op.vector_flop();
  cost.work[Amount::dram_bytes] = rates.streamed_dram_bytes(traffic);
  cost.work[Amount::l2_bytes] = rates.streamed_l2_bytes(traffic);
  return cost;
}

namespace {

Cost cost_of(const workload::Pointwise& op, const Rates& rates) {
  return pointwise_cost(op, rates);
}
Cost cost_of(const workload::MatMul& op, const Rates& rates) {
  return matmul_cost(op, rates).cost;
}
Cost cost_of(const workload::FlashAttention& op, const Rates& rates) {
  return flash_attention_cost(op, rates);
}
Cost cost_of(const workload::PrefillAttention& op, const Rates& rates) {
  return prefill_attention_cost(op, rates);
}
Cost cost_of(const workload::DecodeAttention& op, const Rates& rates) {
  return decode_attention_cost(op, rates);
}
Cost cost_of(const workload::LinearScan& op, const Rates& rates) {
  return linear_scan_cost(op, rates);
}

}  // namespace

Cost operator_cost(const workload::Operator& op, const Rates& rates) {
  return std::visit([&rates](const auto& kernel) { return cost_of(kernel, rates); }, op.kernel);
}

}  // namespace scalesweep::estimator
