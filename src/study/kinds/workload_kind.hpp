// A kind of workload as one object: all of a study that depends on what is done with a model.
//
// A further kind is another object of this type with its estimator and columns, and a row each in
// workload_kinds(), among the sections of `explain` and, where batches of it are measured, among
// the kinds of case files. But for the groups of its keys in help (space/keys/spec_book) nothing
// else asks which kind a study is of: src/README.md has the steps.
#pragma once

#include <any>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "catalog/catalog.hpp"
#include "core/contracts.hpp"
#include "core/diagnostic.hpp"
#include "estimator/run/run_plan.hpp"
#include "space/read/spec.hpp"
#include "space/read/workload_form.hpp"
#include "space/space.hpp"
#include "study/columns/schema.hpp"
#include "study/kinds/point_estimator.hpp"
#include "study/resolve/point_axes.hpp"
#include "study/resolve/system.hpp"
#include "technology/precision.hpp"

namespace scalesweep::study {

// The formats that need a matrix unit: of the operands of most linear layers, which comes first, of
// activations, and of the linear layers that have formats of their own.
using Multiplied = std::array<technology::Precision, 6>;
inline constexpr std::size_t of_activations = 1;
constexpr Multiplied multiplied_of(technology::Precision linear,
                                   technology::Precision activations) {
  return {linear, activations, linear, linear, linear, linear};
}

// A job of any kind, and what is asked of all of them.
struct Job {
  std::any work;            // an estimator::TrainingJob, ...
  double work_units = 0.0;  // of a step, or that come out of a batch; 0 of a service
  Multiplied multiplied = {};
  // Of training that is asked for as a whole.
  std::optional<estimator::RunPlan> run = {};
};

// Of a job that is known to be of this type.
template <typename Work>
const Work& work_of(const Job& job) {
  const auto* work = std::any_cast<Work>(&job.work);
  SCALESWEEP_EXPECT(work != nullptr);
  return *work;
}

// Taken out of a job that ends here, or its work would be read after it.
template <typename Work>
Work work_of(Job&& job) {
  auto* work = std::any_cast<Work>(&job.work);
  SCALESWEEP_EXPECT(work != nullptr);
  return std::move(*work);
}

using JobResolver = std::function<Job(const PointAxes& point)>;

struct WorkloadKind {
  const space::WorkloadForm& form;  // what a spec says
  WorkUnit unit = token_unit;       // that rates, energy and cost of its columns are of
  EstimateColumns (*columns)() = nullptr;
  // Figures that only some specs ask for, behind those; null where there are none.
  store::Schema (*optional_columns)(const space::Spec& spec) = nullptr;
  // Of each of them, as EstimateColumns::bounded has it; null where none is.
  std::vector<Bounded> (*optional_bounded)() = nullptr;
  // What models, frameworks and formats of a spec must be.
  void (*check)(const space::Spec& spec, const catalog::Catalog& catalog,
                Diagnostics& diagnostics) = nullptr;
  // What rules of strategies ask of the model of that name; null: it is a transformer.
  space::ModelShape (*shape)(const catalog::Catalog& catalog, const std::string& name) = nullptr;
  JobResolver (*jobs)(const space::Spec& spec, const StudyAxes& axes) = nullptr;
  // On a system that there is; `operators` that have columns, of those that the kind names.
  // `before`: one of the same study, of which it may use what holds here, too; may be null.
  std::unique_ptr<PointEstimator> (*estimator)(Job job, const SystemChoice& systems,
                                               std::span<const OperatorName> operators,
                                               const PointEstimator* before) = nullptr;
  // Null where operators have no columns.
  std::vector<OperatorName> (*operators)(const space::Spec& spec,
                                         const catalog::Catalog& catalog) = nullptr;
};

const WorkloadKind& training_kind();
const WorkloadKind& inference_kind();
const WorkloadKind& serving_kind();
const WorkloadKind& recommendation_kind();
const WorkloadKind& diffusion_kind();
const WorkloadKind& reinforcement_kind();

// Those that a spec may name.
using WorkloadKinds = std::span<const WorkloadKind* const>;
WorkloadKinds workload_kinds();
// With those that this spec asks for.
EstimateColumns columns_of(const WorkloadKind& kind, const space::Spec& spec);
const WorkloadKind& kind_of(const space::Spec& spec, WorkloadKinds kinds = workload_kinds());

}  // namespace scalesweep::study
