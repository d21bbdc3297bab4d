#include "estimator/training/layer_cost.hpp"

#include <algorithm>
#include <cmath>

#include "estimator/links/expert_exchange.hpp"
#include "estimator/parts/collective.hpp"
#include "estimator/training/states/parameters.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Collective;
using parallel::CollectiveKind;
using parallel::Dimension;
using workload::LayerKind;
using workload::Mixer;

// A collective: what it takes, and what the host takes to issue it.
struct IssuedCost {
  Cost cost;
  double issue_s = 0.0;

  IssuedCost& operator+=(const IssuedCost& o) {
    cost += o.cost;
    issue_s += o.issue_s;
    return *this;
  }
};

// What one block is computed from.
struct BlockSetting : Setting {
  KernelSetting kernels;
  const workload::Slice& slice;

  BlockSetting(const Setting& setting, const BlockRates& rates, KernelMemo& memo,
               bool of_encoder = false)
      : Setting(setting), kernels(setting, rates, memo, of_encoder), slice(kernels.slice) {}

  // Of the cores, what a collective takes from kernels beside it.
  double core_share() const { return system.scale_up().core_share; }

  IssuedCost issued(const Collective& collective, double launches = 1.0) const {
    return {collective_cost(collective, system).cost,
            collective_issue_s(job.stack, collective.group, launches)};
  }
  IssuedCost tensor(CollectiveKind kind) const { return issued(tensor_collective(*this, kind)); }
  IssuedCost context(CollectiveKind kind, double bytes, double launches = 1.0) const {
    return issued({kind, group(Dimension::context), bytes}, launches);
  }
};

// What the host takes to issue the collectives of a block.
struct Issue {
  double forward_s = 0.0;
  double backward_s = 0.0;
};

BlockCost block_cost(const KernelSums& kernels) {
  BlockCost block;
  block.forward[PassPart::compute] = kernels.forward;
  block.backward[PassPart::compute] =
      kernels.backward + kernels.data_gradients + kernels.weight_gradients;
  block.selective_repeats = kernels.selective_repeats;
  block.full_omits = kernels.full_omits;
  block.weight_gradients = kernels.weight_gradients;
  return block;
}

// Pairs of tensor-parallel collectives a layer: two, one where both blocks read the same input and
// add to the same output. Experts that tensor-parallel ranks are spread over take parts of a
// sequence and give them back as they are.
std::size_t tensor_pairs(const BlockSetting& set, LayerKind kind) {
  const bool parts_stay = kind == LayerKind::experts && set.slice.experts_over_tensor &&
                          set.slice.sequence_shards && set.job.model.experts.shared_ffn == 0;
  return set.job.model.parallel_blocks || parts_stay || kind == LayerKind::bare ? 1 : 2;
}

// Of those, how many gather their input again for a weight gradient: that of the weights, or of
// adapters beside them.
std::size_t pairs_gathered_again(const BlockSetting& set, std::size_t pairs) {
  const workload::Tuning& tuning = set.job.tuning;
  const bool some = tuning.on() && tuning.layers != workload::AdapterLayers::all;
  return some && pairs > 1 ? pairs - 1 : pairs;
}

// What the same transfer of every pair takes beside these GEMMs, the last ones first.
Cost open_transfers(const std::vector<Cost>& beside, const Cost& transfer, bool hides,
                    std::size_t pairs, const BlockSetting& set) {
  Cost open;
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    open += hides && pair < beside.size()
                ? beyond(beside[beside.size() - 1 - pair].time, transfer, set.core_share())
                : transfer;
  }
  return open;
}

// Forward collectives stand on the critical path: each GEMM needs what the last one sent, unless a
// stack cuts GEMMs into parts. Backward, the gradient of a column-parallel GEMM's input is reduced
// while its weight gradient is computed, and with sequence parallelism the input is gathered again
// while the data gradient is computed: both hide behind kernels (Korthikanti et al. 2022, section
// 4.2.2; Megatron-LM). Where the weight gradients wait, what they hide is in the open.
void add_tensor_communication(BlockCost& block, Issue& issue, const KernelSums& kernels,
                              const BlockSetting& set, LayerKind kind) {
  const std::size_t count = tensor_pairs(set, kind);
  const auto pairs = static_cast<double>(count);
  const workload::TrainingStack& stack = set.job.stack;
  const bool hides = stack.hides_tensor_communication;
  const bool cuts = stack.hides_forward_tensor_communication;
  Cost& forward = block.forward[PassPart::tensor_communication];
  Cost& backward = block.backward[PassPart::tensor_communication];
  const bool sharded = set.strategy.sequence_parallel;
  const IssuedCost reduce =
      set.tensor(sharded ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce);
  forward = open_transfers(kernels.row_forward, reduce.cost, cuts, count, set);
  issue.forward_s += pairs * reduce.issue_s;
  issue.backward_s += pairs * reduce.issue_s;
  if (sharded) {
    const IssuedCost gather = set.tensor(CollectiveKind::all_gather);
    const Cost inputs = open_transfers(kernels.column_forward, gather.cost, cuts, count, set);
    forward += inputs;
    backward = open_transfers(kernels.row_data_gradients, gather.cost, cuts, count, set);
    issue.forward_s += pairs * gather.issue_s;
    issue.backward_s += pairs * gather.issue_s;
    if (!stack.keeps_gathered_inputs) {
      const std::size_t again = pairs_gathered_again(set, count);
      backward += open_transfers(kernels.column_data_gradients, gather.cost, hides, again, set);
      issue.backward_s += static_cast<double>(again) * gather.issue_s;
    } else if (stack.selective_recompute == workload::SelectiveRecompute::alternate) {
      block.selective_repeats +=
          open_transfers(kernels.column_repeats, gather.cost, cuts, count, set);
    }
  }
  const Cost behind_weights =
      open_transfers(kernels.column_weight_gradients, reduce.cost, hides, count, set);
  backward += behind_weights;
  block.weight_gradients += behind_weights - pairs * reduce.cost;
}

// Keys and values go around the ring behind the attention of the part that is already there, and
// their gradients back (Liu et al., arXiv:2310.01889); or queries, keys, values and outputs are
// exchanged for heads before and after it, in the open (Jacobs et al., arXiv:2309.14509).
void add_context_communication(BlockCost& block, Issue& issue, const KernelSums& kernels,
                               const BlockSetting& set) {
  const workload::TransformerModel& model = set.job.model;
  const double shards = static_cast<double>(set.slice.tensor_shards);
  const double element = set.slice.element_bytes;
  const double tokens = set.slice.tokens();  // of one rank
  const bool latent = model.latent.on();
  const double key_width =
      latent ? static_cast<double>(model.heads * (model.latent.nope_dim + model.latent.rope_dim))
             : static_cast<double>(model.kv_heads * model.head_dim);
  const double value_width =
      latent ? static_cast<double>(model.heads * model.latent.value_dim) : key_width;
  const double key_value_bytes = tokens * std::max(key_width / shards, 1.0) * element +
                                 tokens * value_width / shards * element;
  const double ranks = set.strategy.context_parallel;
  if (set.strategy.context_exchange == parallel::ContextExchange::ring) {
    const double whole = ranks * key_value_bytes;
    // A send for the part of each other rank.
    const IssuedCost gather = set.context(CollectiveKind::all_gather, whole, ranks - 1.0);
    const IssuedCost scatter = set.context(CollectiveKind::reduce_scatter, whole, ranks - 1.0);
    block.forward[PassPart::context_communication] =
        beyond(kernels.attention_core.time, gather.cost, set.core_share());
    block.backward[PassPart::context_communication] =
        beyond(kernels.attention_core_backward.time, gather.cost + scatter.cost, set.core_share());
    issue.forward_s += gather.issue_s;
    issue.backward_s += gather.issue_s + scatter.issue_s;
    return;
  }
  const double query_bytes = tokens * static_cast<double>(model.heads) * element / shards *
                             static_cast<double>(latent ? model.latent.value_dim : model.head_dim);
  const IssuedCost exchange =
      set.context(CollectiveKind::all_to_all, 2.0 * query_bytes + key_value_bytes);
  block.forward[PassPart::context_communication] = exchange.cost;
  block.backward[PassPart::context_communication] = exchange.cost;
  issue.forward_s += exchange.issue_s;
  issue.backward_s += exchange.issue_s;
}

// States of the part that each rank has, added up by all that come after it, and their gradients
// back (LASP-2, arXiv:2502.07563): in the open, since the recurrence waits for them.
void add_state_communication(BlockCost& block, Issue& issue, const BlockSetting& set) {
  constexpr double state_element_bytes = 4.0;
  const double bytes = set.strategy.context_parallel * static_cast<double>(set.slice.micro_batch) *
                       set.job.model.state_elements() /
                       static_cast<double>(set.slice.tensor_shards) * state_element_bytes;
  const IssuedCost gather = set.context(CollectiveKind::all_gather, bytes);
  block.forward[PassPart::context_communication] = gather.cost;
  block.backward[PassPart::context_communication] = gather.cost;
  issue.forward_s += gather.issue_s;
  issue.backward_s += gather.issue_s;
}

// Tokens travel to their experts and back, in both passes (GShard, arXiv:2006.16668).
IssuedCost expert_exchange_cost(const BlockSetting& set) {
  const TrainingJob& job = set.job;
  const double bytes = workload::expert_exchange_bytes(job.model, set.slice);
  const double load = workload::busiest_expert_load(job.model, set.slice);
  IssuedCost both;
  for (const ExchangeWay way : {ExchangeWay::there, ExchangeWay::back}) {
    const ExpertExchange exchange =
        expert_exchange(job.model.experts, job.stack.expert_dispatch,
                        set.group(Dimension::expert_exchange), bytes, 1.0, way);
    const bool all_alike = exchange.dispatch == workload::ExpertDispatch::all_gather;
    both.cost += (all_alike ? 1.0 : load) * exchange_cost(exchange, set.system);
    for (const Collective& part : {exchange.sent, exchange.forwarded}) {
      if (part.bytes > 0.0) {
        both.issue_s += collective_issue_s(job.stack, part.group, 1.0);
      }
    }
  }
  return both;
}

// What a pass takes beyond the device's D where the host takes H: to the longer of the two, or to
// (D^k + H^k)^(1/k). Of T so blended, D and H are charged D (D/T)^(k-1) and H (H/T)^(k-1): their
// elasticities, which sum to T.
Cost waiting(const Charges& device, double host_s, double blend) {
  Cost host;
  host.time = Charges::of(Resource::latency, host_s);
  const double device_s = device.total_s();
  if (blend < 1.0 || host_s <= 0.0 || device_s <= 0.0) {
    return beyond(device, host);
  }
  const double longer_s = std::max(device_s, host_s);
  const double total_s =
      longer_s * std::pow(std::pow(device_s / longer_s, blend) + std::pow(host_s / longer_s, blend),
                          1.0 / blend);
  Cost cost;
  cost.time = (std::pow(device_s / total_s, blend - 1.0) - 1.0) * device;
  cost.time += std::pow(host_s / total_s, blend - 1.0) * host.time;
  return cost;
}

// Host time of one operator of a block, forward and backward.
struct Intervals {
  double forward_s = 0.0;
  double backward_s = 0.0;
};

Intervals issue_intervals(const workload::TrainingStack& stack, LayerKind kind) {
  if (kind == LayerKind::experts && stack.expert_issue_interval_s > 0.0) {
    return {stack.expert_issue_interval_s, stack.expert_issue_interval_s};
  }
  return {stack.issue_interval_s, stack.backward_issue_interval_s};
}

// A pass lasts as long as the device works or as the host takes to issue it, collectives included.
void add_host_wait(BlockCost& block, const Issue& issue, const KernelSums& kernels,
                   const BlockSetting& set, LayerKind kind = LayerKind::dense) {
  const workload::TrainingStack& stack = set.job.stack;
  const Intervals intervals = issue_intervals(stack, kind);
  const double forward_s = kernels.forward_operators * intervals.forward_s + issue.forward_s;
  const double backward_s = kernels.backward_operators * intervals.backward_s + issue.backward_s;
  const double waiting_s = kernels.weight_gradient_operators * intervals.backward_s;
  const double blend = stack.issue_blend;
  block.forward[PassPart::host_wait] = waiting(block.forward.total().time, forward_s, blend);
  const Charges backward = block.backward.total().time;
  block.backward[PassPart::host_wait] = waiting(backward, backward_s, blend);
  const Charges rest = backward - block.weight_gradients.time;
  block.weight_gradients +=
      block.backward[PassPart::host_wait] - waiting(rest, backward_s - waiting_s, blend);
}

// The vocabulary-parallel embedding reduces its output; the head's input gradient is reduced as
// well. With sequence parallelism the reductions scatter, and each meets a gather. The loss reduces
// three scalars a token, which is left out (< 0.1 % of the head).
void add_edge_communication(LayerCosts& costs, const BlockSetting& set) {
  const bool sharded = set.strategy.sequence_parallel;
  const Cost reduce =
      set.tensor(sharded ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce).cost;
  costs.embedding.forward[PassPart::tensor_communication] = reduce;
  costs.head.backward[PassPart::tensor_communication] = reduce;
  if (sharded) {
    const Cost gather = set.tensor(CollectiveKind::all_gather).cost;
    costs.embedding.backward[PassPart::tensor_communication] = gather;
    costs.head.forward[PassPart::tensor_communication] = gather;
  }
}

// Exchanges run beside the other direction's pass of another micro-batch: the whole of it, with
// what it communicates and waits for. Each is as long as the other, so that it does not matter for
// their sum which pass hides which; its own keeps what hides and what is hidden in one place.
void hide_expert_communication(BlockCost& block, const Cost& exchange, const BlockSetting& set) {
  const auto open = [&](const Charges& pass) { return beyond(pass, exchange, set.core_share()); };
  const Charges backward = block.backward.total().time;
  const Charges rest = backward - block.weight_gradients.time;
  block.forward[PassPart::expert_communication] = open(block.forward.total().time);
  block.backward[PassPart::expert_communication] = open(backward);
  block.weight_gradients += block.backward[PassPart::expert_communication] - open(rest);
}

BlockCost layer_block(const BlockSetting& set, LayerKind kind, Mixer mixer) {
  const KernelSums& kernels = set.kernels({BlockName::Part::layer, kind, mixer});
  BlockCost block = block_cost(kernels);
  Issue issue;
  if (set.strategy.tensor_parallel > 1) {
    add_tensor_communication(block, issue, kernels, set, kind);
  }
  if (set.strategy.context_parallel > 1 && mixer == Mixer::linear) {
    add_state_communication(block, issue, set);
  } else if (set.strategy.context_parallel > 1) {
    add_context_communication(block, issue, kernels, set);
  }
  const bool exchanges =
      kind == LayerKind::experts && set.group(Dimension::expert_exchange).size() > 1;
  const bool hidden = set.job.stack.hides_expert_communication ||
                      set.strategy.schedule == parallel::Schedule::dual_pipe;
  const IssuedCost exchange = exchanges ? expert_exchange_cost(set) : IssuedCost{};
  issue.forward_s += exchange.issue_s;
  issue.backward_s += exchange.issue_s;
  if (!hidden) {
    block.forward[PassPart::expert_communication] = exchange.cost;
    block.backward[PassPart::expert_communication] = exchange.cost;
  }
  add_host_wait(block, issue, kernels, set, kind);
  if (exchanges && hidden) {
    hide_expert_communication(block, exchange.cost, set);
  }
  return block;
}

// The mean of the layers of a kind.
BlockCost layer_block(const BlockSetting& set, LayerKind kind) {
  const workload::LayerVariants variants(set.job.model, kind);
  BlockCost mean;
  for (const workload::LayerVariant& variant : variants) {
    if (variant.share == 1.0) {
      return layer_block(set, variant.kind, variant.mixer);
    }
    mean.add(variant.share, layer_block(set, variant.kind, variant.mixer));
  }
  return mean;
}

BlockCost edge_block(BlockName::Part part, const BlockSetting& set) {
  const KernelSums& kernels = set.kernels({part});
  BlockCost block = block_cost(kernels);
  add_host_wait(block, {}, kernels, set);
  return block;
}

}  // namespace

workload::Slice slice_of(const TrainingJob& job, const parallel::Strategy& strategy,
                         bool any_layout) {
  workload::Slice slice = shards_of(strategy);
  slice.sequence = job.sequence;
  slice.micro_batch = strategy.micro_batch;
  slice.element_bytes = technology::element_bytes(job.precision.activations);
  slice.operand_bytes = technology::element_bytes(job.precision.linear);
  if (const std::optional<workload::Recipe> recipe = job.recipe()) {
    const workload::RecipeRow& row = workload::row_of(*recipe);
    slice.operand_bytes += row.scale_bytes;
    slice.recipe = workload::OperandRecipe::trained(row, any_layout);
  }
  slice.operand_fusion = job.stack.operand_fusion;
  slice.gradient_bytes = technology::element_bytes(job.precision.gradients);
  slice.tuning = job.tuning;
  slice.flash_attention = job.flash_attention;
  slice.fused_pointwise = job.stack.fused_pointwise;
  slice.composed = job.stack.composed;
  slice.composed_norms = job.stack.composed && !job.model.biases;
  slice.selective = job.stack.selective_recompute;
  slice.recompute_stops_early = job.stack.recompute_stops_early;
  slice.copies_sequence_shards = job.stack.copies_sequence_shards;
  slice.keeps_gathered_inputs = job.stack.keeps_gathered_inputs;
  return slice;
}

namespace {

Rates rates_in_training(const TrainingJob& job, const technology::System& system,
                        technology::Precision precision) {
  Rates rates = rates_of(system.device, precision);
  const double share = job.stack.kernel_share;
  rates.tensor_flop_per_s *= share;
  rates.vector_flop_per_s *= share;
  rates.dram_bytes_per_s *= share;
  rates.l2_bytes_per_s *= share;
  rates.shared_bytes_per_s *= share;
  return rates;
}

}  // namespace

BlockRates block_rates(const TrainingJob& job, const technology::System& system) {
  const auto in_training = [&](technology::Precision precision) {
    return rates_in_training(job, system, precision);
  };
  Rates attention = in_training(job.precision.activations);
  attention.tensor_flop_per_s *=
      job.stack.attention_share *
      reachable_share(job.stack.attention_core_flop, system.device, attention.precision);
  return {in_training(job.precision.linear), attention, in_training(job.precision.activations)};
}

double rank_issue_s(const workload::ReplicaStack& stack, const parallel::Group& group) {
  return stack.rank_issue_interval_s + (group.outer() > 1 ? stack.crossing_issue_interval_s : 0.0);
}

double collective_issue_s(const workload::TrainingStack& stack, const parallel::Group& group,
                          double launches) {
  return launches * stack.collective_issue_interval_s +
         static_cast<double>(group.size()) * rank_issue_s(stack.replicas, group);
}

parallel::Collective tensor_collective(const Setting& setting, CollectiveKind kind) {
  const TrainingJob& job = setting.job;
  Collective collective;
  collective.kind = kind;
  collective.group = setting.group(Dimension::tensor);
  collective.bytes = static_cast<double>(job.sequence) / setting.strategy.context_parallel *
                     setting.strategy.micro_batch * static_cast<double>(job.model.hidden) *
                     technology::element_bytes(job.precision.activations);
  return collective;
}

namespace {

workload::Slice slice_of(const Setting& setting) {
  return slice_of(setting.job, setting.strategy, technology::scales_blocks(setting.system.device));
}

workload::LayerOperators operators_of(const BlockName& name,
                                      const workload::TransformerModel& model,
                                      const workload::Slice& slice) {
  switch (name.part) {
    case BlockName::Part::layer:
      break;
    case BlockName::Part::embedding:
      return workload::embedding_operators(model, slice);
    case BlockName::Part::head:
      return workload::head_operators(model, slice);
    case BlockName::Part::prediction:
      return workload::prediction_operators(model, slice);
    case BlockName::Part::projector:
      return workload::projector_operators(model, slice);
  }
  return workload::layer_operators(model, slice, name.kind, name.mixer);
}

void set_updates(LayerCosts& costs, const Setting& setting) {
  const TrainingJob& job = setting.job;
  const bool narrow = job.optimizer.product_bytes < 4.0;
  const Rates rates = rates_in_training(
      job, setting.system, narrow ? job.precision.activations : technology::Precision::fp32);
  const workload::Slice shards = shards_of(setting.strategy);
  costs.updates = layer_updates(job, shards, LayerKind::dense, rates);
  if (job.model.experts.on()) {
    costs.expert_updates = layer_updates(job, shards, LayerKind::experts, rates);
  }
}

}  // namespace

KernelSetting::KernelSetting(const Setting& of, const BlockRates& block_rates, KernelMemo& kernels,
                             bool is_of_encoder)
    : setting(of),
      slice(slice_of(of)),
      of_encoder(is_of_encoder),
      rates(block_rates),
      memo(kernels) {}

const KernelSums& KernelSetting::operator()(const BlockName& block) const {
  BlockName name = block;
  name.of_encoder = of_encoder;
  return memo.at(setting.system.device.clock.si(), rates, name, slice, [&] {
    workload::LayerOperators operators = operators_of(name, setting.job.model, slice);
    return of_encoder ? workload::in_activations(std::move(operators)) : operators;
  });
}

SavedLayers saved_layers(const Setting& setting) {
  const workload::TransformerModel& model = setting.job.model;
  const workload::Slice slice = slice_of(setting);
  SavedLayers saved;
  if (model.encoder.asked()) {
    saved.encoder = saved_encoder(setting);
  }
  saved.layer = workload::saved_activations(model, slice, LayerKind::dense);
  saved.has_experts = model.experts.on();
  if (saved.has_experts) {
    saved.expert_layer = workload::saved_activations(model, slice, LayerKind::experts);
  }
  return saved;
}

LayerCosts layer_costs(const Setting& setting) {
  KernelMemo memo;
  return layer_costs(setting, block_rates(setting.job, setting.system), memo);
}

LayerCosts layer_costs(const Setting& setting, const BlockRates& rates, KernelMemo& memo) {
  const BlockSetting set(setting, rates, memo);
  LayerCosts costs;
  costs.layer = layer_block(set, LayerKind::dense);
  costs.saved = saved_layers(setting);
  if (costs.saved.has_experts) {
    costs.expert_layer = layer_block(set, LayerKind::experts);
  }
  if (setting.job.optimizer.multiplies()) {
    set_updates(costs, setting);
  }
  costs.embedding = edge_block(BlockName::Part::embedding, set);
  costs.head = edge_block(BlockName::Part::head, set);
  if (setting.strategy.tensor_parallel > 1) {
    add_edge_communication(costs, set);
  }
  if (setting.job.model.encoder.asked()) {
    costs.encoder = encoder_cost(setting, rates, memo);
    costs.encoder += edge_block(BlockName::Part::projector, set);
  }
  if (setting.job.model.prediction_layers > 0) {
    costs.prediction = edge_block(BlockName::Part::prediction, set);
    costs.prediction += costs.last_layer();
    costs.prediction += costs.head;
  }
  return costs;
}

LayerCosts encoder_layer_costs(const Setting& setting, const BlockRates& rates, KernelMemo& memo) {
  const BlockSetting set(setting, rates, memo, true);
  LayerCosts costs;
  costs.layer = layer_block(set, LayerKind::dense);
  costs.embedding = edge_block(BlockName::Part::embedding, set);
  return costs;
}

Cost pass_cost(const Setting& setting, const BlockRates& rates, KernelMemo& memo) {
  const workload::TransformerModel& model = setting.job.model;
  const BlockSetting set(setting, rates, memo);
  Cost pass;
  const auto add = [&](LayerKind kind, double layers) {
    if (layers > 0.0) {
      const BlockCost block = layer_block(set, kind);
      pass.add(layers, block.forward.total());
      pass.add(layers, block.backward.total());
    }
  };
  const auto experts = static_cast<double>(model.expert_layers());
  add(LayerKind::dense, static_cast<double>(model.layers) - experts);
  add(LayerKind::experts, experts);
  return pass;
}

bool same_layers(const parallel::Strategy& strategy, const technology::System& a,
                 const technology::System& b) {
  if (a.domain_level != b.domain_level || !(a.device == b.device)) {
    return false;
  }
  std::size_t reached = a.domain_level;  // the cores that transfers take are those of its kernels
  const parallel::Levels levels_of_a = levels_of(a);
  const parallel::Levels levels_of_b = levels_of(b);
  for (const Dimension dimension :
       {Dimension::tensor, Dimension::context, Dimension::expert_exchange}) {
    const parallel::Group group = parallel::group_of(strategy, dimension, levels_of_a);
    if (!(group == parallel::group_of(strategy, dimension, levels_of_b))) {
      return false;
    }
    reached = std::max(reached, group.widest());
  }
  return std::min(a.levels.size(), b.levels.size()) > reached &&
         std::equal(a.levels.begin(), a.levels.begin() + static_cast<std::ptrdiff_t>(reached) + 1,
                    b.levels.begin());
}

}  // namespace scalesweep::estimator
