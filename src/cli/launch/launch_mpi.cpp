// Built with MPI: it is started only where a launcher started this process, so that a plain run
// needs no MPI that works.
#include "cli/launch/launch.hpp"
#include "engine_mpi/mpi_transport.hpp"

namespace scalesweep::cli {

ExitCode with_transport(const std::function<ExitCode(engine::Transport&)>& body) {
  return was_launched() ? engine_mpi::with_mpi(body) : body(*engine::make_local_transport());
}

std::string mpi_description() {
  return engine_mpi::mpi_library_version();
}

}  // namespace scalesweep::cli
