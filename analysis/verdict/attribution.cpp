#include "analysis/verdict/attribution.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/file/columns.hpp"
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

double gain_of_ten_percent(double share) {
  return share * (1.0 - 1.0 / 1.1);
}

double crossing(const Overtaking& shares) {
  double lead_before = shares.ahead_before - shares.behind_before;
  double lead_after = shares.behind_after - shares.ahead_after;
  const bool all_positive = shares.ahead_before > 0.0 && shares.behind_before > 0.0 &&
                            shares.ahead_after > 0.0 && shares.behind_after > 0.0;
  if (all_positive) {
    lead_before = std::log(shares.ahead_before / shares.behind_before);
    lead_after = std::log(shares.behind_after / shares.ahead_after);
  }
  const double sum = lead_before + lead_after;
  return sum > 0.0 ? std::clamp(lead_before / sum, 0.0, 1.0) : 0.5;
}

CrossingRange crossing_range(const Overtaking& shares, double doubt_before, double doubt_after) {
  const auto between = [](double before, double after, double place) {
    return before > 0.0 && after > 0.0 ? before * std::pow(after / before, place)
                                       : before + place * (after - before);
  };
  // How far the lead is above `sign` times the doubt: it falls from one side of 0 to the other.
  const auto excess = [&](double place, double sign) {
    const double lead = between(shares.ahead_before, shares.ahead_after, place) -
                        between(shares.behind_before, shares.behind_after, place);
    return lead - sign * (doubt_before + place * (doubt_after - doubt_before));
  };
  const auto place_of = [&](double sign) {
    if (excess(0.0, sign) <= 0.0) {
      return 0.0;
    }
    if (excess(1.0, sign) >= 0.0) {
      return 1.0;
    }
    double low = 0.0;
    double high = 1.0;
    constexpr int halvings = 50;
    for (int i = 0; i < halvings; ++i) {
      const double middle = 0.5 * (low + high);
      (excess(middle, sign) > 0.0 ? low : high) = middle;
    }
    return 0.5 * (low + high);
  };
  return {place_of(1.0), place_of(-1.0)};
}

}  // namespace scalesweep::analysis
