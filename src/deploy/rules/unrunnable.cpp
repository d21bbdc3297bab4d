#include "deploy/rules/unrunnable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "deploy/target.hpp"
#include "space/filter.hpp"
#include "workload/framework.hpp"
#include "workload/stacks/versions.hpp"

namespace scalesweep::deploy {
namespace {

using parallel::Strategy;
using workload::Runs;

// Which layouts need an ability, as a condition of [[filter]].
struct Need {
  bool Runs::*can;
  std::string_view layouts;
};

constexpr auto needs = std::to_array<Need>({
    {&Runs::tensor_parallel, "tensor_parallel > 1"},
    {&Runs::pipeline_parallel, "pipeline_parallel > 1"},
    {&Runs::interleaved, "chunks > 1"},
    {&Runs::zero_bubble, "schedule == 'zero_bubble'"},
    {&Runs::dual_pipe, "schedule == 'dual_pipe'"},
    {&Runs::uneven_stages, "first_stage_layers > 0 or last_stage_layers > 0"},
    {&Runs::encoder_stages, "encoder_stages > 0"},
    {&Runs::context_ring, "context_parallel > 1 and context_exchange == 'ring'"},
    {&Runs::context_all_to_all, "context_parallel > 1 and context_exchange == 'all_to_all'"},
    {&Runs::decode_context_parallel, "decode_context_parallel > 1"},
    {&Runs::expert_parallel, "expert_parallel > 1"},
    {&Runs::experts_beside_tensor,
     "expert_parallel > 1 and tensor_parallel > 1 and not experts_over_tensor"},
    {&Runs::experts_over_tensor,
     "expert_parallel > 1 and tensor_parallel > 1 and experts_over_tensor"},
    {&Runs::experts_of_cut_replicas,
     "tensor_parallel > 1 and expert_parallel > 1 and "
     "(not experts_over_tensor or expert_parallel > tensor_parallel)"},
    {&Runs::experts_without_sequence_parallel,
     "expert_parallel > 1 and tensor_parallel > 1 and not sequence_parallel"},
    {&Runs::expert_devices, "expert_devices > 0"},
    {&Runs::redundant_experts, "redundant_experts > 0"},
    {&Runs::hybrid_sharding, "shard_group > 0"},
    {&Runs::selective_recompute, "recompute == 'selective'"},
    {&Runs::full_recompute, "recompute == 'full'"},
    {&Runs::recompute_every, "recompute_every > 1"},
    {&Runs::offload_activations, "offload_activations"},
    {&Runs::offload_in_pipeline, "offload_activations and pipeline_parallel > 1"},
    {&Runs::offload_optimizer, "offload_optimizer"},
});
static_assert(needs.size() == workload::abilities.size(), "each ability is asked for");

std::string_view text_of(bool Runs::*can) {
  const auto* found = std::find_if(workload::abilities.begin(), workload::abilities.end(),
                                   [can](const workload::Ability& one) { return one.can == can; });
  return found->text;
}

constexpr std::int64_t last_zero_stage = 3;

// A single replica has no optimizer states to shard.
void add_stages(const Runs& runs, std::vector<Refusal>& refused) {
  for (std::int64_t stage = 0; stage <= last_zero_stage; ++stage) {
    const std::string layouts = fmt::format(
        "zero == {}{}", stage, stage <= 1 ? " and context_parallel * data_parallel > 1" : "");
    if (!runs.has_stage(stage)) {
      refused.push_back({layouts,
                         stage == 0 ? "replicas that share nothing (ZeRO stage 0)"
                                    : fmt::format("ZeRO stage {}", stage),
                         ""});
    } else if (stage > runs.zero_with_pipeline) {
      refused.push_back({layouts + " and pipeline_parallel > 1",
                         fmt::format("ZeRO stage {} with several pipeline stages", stage), ""});
    }
  }
}

void add_sequence_split(const Runs& runs, std::vector<Refusal>& refused) {
  if (runs.sequence_parallel == workload::SequenceSplit::never) {
    refused.push_back({"tensor_parallel > 1 and sequence_parallel", "sequence parallelism", ""});
  } else if (runs.sequence_parallel == workload::SequenceSplit::always) {
    refused.push_back({"tensor_parallel > 1 and not sequence_parallel",
                       "tensor parallelism without sequence parallelism", ""});
  }
}

}  // namespace

std::vector<Refusal> refusals(const workload::Framework& framework) {
  std::vector<Refusal> refused;
  if (!framework.runs) {
    return refused;
  }
  for (const Need& need : needs) {
    if (!((*framework.runs).*need.can)) {
      refused.push_back({std::string(need.layouts), std::string(text_of(need.can)), ""});
    }
  }
  add_stages(*framework.runs, refused);
  add_sequence_split(*framework.runs, refused);
  return refused;
}

std::vector<Refusal> rule_refusals(std::span<const Rule> rules, std::string_view version,
                                   const Subject& subject) {
  std::vector<Refusal> refused;
  for (const Rule& rule : rules) {
    std::string layouts = rule.in.has(version) ? rule.layouts(subject) : "";
    if (!layouts.empty()) {
      refused.push_back({std::move(layouts), std::string(rule.what), std::string(rule.source)});
    }
  }
  return refused;
}

std::vector<Refusal> rule_refusals(std::string_view framework, const Subject& subject) {
  const TargetText* const text = text_of_framework(framework);
  const Version* const version =
      text == nullptr ? nullptr
                      : version_named(text->versions, workload::stack_name(framework).version);
  return version == nullptr ? std::vector<Refusal>{}
                            : rule_refusals(text->rules, version->name, subject);
}

bool refuses(const Refusal& refusal, const Strategy& strategy) {
  return space::FilterSet({{refusal.layouts, {}}}, {}).passes({}, strategy);
}

std::vector<std::string> unrunnable(const workload::Framework& framework,
                                    const Strategy& strategy) {
  std::vector<std::string> lacks;
  for (const Refusal& one : refusals(framework)) {
    if (refuses(one, strategy)) {
      lacks.push_back(one.lack);
    }
  }
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

bool runs(const workload::Framework& framework, const Strategy& strategy,
          std::string_view precision) {
  return unrunnable(framework, strategy).empty() && unrunnable_format(framework, precision).empty();
}

}  // namespace scalesweep::deploy
