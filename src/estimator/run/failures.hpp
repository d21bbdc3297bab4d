// How often the parts of a job fail.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/enum_names.hpp"
#include "estimator/parts/indexed.hpp"
#include "technology/device.hpp"
#include "technology/reliability.hpp"

namespace scalesweep::estimator {

enum class FailureCause : std::uint8_t {
  die,
  memory,
  node,
  link,
  network_switch,
  software,
  corruption,
};
inline constexpr auto failure_cause_names = enum_names<FailureCause>(
    "dies", "memory stacks", "nodes", "links", "switches", "software", "silent corruption");
inline constexpr std::size_t failure_cause_count = failure_cause_names.size();

// Per second, each of which stops the job.
struct FailureRates : Indexed<FailureRates, FailureCause, double, failure_cause_count> {
  double hardware() const { return sum() - (*this)[FailureCause::software]; }
};

// Of so many devices of a system. Dies count by their area over that of the entry where both are
// known, whoever made them and on whatever node; switches by those of all levels of the network.
FailureRates failure_rates(const technology::Reliability& reliability, double factor,
                           const technology::System& system, double devices);

}  // namespace scalesweep::estimator
