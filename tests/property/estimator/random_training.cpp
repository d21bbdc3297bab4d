#include "random_training.hpp"

#include <fmt/format.h>
#include <rapidcheck.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "parallel/enumerate.hpp"
#include "support/examples.hpp"
#include "support/image_examples.hpp"

namespace scalesweep::estimator::test {
namespace {

using parallel::Choices;
using parallel::ContextExchange;
using parallel::Schedule;
using parallel::Strategy;
using parallel::StrategyRules;

bool coin() {
  return *rc::gen::arbitrary<bool>();
}

// Pairs inside the domains, or pods around them, or both, or none.
void add_levels(technology::System& system) {
  const int domain = system.scale_up_domain();
  if (domain > 1 && coin()) {
    technology::LinkLevel pair = system.levels.front();
    pair.link.bandwidth *= log_uniform(1.0, 20.0);
    pair.size = 2;
    system.levels.insert(system.levels.begin(), pair);
    system.domain_level = 1;
  }
  if (coin()) {
    technology::LinkLevel pods = system.levels.back();
    pods.link.bandwidth *= log_uniform(0.1, 1.0);
    system.levels.back().size = 4 * domain;
    system.levels.push_back(pods);
  }
}

technology::System any_system() {
  technology::System system = scalesweep::test::example_system();
  technology::Device& device = system.device;
  device.cores = *rc::gen::inRange(20, 2000);
  device.cluster = *rc::gen::element(1, 2, 4);
  for (auto& peak : device.tensor_peak) {
    peak = FlopPerSecond::si(log_uniform(20e12, 20e15));
  }
  device.vector_peak = FlopPerSecond::si(log_uniform(2e12, 500e12));
  device.dram.bandwidth = BytesPerSecond::si(log_uniform(0.3e12, 30e12));
  device.l2.bandwidth = BytesPerSecond::si(log_uniform(2e12, 100e12));
  device.l2.capacity = Bytes::si(log_uniform(4e6, 400e6));
  device.shared.bandwidth = BytesPerSecond::si(log_uniform(10e12, 500e12));
  device.host_bandwidth = BytesPerSecond::si(log_uniform(1e9, 900e9));
  device.matmul.split_latency = Seconds::si(*rc::gen::element(0.0, 3e-6));
  for (auto& latency : device.matmul.quantize_latency) {
    latency = Seconds::si(*rc::gen::element(0.0, 2e-6));
  }
  system.scale_up().bandwidth = BytesPerSecond::si(log_uniform(30e9, 3e12));
  system.scale_up().in_network_reduction = coin();
  system.scale_up().in_network_efficiency = 0.6;
  system.scale_up_domain() = *rc::gen::element(1, 4, 8, 16, 72);
  system.scale_out().bandwidth = BytesPerSecond::si(log_uniform(3e9, 300e9));
  system.scale_up().device_energy = 0.5 * system.scale_up().energy;
  system.scale_up().rest_power = Watts::si(*rc::gen::element(0.0, 15.0));
  system.scale_out().rest_power = Watts::si(*rc::gen::element(0.0, 60.0));
  add_levels(system);
  device.thermal_design_power = Watts::si(log_uniform(120.0, 1000.0));
  device.leakage_power = Watts::si(50.0);
  if (coin()) {
    device.voltage = {Volts::si(0.75), Volts::si(0.3), Volts::si(0.5), Volts::si(0.9)};
    device.supply = Volts::si(log_uniform(0.45, 0.9));
  }
  return system;
}

workload::TransformerModel experts_model(bool latent) {
  workload::TransformerModel model =
      scalesweep::test::llama(2048, *rc::gen::element(24, 27), 16, 16, 10944, 102400);
  model.experts.count = 64;
  model.experts.top_k = 6;
  model.experts.ffn = 1408;
  model.experts.shared_ffn = *rc::gen::element(0, 2816);
  model.experts.dense_layers = *rc::gen::element(0, 1, 3);
  model.experts.node_limit = *rc::gen::element(0, 2);
  model.experts.groups = model.experts.node_limit > 0 ? 4 : 0;
  model.experts.capacity = *rc::gen::element(0.0, 1.25);
  model.experts.imbalance = *rc::gen::element(1.0, 1.3);
  if (latent) {
    model.latent = {*rc::gen::element(0, 1536), 512, 64, 128, 128};
  }
  return model;
}

workload::TransformerModel any_model() {
  switch (*rc::gen::element(0, 1, 2, 3, 4, 5, 6, 7)) {  // inRange begins with the first ones
    case 0:
      return scalesweep::test::gpt(1024, 24, 16);
    case 1:
      return scalesweep::test::gpt(6144, 48, 64);
    case 2:
      return scalesweep::test::gpt3_175b();
    case 3:
      return scalesweep::test::llama(8192, 80, 64, 8, 28672, 128256);
    case 4:
      return scalesweep::test::llama(2048, 16, 32, 8, 8192, 131072);  // a head of many layers' cost
    case 5: {
      workload::TransformerModel model = scalesweep::test::gpt(4096, 32, 32);
      model.latent = {0, 512, 64, 128, 128};
      return model;
    }
    case 6:
      return experts_model(true);
    default:
      return experts_model(false);
  }
}

// Layers with a state among those that attend, all of whose forms are chunks, the delta rule and
// tokens one by one; some without an MLP.
void add_states(workload::TransformerModel& model) {
  workload::LinearAttention& linear = model.linear;
  linear.layers = *rc::gen::element(model.layers, model.layers / 2, 3 * model.layers / 4);
  linear.key_dim = *rc::gen::element(16, 64, 128);
  linear.convolution = *rc::gen::element(0, 4);
  linear.gates = 1;
  if (coin()) {
    linear.heads = 2 * model.hidden;  // Mamba
    linear.key_heads = linear.value_dim = 1;
    linear.gate_rank = model.hidden / 16;
  } else {
    linear.heads = *rc::gen::element(16, 64);
    linear.key_heads = *rc::gen::element(8, 16);
    linear.value_dim = *rc::gen::element(64, 128);
    linear.chunk = *rc::gen::element(64, 256);
    linear.delta_rule = coin();
  }
  if (coin()) {
    model.bare_layers = (model.layers - model.expert_layers()) / 2;
  }
}

// Half of them keep the intervals at which a host issues at zero.
workload::TrainingStack any_stack() {
  workload::TrainingStack stack;
  stack.hides_tensor_communication = coin();
  stack.hides_forward_tensor_communication = coin();
  stack.replicas.hides_data_communication = coin();
  stack.replicas.hides_sharded_reduction = coin();
  stack.replicas.hides_weight_gather = coin();
  stack.hides_expert_communication = coin();
  stack.hides_pipeline_communication = coin();
  stack.expert_dispatch = *rc::gen::element(
      workload::ExpertDispatch::by_routing, workload::ExpertDispatch::all_to_all,
      workload::ExpertDispatch::hierarchical, workload::ExpertDispatch::all_gather,
      workload::ExpertDispatch::low_latency);
  stack.fused_pointwise = coin();
  stack.kernel_share = *rc::gen::element(1.0, 0.8);
  stack.attention_share = *rc::gen::element(1.0, 0.7);
  stack.attention_core_flop = *rc::gen::element(0.0, 1024.0, 4096.0);
  stack.replicas.optimizer_passes = *rc::gen::element(1.0, 3.0);
  stack.step_overhead_s = *rc::gen::element(0.0, 5e-3);
  stack.step_jitter = *rc::gen::element(0.0, 0.02);
  stack.stage_balance = *rc::gen::element(workload::StageBalance::layers,  //
                                          workload::StageBalance::blocks);
  stack.selective_recompute = *rc::gen::element(workload::SelectiveRecompute::attention,
                                                workload::SelectiveRecompute::alternate);
  stack.recompute_stops_early = coin();
  stack.copies_sequence_shards = coin();
  stack.keeps_gathered_inputs = coin();
  stack.extra_gradient_bytes = *rc::gen::element(0.0, 2.0);
  stack.gathers_through_copy = coin();
  stack.keeps_embedding_gradient = coin();
  stack.held_hidden_states = *rc::gen::element(0.0, 3.0);
  stack.fixed_memory_bytes = *rc::gen::element(0.0, 1e9);
  stack.allocator_slack = *rc::gen::element(0.0, 0.2);
  stack.replicas.gradient_bucket_bytes = *rc::gen::element(0.0, 25e6, 1e9);
  if (coin()) {
    stack.issue_interval_s = *rc::gen::element(5e-6, 70e-6);
    stack.backward_issue_interval_s = *rc::gen::element(5e-6, 60e-6);
    stack.expert_issue_interval_s = *rc::gen::element(0.0, 200e-6);
    stack.collective_issue_interval_s = *rc::gen::element(0.0, 9e-6);
    stack.replicas.rank_issue_interval_s = *rc::gen::element(0.0, 11e-6);
    stack.replicas.crossing_issue_interval_s = *rc::gen::element(0.0, 20e-6);
    stack.replicas.sharded_layer_issue_s = *rc::gen::element(0.0, 1e-3);
    stack.issue_blend = *rc::gen::element(0.0, 1.0, 3.5);
  }
  return stack;
}

workload::Optimizer any_optimizer() {
  workload::Optimizer optimizer;  // Adam
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      optimizer.moments = 1.0;
      optimizer.orthogonal_steps = 5.0;
      break;
    case 1:
      optimizer.block = *rc::gen::element(512.0, 10000.0);
      optimizer.block_states = 4.0;
      optimizer.block_products = 4.5;
      optimizer.product_bytes = 4.0;
      break;
    default:
      optimizer.moment_bytes = *rc::gen::element(0.0, 1.002);
      break;
  }
  return optimizer;
}

StrategyRules any_rules(const TrainingJob& job) {
  const auto choice = [](std::vector<std::int64_t> values) {
    return Choices{.divisors = false, .values = std::move(values)};
  };
  StrategyRules rules;
  rules.tensor_parallel.at_most = 16;
  rules.context_parallel = choice({*rc::gen::element(1, 1, 2, 4)});
  rules.context_exchange = {*rc::gen::element(ContextExchange::ring,  //
                                              ContextExchange::all_to_all)};
  if (rules.context_parallel.values.front() == 1) {
    rules.context_exchange = {ContextExchange::ring};
  }
  if (job.model.experts.on()) {
    rules.expert_parallel = choice({*rc::gen::element(1, 2, 4, 8)});
    rules.experts_over_tensor = {coin()};
  }
  rules.schedule = {*rc::gen::element(Schedule::one_forward_one_backward, Schedule::zero_bubble,
                                      Schedule::dual_pipe)};
  rules.rank_order = {
      *rc::gen::element(parallel::RankOrder::tp_cp_ep_dp_pp, parallel::RankOrder::tp_cp_ep_pp_dp,
                        parallel::RankOrder::tp_pp_cp_ep_dp, parallel::RankOrder::tp_ep_dp_cp_pp)};
  rules.zero = {*rc::gen::element(0, 1, 2, 3)};
  rules.shard_group = {*rc::gen::element(0, 0, 2, 4)};
  if (rules.zero.front() < 3) {
    rules.shard_group = {0};
  }
  rules.recompute_every = choice({1, 3});
  rules.offload_activations = {coin()};
  rules.offload_optimizer = {coin()};
  rules.uneven_stages = coin();
  rules.first_stage_layers = {*rc::gen::element(0, 0, 0, 2, 4)};
  rules.last_stage_layers = {*rc::gen::element(0, 0, 0, 2)};
  if (job.model.encoder.on()) {
    rules.encoder_stages = {*rc::gen::element(0, 1, 2)};
  }
  return rules;
}

Strategy any_strategy(const TrainingJob& job, std::int64_t accelerators) {
  const parallel::JobShape shape = {accelerators, job.global_batch, job.sequence};
  parallel::StrategyTable table = parallel::enumerate_strategies(any_rules(job), job.model, shape);
  if (table.strategies.empty()) {  // what was drawn does not go together
    StrategyRules plain;
    plain.tensor_parallel.at_most = 16;
    plain.uneven_stages = true;
    table = parallel::enumerate_strategies(plain, job.model, shape);
  }
  return *rc::gen::elementOf(table.strategies);
}

// All that a field may be, as far as the rules let it.
Choices any_choice(const parallel::Field& field) {
  if (field.kind == parallel::FieldKind::size && field.zero_word.empty()) {
    return {};
  }
  Choices choices = {.divisors = false, .values = {0, 2, 4, 8}};
  if (!field.words.empty()) {
    choices.values.resize(field.words.size());
    std::iota(choices.values.begin(), choices.values.end(), 0);
  }
  return choices;
}

// For the report of an example that fails.
std::string description(const Example& example) {
  const Strategy& s = example.strategy;
  const workload::TrainingStack& f = example.job.stack;
  const workload::TransformerModel& m = example.job.model;
  return fmt::format(
      "tp {} cp {} ep {} dp {} pp {} ({} encode, {} first, {} last) chunks {}, {} x {} sequences "
      "of {}, {}, "
      "{}, zero {} in {}, "
      "recompute {} of {}, sequence parallel {}, offload {} {}; model {} x {}, {} experts, "
      "latent {}, {} linear, {} bare, top {}, flash {}; hides {} {} {} {} {} {} {}, issue {} {} {} "
      "{} {}, blend {}, blocks {}, "
      "alternate {}, stops early {}, copies shards {}, keeps gathered {}; rank {}, frozen {}, "
      "documents of {}, {} orthogonal, blocks of {}, {} images, trained {}\n",
      s.tensor_parallel, s.context_parallel, s.expert_parallel, s.data_parallel,
      s.pipeline_parallel, s.encoder_stages, s.first_stage_layers, s.last_stage_layers, s.chunks,
      s.micro_batches, s.micro_batch, example.job.sequence, name_of(s.schedule),
      name_of(s.context_exchange), int{s.zero}, s.shard_group, name_of(s.recompute),
      s.recompute_every, s.sequence_parallel, s.offload_activations, s.offload_optimizer, m.layers,
      m.hidden, m.experts.count, m.latent.on(), m.linear.layers, m.bare_layers, m.sparse.top_k,
      example.job.flash_attention, f.hides_tensor_communication,
      f.replicas.hides_data_communication, f.replicas.hides_sharded_reduction,
      f.replicas.hides_weight_gather, f.hides_expert_communication, f.hides_pipeline_communication,
      f.hides_forward_tensor_communication, f.issue_interval_s, f.backward_issue_interval_s,
      f.expert_issue_interval_s, f.collective_issue_interval_s, f.replicas.rank_issue_interval_s,
      f.issue_blend, f.stage_balance == workload::StageBalance::blocks,
      f.selective_recompute == workload::SelectiveRecompute::alternate, f.recompute_stops_early,
      f.copies_sequence_shards, f.keeps_gathered_inputs, example.job.tuning.rank,
      workload::frozen_weights_names[example.job.tuning.frozen], m.document,
      example.job.optimizer.orthogonal_steps, example.job.optimizer.block, m.encoder.inputs,
      workload::trained_parts_names[example.job.tuning.parts]);
}

}  // namespace

double log_uniform(double low, double high) {
  const double fraction = *rc::gen::inRange(0, 10001) / 10000.0;
  return low * std::pow(high / low, fraction);
}

Example any_example() {
  Example example;
  example.system = any_system();
  TrainingJob& job = example.job;
  job.model = any_model();
  job.model.prediction_layers = *rc::gen::element(0, 0, 1);
  if (coin()) {
    job.model.local = {.window = *rc::gen::element(128, 1024),
                       .layers = *rc::gen::element(job.model.layers, job.model.layers / 2),
                       .chunked = coin()};
  }
  if (job.model.causal && coin() && coin()) {
    add_states(job.model);
    job.model.local.layers =
        std::min(job.model.local.layers, job.model.layers - job.model.linear.layers);
  }
  if (job.model.linear.layers < job.model.layers && coin() && coin()) {
    job.model.local = {};
    job.model.sparse = {.index_heads = *rc::gen::element(4, 64),
                        .index_dim = 128,
                        .top_k = *rc::gen::element(256, 2048)};
  }
  job.sequence = *rc::gen::element(1024, 2048, 8192);
  job.global_batch = 96;
  job.flash_attention = coin();
  job.precision =
      mixed_precision(*rc::gen::element(technology::Precision::bf16, technology::Precision::fp8),
                      *rc::gen::element(technology::Precision::fp32, technology::Precision::bf16));
  job.stack = any_stack();
  job.optimizer = any_optimizer();
  if (coin() && coin()) {
    job.tuning = {.rank = *rc::gen::element(8, 64),
                  .layers = *rc::gen::element(workload::AdapterLayers::all,  //
                                              workload::AdapterLayers::attention,
                                              workload::AdapterLayers::mlp),
                  .frozen = *rc::gen::element(workload::FrozenWeights::as_trained,
                                              workload::FrozenWeights::nf4)};
  }
  job.model.document = *rc::gen::element(0, 0, 0, 300);
  if (coin() && coin()) {
    job.model.encoder = scalesweep::test::clip_encoder(*rc::gen::element(0.0, 0.3, 1.0, 5.0));
    job.model.encoder.spread = *rc::gen::element(0.0, 0.5, 2.0);
    job.tuning.parts =
        *rc::gen::element(workload::TrainedParts::all, workload::TrainedParts::language_model,
                          workload::TrainedParts::encoder, workload::TrainedParts::projector);
  }
  example.strategy = any_strategy(job, *rc::gen::element(8, 32, 64));
  RC_LOG() << description(example);
  return example;
}

parallel::Strategy any_other_strategy(const Example& example) {
  return any_strategy(example.job, example.strategy.devices());
}

std::optional<parallel::Strategy> any_neighbour(const Example& example,
                                                const parallel::Field& field) {
  StrategyRules rules;
  rules.uneven_stages = true;
  for (const parallel::Field& one : parallel::strategy_fields()) {
    if (one.choices != nullptr) {
      one.choose(rules, one.name == field.name ? any_choice(one)
                                               : parallel::only(one.value(example.strategy)));
    }
  }
  std::vector<Strategy> others =
      parallel::enumerate_strategies(
          rules, example.job.model,
          {example.strategy.devices(), example.job.global_batch, example.job.sequence})
          .strategies;
  std::erase_if(others, [&](const Strategy& other) {
    return field.value(other) == field.value(example.strategy);
  });
  return others.empty() ? std::nullopt : std::optional(*rc::gen::elementOf(others));
}

Example any_unlimited_example() {
  Example example = any_example();
  example.system.device.thermal_design_power = Watts::si(0.0);
  return example;
}

TrainingEstimate estimate_of(const Example& e) {
  return estimate_training({e.job, e.system, e.strategy});
}

double step_s(const Example& e) {
  return estimate_of(e).step_time_s();
}

namespace {

void scale_links(technology::System& system, bool inside, double factor) {
  for (std::size_t level = 0; level < system.levels.size(); ++level) {
    if ((level <= system.domain_level) == inside) {
      system.levels[level].link.bandwidth *= factor;
    }
  }
}

}  // namespace

void scale_rate(Example& example, Resource resource, double factor) {
  technology::Device& device = example.system.device;
  workload::TrainingStack& stack = example.job.stack;
  switch (resource) {
    case Resource::tensor_compute:
      for (auto& peak : device.tensor_peak) {
        peak *= factor;
      }
      stack.attention_core_flop *= factor;
      break;
    case Resource::vector_compute:
      device.vector_peak *= factor;
      break;
    case Resource::dram:
      device.dram.bandwidth *= factor;
      break;
    case Resource::l2:
      device.l2.bandwidth *= factor;
      break;
    case Resource::shared_memory:
      device.shared.bandwidth *= factor;
      break;
    case Resource::scale_up:
    case Resource::scale_out:
      scale_links(example.system, resource == Resource::scale_up, factor);
      break;
    case Resource::host:
      device.host_bandwidth *= factor;
      break;
    case Resource::storage:
      break;  // a step reads none
    case Resource::latency:
      for (Seconds* latency : {&device.kernel_latency, &device.matmul.split_latency,
                               &device.attention.block_latency}) {
        *latency *= 1.0 / factor;
      }
      for (Seconds& latency : device.matmul.quantize_latency) {
        latency *= 1.0 / factor;
      }
      for (double* interval_s :
           {&stack.issue_interval_s, &stack.backward_issue_interval_s,
            &stack.expert_issue_interval_s, &stack.collective_issue_interval_s,
            &stack.replicas.rank_issue_interval_s, &stack.replicas.crossing_issue_interval_s,
            &stack.replicas.sharded_layer_issue_s, &stack.step_overhead_s}) {
        *interval_s /= factor;
      }
      for (technology::LinkLevel& level : example.system.levels) {
        level.link.latency *= 1.0 / factor;
        level.link.call_latency *= 1.0 / factor;
        level.link.handshake *= 1.0 / factor;
        level.link.fit.word_bytes_per_s *= factor;
        level.link.fit.direct_latency_s /= factor;
        level.link.fit.pair_word_bytes_per_s *= factor;
      }
      break;
  }
}

double scaled_step_s(Example example, Resource resource, double factor) {
  scale_rate(example, resource, factor);
  return step_s(example);
}

}  // namespace scalesweep::estimator::test
