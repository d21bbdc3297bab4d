#include "engine/signals.hpp"

#include <gtest/gtest.h>

#include "engine/worker/transport.hpp"

namespace scalesweep::engine {
namespace {

TEST(StopSignals, NotesEachOfThem) {
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) {
    const StopSignals signals;
    EXPECT_FALSE(signals.requested()) << "a new one starts afresh";

    std::raise(signal);

    EXPECT_TRUE(signals.requested());
  }
}

TEST(StopSignals, GivesTheOldHandlerBack) {
  static volatile std::sig_atomic_t seen = 0;
  std::signal(SIGUSR1, [](int) { seen = 1; });
  { const StopSignals signals; }

  std::raise(SIGUSR1);

  EXPECT_EQ(seen, 1);
  std::signal(SIGUSR1, SIG_DFL);
}

TEST(StopSignalsDeathTest, EndsAtTheSecondInterrupt) {
  EXPECT_EXIT(
      {
        const StopSignals signals;
        std::raise(SIGINT);
        std::raise(SIGINT);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

TEST(LocalTransport, IsRankZeroOfOneAndHearsSignals) {
  const std::unique_ptr<Transport> transport = make_local_transport();

  EXPECT_EQ(transport->rank(), 0);
  EXPECT_EQ(transport->size(), 1);
  EXPECT_FALSE(transport->receive(0.0));
  EXPECT_FALSE(transport->stop_requested());
  std::raise(SIGTERM);
  EXPECT_TRUE(transport->stop_requested());
}

}  // namespace
}  // namespace scalesweep::engine
