// The columns of a study file: names, units and words, in order; and the rows that go with them.
//
// point_id, one column per axis, the strategy, the status, then the estimates: those of the kind of
// the study. The time and its charges are doubles, because they are compared
// and must sum; the rest are floats.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/id_range.hpp"
#include "estimator/parts/charges.hpp"
#include "estimator/training/estimate.hpp"
#include "parallel/enumerate.hpp"
#include "parallel/strategy.hpp"
#include "space/read/spec.hpp"
#include "store/read/study_file.hpp"
#include "store/read/table.hpp"
#include "study/columns/column_row.hpp"
#include "technology/derive/derive.hpp"

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
  // Then those of the kind of workload.
  first_of_kind = first_derive_problem + technology::derive_problem_count,
};
// Of every kind.
inline constexpr std::size_t status_count = static_cast<std::size_t>(Status::first_of_kind);

constexpr std::size_t index_of(Status status) {
  return static_cast<std::size_t>(status);
}
constexpr Status status_of(technology::DeriveProblem problem) {
  return static_cast<Status>(index_of(Status::first_derive_problem) +
                             static_cast<std::size_t>(problem));
}

// A status that only one kind of workload has.
struct KindStatus {
  std::string_view name;
  bool estimated = false;  // it has a row like a point that is ok
};
// The i-th of a kind.
constexpr Status own_status(std::size_t i) {
  return static_cast<Status>(status_count + i);
}
constexpr bool has_estimate(Status status, std::span<const KindStatus> own) {
  return status == Status::ok || status == Status::does_not_fit ||
         (status >= Status::first_of_kind && own[index_of(status) - status_count].estimated);
}
inline Status status_of(estimator::Verdict verdict) {
  return verdict == estimator::Verdict::fits ? Status::ok : Status::does_not_fit;
}
// Of an estimate of any kind: what would be ok is not where no clock of a device keeps its limit,
// so that it takes this power there (estimator::unkept_power_w()).
constexpr Status within_limit(Status status, double unkept_power_w) {
  return status == Status::ok && unkept_power_w > 0.0
             ? status_of(technology::DeriveProblem::power_below_rest)
             : status;
}
template <typename Estimate>
Status status_of_batch(const Estimate& estimate) {
  return within_limit(status_of(estimate.verdict), estimate.unkept_power_w);
}
std::vector<std::string> status_names(std::span<const KindStatus> own = {},
                                      const std::vector<std::string>& of_spec = {});

// A column of names: by the number that the rows hold.
store::Column labelled(std::string name, std::string long_name, std::string description,
                       std::vector<std::string> labels);
// The names of what an estimate has, and "none" where there is no estimate.
std::vector<std::string> or_none(std::vector<std::string> names);

// An operator that has columns of its own: `column` is "decode_query_key_value".
struct OperatorName {
  std::string phase;  // "prefill" or "decode"
  std::string name;   // as in IterationOperator, "query key value"
  std::string column;

  friend bool operator==(const OperatorName&, const OperatorName&) = default;
};
inline constexpr std::size_t operator_figure_count = 4;  // time, flop, bytes, intensity

// Where a kind has no statuses of its own.
inline constexpr const char* estimated_statuses =
    "What became of the point. ok; does_not_fit: estimated, but the fullest device lacks memory; "
    "the others have no estimate: filtered: removed by a filter; the rest: why the device cannot "
    "be built or used.";

// What the estimates of a kind of workload have, in the order in which it is written. Charges are
// the same for all kinds.
struct EstimateColumns {
  store::Column time;  // what charges and phases sum to
  std::span<const std::string_view> phases;
  store::Schema figures;
  store::Schema labels;
  // What a study minimises that says nothing.
  std::vector<std::string_view> objectives;
  std::span<const KindStatus> statuses = {};  // after those that every kind has
  const char* status_description = estimated_statuses;
  Bounds bounds = Bounds::none;
  // Of each figure but those that a spec asks for; empty where the kind has no bounds.
  std::vector<Bounded> bounded = {};
  std::vector<std::string> requirement_statuses = {};  // of the spec, after all others
  bool searched = false;                               // by [search]
  bool leaves_some = false;  // that fit, by bounds, without asking for the requirements
};

// Axis columns hold the index into the axis, as an HDF5 enum whose names are the axis labels. The
// rules say which fields of a strategy have columns (parallel::fields_of).
store::Schema make_schema(EstimateColumns columns, const std::vector<space::Axis>& axes,
                          const parallel::StrategyRules& rules = {},
                          const std::vector<OperatorName>& operators = {});

// The axes as they go to /axes.
std::vector<store::AxisValues> axis_values(const std::vector<space::Axis>& axes);

// Index of a column by name; SCALESWEEP_EXPECTs that it exists.
std::size_t column_named(const store::Schema& schema, std::string_view name);

// What is written of an estimate, whatever the kind: the columns after the status.
struct EstimateRow {
  Status status = Status::ok;
  double time_s = 0.0;
  estimator::Charges charges;        // sum to time_s
  std::vector<double> figures;       // phases, figures of the kind, figures of operators
  std::vector<std::uint8_t> labels;  // of the kind, then what bounds each operator
};

// Appends rows to a table of make_schema's columns. Holds pointers into the table: one per range.
class RowWriter {
 public:
  RowWriter(store::Table& table, const store::Schema& schema, std::size_t axis_count);

  // The coordinates of `rows` rows that share them; the rows follow by one of the calls below.
  void append_coordinates(const std::vector<std::int32_t>& axis_index, std::size_t rows);
  void append_estimate(PointId id, const parallel::Strategy& strategy, const EstimateRow& row);
  // No estimate: NaN in every column that would hold one.
  void append_rejected(PointId id, const parallel::Strategy& strategy, Status status);

 private:
  void append_strategy(PointId id, const parallel::Strategy& strategy, Status status);

  using Doubles = std::vector<double>*;
  using Floats = std::vector<float>*;
  using Ints = std::vector<std::int32_t>*;
  using Bytes = std::vector<std::uint8_t>*;
  using Coordinates = std::variant<Ints, Bytes>;

  static Coordinates coordinate_column(store::Table& table, const store::Schema& schema,
                                       std::size_t column);

  struct FieldColumn {
    std::int32_t (*value)(const parallel::Strategy&);
    Coordinates column;
  };
  struct Label {
    Bytes column;
    std::uint8_t none;  // where there is no estimate
  };

  std::vector<Coordinates> axes_;
  std::vector<std::int64_t>* point_id_;
  std::vector<FieldColumn> fields_;  // of a strategy
  Bytes status_;
  Bytes bottleneck_;
  Doubles time_;
  std::array<Doubles, estimator::resource_count> charges_{};
  std::vector<Floats> figures_;  // in the order of EstimateRow
  std::vector<Label> labels_;
};

}  // namespace scalesweep::study
