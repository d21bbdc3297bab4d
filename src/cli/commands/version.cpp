#include <fmt/core.h>

#include "cli/launch/launch.hpp"
#include "cli/options/command.hpp"
#include "core/version.hpp"

namespace scalesweep::cli {

std::string version_text(bool verbose) {
  const BuildInfo& build = build_info();
  std::string text = fmt::format("scalesweep {}\n", build.version);
  if (verbose) {
    text += fmt::format("revision   {}\n", build.git_revision);
    text += fmt::format("compiler   {}, {}\n", build.compiler, build.build_type);
    text += fmt::format("MPI        {}\n", mpi_description());
    text += fmt::format("estimator  {}\n", build.estimator_hash);
  }
  return text;
}

}  // namespace scalesweep::cli
