#include <chrono>
#include <thread>

#include "core/contracts.hpp"
#include "engine/signals.hpp"
#include "engine/worker/transport.hpp"

namespace scalesweep::engine {
namespace {

class LocalTransport : public Transport {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  int ranks_here() const override { return 1; }
  void send([[maybe_unused]] int to, std::vector<std::byte>) override {
    SCALESWEEP_EXPECT(to == 0 && !"there is nobody to send to");
  }
  std::optional<Message> receive(double timeout_seconds) override {
    std::this_thread::sleep_for(std::chrono::duration<double>(timeout_seconds));
    return std::nullopt;
  }
  bool stop_requested() const override { return signals_.requested(); }

 private:
  StopSignals signals_;
};

}  // namespace

std::unique_ptr<Transport> make_local_transport() {
  return std::make_unique<LocalTransport>();
}

}  // namespace scalesweep::engine
