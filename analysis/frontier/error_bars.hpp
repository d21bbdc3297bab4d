// What an error bar of the time means for other figures.
#pragma once

#include "analysis/file/objective.hpp"
#include "store/read/table.hpp"

namespace scalesweep::analysis {

// How a figure follows the time that a study is about. The column relative_uncertainty belongs to
// that time, t: what was measured lies between t (1 - u) and t (1 + u).
enum class FollowsTime {
  no,           // taken as certain: sizes, counts, powers, energies, money spent at once
  as_time,      // times, and cost and carbon of a step or a token: their share that is written off
                // over time is proportional to it, so that for the whole it is an upper bound
  as_its_rate,  // rates and utilisation: the inverse
};
FollowsTime follows_time(const store::Column& column);

// The column that holds the error bar of a figure: the one of its own kind where there is one, else
// that of the time; null where the study has none.
const store::Column* error_bar_column(const store::Schema& schema, const store::Column& figure);

// Of an objective.
struct Follows {
  FollowsTime how = FollowsTime::no;
  std::size_t bar = 0;  // which of the error bars of a search
};

// The two ends of a figure within an error bar `u`, the better one first, as numbers to be
// minimised: of an objective that is maximised the negative. u is 0 or more; a time is never below
// 0.
struct Ends {
  double optimistic = 0.0;
  double pessimistic = 0.0;
};
Ends ends_of(double value, FollowsTime follows, Direction direction, double u);

}  // namespace scalesweep::analysis
