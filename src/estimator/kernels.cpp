#include "estimator/kernels.hpp"

#include <algorithm>
#include <cmath>

#include "estimator/matmul.hpp"

namespace scalesweep::estimator {
namespace {

// Vector operations per score in units of one multiply-add lane's FLOP: an exponential occupies the
// special-function unit for 8 lane-cycles (16), scaling, subtracting the row maximum, the maximum
// itself, the row sum, rescaling and the conversion to 16 bit take 10 more. Measured prefill
// attention on A100 and H100 gives 30 and 27.
constexpr double softmax_flop_per_score = 26.0;

// Side of the square blocks that causal attention computes whole along the diagonal.
constexpr double diagonal_block = 128.0;

// Products per score element: forward QK^T and PV; backward repeats QK^T and adds four
// (arXiv:2205.14135, algorithm 4).
constexpr double forward_products = 2.0;
constexpr double backward_products = 5.0;

}  // namespace

Cost pointwise_cost(const workload::Pointwise& op, const Rates& rates) {
  const double vector_s = op.flop / rates.vector_flop_per_s;
  const double dram_s = op.traffic_bytes / rates.dram_bytes_per_s;
  Cost cost;
  cost.time = dram_s >= vector_s ? Charges::of(Resource::dram, dram_s)
                                 : Charges::of(Resource::vector_compute, vector_s);
  cost.time += Charges::of(Resource::latency, rates.latency_s);
  cost.work.vector_flop = op.flop;
  cost.work.dram_bytes = op.traffic_bytes;
  cost.work.l2_bytes = op.traffic_bytes;
  return cost;
}

Cost flash_attention_cost(const workload::FlashAttention& op, const Rates& rates) {
  const double s = op.sequence;
  const double scores = op.batch_heads * (0.5 * s * s + 0.5 * s * std::min(s, diagonal_block));
  const double products = op.backward ? backward_products : forward_products;
  const double tensor_flop = products * 2.0 * scores * op.head_dim;
  const double vector_flop = softmax_flop_per_score * scores;

  // Heads are independent blocks of rows; a wave that is not full idles the other cores.
  const double blocks = op.batch_heads * std::ceil(s / diagonal_block);
  const double wave_loss = std::ceil(blocks / rates.cores) * rates.cores / blocks;
  Charges on_chip = Charges::of(Resource::tensor_compute, tensor_flop / rates.tensor_flop_per_s);
  on_chip += Charges::of(Resource::vector_compute, vector_flop / rates.vector_flop_per_s);
  on_chip *= wave_loss;

  // Queries and output once, keys and values once; backward reads the gradients as well, writes
  // three and accumulates the query gradient in fp32.
  const double query_bytes = op.batch_heads * s * op.head_dim * op.element_bytes;
  const double key_bytes = op.batch_kv_heads * s * op.head_dim * op.element_bytes;
  const double traffic =
      op.backward ? 6.0 * query_bytes + 4.0 * key_bytes : 2.0 * query_bytes + 2.0 * key_bytes;
  const Charges dram = Charges::of(Resource::dram, traffic / rates.dram_bytes_per_s);

  Cost cost;
  cost.time = longer(on_chip, dram);
  cost.time += Charges::of(Resource::latency, rates.latency_s);
  cost.work.tensor_flop = tensor_flop;
  cost.work.vector_flop = vector_flop;
  cost.work.dram_bytes = traffic;
  cost.work.l2_bytes = traffic;
  return cost;
}

Cost operator_cost(const workload::Operator& op, const Rates& rates) {
  switch (op.kind) {
    case workload::Operator::Kind::matmul:
      return matmul_cost(op.matmul, rates).cost;
    case workload::Operator::Kind::pointwise:
      return pointwise_cost(op.pointwise, rates);
    case workload::Operator::Kind::flash_attention:
      return flash_attention_cost(op.flash, rates);
  }
  return {};
}

}  // namespace scalesweep::estimator
