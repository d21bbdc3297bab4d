// Inference: the latency of a batch of requests that start together.
#include "study/kinds/inference.hpp"

#include <fmt/core.h>

#include <optional>

#include "catalog/read/checkpoints.hpp"
#include "core/text.hpp"
#include "estimator/inference/passes/image_pass.hpp"
#include "estimator/parts/power/power_limit.hpp"
#include "study/columns/estimate_columns.hpp"
#include "study/kinds/checks.hpp"
#include "study/kinds/estimator_of.hpp"
#include "study/kinds/precision.hpp"
#include "study/kinds/requests/contexts.hpp"
#include "study/kinds/requests/images.hpp"
#include "study/kinds/requests/operators.hpp"
#include "study/kinds/requests/reuse.hpp"
#include "workload/framework.hpp"
#include "workload/serving/model_parts.hpp"

namespace scalesweep::study {
namespace {

using estimator::InferenceJob;

Job job_of(InferenceJob job) {
  const double tokens = static_cast<double>(job.output) * static_cast<double>(job.batch);
  const Multiplied multiplied = multiplied_by(job);
  return {std::move(job), tokens, multiplied};
}

class Inference {
 public:
  static constexpr std::span<const KindStatus> statuses = {};

  Inference(Job job, const SystemChoice& systems, std::span<const OperatorName> operators,
            const Inference* before)
      : device_(systems.system->device),
        operators_(operators.empty() ? std::nullopt
                                     : std::optional<OperatorsOf>({work_of<InferenceJob>(job),
                                                                   *systems.system, operators})),
        estimator_(work_of<InferenceJob>(std::move(job)), *systems.system,
                   before != nullptr ? &before->estimator_ : nullptr) {}

  Status estimate(const parallel::Strategy& strategy, Rows rows) {
    strategy_ = strategy;
    last_ = rows == Rows::feasible ? estimator_.if_fits(strategy) : estimator_(strategy);
    return status_of_batch(last_);
  }
  Status settle(std::span<const parallel::Strategy> strategies, std::size_t index) {
    least_ = &estimator_.settle(strategies, index);
    return status_of_batch(*least_);
  }
  std::span<const estimator::LeastBatch> survey(std::span<const parallel::Strategy> strategies) {
    return estimator_.least_batches(strategies);
  }
  void coarse_bound(std::span<const parallel::Strategy> strategies,
                    const estimator::LeastBatch& bound) {
    least_ = &estimator_.at_least(strategies, bound);
  }
  void bound_of_rest(std::span<const parallel::Strategy> strategies, estimator::LeastBatch bound) {
    bound.energy_j = bound.energy_of_rest_j;
    coarse_bound(strategies, bound);
  }
  void quick_bound(std::span<const parallel::Strategy> strategies, std::size_t index) {
    least_ = &estimator_.at_least(strategies, index, estimator::Closeness::quick);
  }
  void tight_bound(std::span<const parallel::Strategy> strategies, std::size_t index) {
    least_ = &estimator_.at_least(strategies, index, estimator::Closeness::near);
  }
  void coarse_bound(std::span<const parallel::Strategy> strategies,
                    const estimator::LeastBatch& bound, const technology::Envelope& envelope) {
    least_ = &estimator_.at_least(strategies, bound, envelope);
  }
  void tight_bound(std::span<const parallel::Strategy> strategies, std::size_t index,
                   const technology::Envelope& envelope) {
    least_ = &estimator_.at_least(strategies, index, envelope);
  }
  double least_time_s() const { return least_->latency_s(); }
  double least_figure(const JobFigures& figures, std::size_t figure) const {
    return bounded_figure(*least_, figures, figure);
  }
  double settled_shortfall(const JobFigures& figures) const {
    return shortfall_of(*least_, figures);
  }
  double rank() const { return last_.latency_s(); }
  std::string reason() const {
    return last_.verdict != estimator::Verdict::fits ? memory_reason(last_.requests())
           : last_.unkept_power_w > 0.0
               ? estimator::unkept_limit_text(device_, last_.unkept_power_w)
               : "";
  }
  void fill(EstimateRow& row, const JobFigures& figures) const {
    fill_row(row, last_, figures);
    if (operators_) {
      add_operators(row, operators_->job, operators_->system, strategy_, operators_->names);
    }
  }
  double nearest(const JobFigures& figures) const { return shortfall_of(last_, figures); }

 private:
  // Where columns of operators are asked for: these are estimated beside the rest.
  struct OperatorsOf {
    InferenceJob job;
    technology::System system;
    std::span<const OperatorName> names;
  };

  technology::Device device_;
  std::optional<OperatorsOf> operators_;
  estimator::InferenceEstimator estimator_;
  parallel::Strategy strategy_;
  estimator::InferenceEstimate last_;
  const estimator::InferenceEstimate* least_ = nullptr;  // the estimator's
};

// Formats of four bits are stored, and multiplied as something wider.
constexpr std::string_view int4_hint =
    "; int4 is only stored: write for example { name = \"w4a16\", weights = \"int4\", operands = "
    "\"bf16\" }";

}  // namespace

namespace {

// Of the values of the axis, at least one.
std::vector<estimator::InferencePrecision> precisions_of(const space::Spec& spec,
                                                         const StudyAxes& axes,
                                                         const std::string& model) {
  const CheckpointOf checkpoint_of = [&](technology::Precision format) {
    return catalog::checkpoint_of(axes.catalog(), model, format);
  };
  std::vector<estimator::InferencePrecision> precisions;
  for (const std::string& name : axes.labels("precision")) {
    precisions.push_back(inference_precision(name, spec.precisions, checkpoint_of));
  }
  if (precisions.empty()) {
    precisions.emplace_back();
  }
  return precisions;
}

}  // namespace

InferenceJobs::InferenceJobs(const space::Spec& spec, const StudyAxes& axes)
    : rules_(axes),
      model_(axes.find("model")),
      precision_(axes.find("precision")),
      uncertainties_(axes, catalog::MeasuredWork::inference) {
  for (const std::string& model : axes.labels("model")) {
    precisions_.push_back(precisions_of(spec, axes, model));
  }
  if (precisions_.empty()) {
    precisions_.push_back(precisions_of(spec, axes, ""));
  }
}

InferenceJob InferenceJobs::at(const PointAxes& point) const {
  InferenceJob job;
  rules_.apply(point, job);
  job.precision = precisions_[point.index_or(model_, 0)][point.index_or(precision_, 0)];
  job.uncertainty = uncertainties_.at(point);
  return job;
}

void check_inference(const space::Spec& spec, const catalog::Catalog& catalog,
                     Diagnostics& diagnostics) {
  check_precisions(spec, is_inference_format, int4_hint, diagnostics);
  check_checkpoints(spec, catalog, diagnostics);
  check_contexts(spec, catalog, diagnostics);
  check_frameworks(spec, catalog, &workload::Framework::serves, "serves requests", diagnostics);
  warn_of_ports(spec, catalog, diagnostics);
  check_decoders(spec, catalog, diagnostics);
  check_drafters(spec, catalog, diagnostics);
  check_prefixes(spec, diagnostics);
  check_adapters(spec, catalog, diagnostics);
  check_images(spec, catalog, diagnostics);
}

// Of linear layers that the model does not have, nothing is asked.
Multiplied multiplied_by(const InferenceJob& job) {
  using workload::LinearPart;
  const estimator::InferencePrecision& precision = job.precision;
  Multiplied multiplied = multiplied_of(precision.operands, precision.activations);
  std::size_t next = of_activations + 1;
  for (const LinearPart part : {LinearPart::attention, LinearPart::attention_output,
                                LinearPart::experts, LinearPart::shared_experts}) {
    if (workload::has_part(job.model.experts, part)) {
      multiplied[next] = precision.operands_of(part);
    }
    ++next;
  }
  return multiplied;
}

std::string memory_reason(const estimator::RequestCounts& requests) {
  const auto count = [](double n) { return with_thousands(static_cast<std::int64_t>(n)); };
  if (requests.largest_batch < 1.0) {
    return "not even the weights fit, or no request beside them";
  }
  const std::string all =
      fmt::format("the largest batch that fits is {}", count(requests.largest_batch));
  return requests.largest_batch > requests.largest_batch_per_replica
             ? fmt::format("{}, of one replica {}", all, count(requests.largest_batch_per_replica))
             : all;
}

const WorkloadKind& inference_kind() {
  static const WorkloadKind kind = {
      .form = space::inference_form(),
      .columns = inference_columns,
      .check = check_inference,
      .jobs = [](const space::Spec& spec, const StudyAxes& axes) -> JobResolver {
        return [jobs = InferenceJobs(spec, axes)](const PointAxes& point) {
          InferenceJob job = jobs.at(point);
          estimator::add_images(job);
          return job_of(std::move(job));
        };
      },
      .estimator = make_estimator<Inference>,
      .operators = operator_names};
  return kind;
}

}  // namespace scalesweep::study
