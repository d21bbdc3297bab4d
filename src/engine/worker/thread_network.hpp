// Ranks as threads of one process: how the master talks to its own worker, and how tests run many
// ranks, with delays and deaths as they like.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/worker/transport.hpp"

namespace scalesweep::engine {

// Decided by numbers alone, so that a failing test fails again.
struct NetworkFaults {
  std::uint64_t seed = 0;
  double longest_delay_seconds = 0.0;  // each message takes up to this; pairs keep their order
  std::map<int, int> dies_after_sending =
      {};  // rank -> messages; then nothing reaches or leaves it
};

class ThreadNetwork {
 public:
  explicit ThreadNetwork(int ranks, NetworkFaults faults = {});

  // Used by one thread; the network must outlive it. For a rank that died, receive() throws
  // ConnectionLost and send() does nothing.
  std::unique_ptr<Transport> endpoint(int rank);
  // As if a signal had arrived at that rank.
  void request_stop(int rank);
  void kill(int rank);

 private:
  class Endpoint;
  using Clock = std::chrono::steady_clock;

  struct Letter {
    Clock::time_point due;
    Message message;
  };
  struct Box {
    std::map<int, std::deque<Letter>> by_sender;
    int sent = 0;
    bool dead = false;
    std::atomic<bool> stop = false;
  };

  void send(int from, int to, std::vector<std::byte> bytes);
  std::optional<Message> receive(int rank, double timeout_seconds);
  std::chrono::duration<double> delay(int from, int to, int number) const;

  NetworkFaults faults_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<std::unique_ptr<Box>> boxes_;
};

}  // namespace scalesweep::engine
