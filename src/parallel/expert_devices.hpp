// Which devices hold the experts of a layer, and copies of some: ranks among those that have its
// attention, or devices of their own beside them.
#pragma once

#include <cstdint>
#include <string>

namespace scalesweep::parallel {

struct Strategy;

// The rule that a strategy breaks with its expert_devices and the sizes beside them, as a user
// reads it; empty: none. Replicas of attention that share one set of them are of one stage, as
// those of MegaScale-Infer (arXiv:2504.02263) and Step-3 (arXiv:2507.19427) are. `experts`: of a
// layer, 0 of models without.
std::string broken_expert_devices_rule(const Strategy& strategy, std::int64_t experts);

// The same of these and their copies, on the ranks of expert_parallel or on expert_devices; uneven:
// some may hold one more than others.
std::string broken_expert_rule(const Strategy& strategy, std::int64_t experts, bool uneven);

}  // namespace scalesweep::parallel
