// What a search for frontiers is asked, and what it finds.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/file/objective.hpp"
#include "analysis/file/reading.hpp"

namespace scalesweep::analysis {

inline constexpr std::int32_t most_ranks = 100;

struct FrontierRequest {
  std::vector<Objective> objectives;   // 1 to 8
  std::string where = {};              // a condition (condition.hpp); empty: all feasible points
  std::vector<std::int64_t> ids = {};  // only these points; empty: all
  std::vector<std::string> per = {};   // columns of integers or names: every combination of their
                                       // values has a frontier of its own
  std::int32_t ranks = 1;              // of non-dominated sorting, 1 is the frontier
  bool error_bars = true;              // beyond_doubt, where the study has error bars
  bool refuse_missing = true;          // an objective that is nowhere a number: else it is noted
  ReadingOptions reading = {};
};

// Points that compete with each other. Everything by member is in ascending order of point id.
struct FrontierGroup {
  std::vector<std::int64_t> key;   // of FrontierRequest::per, as stored: indices of axes and labels
  std::int64_t candidates = 0;     // points that were compared
  std::vector<std::int64_t> rows;  // of the study
  std::vector<std::vector<double>> objectives;  // as the study means them, one column for each
  std::vector<std::int32_t> ranks;
  // Relative; NaN: not known. One column for each bar that an objective follows, that of the time
  // first; empty where the study has none.
  std::vector<std::vector<double>> error_bars;
  // Whether nothing of it was measured nowhere (role least_known); empty where there are no bars.
  std::vector<std::uint8_t> is_measured;

  // Of members of rank 1, of others 0.
  // 1 where no other point, at the better end of its error bar, dominates the member at the worse
  // end of its own: errors of different points are taken as independent, which they are not, so
  // that more members may be beyond doubt. Points with equal objectives and error bars are one. A
  // member without an error bar, or of which something was measured nowhere, is not beyond doubt.
  // Empty where nothing is known.
  std::vector<std::uint8_t> beyond_doubt;
  std::vector<std::uint8_t> knee;  // 1 for one at most (reduce/spread.hpp)
  std::vector<double> crowding;    // of rank 1, else NaN

  // By objective, as the study means them, of members of rank 1 that are finite: the best that any
  // has, and the worst with a tenth of the range beyond it, where the volume ends (H. Ishibuchi et
  // al., "How to specify a reference point in hypervolume calculation", Evolutionary Computation 26
  // (2018) 411).
  std::vector<double> ideal;
  std::vector<double> reference;
  // Share of the box between the two that is dominated, 0 to 1; objectives that are constant on the
  // frontier do not count. NaN where that would take too long, and for no finite member.
  double hypervolume = 0.0;
};

struct FrontierResult {
  std::vector<Objective> objectives;
  std::vector<FrontierGroup> groups;                   // with a candidate; ascending in key
  std::int64_t feasible_rows = 0;                      // of the study
  std::int64_t selected_rows = 0;                      // of those: where the condition holds
  std::map<std::string, std::int64_t> other_statuses;  // where it holds, not being feasible
  std::int64_t without_objective = 0;  // of those: left out because an objective is NaN
  bool has_error_bars = false;
  std::int32_t ranks = 1;          // that were asked for
  std::vector<std::string> notes;  // sentences
};

}  // namespace scalesweep::analysis
