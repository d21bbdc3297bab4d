// Built with MPI: it is started only where a launcher started this process, so that a plain run
// needs no MPI that works.
#include "cli/launch/launch.hpp"
#include "engine_mpi/mpi_transport.hpp"

namespace scalesweep::cli {

ExitCode with_transport(const std::function<ExitCode(engine::Transport&)>& body) {
  return was_launched() ? engine_mpi::with_mpi(body) : body(*engine::make_local_transport());
}

int exit_code_of_rank(int code, bool of_ranks) {
  if (code == 0 || !was_launched()) {
    return code;
  }
  int own = code;
  try {
    own =
        of_ranks ? static_cast<int>(engine_mpi::leave_together(static_cast<ExitCode>(code))) : code;
  } catch (const Failure&) {
    // Each for itself.
  }
  if (own != 0) {
    let_first_rank_speak();
  }
  return own;
}

std::string mpi_description() {
  return engine_mpi::mpi_library_version();
}

}  // namespace scalesweep::cli
