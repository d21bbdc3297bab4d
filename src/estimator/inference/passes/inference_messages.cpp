#include "estimator/inference/passes/inference_messages.hpp"

#include <algorithm>
#include <cmath>

#include "workload/feed_forward/expert_dispatch.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Collective;
using parallel::CollectiveKind;
using parallel::CollectiveLibrary;
using parallel::Dimension;
using workload::ExpertDispatch;
using workload::InferenceSlice;
using workload::LayerKind;
using workload::LinearPart;

constexpr double logit_bytes = 4.0;
constexpr double log_sum_bytes = 4.0;

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

ExpertDispatch dispatch_of(const Replica& replica, const InferenceSlice& slice) {
  const workload::ServingStack& stack = replica.job().stack;
  return slice.prefill.tokens() > 0.0 ? stack.expert_dispatch : stack.decode_expert_dispatch;
}

// Of the tokens of all that share experts, the part that the busiest device is given: all by an
// all-gather, else those of which it holds an expert.
double given_share(const Replica& replica, const InferenceSlice& slice) {
  const auto devices = static_cast<double>(replica.group(Dimension::expert_exchange).size());
  if (dispatch_of(replica, slice) == ExpertDispatch::all_gather || devices <= 1.0) {
    return 1.0;
  }
  const workload::TransformerModel& model = replica.job().model;
  const double even = workload::parts_reached(model.experts, devices) / devices;
  return std::min(1.0, even * workload::busiest_expert_load(model, slice));
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
  slice.cache_shards = strategy.decode_context_parallel;
  slice.partial_outputs = stack.partial_outputs;
  slice.own_group_queries = stack.own_group_queries;
  slice.expert_shards = strategy.expert_parallel;
  slice.expert_tensor_shards = strategy.expert_parallel > 1 ? 1 : strategy.tensor_parallel;
  slice.experts_over_tensor = strategy.experts_over_tensor;
  slice.expert_sources = strategy.replicas_of_experts();
  slice.redundant_experts = strategy.redundant_experts;
  slice.expert_devices = strategy.expert_devices;
  if (const auto& experts = replica.setting.experts) {
    const double share = given_share(replica, slice);
    slice.expert_token_passes = experts->token_passes * share;
    slice.all_expert_copies = experts->all_copies && share == 1.0;
    slice.choose_in_library = true;
  }
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
  const parallel::Group group = replica.group(Dimension::expert_exchange);
  if (group.size() == 1) {
    return;
  }
  const double load = workload::busiest_expert_load(model, slice);
  const double bytes = workload::inference_exchange_bytes(model, slice);
  const double prepared = slice.linear[LinearPart::experts].prepared_bytes();
  const double narrow = std::min(1.0, prepared / slice.activation_bytes);
  for (const ExchangeWay way : {ExchangeWay::there, ExchangeWay::back}) {
    const ExpertExchange exchange =
        expert_exchange(model.experts, dispatch_of(replica, slice), group, bytes, load, way);
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
// parts of a sequence and give them back as they are; so do experts on devices of their own.
int summed_blocks(const workload::TransformerModel& model, const InferenceSlice& slice,
                  LayerKind kind) {
  const bool parts_stay =
      kind == LayerKind::experts &&
      (slice.expert_devices > 0 ||
       (slice.experts_over_tensor && slice.sequence_shards && model.experts.shared_ffn == 0));
  return model.parallel_blocks || parts_stay || kind == LayerKind::bare ? 1 : 2;
}

// Queries of all heads of the group, and what each rank finds for them in its part of the cache,
// with the logarithm of its sum of exponentials in fp32 (vllm/v1/attention/ops/common.py and
// dcp_alltoall.py as 1CatAI/1Cat-vLLM ae13773a0 has them; Helix, arXiv:2507.07120).
void add_shared_cache(std::vector<Message>& messages, const Replica& replica,
                      const InferenceSlice& slice) {
  if (slice.cache_shards == 1) {
    return;
  }
  const workload::TransformerModel& model = replica.job().model;
  const workload::CacheParts parts = workload::cache_parts(model, slice);
  const parallel::Group group = replica.group(Dimension::decode_context);
  if (parts.gathered > 0.0) {
    messages.push_back(
        {"gather latents", CollectiveKind::all_gather, group, parts.gathered * slice.cache_bytes});
  }
  if (parts.tokens <= 0.0) {
    return;
  }
  const double w = slice.activation_bytes;
  const double queries = parts.tokens * parts.heads;
  if (!model.latent.on() || !slice.own_group_queries) {
    messages.push_back(
        {"gather queries", CollectiveKind::all_gather, group, queries * parts.query_dim * w});
  }
  if (slice.partial_outputs == workload::PartialOutputs::all_to_all) {
    messages.push_back({"exchange outputs", CollectiveKind::all_to_all, group,
                        queries * (parts.value_dim * w + log_sum_bytes)});
    return;
  }
  messages.push_back({"gather log sums", CollectiveKind::all_gather, group,
                      queries * static_cast<double>(slice.cache_shards) * log_sum_bytes});
  messages.push_back(
      {"scatter outputs", CollectiveKind::reduce_scatter, group, queries * parts.value_dim * w});
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
  if (mixer == workload::Mixer::attention) {
    add_shared_cache(messages, replica, slice);
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
  if (kind == LayerKind::experts && slice.expert_devices > 0 && slice.tensor_shards > 1 &&
      !slice.sequence_shards) {
    // Each rank sent its part of their tokens to the experts.
    messages.push_back(
        {"gather expert outputs", CollectiveKind::all_gather, replica.group(Dimension::tensor),
         slice.tokens() * static_cast<double>(model.hidden) * slice.activation_bytes});
  }
  return messages;
}

namespace {

// Copies of a token: that leave its device, and that devices of experts get in the end.
struct Copies {
  double sent = 0.0;
  double held = 0.0;
};

class Links {
 public:
  Links(const Replica& replica, const InferenceSlice& slice)
      : replica_(replica),
        slice_(slice),
        experts_(static_cast<double>(replica.strategy.expert_devices)),
        levels_(levels_of(replica.setting.system)),
        level_(parallel::group_of(replica.strategy.devices(), levels_).widest()) {
    crosses_ = level_ > levels_.domain_level;
    dispatch_ =
        workload::resolved(dispatch_of(replica, slice), replica.job().model.experts, crosses_);
  }

  Message there() const {
    const double narrow =
        std::min(1.0, slice_.linear[workload::LinearPart::experts].prepared_bytes() /
                          slice_.activation_bytes);
    return message("tokens to devices of experts", narrow, true);
  }
  Message back() const { return message("tokens from devices of experts", 1.0, false); }

 private:
  bool forwards() const { return crosses_ && inside() > 1.0; }
  // Of a domain, those of experts; domains of them.
  double inside() const {
    return std::min(experts_, static_cast<double>(levels_.blocks[levels_.domain_level]));
  }
  double domains() const { return std::ceil(experts_ / inside()); }

  Copies copies() const {
    const workload::Experts& experts = replica_.job().model.experts;
    const double devices = workload::parts_reached(experts, experts_);
    switch (dispatch_) {
      case ExpertDispatch::hierarchical:
        return {forwards() ? workload::parts_reached(experts, domains()) : devices, devices};
      case ExpertDispatch::all_gather:
        return {forwards() ? domains() : experts_, experts_};
      default:
        break;
    }
    const auto chosen = static_cast<double>(experts.top_k);
    return {chosen, chosen};
  }

  // Between one device and so many others, all of these bytes on its way out or in.
  Collective between(double peers, double bytes) const {
    Collective link;
    link.kind = CollectiveKind::all_to_all;
    link.group.domain_level = levels_.domain_level;
    link.group.ranks.fill(1);
    link.group.ranks[level_] = static_cast<std::int64_t>(peers) + 1;
    link.bytes = bytes * (peers + 1.0) / peers;
    link.library = dispatch_ == ExpertDispatch::low_latency ? CollectiveLibrary::direct
                                                            : CollectiveLibrary::general;
    return link;
  }

  Message message(std::string_view name, double share, bool leaves_attention) const {
    const workload::TransformerModel& model = replica_.job().model;
    const auto attention = static_cast<double>(replica_.strategy.layer_devices());
    const InferenceSlice of_device = workload::expert_device_slice(slice_);
    const double token_bytes = static_cast<double>(model.hidden) * slice_.activation_bytes * share;
    const double own = slice_.tokens() / static_cast<double>(slice_.tensor_shards) * token_bytes;
    const double even = of_device.tokens() * token_bytes;
    const Copies copies = this->copies();
    const bool chosen = dispatch_ != ExpertDispatch::all_gather;
    const double load = chosen ? workload::busiest_expert_load(model, of_device) : 1.0;
    const Collective attention_end = between(experts_, own * copies.sent);
    const Collective expert_end = between(attention, even * copies.sent * load);
    Message sent;
    sent.name = name;
    sent.of_experts = true;
    sent.direct = attention_end.library == CollectiveLibrary::direct;
    const Collective& first = leaves_attention ? attention_end : expert_end;
    sent.kind = first.kind;
    sent.group = first.group;
    sent.bytes = first.bytes;
    sent.received = leaves_attention ? expert_end : attention_end;
    if (forwards() && copies.held > copies.sent) {
      sent.forwarded.kind = CollectiveKind::all_to_all;
      sent.forwarded.group = parallel::group_of(static_cast<std::int64_t>(inside()), levels_);
      sent.forwarded.bytes = even * copies.held * load;
    }
    return sent;
  }

  const Replica& replica_;
  const InferenceSlice& slice_;
  double experts_;
  parallel::Levels levels_;
  std::size_t level_;
  bool crosses_ = false;
  ExpertDispatch dispatch_ = ExpertDispatch::all_to_all;
};

}  // namespace

std::vector<Message> expert_link_messages(const Replica& replica, const InferenceSlice& slice) {
  const Links links(replica, slice);
  return {links.there(), links.back()};
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
  if (setting.job.stack.one_shot_all_reduce || setting.system.device.all_reduce) {
    collective.library = parallel::CollectiveLibrary::one_shot;
  }
  if (message.direct) {
    collective.library = parallel::CollectiveLibrary::direct;
  }
  CollectiveCost cost = collective_cost(collective, setting.system);
  if (message.forwarded.bytes > 0.0) {
    cost.cost = exchange_cost({.sent = collective, .forwarded = message.forwarded}, setting.system);
  }
  if (message.received.bytes > 0.0) {
    cost.cost.time =
        longer(cost.cost.time, collective_cost(message.received, setting.system).cost.time);
  }
  cost.cost.time += Charges::of(Resource::latency, setting.job.stack.kernel_gap_s);
  return cost;
}

}  // namespace scalesweep::estimator
