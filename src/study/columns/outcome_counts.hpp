// How many points of which group (a value of an axis, what is asked) ended in which status, and how
// near the nearest came to being feasible: exact counts over the whole study, whatever rows its
// policy keeps.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "space/read/spec_types.hpp"
#include "store/read/outcomes.hpp"
#include "store/read/study_file.hpp"
#include "study/columns/schema.hpp"

namespace scalesweep::study {

// A table of so many groups at most: what is counted stays small beside the rows of a study.
inline constexpr std::int64_t most_groups = 4096;

// Tables for every axis that varies and is not searched; `questions`, of what frontiers keep apart;
// `combinations`, of all that vary but what a search runs through.
store::OutcomeTables outcome_tables(const std::vector<space::Axis>& axes,
                                    const store::Schema& schema,
                                    const std::vector<std::string>& statuses);

inline constexpr double unknown_distance = std::numeric_limits<double>::quiet_NaN();

// By status, of some points that are in the same groups.
struct StatusTally {
  explicit StatusTally(std::size_t statuses);
  void clear();

  store::Counts counts;
  std::vector<double> nearest;  // as OutcomeCell has it
};

// Adds up what runs of points ended in. One for each evaluator.
class OutcomeCounter {
 public:
  explicit OutcomeCounter(store::OutcomeNumbers numbers);

  // Of points that share these values of all axes.
  void add(std::span<const std::int32_t> axis_index, const StatusTally& tally);
  // Adds what was counted so far, and begins anew.
  void move_to(store::Outcomes& outcomes);

 private:
  store::OutcomeNumbers numbers_;
  // By cell; few have points at a time.
  std::vector<std::int64_t> points_;
  std::vector<double> nearest_;
  std::vector<std::int64_t> touched_;
};

}  // namespace scalesweep::study
