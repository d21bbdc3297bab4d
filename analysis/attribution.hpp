// Which resource a step time is due to. A charge divided by the step time is the elasticity of the
// step time to that resource, so the resource with the largest share is the one whose improvement
// helps most.
#pragma once

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

// `charges_s` by resource. A sum of zero gives shares of zero.
Attribution attribute(const Resources& resources, std::span<const double> charges_s);

// Where between two neighbours (0 at the first, 1 at the second) one share overtakes another, both
// taken as straight lines. The first is ahead or level before, the second after.
double crossing(double ahead_before, double behind_before, double ahead_after, double behind_after);

}  // namespace scalesweep::analysis
