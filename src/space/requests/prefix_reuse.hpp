// How much of the prompts of a trace a cache of a given size finds, where what was used longest ago
// makes room.
//
// One pass gives all sizes (Mattson et al., "Evaluation techniques for storage hierarchies", IBM
// Systems Journal 9, 1970): a token that comes back is found by every cache that has room for the
// distinct tokens used since, and those are counted by a tree over the requests (Bennett and
// Kruskal, "LRU stack processing", IBM J. Res. Dev. 19, 1975). Tokens are single here, engines keep
// pages of some; of one request the end makes room before the beginning, as engines do it, since
// nothing is found behind a gap.
#pragma once

#include <cstddef>
#include <vector>

#include "space/read/spec_types.hpp"

namespace scalesweep::space {

// A part of a prompt that other requests have at the same place: a system prompt, then what its
// conversation has said so far.
struct SharedPart {
  std::size_t id = 0;     // the same of requests that share it
  double end_tokens = 0;  // of the prompt up to the end of the part
};

// Its tokens, prompt and output, stay as it leaves them. Those behind its last part go on with that
// part, so that the next turn of a conversation finds them.
struct SharingRequest {
  double prompt = 0.0;
  double output = 0.0;
  std::vector<SharedPart> parts;  // each begins where the one before ends
};

// Rising; linear between its points, which lie at most a 48th of the largest share off the exact
// curve. Empty where nothing is found.
std::vector<ReusePoint> reuse_curve(const std::vector<SharingRequest>& requests);

}  // namespace scalesweep::space
