#include "validation/kinds/kernel_cases.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "estimator/parts/collective.hpp"
#include "estimator/parts/kernels.hpp"
#include "estimator/parts/matmul.hpp"
#include "validation/cases/case_sources.hpp"
#include "validation/cases/recipes.hpp"
#include "validation/kinds/served_kernels.hpp"

namespace scalesweep::validation {
namespace {

using technology::Precision;
using workload::Recipe;

// What a measurement from the host adds to the time on the device: launch and synchronisation,
// reported as 10 to 30 us; the middle of it. Collectives are enqueued one after the other: those
// measured from the host take no longer than on the device.
constexpr double host_timing_s = 20e-6;

constexpr std::string_view host_timed_mark = "host-timed";

// Libraries whose name says so ("TRTLLM custom") bring their own all-reduce.
constexpr std::string_view one_shot_mark = "custom";

void read_matmul(RowReader& row, KernelCase& c) {
  c.m = row.required_number("m");
  c.n = row.required_number("n");
  c.k = row.required_number("k");
  const auto recipe = read_recipe(row, c.precision);
  // The database's layers find the scale of fp8 from the tensor itself.
  c.recipe = workload::recipe_for(technology::name_of(c.precision), recipe, Recipe::current);
  c.operands_ready = has_ready_operands(row);
}

bool is_collective(KernelOperator op) {
  return op >= KernelOperator::all_reduce;
}

bool is_served(KernelOperator op) {
  return op == KernelOperator::experts || op == KernelOperator::latent_prefill ||
         op == KernelOperator::latent_decode;
}

std::shared_ptr<const ServedKernels> read_served(RowReader& row, KernelCase& c) {
  return read_served_kernels(row, c.precision,
                             c.op == KernelOperator::experts ? std::nullopt
                             : c.op == KernelOperator::latent_prefill
                                 ? std::optional(LatentPhase::prefill)
                                 : std::optional(LatentPhase::decode));
}

bool is_attention(KernelOperator op) {
  return op == KernelOperator::attention_prefill || op == KernelOperator::attention_decode;
}

void read_attention(RowReader& row, KernelCase& c) {
  c.batch = row.required_number("batch");
  c.sequence = row.required_number("seq");
  c.heads = row.required_number("heads");
  c.kv_heads = row.number("kv_heads").value_or(c.heads);
  c.head_dim = row.required_number("head_dim");
  c.causal = row.boolean("causal", true);
  c.cache_precision = row.precision("kv_precision", c.precision);
}

std::optional<parallel::CollectiveKind> collective_kind(KernelOperator op) {
  switch (op) {
    case KernelOperator::all_reduce:
      return parallel::CollectiveKind::all_reduce;
    case KernelOperator::all_gather:
      return parallel::CollectiveKind::all_gather;
    case KernelOperator::reduce_scatter:
      return parallel::CollectiveKind::reduce_scatter;
    case KernelOperator::all_to_all:
      return parallel::CollectiveKind::all_to_all;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<KernelCase> read_kernel_case(RowReader& row) {
  KernelCase c;
  c.device = row.entry("device", catalog::Section::devices);
  if (!row.has("op")) {
    row.error("op", fmt::format("is required: one of {}", fmt::join(kernel_operator_names, ", ")));
    return std::nullopt;
  }
  c.op = static_cast<KernelOperator>(row.choice("op", kernel_operator_names));
  c.library = row.text("library");
  c.precision = row.precision("precision", Precision::bf16);
  c.host_timed = row.text("case").find(host_timed_mark) != std::string::npos;
  c.measured_s = row.number("time_s");
  if (!row.good()) {
    return std::nullopt;
  }
  if (is_collective(c.op)) {
    c.devices = row.integer("gpus", std::nullopt);
    c.bytes = row.required_number("bytes");
    c.one_shot = c.library.find(one_shot_mark) != std::string::npos;
  } else if (c.op == KernelOperator::pointwise) {
    c.bytes = row.required_number("bytes");
  } else if (is_served(c.op)) {
    c.served = read_served(row, c);
  } else if (is_attention(c.op)) {
    read_attention(row, c);
    c.shared_heads = measured_shared_heads(c.library, c.device);
  } else {
    read_matmul(row, c);
  }
  return row.good() ? std::optional(c) : std::nullopt;
}

const estimator::Rates& KernelPredictor::rates(const KernelCase& c, Precision precision) {
  const auto known = rates_.find({c.device, c.library, precision});
  if (known != rates_.end()) {
    return known->second;
  }
  return rates_
      .emplace(std::tuple(c.device, c.library, precision),
               estimator::rates_of(systems_.alone(c.device, c.library), precision,
                                   estimator::Regime::isolated))
      .first->second;
}

estimator::Cost KernelPredictor::matmul(const KernelCase& c) {
  constexpr double least_output_bytes = 2.0;  // GEMMs of narrower operands come out in 16 bit
  workload::MatMul op;
  op.m = c.m;
  op.n = c.n;
  op.k = c.k;
  op.input_bytes = technology::element_bytes(c.precision);
  if (c.recipe) {
    const workload::RecipeRow& recipe = workload::row_of(*c.recipe);
    op.input_bytes += recipe.scale_bytes;
    op.scaled_depth = recipe.scaled_depth;
  }
  op.output_bytes = std::max(least_output_bytes, technology::element_bytes(c.precision));
  op.aligned = workload::has_aligned_rows(c.k, technology::element_bytes(c.precision)) &&
               workload::has_aligned_rows(c.n, op.output_bytes);
  estimator::Cost cost = estimator::matmul_cost(op, rates(c, c.precision)).cost;
  if (c.recipe && !c.operands_ready) {
    // Activations arrive in 16 bit and are quantised first: part of what is measured.
    cost += estimator::quantize_cost(c.m, c.k, workload::row_of(*c.recipe), rates(c, c.precision));
  }
  return cost;
}

estimator::Cost KernelPredictor::prefill(const KernelCase& c) {
  workload::PrefillAttention op;
  op.cache_bytes = technology::element_bytes(c.cache_precision);
  op.sequence = c.sequence;
  op.batch_heads = c.batch * c.heads;
  op.batch_kv_heads = c.batch * c.kv_heads;
  op.head_dim = c.head_dim;
  op.element_bytes = technology::element_bytes(c.precision);
  op.visible_share = c.causal ? 0.5 : 1.0;
  // With a cache of fewer bits prefill multiplies in these, where device and library can.
  const technology::Device& device = systems_.of(c.device, 1).device;
  const bool narrow = device.attention.narrow_products &&
                      device.tensor_peak[technology::index_of(c.cache_precision)].si() > 0.0;
  return estimator::prefill_attention_cost(op, rates(c, narrow ? c.cache_precision : c.precision));
}

estimator::Cost KernelPredictor::decode(const KernelCase& c) {
  workload::DecodeAttention op;
  op.batch = c.batch;
  op.context = c.sequence;
  op.heads = c.heads;
  op.kv_heads = c.kv_heads;
  op.head_dim = c.head_dim;
  op.element_bytes = technology::element_bytes(c.cache_precision);
  op.query_bytes = technology::element_bytes(c.precision);
  estimator::Rates measured = rates(c, c.precision);
  measured.attention.shared_heads = c.shared_heads.value_or(measured.attention.shared_heads);
  return estimator::decode_attention_cost(op, measured);
}

estimator::Cost KernelPredictor::pointwise(const KernelCase& c) {
  return estimator::pointwise_cost({.name = "pointwise", .traffic_bytes = c.bytes, .flop = 0.0},
                                   rates(c, c.precision));
}

estimator::Cost KernelPredictor::collective(const KernelCase& c) {
  technology::System joined = systems_.of(c.device, c.devices);
  systems_.catalog().use_library(c.device, c.library, joined.device);
  const parallel::Collective op{
      *collective_kind(c.op), parallel::group_of(c.devices, estimator::levels_of(joined)), c.bytes,
      c.one_shot || joined.device.all_reduce ? parallel::CollectiveLibrary::one_shot
                                             : parallel::CollectiveLibrary::general,
      c.precision != Precision::int8};
  return estimator::collective_cost(op, joined).cost;
}

KernelPrediction KernelPredictor::predict(const KernelCase& c) {
  const technology::Device& device = systems_.of(c.device, 1).device;
  KernelPrediction result;
  if (!is_collective(c.op) && technology::matrix_peak(device, c.precision).si() <= 0.0) {
    result.note = fmt::format("the catalog has no {} rate for {}", technology::name_of(c.precision),
                              device.name);
    return result;
  }
  estimator::Cost cost;
  if (is_collective(c.op)) {
    cost = collective(c);
  } else if (is_served(c.op)) {
    cost = served_cost(*c.served, c.device, c.library, systems_);
  } else if (c.op == KernelOperator::attention_decode) {
    cost = decode(c);
  } else if (c.op == KernelOperator::pointwise) {
    cost = pointwise(c);
  } else {
    cost = is_attention(c.op) ? prefill(c) : matmul(c);
  }
  result.charges = cost.time;
  if (c.host_timed && !is_collective(c.op)) {
    result.charges += estimator::Charges::of(estimator::Resource::latency, host_timing_s);
  }
  result.time_s = result.charges.total_s();
  return result;
}

namespace {

KernelPredictor& predictor_of(CaseMemo& memo) {
  if (!memo.kept.has_value()) {
    memo.kept = KernelPredictor(memo.systems);
  }
  return *std::any_cast<KernelPredictor>(&memo.kept);
}

void predict_kernel(RowReader& row, CaseMemo& memo, CaseRow& r) {
  const std::optional<KernelCase> kernel = read_kernel_case(row);
  if (!kernel) {
    return;
  }
  r.measured = kernel->measured_s;
  const KernelPrediction prediction = predictor_of(memo).predict(*kernel);
  r.predicted.note = prediction.note;
  if (prediction.note.empty()) {
    r.predicted.value = prediction.time_s;
    r.predicted.bottleneck = name_of(estimator::dominant(prediction.charges));
  }
}

}  // namespace

const CaseKind& kernel_cases() {
  static constexpr CaseKind kind = {"kernel", "time_s", "op", kernel_columns, predict_kernel};
  return kind;
}

}  // namespace scalesweep::validation
