// Signals as a request to stop, not as an end.
#pragma once

#include <array>
#include <csignal>

namespace scalesweep::engine {

// SIGUSR2 beside SIGUSR1: where an OpenCL driver brings LLVM into mpirun, that keeps SIGUSR1 to
// itself, and mpirun hands on the other one. SIGXCPU is a limit on CPU time that is near.
constexpr std::array<int, 6> stop_signals = {SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGHUP, SIGXCPU};

// While one lives, the handlers only set a flag; a second SIGINT ends the process as usual. A
// SIGHUP that is ignored (nohup) stays so. At most one at a time (SCALESWEEP_EXPECT), because
// signals belong to the process.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  bool requested() const;

 private:
  std::array<struct sigaction, stop_signals.size()> previous_;
};

// From now on a reader of standard output or standard error that ends (SIGPIPE) does not end this
// process: what is written there then is lost, and the stream says so.
void outlive_readers();

}  // namespace scalesweep::engine
