// How this process was started, and the transport that goes with it. Which of launch_mpi.cpp and
// launch_local.cpp is linked is decided in CMake.
#pragma once

#include <functional>
#include <string>

#include "core/failure.hpp"
#include "engine/transport.hpp"

namespace scalesweep::cli {

// From the environment that mpirun and srun set, without starting MPI. Started plainly: rank 0.
bool was_launched();
int launched_rank();

// Starts MPI if a launcher started this process, calls `body` with the transport, and shuts MPI
// down. Throws Failure(mpi_unavailable).
ExitCode with_transport(const std::function<ExitCode(engine::Transport&)>& body);

// "Open MPI 4.1.4", or "none".
std::string mpi_description();

}  // namespace scalesweep::cli
