#include "study/kinds/requests/operators.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "estimator/explain/iteration_operators.hpp"
#include "estimator/inference/inference_memory.hpp"
#include "estimator/inference/passes/iteration.hpp"
#include "workload/framework.hpp"
#include "workload/inference_layer.hpp"

namespace scalesweep::study {
namespace {

using estimator::IterationOperator;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr auto no_bound = static_cast<std::uint8_t>(estimator::resource_count);

std::string column_of(const std::string& phase, std::string name) {
  if (name.starts_with(phase + " ")) {
    name.erase(0, phase.size() + 1);
  }
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
  return fmt::format("{}_{}", phase, name);
}

void add_names(const std::string& phase, const std::vector<workload::Operator>& operators,
               std::vector<OperatorName>& names) {
  for (const workload::Operator& op : operators) {
    const std::string name(op.name());
    const OperatorName one{phase, name, column_of(phase, name)};
    if (std::find(names.begin(), names.end(), one) == names.end()) {
      names.push_back(one);
    }
  }
}

// Ways in which layers are run: kernels fused or not, scores in DRAM or not.
std::vector<workload::InferenceSlice> ways_of(const space::Spec& spec,
                                              const catalog::Catalog& catalog) {
  const auto labels = [&](const char* axis) {
    const auto found = space::find_axis(spec.axes, axis);
    return found ? spec.axes[*found].labels : std::vector<std::string>{};
  };
  std::vector<workload::InferenceSlice> ways;
  for (const std::string& name : labels("framework")) {
    if (!catalog.has(catalog::Section::frameworks, name)) {
      continue;
    }
    const workload::ServingStack& stack = catalog.framework(name).serving;
    workload::InferenceSlice slice;
    slice.fused_pointwise = stack.fused_pointwise;
    slice.flash_attention = stack.flash_attention;
    const std::vector<std::string> attention = labels("attention");
    for (const std::string& kernel : attention) {
      slice.flash_attention = kernel == "flash";
      ways.push_back(slice);
    }
    if (attention.empty()) {
      ways.push_back(slice);
    }
  }
  return ways;
}

void add_layers(const workload::TransformerModel& model, workload::LayerKind kind,
                const std::string& phase, const workload::InferenceSlice& slice,
                std::vector<OperatorName>& names) {
  using workload::AttentionSpan;
  for (const workload::LayerVariant& variant : workload::LayerVariants(model, kind)) {
    for (const AttentionSpan span : {AttentionSpan::whole, AttentionSpan::window}) {
      if (variant.mixer == workload::Mixer::linear || workload::layers_with(model, span) > 0.0) {
        add_names(phase, inference_layer_operators(model, slice, variant.kind, span, variant.mixer),
                  names);
      }
    }
  }
}

void add_model(const workload::TransformerModel& model, const std::string& phase,
               const std::vector<workload::InferenceSlice>& ways,
               std::vector<OperatorName>& names) {
  for (workload::InferenceSlice slice : ways) {
    workload::TokenGroup& group = phase == "prefill" ? slice.prefill : slice.decode;
    group = {.sequences = 1.0, .new_tokens = phase == "prefill" ? 128.0 : 1.0, .cached_tokens = 0};
    if (model.expert_layers() < model.layers) {
      add_layers(model, workload::LayerKind::dense, phase, slice, names);
    }
    if (model.expert_layers() > 0) {
      add_layers(model, workload::LayerKind::experts, phase, slice, names);
    }
    add_names(phase, inference_head_operators(model, slice), names);
  }
}

// The first prefill iteration of a micro-batch, or its decode iteration in the middle of the
// output.
estimator::Iteration iteration_of(const estimator::InferenceJob& job,
                                  const parallel::Strategy& strategy, bool prefill) {
  const auto sequences = static_cast<double>(strategy.micro_batch);
  const auto prompt = static_cast<double>(job.prompt);
  estimator::Iteration iteration;
  if (prefill) {
    const double cached = std::floor(prompt * job.cached_share());
    iteration.prefill =
        estimator::first_prompts(sequences, prompt - cached, cached, job.chunk_tokens(strategy));
  } else {
    iteration.decode = {.sequences = sequences,
                        .new_tokens = 1.0 + static_cast<double>(job.speculation.draft),
                        .cached_tokens = prompt + static_cast<double>(job.output) / 2.0};
  }
  return iteration;
}

void add_operator(EstimateRow& row, const std::vector<IterationOperator>& all,
                  const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const IterationOperator& one) {
    return !one.message && one.name == name;
  });
  if (found == all.end()) {
    row.figures.insert(row.figures.end(), operator_figure_count, nan);
    row.labels.push_back(no_bound);
    return;
  }
  row.figures.insert(row.figures.end(),
                     {found->once.time.total_s(), found->flop, found->bytes, found->intensity()});
  row.labels.push_back(static_cast<std::uint8_t>(found->bound));
}

}  // namespace

void add_operators(EstimateRow& row, const estimator::InferenceJob& job,
                   const technology::System& system, const parallel::Strategy& strategy,
                   std::span<const OperatorName> operators) {
  const double kept = estimator::kept_share(job, system, strategy);
  const estimator::InferenceSetting setting =
      estimator::InferenceSetting(job, system).keeping(kept);
  const estimator::Replica replica = {setting, strategy};
  const auto prefill = iteration_operators(replica, iteration_of(job, strategy, true));
  const auto decode = iteration_operators(replica, iteration_of(job, strategy, false));
  for (const OperatorName& one : operators) {
    add_operator(row, one.phase == "prefill" ? prefill : decode, one.name);
  }
}

std::vector<OperatorName> operator_names(const space::Spec& spec, const catalog::Catalog& catalog) {
  std::vector<OperatorName> names;
  const auto models = space::find_axis(spec.axes, "model");
  if (!spec.operators || !models) {
    return names;
  }
  const std::vector<workload::InferenceSlice> ways = ways_of(spec, catalog);
  for (const std::string phase : {"prefill", "decode"}) {
    for (const std::string& model : spec.axes[*models].labels) {
      if (catalog.has(catalog::Section::models, model)) {
        add_model(catalog.model(model), phase, ways, names);
      }
    }
  }
  return names;
}

}  // namespace scalesweep::study
