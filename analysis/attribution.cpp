#include "analysis/attribution.hpp"

#include <algorithm>
#include <numeric>

#include "analysis/columns.hpp"
#include "core/contracts.hpp"

namespace scalesweep::analysis {

Resources make_resources(const std::vector<std::string>& names) {
  Resources resources;
  resources.names = names;
  const auto add_group = [&](const std::string& group) {
    const auto& known = resources.groups;
    if (std::find(known.begin(), known.end(), group) == known.end()) {
      resources.groups.push_back(group);
    }
  };
  for (const ResourceGroup& group : resource_groups()) {
    for (const std::string& name : names) {
      if (group_of(name) == group.name) {
        add_group(std::string(group.name));
      }
    }
  }
  for (const std::string& name : names) {
    add_group(group_of(name));
    const auto place = std::find(resources.groups.begin(), resources.groups.end(), group_of(name));
    resources.group_of.push_back(static_cast<std::size_t>(place - resources.groups.begin()));
  }
  return resources;
}

Attribution attribute(const Resources& resources, std::span<const double> charges_s) {
  SCALESWEEP_EXPECT(charges_s.size() == resources.names.size() && !charges_s.empty());
  Attribution result;
  const double total_s = std::accumulate(charges_s.begin(), charges_s.end(), 0.0);
  result.group_shares.resize(resources.groups.size());
  for (std::size_t i = 0; i < charges_s.size(); ++i) {
    const double share = total_s > 0.0 ? charges_s[i] / total_s : 0.0;
    result.shares.push_back(share);
    result.group_shares[resources.group_of[i]] += share;
  }
  const auto largest = [](const std::vector<double>& shares) {
    return static_cast<std::size_t>(std::max_element(shares.begin(), shares.end()) -
                                    shares.begin());
  };
  result.resource = largest(result.shares);
  result.group = largest(result.group_shares);
  result.second = result.resource;
  for (std::size_t i = 0; i < result.shares.size(); ++i) {
    const bool better =
        result.second == result.resource || result.shares[i] > result.shares[result.second];
    if (i != result.resource && better) {
      result.second = i;
    }
  }
  return result;
}

double crossing(double ahead_before, double behind_before, double ahead_after,
                double behind_after) {
  const double lead_before = ahead_before - behind_before;
  const double lead_after = behind_after - ahead_after;
  const double sum = lead_before + lead_after;
  return sum > 0.0 ? std::clamp(lead_before / sum, 0.0, 1.0) : 0.5;
}

}  // namespace scalesweep::analysis
