// What requests pay for what they find of their prompts in the memory of the host or in storage,
// and how much they find there.
//
// The link to the host carries both; storage is read at a bandwidth of its own at the same time. A
// device loads what it keeps of keys and values itself, and all that it loads goes to its memory.
// What is written to the tiers takes the other direction of the links and no time.
#pragma once

#include <vector>

#include "estimator/inference/job.hpp"
#include "estimator/inference/passes/iteration.hpp"

namespace scalesweep::estimator {

// `pass` with the loads of so many requests of `prompt` tokens. Layer by layer, of L layers alike:
// the first load hides behind nothing, each other behind the layer before it, so that a pass of c
// and loads of l take max(c + l / L, l + c / L) together. Before their prompts are begun: bytes
// alone. The same pass where nothing is loaded.
IterationCost with_loads(const Replica& replica, double prompt, double requests,
                         IterationCost pass);

// Where requests load before they are begun, the time of one, with all stages at once; else
// nothing.
Charges load_ahead(const Replica& replica, double prompt);

PrefixUse prefix_use(const Replica& replica, double prompt);

// The same job with the shares that its tiers find by its curve: device memory holds what was used
// last, the host what falls out of it, storage what falls out of that (Mattson et al., "Evaluation
// techniques for storage hierarchies", IBM Systems Journal 9, 1970). Requests go to the replica
// that has their beginning, so that the tiers of all replicas are one.
ServingJob with_prefix_hits(ServingJob job, const parallel::Strategy& strategy);

// The turns of sessions as requests.
std::vector<RequestClass> requests_of(const SessionLaw& sessions);

// Requests of others that come while a session thinks, of a service of so many a second. In a
// closed loop a session is not met by its own (Reiser and Lavenberg, "Mean-value analysis of closed
// multichain queuing networks", JACM 27, 1980).
double requests_meanwhile(const ServingJob& job, double request_rate);

// Whether what is found follows from sizes of caches and sessions.
bool finds_sessions(const ServingJob& job);
// The same job with the shares that its tiers find then.
ServingJob with_session_hits(ServingJob job, const parallel::Strategy& strategy,
                             double request_rate);

}  // namespace scalesweep::estimator
