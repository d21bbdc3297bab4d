// Evaluates every id of a study on all ranks and leaves one finished file.
//
// The master leases contiguous id ranges; a lease becomes one durable segment; the values do not
// depend on how many ranks there are or who computed what. Ranks never wait in a collective.
#pragma once

#include "engine/evaluator.hpp"
#include "engine/run_options.hpp"
#include "engine/worker/transport.hpp"

namespace scalesweep::engine {

// Called on every rank with the same study. The report is complete on rank 0 only; `exit` is the
// same on all. Throws RunFailure on rank 0: the output cannot be used (cannot_create), a rank could
// not write (io), an evaluator threw (internal). Throws ConnectionLost on any rank.
RunReport run_study(Transport& transport, const store::StudyDescription& study,
                    Evaluator& evaluator, const RunOptions& options);

}  // namespace scalesweep::engine
