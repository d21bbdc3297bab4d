// Failures of the environment (disk, MPI, HDF5) and of what the user asked for, as one exception
// that carries the process exit code. Mistakes inside a spec are Diagnostics instead, and an
// infeasible point is a value.
#pragma once

#include <stdexcept>
#include <string>

namespace scalesweep {

// After sysexits.h; resumable (EX_TEMPFAIL) is a run that stopped early and can go on.
enum class ExitCode : int {
  ok = 0,
  usage = 64,
  bad_input = 65,
  no_input = 66,
  mpi_unavailable = 69,
  report_unavailable = 69,  // EX_UNAVAILABLE too: built without it
  internal = 70,
  cannot_create = 73,
  io = 74,
  resumable = 75,
};

class Failure : public std::runtime_error {
 public:
  Failure(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// What the user asked for cannot be.
[[noreturn]] inline void refuse(const std::string& why) {
  throw Failure(ExitCode::bad_input, why);
}

}  // namespace scalesweep
