// What somebody asks for of a service: of one that is known to serve less nobody needs to know how
// much less. A whole estimate looks for the most requests that a service answers, among many of its
// states; few of them often tell that it is not enough.
#pragma once

#include <optional>

#include "estimator/inference/bounds/least_energy.hpp"
#include "estimator/inference/estimate.hpp"
#include "estimator/inference/service/service.hpp"
#include "estimator/inference/service/steady_state.hpp"
#include "parallel/strategy.hpp"
#include "technology/device.hpp"

namespace scalesweep::estimator {

// Of any service.
LeastEnergy least_idle_energy(const technology::System& system, double devices);
// Of a service that has as many sequences as `state`, or fewer. `prompts_too`: its own devices
// process them.
LeastEnergy least_energy(const Service& service, const SteadyState& state, bool prompts_too);

// What is asked for of one service, which outlives it, as the rate is.
class AskedService {
 public:
  // `prompts_too`: as of least_energy().
  AskedService(const Service& service, Loop loop, const AskedRate& asked, bool prompts_too)
      : service_(&service), loop_(loop), asked_(&asked), prompts_too_(prompts_too) {}

  // Whether it is known to serve less with as many sequences as the state has, or fewer, and at the
  // same clock or a slower one.
  bool is_less(const SteadyState& state);
  // Requests a second, from the first state on that is asked about.
  double rate(const SteadyState& state);

 private:
  const Service* service_;
  Loop loop_;
  const AskedRate* asked_;
  bool prompts_too_;
  std::optional<double> rate_;
  std::optional<double> few_rate_;
};

// Whether no more than that arrives.
bool arrives_less(const ServingJob& job, double asked);

// Of a service some of whose replicas process prompts, however many: true only where its estimate
// has a rate below what is asked, or misses its limits. Nothing is known in a closed loop, and
// where L2 holds weights from pass to pass.
bool split_serves_less(const Demand& demand, const parallel::Strategy& strategy,
                       const AskedRate& asked);

// A service that answers so many requests a second, with so many tokens each: rate, throughput and
// energy of its second. All else is left open.
ServingEstimate serving_at_most(double request_rate, double output_tokens,
                                const LeastEnergy& energy);

}  // namespace scalesweep::estimator
