// Which resource a step time is due to. A charge divided by the step time is the elasticity of the
// step time to that resource, so the resource with the largest share is the one whose improvement
// helps most.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace scalesweep::analysis {

// Resources and the groups they are read in, as names in a fixed order.
struct Resources {
  std::vector<std::string> names;
  std::vector<std::string> groups;    // those that have a resource, in the order of columns.hpp
  std::vector<std::size_t> group_of;  // by resource, into groups
};

Resources make_resources(const std::vector<std::string>& names);

struct Attribution {
  std::vector<double> shares;        // of the step time, by resource; sum 1
  std::vector<double> group_shares;  // by group
  std::size_t resource = 0;          // largest share; ties to the first
  std::size_t second = 0;            // largest of the others; itself if it is the only one
  std::size_t group = 0;             // largest group share; ties to the first

  double margin() const { return shares[resource] - (second == resource ? 0.0 : shares[second]); }
};

// Of several layouts.
struct ShareRange {
  double least = 1.0;
  double most = 0.0;  // below `least`: of none

  void add(double share) {
    least = std::min(least, share);
    most = std::max(most, share);
  }
};

// `charges_s` by resource. A sum of zero gives shares of zero.
Attribution attribute(const Resources& resources, std::span<const double> charges_s);

// What gain_10 means: the part of the time that 10 % more of a resource saves where `share` of the
// time is charged to it and nothing else changes: share (1 - 1 / 1.1). First order in the charges:
// work that moves on to another resource is not seen, nor that another strategy may then be best.
double gain_of_ten_percent(double share);

// Two limits at two neighbouring points: shares of the time, `ahead` leads at the first, `behind`
// at the second.
struct Overtaking {
  double ahead_before = 0.0;
  double behind_before = 0.0;
  double ahead_after = 0.0;
  double behind_after = 0.0;
};

// Where between the two (0 at the first, 1 at the second) the one overtakes the other. The ratio of
// the two charges is taken as a power of the quantity that varies, and so as a straight line
// between logarithms: exact where each is work over a rate and the rates are powers of it. Where a
// share is 0 the shares themselves are straight lines.
double crossing(const Overtaking& shares);

// The same where the estimates are off by so much: the first place at which the lead may be gone,
// and the last at which it may still be there. A lead is taken to be uncertain by `doubt` of the
// time: doubt.hpp says why. 0 and 1 where that is the case at the points themselves.
struct CrossingRange {
  double low = 0.0;
  double high = 1.0;
};
CrossingRange crossing_range(const Overtaking& shares, double doubt_before, double doubt_after);

}  // namespace scalesweep::analysis
