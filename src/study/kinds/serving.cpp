// Serving: the rate of requests that arrive all the time.
#include "study/kinds/serving.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "estimator/inference/serving.hpp"
#include "study/columns/estimate_columns.hpp"
#include "study/kinds/checks.hpp"
#include "study/kinds/inference.hpp"

namespace scalesweep::study {
namespace {

using estimator::Percentile;
using estimator::ServingJob;
using Limits = estimator::ServingLimits;

double limit_of(const AxisValue& value) {
  return std::isfinite(value.number) ? value.number : 0.0;
}

template <estimator::Percentiles Limits::*limits, Percentile which>
void set_limit(ServingJob& job, const AxisValue& value) {
  (job.limits.*limits)[static_cast<std::size_t>(which)] = limit_of(value);
}

constexpr auto axis_rules = std::to_array<AxisRule<ServingJob>>({
    {"batching",
     [](ServingJob& j, const AxisValue& v) {
       const auto batching = estimator::batching_names.find(v.label);
       SCALESWEEP_EXPECT(batching.has_value());
       j.batching = *batching;
     }},
    {"prefill_share", [](ServingJob& j, const AxisValue& v) { j.prefill_share = v.number; }},
    {"arrival_rate", [](ServingJob& j, const AxisValue& v) { j.arrival_rate = limit_of(v); }},
    {"burstiness", [](ServingJob& j, const AxisValue& v) { j.burstiness = v.number; }},
    {"time_to_first_token_limit",
     [](ServingJob& j, const AxisValue& v) { j.limits.time_to_first_token_s = limit_of(v); }},
    {"time_per_output_token_limit",
     [](ServingJob& j, const AxisValue& v) { j.limits.time_per_output_token_s = limit_of(v); }},
    {"time_to_first_token_p50_limit", set_limit<&Limits::first_token_s, Percentile::p50>},
    {"time_to_first_token_p90_limit", set_limit<&Limits::first_token_s, Percentile::p90>},
    {"time_to_first_token_p99_limit", set_limit<&Limits::first_token_s, Percentile::p99>},
    {"time_per_output_token_p50_limit", set_limit<&Limits::output_token_s, Percentile::p50>},
    {"time_per_output_token_p90_limit", set_limit<&Limits::output_token_s, Percentile::p90>},
    {"time_per_output_token_p99_limit", set_limit<&Limits::output_token_s, Percentile::p99>},
});

class ServingJobs {
 public:
  ServingJobs(const space::Spec& spec, const StudyAxes& axes)
      : inference_(spec, axes), rules_(axes, axis_rules) {
    for (const space::RequestClass& one : spec.requests) {
      requests_.push_back({one.prompt, one.output, one.share});
    }
    if (spec.trace) {
      arrival_rate_ = spec.trace->arrival_rate;
      burstiness_ = spec.trace->burstiness;
    }
  }

  Job operator()(const PointAxes& point) const {
    ServingJob job;
    job.inference = inference_.at(point);
    job.requests = requests_;
    if (requests_.empty()) {
      job.requests.push_back({static_cast<double>(job.inference.prompt),
                              static_cast<double>(job.inference.output), 1.0});
    }
    job.arrival_rate = arrival_rate_;
    job.burstiness = burstiness_;
    rules_.apply(point, job);
    const auto& precision = job.inference.precision;
    const std::array multiplied = {precision.operands, precision.activations};
    return {std::move(job), 0.0, multiplied};
  }

 private:
  InferenceJobs inference_;
  AxisRules<ServingJob> rules_;
  std::vector<estimator::RequestClass> requests_;  // empty: of the axes
  // Where no axis says them.
  double arrival_rate_ = 0.0;
  double burstiness_ = 1.0;
};

class Serving {
 public:
  static constexpr std::span<const KindStatus> statuses = serving_statuses;

  Serving(ServingJob job, const technology::System& system)
      : job_(std::move(job)), system_(system) {}

  Status estimate(const parallel::Strategy& strategy) {
    last_ = estimate_serving(job_, system_, strategy);
    return status_of(last_);
  }
  // Where limits are missed, the closest is the best of them.
  double rank() const {
    return last_.verdict == estimator::ServingVerdict::meets_limits ? 1.0 / last_.tokens_per_s
                                                                    : last_.miss;
  }
  std::string reason() const {
    switch (last_.verdict) {
      case estimator::ServingVerdict::does_not_fit:
        return memory_reason(last_.requests());
      case estimator::ServingVerdict::misses_limits:
        return fmt::format("the limits are missed by {:.3g} %", 100.0 * last_.miss);
      case estimator::ServingVerdict::too_few_replicas:
        return "disaggregated batching needs at least two replicas";
      case estimator::ServingVerdict::meets_limits:
        break;
    }
    return "";
  }
  void fill(EstimateRow& row, const JobFigures& figures) const { fill_row(row, last_, figures); }

 private:
  ServingJob job_;
  technology::System system_;
  estimator::ServingEstimate last_;
};

void check_prefill_shares(const space::Spec& spec, Diagnostics& diagnostics) {
  const auto batching = space::find_axis(spec.axes, "batching");
  if (!batching || !space::find_axis(spec.axes, "prefill_share")) {
    return;
  }
  const std::vector<std::string>& labels = spec.axes[*batching].labels;
  if (std::find(labels.begin(), labels.end(), "disaggregated") == labels.end()) {
    return;
  }
  for_each_label(spec, "batching", [&](const std::string& name, const SourcePosition& position) {
    if (name != "disaggregated") {
      diagnostics.warning(position, fmt::format("prefill_share changes nothing with batching = "
                                                "\"{}\": its points are the same for each",
                                                name));
    }
  });
}

void check(const space::Spec& spec, const catalog::Catalog& catalog, Diagnostics& diagnostics) {
  check_inference(spec, catalog, diagnostics);
  check_prefill_shares(spec, diagnostics);
}

}  // namespace

const WorkloadKind& serving_kind() {
  static const WorkloadKind kind = {
      .form = space::serving_form(),
      .columns = serving_columns,
      .check = check,
      .jobs = [](const space::Spec& spec, const StudyAxes& axes) -> JobResolver {
        return ServingJobs(spec, axes);
      },
      .estimator = [](Job job, const technology::System& system,
                      std::span<const OperatorName>) -> std::unique_ptr<PointEstimator> {
        return std::make_unique<EstimatorOf<Serving>>(take_work<ServingJob>(std::move(job)),
                                                      system);
      }};
  return kind;
}

}  // namespace scalesweep::study
