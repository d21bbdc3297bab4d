#include "engine/signals.hpp"

#include "core/contracts.hpp"

namespace scalesweep::engine {
namespace {

// A handler gets no argument of ours: these two are the only state outside of objects.
volatile std::sig_atomic_t stop_flag = 0;
volatile std::sig_atomic_t installed = 0;

extern "C" void note_stop(int signal) {
  if (signal == SIGINT && stop_flag != 0) {
    // Whoever presses Ctrl-C twice does not want to wait.
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);
  }
  stop_flag = 1;
}

}  // namespace

StopSignals::StopSignals() {
  SCALESWEEP_EXPECT(installed == 0);
  installed = 1;
  stop_flag = 0;
  struct sigaction action = {};
  action.sa_handler = note_stop;
  action.sa_flags = SA_RESTART;  // a write that is under way goes on
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < stop_signals.size(); ++i) {
    sigaction(stop_signals[i], nullptr, &previous_[i]);
    const bool of_nohup = stop_signals[i] == SIGHUP && previous_[i].sa_handler == SIG_IGN;
    if (!of_nohup) {
      sigaction(stop_signals[i], &action, nullptr);
    }
  }
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < stop_signals.size(); ++i) {
    sigaction(stop_signals[i], &previous_[i], nullptr);
  }
  installed = 0;
}

bool StopSignals::requested() const {
  return stop_flag != 0;
}

void outlive_readers() {
  std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace scalesweep::engine
