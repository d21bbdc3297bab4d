// From points of a run to rows. Builds the system once per run of ids that share it and the
// estimator's memo with it; the last one is kept, because leases come in order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "space/space.hpp"
#include "store/read/table.hpp"
#include "study/evaluate/allocated_shares.hpp"
#include "study/evaluate/row_appender.hpp"
#include "study/rows/requirement_check.hpp"

namespace scalesweep::study {

class PointRows final : public RowAppender {
 public:
  explicit PointRows(std::shared_ptr<const EvaluationPlan> plan);
  PointRows(const PointRows&) = delete;
  PointRows& operator=(const PointRows&) = delete;

  const EvaluationPlan& plan() const { return *plan_; }

  Combination combine(const std::vector<std::int32_t>& axis_index,
                      const technology::Shares& allocated,
                      const std::optional<Combination>& before) override;
  Combination& combination(const space::Run& run);

  void append(const space::Run& run, IdRange ids, Combination& shared, Rows rows, RowWriter& writer,
              StatusTally& tally, RunSearch* search = nullptr,
              KeepFilter* sieve = nullptr) override;
  void append_judged(const space::Run& run, IdRange ids, Combination& shared, Rows rows,
                     store::Table& to, RowWriter& writer, StatusTally& tally) override;
  // Rows of a run that can be kept, found by bounds, in the order of their ids.
  void append_found(const space::Run& run, IdRange ids, store::Table& to, StatusTally& tally,
                    RunSearch& search);

  // Of each requirement, whether this point meets it.
  std::vector<bool> requirements_met(PointId id);

 private:
  std::shared_ptr<const EvaluationPlan> plan_;
  space::FilterSet filters_;
  KnownSystems systems_;
  std::optional<AllocatedShares> allocated_;  // of a study with [allocate]
  std::optional<Combination> last_;
  store::Table found_rows_;                // of a run, before it is known which of them are kept
  RowWriter found_writer_;                 // of those
  EstimateRow row_;                        // the last one
  std::optional<RequirementCheck> judge_;  // of a study that requires something of its rows
};

}  // namespace scalesweep::study
