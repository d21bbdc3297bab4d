#include "engine/beside.hpp"

#include <future>

namespace scalesweep::engine {

void beside(const std::function<void()>& work, const std::function<void()>& meanwhile,
            std::chrono::milliseconds interval) {
  // The destructor of a future from std::async waits for its thread.
  std::future<void> done = std::async(std::launch::async, work);
  while (done.wait_for(interval) != std::future_status::ready) {
    meanwhile();
  }
  done.get();
}

}  // namespace scalesweep::engine
