// How this process was started, and the transport that goes with it. Which of launch_mpi.cpp and
// launch_local.cpp is linked is decided in CMake.
#pragma once

#include <functional>
#include <string>

#include "core/failure.hpp"
#include "engine/worker/transport.hpp"

namespace scalesweep::cli {

// From the environment that mpirun and srun set, without starting MPI. Started plainly: rank 0.
bool was_launched();
int launched_rank();

// A launcher ends the whole job when the first of its ranks exits with an error. What all of them
// found wrong, rank 0 says: the others wait here, until they are ended or for some seconds, so that
// it has said it. Returns at once on rank 0.
void let_first_rank_speak();

// Starts MPI if a launcher started this process, calls `body` with the transport, and shuts MPI
// down. Throws Failure(mpi_unavailable).
ExitCode with_transport(const std::function<ExitCode(engine::Transport&)>& body);

// "Open MPI 4.1.4", or "none".
std::string mpi_description();

}  // namespace scalesweep::cli
