// Built without MPI: one process.
#include "cli/launch/launch.hpp"

namespace scalesweep::cli {

ExitCode with_transport(const std::function<ExitCode(engine::Transport&)>& body) {
  if (was_launched()) {
    throw Failure(ExitCode::mpi_unavailable,
                  "started by mpirun or srun, but this build has no MPI; configure it with "
                  "-DSCALESWEEP_WITH_MPI=ON, or start it plainly");
  }
  return body(*engine::make_local_transport());
}

int exit_code_of_rank(int code, bool) {
  if (code != 0) {
    let_first_rank_speak();
  }
  return code;
}

std::string mpi_description() {
  return "none";
}

}  // namespace scalesweep::cli
