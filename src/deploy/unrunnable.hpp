// Which layouts a framework can run, by the table `runs` of its entry in the catalog.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parallel/strategy.hpp"
#include "workload/stacks/runs.hpp"

namespace scalesweep::workload {
struct Framework;
}

namespace scalesweep::deploy {

// What a framework lacks, and the layouts that need it.
struct Refusal {
  std::string layouts;  // a condition of [[filter]] on fields of the strategy alone
  std::string lack;     // a phrase: "tensor parallelism", "ZeRO stage 3"
};

// All of a framework; none where nobody says what it runs (no table `runs`).
std::vector<Refusal> refusals(const workload::Framework& framework);

// What the framework lacks for this layout, a phrase each ("tensor parallelism", "ZeRO stage 3").
// Empty where it runs it, or where nobody says what it runs (no table `runs`).
std::vector<std::string> unrunnable(const workload::Framework& framework,
                                    const parallel::Strategy& strategy);

// The same of linear layers in this format; "" where it multiplies it.
std::string unrunnable_format(const workload::Framework& framework, std::string_view precision);

// Whether it lacks nothing of either.
bool runs(const workload::Framework& framework, const parallel::Strategy& strategy,
          std::string_view precision);

}  // namespace scalesweep::deploy
