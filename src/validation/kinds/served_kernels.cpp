#include "validation/kinds/served_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "estimator/inference/passes/inference_blocks.hpp"
#include "estimator/parts/rates.hpp"
#include "validation/cases/recipes.hpp"
#include "validation/kinds/named_stack.hpp"
#include "workload/feed_forward/expert_load.hpp"

namespace scalesweep::validation {

enum class ServedPart : std::uint8_t { experts, attention_core, attention_layer };

struct ServedKernels {
  ServedPart part = ServedPart::experts;
  estimator::InferenceJob job;  // model, formats and stack
  workload::TokenGroup prefill, decode;
  std::int32_t expert_shards = 1, expert_tensor_shards = 1;
  // As they were dealt out; nothing: as the estimator expects of so many tokens.
  std::optional<double> copies, reached;
  std::string framework;  // whose iterations they are part of; "": they run alone
};

namespace {

using technology::Precision;
using workload::LinearPart;

constexpr std::array<std::string_view, 2> part_words = {"core", "layer"};

// Linear layers in the format of the row, all else in 16 bits. The kernel before, which is not
// measured, leaves 16 bits unless it is said to have prepared the operands.
void read_formats(RowReader& row, Precision& operands, ServedKernels& kernels) {
  constexpr double sixteen_bits = 2.0;  // bytes
  estimator::InferencePrecision& p = kernels.job.precision;
  p.recipe = read_recipe(row, operands);
  p.activations = technology::element_bytes(operands) < sixteen_bits ? Precision::bf16 : operands;
  p.cache = row.precision("kv_precision", p.activations);
  p.operands = p.weights = has_ready_operands(row) ? operands : p.activations;
  if (kernels.part != ServedPart::experts) {
    p.attention = operands;
    return;
  }
  p.experts = operands;
  p.expert_weights = row.precision("weight_precision", operands);
  check_weights(row, "weight_precision", *p.expert_weights, operands);
}

// Copies and reached experts are those of one device.
void read_dealt(RowReader& row, ServedKernels& kernels) {
  const workload::Experts& experts = kernels.job.model.experts;
  kernels.copies = row.number("copies");
  kernels.reached = row.number("reached");
  if (kernels.copies.has_value() != kernels.reached.has_value()) {
    row.error(kernels.copies ? "reached" : "copies",
              "copies of tokens and the experts that they reach stand together; leave both empty "
              "for what chance makes of them");
    return;
  }
  const double held = workload::experts_held(experts, kernels.expert_shards, 0.0);
  if (kernels.reached && *kernels.reached > std::min(held, *kernels.copies)) {
    row.error("reached", fmt::format("{} experts of a device that holds {} and gets {} copies",
                                     *kernels.reached, held, *kernels.copies));
  }
}

void read_experts(RowReader& row, ServedKernels& kernels) {
  workload::TransformerModel& model = kernels.job.model;
  kernels.decode = {.sequences = row.required_number("tokens")};
  model.hidden = row.integer("hidden", std::nullopt);
  model.gated_ffn = row.boolean("gated_ffn", true);
  model.experts.ffn = row.integer("expert_ffn", std::nullopt);
  model.experts.count = row.integer("experts", std::nullopt);
  model.experts.top_k = row.integer("experts_per_token", std::nullopt);
  model.experts.skew = row.number("expert_skew");
  kernels.expert_shards = static_cast<std::int32_t>(row.integer("ep", 1));
  kernels.expert_tensor_shards = static_cast<std::int32_t>(row.integer("tp", 1));
  if (!row.good()) {
    return;
  }
  const std::int64_t count = model.experts.count;
  if (model.experts.top_k > count) {
    row.error("experts_per_token", fmt::format("{} of {} experts", model.experts.top_k, count));
  }
  if (kernels.expert_shards > count) {
    row.error("ep", fmt::format("{} devices for {} experts", kernels.expert_shards, count));
  }
  read_dealt(row, kernels);
}

void read_latent(RowReader& row, LatentPhase phase, ServedKernels& kernels) {
  workload::TransformerModel& model = kernels.job.model;
  const bool is_prefill = phase == LatentPhase::prefill;
  const bool is_layer = kernels.part == ServedPart::attention_layer;
  model.heads = model.kv_heads = row.integer("heads", std::nullopt);
  workload::LatentAttention& latent = model.latent;
  latent.kv_rank = row.integer("kv_rank", std::nullopt);
  latent.rope_dim = row.integer("rope_dim", std::nullopt);
  if (is_prefill || is_layer) {
    latent.nope_dim = row.integer("nope_dim", std::nullopt);
    latent.value_dim = row.integer("value_dim", latent.nope_dim);
  }
  if (is_layer) {
    model.hidden = row.integer("hidden", std::nullopt);
    latent.query_rank = row.integer("query_rank", 0, 0);
  }
  const double batch = row.required_number("batch");
  const auto tokens = static_cast<double>(row.integer("seq", std::nullopt));
  const auto cached = static_cast<double>(row.integer("cached", 0, 0));
  if (is_prefill) {
    kernels.prefill = {batch, tokens, cached};
    return;
  }
  if (cached > 0.0) {
    row.error("cached", "is of a prompt; the context of one new token is seq");
  }
  kernels.decode = {batch, 1.0, tokens - 1.0};
}

// Rates of kernels that run alone, as of GEMMs and attention.
void run_alone(estimator::InferenceSetting& setting) {
  const auto alone = [&](Precision precision) {
    return estimator::rates_of(setting.system.device, precision, estimator::Regime::isolated);
  };
  setting.activation = setting.attention = alone(setting.job.precision.activations);
  for (std::size_t i = 0; i < setting.linear.size(); ++i) {
    setting.linear[i] = alone(setting.job.precision.operands_of(LinearPart(i)));
  }
  setting.use_expert_kernels();
}

std::vector<workload::Operator> operators_of(const ServedKernels& kernels,
                                             const estimator::InferenceSetting& setting) {
  const estimator::Replica replica = {setting, {}};
  workload::InferenceSlice slice = estimator::slice_of(replica, kernels.prefill, kernels.decode);
  slice.expert_shards = kernels.expert_shards;
  slice.expert_tensor_shards = kernels.expert_tensor_shards;
  const workload::TransformerModel& model = kernels.job.model;
  switch (kernels.part) {
    case ServedPart::attention_core:
      return workload::inference_attention_operators(model, slice);
    case ServedPart::attention_layer:
      return workload::inference_mixer_operators(model, slice);
    default:
      return workload::inference_expert_operators(
          model, slice,
          kernels.copies ? workload::ExpertWork{*kernels.copies, *kernels.reached}
                         : workload::expert_work(model, slice));
  }
}

}  // namespace

std::shared_ptr<const ServedKernels> read_served_kernels(RowReader& row, Precision& operands,
                                                         std::optional<LatentPhase> attention) {
  ServedKernels kernels;
  if (attention) {
    kernels.part = row.choice("part", part_words) == 0 ? ServedPart::attention_core
                                                       : ServedPart::attention_layer;
  }
  read_formats(row, operands, kernels);
  kernels.framework = read_serving_stack(row, kernels.job.stack);
  if (kernels.framework.empty()) {
    kernels.job.stack.fp8_recipe = workload::Recipe::current;  // as GEMMs alone
  }
  if (attention) {
    read_latent(row, *attention, kernels);
  } else {
    read_experts(row, kernels);
  }
  return std::make_shared<const ServedKernels>(std::move(kernels));
}

estimator::Cost served_cost(const ServedKernels& kernels, const std::string& device,
                            const std::string& library, Systems& systems) {
  technology::System system = systems.of(device, 1);
  if (!kernels.framework.empty()) {
    systems.catalog().use_libraries(device, kernels.framework, system.device);
  }
  systems.catalog().use_library(device, library, system.device);
  estimator::InferenceSetting setting(kernels.job, system);
  if (kernels.framework.empty()) {
    run_alone(setting);
  }
  estimator::Cost cost;
  for (const workload::Operator& op : operators_of(kernels, setting)) {
    cost += estimator::operator_cost(op, setting);
  }
  return cost;
}

}  // namespace scalesweep::validation
