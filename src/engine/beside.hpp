// A long call in a thread of its own, while this thread keeps something else going.
#pragma once

#include <functional>

namespace scalesweep::engine {

// Returns when `work` is done; `meanwhile` is called every few tens of ms until then. What `work`
// throws is thrown here; if `meanwhile` throws, that is, after `work` has ended.
void beside(const std::function<void()>& work, const std::function<void()>& meanwhile);

}  // namespace scalesweep::engine
