// How much of the prompts of sessions caches find.
//
// A cache has what was used last. When the next turn of a session comes, all that other requests
// have left since its last answer is in front of what it said: as many as come in the time that it
// thinks, their rate times that time (Little's law), and each session among them once. So what is
// found follows from the sessions that are open and think, not from all. Of many sessions distances
// vary with the time to think alone (Che, Tung and Wang, "Hierarchical web caching systems", IEEE
// JSAC 20, 2002); one turn after the other in a trace, tests/unit/space/session_hits_test.cpp.
#pragma once

#include <vector>

#include "estimator/reuse/prefix_tiers.hpp"
#include "estimator/reuse/session_law.hpp"

namespace scalesweep::estimator {

// Turns of about the same prompts.
struct TurnGroup {
  double share = 0.0;    // of all requests
  double prompt = 0.0;   // tokens, a mean
  double follows = 0.0;  // share of them that another turn follows
};
// At most eight, of which the first has the first turn alone; with the mean prompt of all turns.
std::vector<TurnGroup> turn_groups(const SessionLaw& sessions);

// `meanwhile`: requests of others that come while a session thinks, a mean.
HitCurve session_hits(const SessionLaw& sessions, double meanwhile);

}  // namespace scalesweep::estimator
