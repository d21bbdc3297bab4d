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

// Until the first rank has said what there is to say, or has been silent for some seconds; not on
// that rank itself.
void let_first_rank_speak();

// What a process exits with that is to end with `code`. A launcher ends the whole job when the
// first of its ranks exits with an error, and srun takes the signal by which it does for the code
// of the job. What all of them found wrong, rank 0 says and exits with. `of_ranks`: of a command
// that all of them take part in, which leave together, the others with 0. Otherwise, and where
// there is no MPI to meet in, the others wait for some seconds before they end with `code`.
int exit_code_of_rank(int code, bool of_ranks);

// Starts MPI if a launcher started this process, calls `body` with the transport, and shuts MPI
// down. Throws Failure(mpi_unavailable).
ExitCode with_transport(const std::function<ExitCode(engine::Transport&)>& body);

// "Open MPI 4.1.4", or "none".
std::string mpi_description();

}  // namespace scalesweep::cli
