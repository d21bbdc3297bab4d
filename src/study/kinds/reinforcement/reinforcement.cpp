// Reinforcement learning: the time of an iteration.
#include "estimator/reinforcement/reinforcement.hpp"

#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "core/text.hpp"
#include "estimator/parts/power/power_limit.hpp"
#include "study/columns/estimate_columns.hpp"
#include "study/kinds/checks.hpp"
#include "study/kinds/estimator_of.hpp"
#include "study/kinds/job_parts.hpp"
#include "study/kinds/precision.hpp"
#include "study/kinds/reinforcement/statuses.hpp"
#include "study/kinds/requests/contexts.hpp"
#include "workload/framework.hpp"

namespace scalesweep::study {
namespace {

using estimator::ReinforcementJob;

class ReinforcementJobs {
 public:
  ReinforcementJobs(const space::Spec& spec, const StudyAxes& axes)
      : rules_(axes),
        precisions_(spec, axes, precision_policy),
        optimizers_(axes),
        rollout_precision_(axes.find("rollout_precision")) {}

  Job operator()(const PointAxes& point) const {
    ReinforcementJob job;
    job.training.optimizer = optimizers_.at(point);
    rules_.apply(point, job);
    job.training.precision = precisions_.at(point);
    job.rollouts.precision =
        inference_precision(std::string(point.label_or(rollout_precision_, "bf16")), {});
    const double tokens = job.generated_tokens();
    const Multiplied multiplied =
        multiplied_of(job.training.precision.linear, job.rollouts.precision.operands);
    return {std::move(job), tokens, multiplied};
  }

 private:
  AxisRules<ReinforcementJob> rules_;
  Precisions<estimator::PrecisionPolicy> precisions_;
  Optimizers optimizers_;
  AxisPosition rollout_precision_;
};

constexpr Status not_separate = own_status(0);  // of reinforcement_statuses

class Reinforcement {
 public:
  static constexpr std::span<const KindStatus> statuses = reinforcement_statuses;

  Reinforcement(Job job, const SystemChoice& systems, std::span<const OperatorName> /*operators*/,
                const Reinforcement* before)
      : device_(systems.system->device),
        estimator_(work_of<ReinforcementJob>(std::move(job)), *systems.system,
                   before != nullptr ? &before->estimator_ : nullptr),
        is_possible_(estimator_.job().is_separate() || estimator_.job().staleness == 0) {}

  Status estimate(const parallel::Strategy& strategy, Rows rows) {
    return estimate(std::span(&strategy, 1), 0, rows);
  }
  Status estimate(std::span<const parallel::Strategy> strategies, std::size_t index, Rows rows) {
    if (!is_possible_) {
      return not_separate;
    }
    last_ = rows == Rows::feasible ? estimator_.if_fits(strategies, index)
                                   : estimator_(strategies, index);
    return status_of_batch(last_);
  }
  double rank() const {
    return has_time(last_) ? last_.iteration_s() : std::numeric_limits<double>::infinity();
  }
  std::string reason() const;
  void fill(EstimateRow& row, const JobFigures& figures) const { fill_row(row, last_, figures); }
  double nearest(const JobFigures& figures) const { return shortfall_of(last_, figures); }

 private:
  technology::Device device_;
  estimator::ReinforcementEstimator estimator_;
  bool is_possible_;
  estimator::ReinforcementEstimate last_;
};

std::string Reinforcement::reason() const {
  if (!is_possible_) {
    return "staleness goes with placement = \"separate\"";
  }
  const estimator::ReinforcementMemory& memory = last_.memory;
  if (last_.verdict == estimator::Verdict::fits) {
    return last_.unkept_power_w > 0.0 ? estimator::unkept_limit_text(device_, last_.unkept_power_w)
                                      : "";
  }
  const bool trains = memory.training_bytes() - memory.usable_bytes >=
                      memory.rollout_bytes() - memory.rollout_usable_bytes;
  return fmt::format(
      "a device of {} lacks {} of {}; weights take {}", trains ? "training" : "rollouts",
      with_si_prefix(memory.short_bytes(), "B"),
      with_si_prefix(trains ? memory.training_bytes() : memory.rollout_bytes(), "B"),
      with_si_prefix(trains ? memory.weights_bytes : memory.rollout_weights_bytes, "B"));
}

void check_updates(const space::Spec& spec, Diagnostics& diagnostics) {
  for_each_pair(spec, "prompts", "samples", [&](const ValueAt& prompts, const ValueAt& samples) {
    for_each_value(
        spec, "updates", [&](double updates, const std::string&, const SourcePosition& position) {
          const double all = prompts.number * samples.number;
          if (std::fmod(all, updates) != 0.0) {
            diagnostics.error(position,
                              fmt::format("{} updates do not share {} samples ({} prompts with {} "
                                          "each) evenly",
                                          updates, all, prompts.number, samples.number));
          }
        });
  });
}

void check_lengths(const space::Spec& spec, Diagnostics& diagnostics) {
  for_each_pair(spec, "output", "most_output", [&](const ValueAt& output, const ValueAt& most) {
    if (output.number > most.number) {
      diagnostics.error(output.position,
                        fmt::format("answers of {} tokens in the mean are more than their limit, "
                                    "most_output = {}",
                                    output.number, most.number));
    }
  });
}

// Of devices that there are, at least one on either side.
void check_shares(const space::Spec& spec, Diagnostics& diagnostics) {
  for_each_pair(spec, "placement", "accelerators",
                [&](const ValueAt& placement, const ValueAt& devices) {
                  if (placement.label == "separate" && devices.number < 2.0) {
                    diagnostics.error(devices.position,
                                      "rollouts on devices of their own need 2 accelerators");
                  }
                });
}

void check(const space::Spec& spec, const catalog::Catalog& catalog, Diagnostics& diagnostics) {
  check_precisions(spec, is_format, "", diagnostics);
  check_precisions(spec, "rollout_precision", diagnostics);
  check_frameworks(spec, catalog, &workload::Framework::trains, "trains", diagnostics);
  check_frameworks(spec, catalog, "rollout_framework", &workload::Framework::serves,
                   "serves requests", diagnostics);
  check_decoders(spec, catalog, diagnostics);
  check_updates(spec, diagnostics);
  check_lengths(spec, diagnostics);
  check_contexts(spec, catalog, diagnostics);
  check_shares(spec, diagnostics);
}

}  // namespace

const WorkloadKind& reinforcement_kind() {
  static const WorkloadKind kind = {
      .form = space::reinforcement_form(),
      .columns = reinforcement_columns,
      .check = check,
      .jobs = [](const space::Spec& spec, const StudyAxes& axes) -> JobResolver {
        return ReinforcementJobs(spec, axes);
      },
      .estimator = make_estimator<Reinforcement>};
  return kind;
}

}  // namespace scalesweep::study
