#include "study/resolve/job.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/contracts.hpp"
#include "study/resolve/precision.hpp"

namespace scalesweep::study {
namespace {

using estimator::InferenceJob;
using estimator::ServingJob;
using estimator::TrainingJob;

// What the values of the axis `precision` stand for, at least one.
template <typename Policy>
class Precisions {
 public:
  using Read = Policy (*)(const std::string& name,
                          const std::vector<space::PrecisionTable>& tables);

  Precisions(const space::Spec& spec, const StudyAxes& axes, Read read)
      : position_(axes.find("precision")) {
    for (const std::string& name : axes.labels("precision")) {
      policies_.push_back(read(name, spec.precisions));
    }
    if (!position_) {
      policies_.emplace_back();
    }
  }

  const Policy& at(const PointAxes& point) const { return policies_[point.index_or(position_, 0)]; }

 private:
  AxisPosition position_;
  std::vector<Policy> policies_;
};

// Of estimates for the framework and the device of a point.
class Uncertainties {
 public:
  Uncertainties(const StudyAxes& axes, catalog::MeasuredWork work)
      : framework_(axes.find("framework")), device_(axes.find("device")), work_(work) {}

  technology::Uncertainty at(const PointAxes& point) const {
    return framework_ ? point.catalog().uncertainty(point.label_or(device_, ""),
                                                    point[*framework_].label, work_)
                      : technology::Uncertainty();
  }

 private:
  AxisPosition framework_;
  AxisPosition device_;
  catalog::MeasuredWork work_;
};

constexpr auto training_axes = std::to_array<AxisRule<TrainingJob>>({
    {"model", [](TrainingJob& j, const AxisValue& v) { j.model = v.catalog.model(v.label); }},
    {"sequence", [](TrainingJob& j, const AxisValue& v) { j.sequence = v.integer(); }},
    {"global_batch", [](TrainingJob& j, const AxisValue& v) { j.global_batch = v.integer(); }},
    {"attention",
     [](TrainingJob& j, const AxisValue& v) { j.flash_attention = v.label == "flash"; }},
    {"framework",
     [](TrainingJob& j, const AxisValue& v) { j.framework = v.catalog.framework(v.label); }},
});

// Of a service the batch is not known yet, and a mix of requests has no one length.
constexpr auto inference_axes = std::to_array<AxisRule<InferenceJob>>({
    {"model", [](InferenceJob& j, const AxisValue& v) { j.model = v.catalog.model(v.label); }},
    {"prompt", [](InferenceJob& j, const AxisValue& v) { j.prompt = v.integer(); }},
    {"output", [](InferenceJob& j, const AxisValue& v) { j.output = v.integer(); }},
    {"batch", [](InferenceJob& j, const AxisValue& v) { j.batch = v.integer(); }},
    {"prefix_hits", [](InferenceJob& j, const AxisValue& v) { j.prefix_hits = v.number; }},
    {"prefill_chunk", [](InferenceJob& j, const AxisValue& v) { j.prefill_chunk = v.integer(); }},
    {"draft", [](InferenceJob& j, const AxisValue& v) { j.speculation.draft = v.integer(); }},
    {"acceptance",
     [](InferenceJob& j, const AxisValue& v) { j.speculation.acceptance = v.number; }},
    {"draft_time",
     [](InferenceJob& j, const AxisValue& v) { j.speculation.draft_time = v.number; }},
    {"framework",
     [](InferenceJob& j, const AxisValue& v) { j.framework = v.catalog.framework(v.label); }},
    {"attention",  // replaces that of the framework
     [](InferenceJob& j, const AxisValue& v) {
       j.framework.serving.flash_attention = v.label == "flash";
     }},
});

double limit_of(const AxisValue& value) {
  return std::isfinite(value.number) ? value.number : 0.0;
}

constexpr auto serving_axes = std::to_array<AxisRule<ServingJob>>({
    {"batching",
     [](ServingJob& j, const AxisValue& v) {
       const auto batching = estimator::batching_from(v.label);
       SCALESWEEP_EXPECT(batching.has_value());
       j.batching = *batching;
     }},
    {"prefill_share", [](ServingJob& j, const AxisValue& v) { j.prefill_share = v.number; }},
    {"arrival_rate", [](ServingJob& j, const AxisValue& v) { j.arrival_rate = v.number; }},
    {"time_to_first_token_limit",
     [](ServingJob& j, const AxisValue& v) { j.limits.time_to_first_token_s = limit_of(v); }},
    {"time_per_output_token_limit",
     [](ServingJob& j, const AxisValue& v) { j.limits.time_per_output_token_s = limit_of(v); }},
});

class TrainingJobs {
 public:
  TrainingJobs(const space::Spec& spec, const StudyAxes& axes)
      : rules_(axes, training_axes),
        precisions_(spec, axes, precision_policy),
        uncertainties_(axes, catalog::MeasuredWork::training) {}

  TrainingJob operator()(const PointAxes& point) const {
    TrainingJob job;
    rules_.apply(point, job);
    job.precision = precisions_.at(point);
    job.uncertainty = uncertainties_.at(point);
    return job;
  }

 private:
  AxisRules<TrainingJob> rules_;
  Precisions<estimator::PrecisionPolicy> precisions_;
  Uncertainties uncertainties_;
};

class InferenceJobs {
 public:
  InferenceJobs(const space::Spec& spec, const StudyAxes& axes)
      : rules_(axes, inference_axes),
        precisions_(spec, axes, inference_precision),
        uncertainties_(axes, catalog::MeasuredWork::inference) {}

  InferenceJob operator()(const PointAxes& point) const {
    InferenceJob job;
    rules_.apply(point, job);
    job.precision = precisions_.at(point);
    job.uncertainty = uncertainties_.at(point);
    return job;
  }

 private:
  AxisRules<InferenceJob> rules_;
  Precisions<estimator::InferencePrecision> precisions_;
  Uncertainties uncertainties_;
};

class ServingJobs {
 public:
  ServingJobs(const space::Spec& spec, const StudyAxes& axes)
      : inference_(spec, axes), rules_(axes, serving_axes) {
    for (const space::RequestClass& one : spec.requests) {
      requests_.push_back({one.prompt, one.output, one.share});
    }
  }

  ServingJob operator()(const PointAxes& point) const {
    ServingJob job;
    job.inference = inference_(point);
    job.requests = requests_;
    if (requests_.empty()) {
      job.requests.push_back({static_cast<double>(job.inference.prompt),
                              static_cast<double>(job.inference.output), 1.0});
    }
    rules_.apply(point, job);
    return job;
  }

 private:
  InferenceJobs inference_;
  AxisRules<ServingJob> rules_;
  std::vector<estimator::RequestClass> requests_;  // empty: of the axes
};

}  // namespace

JobResolver job_resolver(const space::Spec& spec, const StudyAxes& axes) {
  switch (spec.kind) {
    case WorkloadKind::inference:
      return InferenceJobs(spec, axes);
    case WorkloadKind::serving:
      return ServingJobs(spec, axes);
    case WorkloadKind::training:
      break;
  }
  return TrainingJobs(spec, axes);
}

}  // namespace scalesweep::study
