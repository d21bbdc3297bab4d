// A long call in a thread of its own, while this thread keeps something else going.
#pragma once

#include <chrono>
#include <functional>

namespace scalesweep::engine {

// Returns when `work` is done; `meanwhile` is called again and again until then, after each
// `interval`. What `work` throws is thrown here; if `meanwhile` throws, that is, after `work` has
// ended.
void beside(const std::function<void()>& work, const std::function<void()>& meanwhile,
            std::chrono::milliseconds interval = std::chrono::milliseconds(20));

}  // namespace scalesweep::engine
