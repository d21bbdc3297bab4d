// A whole run in this process, on several threads: what mpirun is to a cluster, for one machine and
// a study of seconds.
#pragma once

#include <functional>

#include "engine/evaluator.hpp"
#include "engine/run_options.hpp"

namespace scalesweep::engine {

// As run_study with one rank for each of `threads`, at least 1; the same file comes out. Each rank
// makes its own evaluator, in its thread. SIGINT, SIGTERM and their like stop it early
// (ExitCode::resumable). Throws what rank 0 throws.
RunReport run_on_threads(int threads, const store::StudyDescription& study,
                         const std::function<Evaluator()>& make_evaluator,
                         const RunOptions& options);

}  // namespace scalesweep::engine
