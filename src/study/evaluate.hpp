// From a range of ids to rows: the inner loop of a run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/run.hpp"
#include "space/space.hpp"
#include "study/columns/distributions.hpp"
#include "study/columns/outcome_counts.hpp"
#include "study/columns/schema.hpp"
#include "study/kinds/workload_kind.hpp"
#include "study/resolve/allocate.hpp"
#include "study/resolve/resolve.hpp"
#include "study/rows/keep.hpp"
#include "study/rows/requirements.hpp"
#include "study/rows/row_judge.hpp"
#include "study/rows/row_sieve.hpp"
#include "study/search/boxes.hpp"
#include "study/search/model_search.hpp"
#include "study/search/search.hpp"

namespace scalesweep::study {

// What evaluation needs of a study; shared by all evaluators and never changed by them.
struct EvaluationPlan {
  const WorkloadKind& kind;
  space::Space space;
  Resolver resolver;
  store::Schema schema;
  std::vector<OperatorName> operators;  // that have columns
  std::size_t statuses;                 // of this kind of study
  // Of them, those that tell of points left out.
  std::optional<std::size_t> not_searched;
  std::optional<std::size_t> not_asked;
  std::size_t phases;  // of this kind of study
  Requirements requirements;
  KeepRule keep;
  Distributions distributions;
  store::OutcomeNumbers outcomes;
  // Of a study with [allocate]: its candidates, and the rule that has its objective as the first.
  std::optional<space::Allocation> allocation;
  std::optional<KeepRule> allocation_objective;
  // What is looked for by bounds: what stays of a study whose counts are bounded, and the best
  // strategy of a candidate, where there are bounds.
  std::optional<Search> search;
  std::optional<Search> allocation_search;
  // Of the best or the frontier of a study whose counts are exact and that requires nothing of its
  // rows: of all estimates, which may stay.
  std::optional<Search> sieve;
  // Of a study with [search], whose counts are bounded.
  std::optional<space::AxisSearch> grid_search;
};

// Builds the system once per run of ids that share it and the estimator's memo with it; the last
// one is kept, because leases come in order.
//
// Where shares are allocated, finding the candidates of later rounds takes as long as computing the
// rows of the earlier ones: once per combination of the other axes that a range touches there.
class RangeEvaluator {
 public:
  explicit RangeEvaluator(std::shared_ptr<const EvaluationPlan> plan);

  // Appends one row per id, in order (only feasible rows unless the policy keeps all; where counts
  // are bounded, only of points that may stay), counts every id by status, of all and group by
  // group, and lowers best_objective. With [search], all ids that differ in searched axes alone are
  // searched together, whichever of them are asked for.
  void evaluate(IdRange ids, engine::RangeResult& result);
  // Drops the rows that the policy does not keep.
  void reduce(engine::RangeResult& result) const;

  // The system of the ids of a run.
  SystemChoice system(const space::Run& run);
  // Of each requirement, whether this point meets it.
  std::vector<bool> requirements_met(PointId id);

 private:
  // What ids with the same axis indices share.
  struct Combination {
    std::vector<std::int32_t> axis_index;
    std::shared_ptr<const SystemChoice> system;
    std::unique_ptr<PointEstimator> estimator;  // null where there is no system
    JobFigures figures;
  };

  Combination combine(const std::vector<std::int32_t>& axis_index,
                      const technology::Shares& allocated,
                      const std::optional<Combination>& before);
  Combination& combination(const space::Run& run);
  technology::Shares allocated_shares(const space::Run& run);
  double allocation_objective(const space::Run& run, const technology::Shares& shares);
  RowWriter writer_of(store::Table& rows) const;
  void append_rows(const space::Run& run, IdRange ids, Combination& shared, Rows rows,
                   RowWriter& writer, StatusTally& tally, RunSearch* search = nullptr,
                   RowSieve* sieve = nullptr);
  void append_sieved(const space::Run& run, IdRange ids, RowWriter& writer, StatusTally& tally,
                     engine::RangeResult& result);
  // `writer` is that of `to`.
  void append_judged(const space::Run& run, IdRange ids, Combination& shared, Rows rows,
                     store::Table& to, RowWriter& writer, StatusTally& tally);
  void append_found(const space::Run& run, IdRange ids, store::Table& to, StatusTally& tally,
                    RunSearch& search);
  std::optional<RunSearch> run_search(std::optional<Search>& search, const space::Run& run) const;
  void evaluate_runs(IdRange ids, engine::RangeResult& result);
  void count(const space::Run& run, const StatusTally& tally, engine::RangeResult& result);

  // [search], in evaluate_searched.cpp.
  void evaluate_searched(IdRange ids, engine::RangeResult& result);
  void search_devices(IdRange searched);
  void search_best(IdRange searched);
  void search_without_bounds(IdRange searched);
  void search_transitions(IdRange searched);
  std::optional<std::vector<double>> least_of(IdRange searched, const GridBox& box,
                                              Incumbents& incumbents);
  // Where `incumbents` are not null, for rows that may stay beside those alone.
  void look_at(const space::Run& run, Incumbents* incumbents);
  std::int64_t append_stayed(const space::Run& run, IdRange ids, store::Table& to,
                             StatusTally& tally, Incumbents* incumbents);
  void append_looked_at(IdRange ids, engine::RangeResult& result);

  // A device that was looked at.
  struct LookedAt {
    space::Run run;
    StatusTally tally;
    std::size_t first_row = 0;  // of those that were found
    std::size_t last_row = 0;
  };
  // What was found of ids that differ in searched axes alone.
  struct SearchedDevices {
    IdRange ids;
    std::vector<LookedAt> devices;  // by their ids
    store::Table rows;
    double least_left = 0.0;  // BoxesSearched, PlacesSearched
    std::int64_t skipped = 0;
  };

  std::shared_ptr<const EvaluationPlan> plan_;
  space::FilterSet filters_;
  KnownSystems systems_;
  std::optional<Combination> last_;
  std::optional<Combination> candidate_;        // of shares, the last one
  std::optional<AllocationSearch> allocation_;  // of a study with [allocate]
  store::Table candidate_rows_;                 // of the candidate that is being looked at
  std::optional<Search> search_;                // of a study whose counts are bounded
  std::optional<Search> allocation_search_;
  std::optional<Search> sieve_;
  store::Table found_rows_;        // of a run, before it is known which of them stay
  RowWriter found_writer_;         // of those
  EstimateRow row_;                // the last one
  std::optional<RowJudge> judge_;  // of a study that requires something of its rows
  OutcomeCounter counter_;
  std::optional<SearchedDevices> searched_;  // the last ones
  std::optional<Combination> box_;           // of devices, the last one that was bounded
};

}  // namespace scalesweep::study
