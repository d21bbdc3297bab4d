// The columns of a study file: names, units and words, in order; and the rows that go with them.
//
// point_id, one column per axis, the strategy, the status, then the estimates. Step time and its
// charges are doubles, because they are compared and must sum; the rest are floats.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/id_range.hpp"
#include "estimator/training.hpp"
#include "parallel/enumerate.hpp"
#include "parallel/strategy.hpp"
#include "space/spec.hpp"
#include "store/study_file.hpp"
#include "store/table.hpp"
#include "technology/cost.hpp"
#include "technology/derive.hpp"

namespace scalesweep::study {

// What became of a point. Every id ends in exactly one.
enum class Status : std::uint8_t {
  ok,
  does_not_fit,           // estimated, but the fullest device has not enough memory
  filtered,               // a [[filter]] of the spec removed it; not estimated
  unsupported_precision,  // the device has no matrix unit for it; not estimated
  domain_exceeds_link,    // the scale-up link does not join so many devices; not estimated
  // Then one for each technology::DeriveProblem: there is no such device; not estimated.
  first_derive_problem,
};
inline constexpr std::size_t status_count =
    static_cast<std::size_t>(Status::first_derive_problem) + technology::derive_problem_count;

constexpr std::size_t index_of(Status status) {
  return static_cast<std::size_t>(status);
}
constexpr Status status_of(technology::DeriveProblem problem) {
  return static_cast<Status>(index_of(Status::first_derive_problem) +
                             static_cast<std::size_t>(problem));
}
constexpr bool has_estimate(Status status) {
  return status == Status::ok || status == Status::does_not_fit;
}
inline Status status_of(const estimator::TrainingEstimate& estimate) {
  return estimate.verdict == estimator::Verdict::fits ? Status::ok : Status::does_not_fit;
}
const std::vector<std::string>& status_names();

// Axis columns hold the index into the axis, as an HDF5 enum whose names are the axis labels. The
// rules say which fields of a strategy have columns (parallel::fields_of).
store::Schema make_schema(const std::vector<space::Axis>& axes,
                          const parallel::StrategyRules& rules = {});

// The axes as they go to /axes.
std::vector<store::AxisValues> axis_values(const std::vector<space::Axis>& axes);

// Index of a column by name; SCALESWEEP_EXPECTs that it exists.
std::size_t column_named(const store::Schema& schema, std::string_view name);

// What a row needs to know of the job and the device beside the estimate.
struct JobFigures {
  double tokens_per_step = 0.0;
  double accelerators = 1.0;
  double memory_capacity_bytes = 0.0;  // of one device
  double clock_hz = 0.0;               // of the device, before any power limit of the step
  // Of the system; nothing: the columns of cost and carbon are NaN.
  std::optional<technology::Ownership> ownership = std::nullopt;
  technology::Shares shares = {};  // of a derived device, NaN of a catalogued one
};

// Columns of an estimate that are neither step time, nor charges, nor phases.
inline constexpr std::size_t figure_count = 33;

// Appends rows to a table of make_schema's columns. Holds pointers into the table: one per range.
class RowWriter {
 public:
  RowWriter(store::Table& table, const store::Schema& schema, std::size_t axis_count);

  // The coordinates of `rows` rows that share them; the rows follow by one of the calls below.
  void append_coordinates(const std::vector<std::int32_t>& axis_index, std::size_t rows);
  void append_estimate(PointId id, const parallel::Strategy& strategy,
                       const estimator::TrainingEstimate& estimate, const JobFigures& job);
  // No estimate: NaN in every column that would hold one.
  void append_rejected(PointId id, const parallel::Strategy& strategy, Status status);

 private:
  void append_strategy(PointId id, const parallel::Strategy& strategy, Status status);

  using Doubles = std::vector<double>*;
  using Floats = std::vector<float>*;
  using Ints = std::vector<std::int32_t>*;
  using Bytes = std::vector<std::uint8_t>*;

  struct ExtraColumn {
    std::int32_t (*value)(const parallel::Strategy&);
    std::variant<Ints, Bytes> column;
  };

  std::vector<std::variant<Ints, Bytes>> axes_;
  std::vector<std::int64_t>* point_id_;
  std::array<Ints, 6> sizes_{};
  std::array<Bytes, 3> choices_{};
  std::vector<ExtraColumn> extra_;  // fields of a strategy that only some studies have
  Bytes status_;
  Bytes bottleneck_;
  Doubles step_time_;
  std::array<Doubles, estimator::resource_count> charges_{};
  std::array<Floats, estimator::phase_count> phases_{};
  std::array<Floats, figure_count> figures_{};
};

}  // namespace scalesweep::study
