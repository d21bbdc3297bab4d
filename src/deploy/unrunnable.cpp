#include "deploy/unrunnable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace scalesweep::deploy {
namespace {

using parallel::ContextExchange;
using parallel::Recompute;
using parallel::Schedule;
using parallel::Strategy;
using workload::Runs;

// When a layout needs an ability.
struct Need {
  bool Runs::*can;
  bool (*needed)(const Strategy&);
};

bool has_context(const Strategy& s, ContextExchange exchange) {
  return s.context_parallel > 1 && s.context_exchange == exchange;
}

constexpr auto needs = std::to_array<Need>({
    {&Runs::tensor_parallel, [](const Strategy& s) { return s.tensor_parallel > 1; }},
    {&Runs::pipeline_parallel, [](const Strategy& s) { return s.pipeline_parallel > 1; }},
    {&Runs::interleaved, [](const Strategy& s) { return s.chunks > 1; }},
    {&Runs::zero_bubble, [](const Strategy& s) { return s.schedule == Schedule::zero_bubble; }},
    {&Runs::dual_pipe, [](const Strategy& s) { return s.schedule == Schedule::dual_pipe; }},
    {&Runs::uneven_stages,
     [](const Strategy& s) { return s.first_stage_layers > 0 || s.last_stage_layers > 0; }},
    {&Runs::context_ring, [](const Strategy& s) { return has_context(s, ContextExchange::ring); }},
    {&Runs::context_all_to_all,
     [](const Strategy& s) { return has_context(s, ContextExchange::all_to_all); }},
    {&Runs::expert_parallel, [](const Strategy& s) { return s.expert_parallel > 1; }},
    {&Runs::experts_beside_tensor,
     [](const Strategy& s) {
       return s.expert_parallel > 1 && s.tensor_parallel > 1 && !s.experts_over_tensor;
     }},
    {&Runs::experts_over_tensor,
     [](const Strategy& s) {
       return s.expert_parallel > 1 && s.tensor_parallel > 1 && s.experts_over_tensor;
     }},
    {&Runs::experts_of_cut_replicas,
     [](const Strategy& s) { return s.replicas_of_experts() > 1 && s.tensor_parallel > 1; }},
    {&Runs::experts_without_sequence_parallel,
     [](const Strategy& s) {
       return s.expert_parallel > 1 && s.tensor_parallel > 1 && !s.sequence_parallel;
     }},
    {&Runs::redundant_experts, [](const Strategy& s) { return s.redundant_experts > 0; }},
    {&Runs::hybrid_sharding, [](const Strategy& s) { return s.shard_group > 0; }},
    {&Runs::selective_recompute,
     [](const Strategy& s) { return s.recompute == Recompute::selective; }},
    {&Runs::full_recompute, [](const Strategy& s) { return s.recompute == Recompute::full; }},
    {&Runs::recompute_every, [](const Strategy& s) { return s.recompute_every > 1; }},
    {&Runs::offload_activations, [](const Strategy& s) { return s.offload_activations; }},
    {&Runs::offload_in_pipeline,
     [](const Strategy& s) { return s.offload_activations && s.pipeline_parallel > 1; }},
    {&Runs::offload_optimizer, [](const Strategy& s) { return s.offload_optimizer; }},
});
static_assert(needs.size() == workload::abilities.size(), "each ability is asked for");

std::string_view text_of(bool Runs::*can) {
  const auto* found = std::find_if(workload::abilities.begin(), workload::abilities.end(),
                                   [can](const workload::Ability& one) { return one.can == can; });
  return found->text;
}

// A plain number of replicas has no states to shard.
void add_stages(const Runs& runs, const Strategy& s, std::vector<std::string>& lacks) {
  if (s.replicas() == 1 && s.zero <= 1) {
    return;
  }
  if (!runs.has_stage(s.zero)) {
    lacks.push_back(s.zero == 0 ? "replicas that share nothing (ZeRO stage 0)"
                                : fmt::format("ZeRO stage {}", s.zero));
  } else if (s.pipeline_parallel > 1 && s.zero > runs.zero_with_pipeline) {
    lacks.push_back(fmt::format("ZeRO stage {} with several pipeline stages", s.zero));
  }
}

void add_sequence_split(const Runs& runs, const Strategy& s, std::vector<std::string>& lacks) {
  if (s.tensor_parallel <= 1) {
    return;
  }
  if (s.sequence_parallel && runs.sequence_parallel == workload::SequenceSplit::never) {
    lacks.emplace_back("sequence parallelism");
  } else if (!s.sequence_parallel && runs.sequence_parallel == workload::SequenceSplit::always) {
    lacks.emplace_back("tensor parallelism without sequence parallelism");
  }
}

}  // namespace

std::vector<std::string> unrunnable(const workload::Framework& framework,
                                    const Strategy& strategy) {
  std::vector<std::string> lacks;
  if (!framework.runs) {
    return lacks;
  }
  const Runs& runs = *framework.runs;
  for (const Need& need : needs) {
    if (need.needed(strategy) && !(runs.*need.can)) {
      lacks.emplace_back(text_of(need.can));
    }
  }
  add_stages(runs, strategy, lacks);
  add_sequence_split(runs, strategy, lacks);
  return lacks;
}

std::string unrunnable_format(const workload::Framework& framework, std::string_view precision) {
  if (!framework.runs || framework.runs->precisions.empty()) {
    return "";
  }
  const std::vector<std::string>& known = framework.runs->precisions;
  return std::find(known.begin(), known.end(), precision) == known.end()
             ? fmt::format("linear layers in {}", precision)
             : "";
}

std::vector<std::string> that_run(const catalog::Catalog& catalog,
                                  const std::vector<std::string>& among, const Strategy& strategy,
                                  std::string_view precision) {
  std::vector<std::string> found;
  for (const std::string& name : among) {
    if (!catalog.has(catalog::Section::frameworks, name)) {
      continue;
    }
    const workload::Framework& framework = catalog.framework(name);
    if (unrunnable(framework, strategy).empty() &&
        unrunnable_format(framework, precision).empty()) {
      found.push_back(name);
    }
  }
  return found;
}

}  // namespace scalesweep::deploy
