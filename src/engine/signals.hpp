// SIGTERM, SIGINT and SIGUSR1 as a request to stop, not as an end.
#pragma once

#include <csignal>

namespace scalesweep::engine {

// While one lives, the handlers only set a flag; a second SIGINT ends the process as usual. At most
// one at a time (SCALESWEEP_EXPECT), because signals belong to the process.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  bool requested() const;

 private:
  static constexpr int count = 3;
  struct sigaction previous_[count];
};

}  // namespace scalesweep::engine
