// How ranks talk: small messages between the master (rank 0) and the others, no collectives.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "core/failure.hpp"

namespace scalesweep::engine {

struct Message {
  int rank = 0;  // the peer: sender when received
  std::vector<std::byte> bytes;
};

// The other ranks can no longer be reached: their launcher or the master is gone. Whoever gets it
// drops what is unfinished and ends; what was written stays.
class ConnectionLost : public Failure {
 public:
  explicit ConnectionLost(const std::string& message) : Failure(ExitCode::resumable, message) {}
};

// Between two ranks messages keep their order; between different pairs they may overtake.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Ranks on this machine, this one among them: they share its processors.
  virtual int ranks_here() const = 0;
  // Does not wait for the receiver.
  virtual void send(int to, std::vector<std::byte> bytes) = 0;
  // The next message, waiting up to `timeout_seconds` (0: only looks). Throws ConnectionLost.
  virtual std::optional<Message> receive(double timeout_seconds) = 0;
  // One of stop_signals (signals.hpp) arrived at this process.
  virtual bool stop_requested() const = 0;
};

// One rank, no messages. Handles stop_signals while it lives.
std::unique_ptr<Transport> make_local_transport();

}  // namespace scalesweep::engine
