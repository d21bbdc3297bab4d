// Which layouts a framework can run, by the table `runs` of its entry in the catalog and by the
// rules that its program states.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deploy/rules/rule.hpp"
#include "parallel/strategy.hpp"
#include "workload/stacks/runs.hpp"

namespace scalesweep::workload {
struct Framework;
}

namespace scalesweep::deploy {

// What a framework lacks or refuses, and the layouts that need it.
struct Refusal {
  std::string layouts;  // a condition of [[filter]] on fields of the strategy alone
  std::string lack;     // a phrase: "tensor parallelism", "ZeRO stage 3"
  std::string source;   // of a rule of its program; "" of what it has no option for
  // A condition of [[filter]] on axes, beside it: which of several subjects are meant; "": all.
  std::string among = "";
};

// All of a framework; none where nobody says what it runs (no table `runs`).
std::vector<Refusal> refusals(const workload::Framework& framework);

// Those of the rules of its program, of the version that its name says, else the newest that was
// read; none where it is nothing that can be launched.
std::vector<Refusal> rule_refusals(std::string_view framework, const Subject& subject);
std::vector<Refusal> rule_refusals(std::span<const Rule> rules, std::string_view version,
                                   const Subject& subject);

// Whether the layout is among those of the refusal.
bool refuses(const Refusal& refusal, const parallel::Strategy& strategy);

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
