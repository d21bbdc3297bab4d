#include "estimator/inference/passes/inference_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "estimator/parts/collective.hpp"
#include "estimator/parts/kernels.hpp"
#include "estimator/parts/power/power_limit.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Collective;
using parallel::CollectiveKind;
using parallel::Dimension;
using workload::InferenceSlice;
using workload::LayerKind;
using workload::LinearPart;
using workload::Operator;

constexpr double logit_bytes = 4.0;

// Rates of a device's kernels as the stack reaches them.
Rates stack_rates(const technology::Device& device, technology::Precision precision,
                  const workload::ServingStack& stack) {
  Rates rates = rates_of(device, precision);
  rates.tensor_flop_per_s *= stack.kernel_share;
  rates.dram_bytes_per_s *= stack.stream_share;
  const double left = stack.kernel_latency_share;
  rates.latency_s *= left;
  rates.split_latency_s *= left;
  technology::AttentionKernels& attention = rates.attention;
  for (Seconds* fixed :
       {&attention.prefill_latency, &attention.decode_latency, &attention.merge_latency}) {
    *fixed = Seconds::si(fixed->si() * left);
  }
  attention.shared_heads = std::min(attention.shared_heads, static_cast<int>(stack.shared_heads));
  return rates;
}

void keep_share(technology::Network& network, double share) {
  network.latency = Seconds::si(network.latency.si() * share);
  network.call_latency = Seconds::si(network.call_latency.si() * share);
  network.one_shot_latency = Seconds::si(network.one_shot_latency.si() * share);
}

}  // namespace

InferenceSetting::InferenceSetting(InferenceJob wanted, const technology::System& on)
    : job(std::move(wanted)), system(on) {
  const workload::ServingStack& stack = job.stack;
  for (technology::LinkLevel& level : system.levels) {
    keep_share(level.link, stack.collective_latency_share);
  }
  set_rates();
}

InferenceSetting InferenceSetting::at_clock_step(int clock_step) const {
  InferenceSetting slower = *this;
  slower.system.device = estimator::at_clock_step(system, clock_step).device;
  slower.set_rates();
  return slower;
}

InferenceSetting InferenceSetting::keeping(double share) const {
  InferenceSetting keeping = *this;
  keeping.kept_share_ = share;
  keeping.set_rates();
  return keeping;
}

void InferenceSetting::set_rates() {
  const workload::ServingStack& stack = job.stack;
  activation = stack_rates(system.device, job.precision.activations, stack);
  activation.kept_share = kept_share_;
  for (std::size_t i = 0; i < linear.size(); ++i) {
    const technology::Precision operands = job.precision.operands_of(LinearPart(i));
    const bool as_mlp = i > 0 && operands == job.precision.operands;
    linear[i] = as_mlp ? linear.front() : stack_rates(system.device, operands, stack);
    linear[i].kept_share = kept_share_;
  }
  if (technology::element_bytes(job.precision.weights_of(LinearPart::experts)) <
      technology::element_bytes(job.precision.activations)) {
    linear[index_of(LinearPart::experts)].dram_bytes_per_s *= stack.narrow_expert_share;
  }
  attention = activation;
  attention.tensor_flop_per_s *= stack.attention_share;
}

const Rates& InferenceSetting::of(const Operator& op) const {
  if (const auto* matmul = op.as<workload::MatMul>()) {
    return matmul->low_precision ? of(matmul->part) : activation;
  }
  return op.is<workload::Pointwise>() ? activation : attention;
}

Cost operator_cost(const Operator& op, const InferenceSetting& setting) {
  Cost cost = operator_cost(op, setting.of(op));
  cost.time += Charges::of(Resource::latency, setting.job.stack.kernel_gap_s);
  return cost;
}

namespace {

workload::LinearFormat format_of(const InferenceJob& job, LinearPart part) {
  workload::LinearFormat format;
  format.operand_bytes = technology::element_bytes(job.precision.operands_of(part));
  if (const std::optional<workload::Recipe> recipe = job.recipe(part)) {
    const workload::RecipeRow& row = workload::row_of(*recipe);
    format.operand_bytes += row.scale_bytes;
    format.recipe = workload::OperandRecipe::served(row);
  }
  format.weight_bytes = job.weight_bytes(part);
  return format;
}

}  // namespace

InferenceSlice slice_of(const Replica& replica, const workload::TokenGroup& prefill,
                        const workload::TokenGroup& decode) {
  const InferencePrecision& precision = replica.job().precision;
  const workload::ServingStack& stack = replica.job().stack;
  const parallel::Strategy& strategy = replica.strategy;
  InferenceSlice slice;
  slice.prefill = prefill;
  slice.decode = decode;
  slice.tensor_shards = strategy.tensor_parallel;
  slice.sequence_shards = strategy.sequence_parallel;
  slice.context_shards = strategy.context_parallel;
  slice.expert_shards = strategy.expert_parallel;
  slice.expert_tensor_shards = strategy.expert_parallel > 1 ? 1 : strategy.tensor_parallel;
  slice.experts_over_tensor = strategy.experts_over_tensor;
  slice.expert_sources = strategy.replicas_of_experts();
  slice.redundant_experts = strategy.redundant_experts;
  slice.activation_bytes = technology::element_bytes(precision.activations);
  slice.linear = workload::LinearFormats(format_of(replica.job(), LinearPart::mlp));
  if (!precision.is_uniform()) {
    for (std::size_t i = 0; i < workload::linear_part_names.size(); ++i) {
      slice.linear[LinearPart(i)] = format_of(replica.job(), LinearPart(i));
    }
  }
  slice.head_bytes = technology::element_bytes(precision.head);
  slice.cache_bytes = technology::element_bytes(precision.cache);
  slice.expert_tiles = stack.expert_tiles;
  slice.flash_attention = stack.flash_attention;
  slice.fused_pointwise = stack.fused_pointwise;
  slice.composed = replica.job().stack.composed;
  slice.fused_quantization = stack.fused_quantization;
  return slice;
}

namespace {

// How they travel shows in the names of messages.
std::string_view exchange_name(const ExpertExchange& exchange, ExchangeWay way) {
  const bool there = way == ExchangeWay::there;
  switch (exchange.dispatch) {
    case workload::ExpertDispatch::all_gather:
      return there ? "all tokens to experts" : "sums from experts";
    case workload::ExpertDispatch::low_latency:
      return there ? "tokens to experts, direct" : "tokens from experts, direct";
    case workload::ExpertDispatch::hierarchical:
      return there ? "tokens to experts by domain" : "tokens from experts by domain";
    default:
      return there ? "tokens to experts" : "tokens from experts";
  }
}

// Tokens to their experts, quantised where those multiply in fewer bytes (DeepSeek-V3,
// arXiv:2412.19437, section 3.3.2), and back in the activations' precision. The busiest device sets
// the time.
void add_exchange(std::vector<Message>& messages, const Replica& replica,
                  const InferenceSlice& slice) {
  const workload::TransformerModel& model = replica.job().model;
  const workload::ServingStack& stack = replica.job().stack;
  const parallel::Group group = replica.group(Dimension::expert_exchange);
  if (group.size() == 1) {
    return;
  }
  const double load = workload::busiest_expert_load(model, slice);
  const double bytes = workload::inference_exchange_bytes(model, slice);
  const double prepared = slice.linear[LinearPart::experts].prepared_bytes();
  const double narrow = std::min(1.0, prepared / slice.activation_bytes);
  for (const ExchangeWay way : {ExchangeWay::there, ExchangeWay::back}) {
    const ExpertExchange exchange = expert_exchange(
        model.experts,
        slice.prefill.tokens() > 0.0 ? stack.expert_dispatch : stack.decode_expert_dispatch, group,
        bytes, load, way);
    const double share = way == ExchangeWay::there ? narrow : 1.0;
    Message message = {exchange_name(exchange, way), exchange.sent.kind, exchange.sent.group,
                       exchange.sent.bytes * share, true};
    message.direct = exchange.dispatch == workload::ExpertDispatch::low_latency;
    message.forwarded = exchange.forwarded;
    message.forwarded.bytes *= share;
    messages.push_back(message);
  }
}

// Blocks of a layer whose sums tensor-parallel ranks add. Experts that those are spread over take
// parts of a sequence and give them back as they are.
int summed_blocks(const workload::TransformerModel& model, const InferenceSlice& slice,
                  LayerKind kind) {
  const bool parts_stay = kind == LayerKind::experts && slice.experts_over_tensor &&
                          slice.sequence_shards && model.experts.shared_ffn == 0;
  return model.parallel_blocks || parts_stay || kind == LayerKind::bare ? 1 : 2;
}

}  // namespace

std::vector<Message> layer_messages(const Replica& replica, const InferenceSlice& slice,
                                    LayerKind kind, workload::Mixer mixer) {
  std::vector<Message> messages;
  const workload::TransformerModel& model = replica.job().model;
  if (slice.context_shards > 1 && mixer == workload::Mixer::linear) {
    // Of the part of each rank, added up by all (LASP-2, arXiv:2502.07563).
    messages.push_back(
        {"gather states", CollectiveKind::all_gather, replica.group(Dimension::context),
         slice.prefill.sequences * static_cast<double>(slice.context_shards) *
             workload::state_bytes(model, slice.tensor_shards, slice.activation_bytes)});
  } else if (slice.context_shards > 1) {
    const double cached = slice.prefill.tokens() *
                          workload::cache_elements(model, slice.tensor_shards) *
                          slice.activation_bytes;
    const double outputs = slice.decode.tokens() * static_cast<double>(slice.context_shards) *
                           model.output_width() / static_cast<double>(slice.tensor_shards) *
                           slice.activation_bytes;
    messages.push_back({"gather keys and values", CollectiveKind::all_gather,
                        replica.group(Dimension::context), cached + outputs});
  }
  if (replica.strategy.tensor_parallel > 1) {
    const double bytes =
        slice.tokens() * static_cast<double>(model.hidden) * slice.activation_bytes;
    for (int block = 0; block < summed_blocks(model, slice, kind); ++block) {
      if (slice.sequence_shards) {
        messages.push_back({"scatter sums", CollectiveKind::reduce_scatter,
                            replica.group(Dimension::tensor), bytes});
        messages.push_back(
            {"gather tokens", CollectiveKind::all_gather, replica.group(Dimension::tensor), bytes});
      } else {
        messages.push_back(
            {"reduce sums", CollectiveKind::all_reduce, replica.group(Dimension::tensor), bytes});
      }
    }
  }
  if (kind == LayerKind::experts && slice.expert_shards > 1) {
    add_exchange(messages, replica, slice);
  }
  return messages;
}

std::vector<Message> head_messages(const Replica& replica, const InferenceSlice& slice) {
  if (replica.strategy.tensor_parallel <= 1) {
    return {};
  }
  const double rows = slice.prefill.sequences + slice.decode.tokens();
  return {{"gather logits", CollectiveKind::all_gather, replica.group(Dimension::tensor),
           rows * static_cast<double>(replica.job().model.vocab) * logit_bytes}};
}

CollectiveCost message_cost(const Message& message, const InferenceSetting& setting) {
  parallel::Collective collective;
  collective.kind = message.kind;
  collective.group = message.group;
  collective.bytes = message.bytes;
  if (setting.job.stack.one_shot_all_reduce) {
    collective.library = parallel::CollectiveLibrary::one_shot;
  }
  if (message.direct) {
    collective.library = parallel::CollectiveLibrary::direct;
  }
  CollectiveCost cost = collective_cost(collective, setting.system);
  if (message.forwarded.bytes > 0.0) {
    cost.cost = exchange_cost({.sent = collective, .forwarded = message.forwarded}, setting.system);
  }
  cost.cost.time += Charges::of(Resource::latency, setting.job.stack.kernel_gap_s);
  return cost;
}

IterationKernels kernels_of(const InferenceSetting& setting, const workload::TokenGroup& prefill) {
  const workload::ServingStack& stack = setting.job.stack;
  return prefill.tokens() > 0.0
             ? IterationKernels{stack.prefill_issue_interval_s, 0.0}
             : IterationKernels{stack.decode_issue_interval_s, stack.decode_strip_rows};
}

namespace {

// The same products with the rows in strips, each of which reads all of its weights. Those of
// experts, and scores of an indexer, have kernels of their own.
Operator in_strips(const Operator& op, double strip_rows) {
  const auto* matmul = op.as<workload::MatMul>();
  const bool of_experts = matmul != nullptr && matmul->part == LinearPart::experts;
  const bool indexes =
      op.block == workload::Block::attention_core && matmul != nullptr && matmul->low_precision;
  if (matmul == nullptr || of_experts || indexes || strip_rows <= 0.0 || matmul->m <= strip_rows) {
    return op;
  }
  workload::MatMul strips = *matmul;
  const double count = std::ceil(matmul->m / strip_rows);
  strips.m /= count;
  strips.batch *= count;
  return {op.block, strips};
}

}  // namespace

Cost KnownProducts::cost(const Operator& op, const InferenceSetting& setting) {
  const auto* product = op.as<workload::MatMul>();
  if (product == nullptr) {
    return operator_cost(op, setting);
  }
  const auto found = known_.find(*product);
  if (found != known_.end()) {
    return found->second;
  }
  return known_.emplace(*product, operator_cost(op, setting)).first->second;
}

void InferenceBlock::add(const InferenceSetting& setting, const std::vector<Operator>& operators,
                         const IterationKernels& kernels, KnownProducts* known) {
  for (const Operator& op : operators) {
    const Operator run = in_strips(op, kernels.strip_rows);
    const Cost cost = known != nullptr ? known->cost(run, setting) : operator_cost(run, setting);
    if (op.block == workload::Block::attention_core) {
      attention += cost;
    } else {
      (op.is<workload::MatMul>() ? linear : other) += cost;
    }
    if (op.block == workload::Block::shared_experts) {
      shared_experts += cost.time;
    }
  }
  issue_s += kernels.interval_s * static_cast<double>(operators.size());
}

void SentBlock::add(const InferenceSetting& setting, const std::vector<Message>& messages) {
  for (const Message& message : messages) {
    (message.of_experts ? exchange : communication) += message_cost(message, setting).cost;
  }
  issue_s += setting.job.stack.collective_issue_interval_s * static_cast<double>(messages.size());
}

void InferenceBlock::add(const InferenceSetting& setting, const std::vector<Message>& messages) {
  SentBlock sent;
  sent.add(setting, messages);
  *this += sent;
}

InferenceBlock& InferenceBlock::operator+=(const SentBlock& sent) {
  communication += sent.communication;
  exchange += sent.exchange;
  issue_s += sent.issue_s;
  return *this;
}

Cost ExchangeCover::open(const InferenceBlock& block) const {
  const auto beyond_kernels = [&](const Charges& kernels) {
    return hidden_share < 1.0 ? beyond(kernels, hidden_share * block.exchange, core_share) +
                                    (1.0 - hidden_share) * block.exchange
                              : beyond(kernels, block.exchange, core_share);
  };
  switch (beside) {
    case workload::ExchangeOverlap::nothing:
      break;
    case workload::ExchangeOverlap::shared_experts:
      return beyond_kernels(block.shared_experts);
    case workload::ExchangeOverlap::two_batches:
      return beyond_kernels(block.kernels());
  }
  return block.exchange;
}

ExchangeCover cover_of(const InferenceSetting& setting, workload::ExchangeOverlap beside,
                       const workload::TokenGroup& prefill) {
  return {beside, prefill.tokens() > 0.0 ? setting.system.scale_up().core_share : 0.0,
          setting.job.stack.exchange_hidden_share};
}

}  // namespace scalesweep::estimator
