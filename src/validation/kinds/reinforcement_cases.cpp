#include "validation/kinds/reinforcement_cases.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "validation/kinds/named_stack.hpp"
#include "workload/framework.hpp"

namespace scalesweep::validation {
namespace {

using estimator::ReinforcementJob;

constexpr NeededStack training_stack = {"fsdp", &workload::Framework::trains, "trains", ""};
constexpr NeededStack rollout_stack = {"vllm", &workload::Framework::serves, "serves requests",
                                       "serving", "rollout_framework"};

std::optional<workload::TransformerModel> read_policy(RowReader& row,
                                                      const CaseDefaults& defaults) {
  const std::string name = row.has("model") ? row.entry("model", catalog::Section::models) : "";
  return name.empty() ? std::nullopt : std::optional(defaults.catalog.model(name));
}

void read_stacks(RowReader& row, const CaseDefaults& defaults, ReinforcementCase& c) {
  const workload::Framework trainer = read_stack(row, defaults, training_stack);
  c.framework = trainer.name;
  c.job.training.stack = trainer.training;
  c.job.stack = trainer.reinforcement;
  const workload::Framework server = read_stack(row, defaults, rollout_stack);
  c.rollout_framework = server.name;
  c.job.rollouts.stack = server.serving;
}

void read_samples(RowReader& row, ReinforcementJob& job) {
  row.read_keys(job, {"prompts", "samples", "prompt", "output", "output_spread"});
  job.most_output = row.integer("most_output", 0, 0);
  row.read_keys(job, {"updates", "epochs"});
  if (job.prompts * job.samples % job.updates != 0) {
    row.error("updates", fmt::format("{} updates do not share {} samples evenly", job.updates,
                                     job.prompts * job.samples));
  }
}

// Devices of rollouts where these have their own.
void read_devices(RowReader& row, ReinforcementCase& c) {
  c.job.devices = row.integer("gpus", std::nullopt);
  c.job.staleness = row.integer("staleness", 0, 0);
  const std::int64_t rollouts = row.integer("rollout_gpus", 0, 0);
  c.trainers = c.job.devices - rollouts;
  if (rollouts > 0) {
    c.job.placement = estimator::Placement::separate;
  }
  if (c.trainers < 1) {
    row.error("rollout_gpus", "no devices are left that train");
  }
  if (c.job.staleness > 0 && rollouts == 0) {
    row.error("staleness", "goes with rollout_gpus: rollouts on devices of their own");
  }
}

void read_layouts(RowReader& row, ReinforcementCase& c) {
  c.layouts = parallel::policy_rules();
  c.layouts.tensor_parallel = parallel::only(row.integer("tensor_parallel", 1));
  c.layouts.pipeline_parallel = parallel::only(row.integer("pipeline_parallel", 1));
  c.layouts.zero = {static_cast<int>(row.integer("zero", 3, 0))};
  c.layouts.offload_optimizer = {false, true};
  if (row.has("offload_optimizer")) {
    c.layouts.offload_optimizer = {row.boolean("offload_optimizer", false)};
  }
}

}  // namespace

std::optional<ReinforcementCase> read_reinforcement_case(RowReader& row,
                                                         const CaseDefaults& defaults) {
  ReinforcementCase c;
  const std::string device = row.entry("device", catalog::Section::devices);
  const auto policy = read_policy(row, defaults);
  if (policy) {
    c.job.training.model = *policy;
  }
  row.read_keys(c.job, {"critic", "reward"});
  c.job.has_reference = row.boolean("reference", true);
  c.job.training.optimizer = defaults.catalog.optimizer();
  read_stacks(row, defaults, c);
  read_samples(row, c.job);
  read_devices(row, c);
  if (!device.empty()) {
    c.system = defaults.systems.of(device, c.job.devices);
    defaults.catalog.use_libraries(device, c.framework, c.system.device);
  }
  read_layouts(row, c);
  c.iteration_s = row.number("iteration_s");
  if (!policy) {
    row.error("model", "names no model of the catalog");
  }
  return row.good() ? std::optional(c) : std::nullopt;
}

namespace {

// Where devices do not share the sequences of an update evenly, the fullest ones set its time.
std::int64_t dealt_out(const ReinforcementCase& c) {
  const std::int64_t batch = c.job.prompts * c.job.samples / c.job.updates;
  return batch <= c.trainers ? batch : (batch + c.trainers - 1) / c.trainers * c.trainers;
}

}  // namespace

estimator::ReinforcementEstimate best_of(const ReinforcementCase& c) {
  const parallel::JobShape shape = {
      .accelerators = c.trainers, .global_batch = dealt_out(c), .sequence = 0};
  const parallel::StrategyTable table =
      parallel::enumerate_strategies(c.layouts, c.job.training.model, shape);
  estimator::ReinforcementEstimator estimator(c.job, c.system);
  estimator::ReinforcementEstimate best;
  best.verdict = estimator::Verdict::does_not_fit;
  for (std::size_t i = 0; i < table.strategies.size(); ++i) {
    const estimator::ReinforcementEstimate tried = estimator.if_fits(table.strategies, i);
    const bool fits = tried.verdict == estimator::Verdict::fits;
    if (fits &&
        (best.verdict != estimator::Verdict::fits || tried.iteration_s() < best.iteration_s())) {
      best = tried;
    }
  }
  return best;
}

namespace {

void predict_reinforcement(const ReinforcementCase& c, CaseRow& r) {
  const estimator::ReinforcementJob& job = c.job;
  r.device = c.system.device.name;
  r.framework = fmt::format("{}, {}", c.framework, c.rollout_framework);
  r.gpus = job.devices;
  r.shape = job.training.model.name;
  r.lengths = fmt::format("{}+{}", job.prompt, job.output);
  r.tokens = job.generated_tokens();
  r.design_power_w = c.system.device.thermal_design_power.si();
  r.measured = c.iteration_s;
  const estimator::ReinforcementEstimate estimate = best_of(c);
  Prediction& p = r.predicted;
  p.fits = estimate.verdict == estimator::Verdict::fits;
  if (!p.fits) {
    p.note = "does not fit into memory";
    return;
  }
  p.value = estimate.iteration_s();
  p.memory.states_bytes = estimate.memory.weights_bytes + estimate.memory.states_bytes;
  p.memory.allocated_bytes = p.memory.reserved_bytes = estimate.memory.total_bytes();
  p.bottleneck = name_of(estimator::dominant(estimate.iteration));
  p.device_power_w = estimate.device_power_w;
}

}  // namespace

const CaseKind& reinforcement_cases() {
  static constexpr CaseKind kind = {
      "reinforcement_learning", "iteration_s", "prompts", reinforcement_columns,
      read_and_predict<read_reinforcement_case, predict_reinforcement>};
  return kind;
}

}  // namespace scalesweep::validation
