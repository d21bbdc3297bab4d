// How ranks talk: small messages between the master (rank 0) and the others, no collectives.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace scalesweep::engine {

struct Message {
  int rank = 0;  // the peer: sender when received
  std::vector<std::byte> bytes;
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Does not wait for the receiver.
  virtual void send(int to, std::vector<std::byte> bytes) = 0;
  // The next message, waiting up to `timeout_seconds` (0: only looks).
  virtual std::optional<Message> receive(double timeout_seconds) = 0;
  // SIGTERM, SIGINT or SIGUSR1 arrived at this process.
  virtual bool stop_requested() const = 0;
};

// One rank, no messages.
std::unique_ptr<Transport> make_local_transport();

}  // namespace scalesweep::engine
