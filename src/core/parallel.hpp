// The same work on many things by several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace scalesweep {

// How many threads are meant: 0 is one for every core.
inline std::size_t thread_count(std::size_t wanted) {
  return wanted > 0 ? wanted : std::max(1U, std::thread::hardware_concurrency());
}

// Calls body(state, item) for every item 0 ... count - 1, items in order, by one thread for each of
// `states`, which none of the others touches. What depends on who did what must not matter to the
// caller. If calls throw, the rest is left and the exception of the smallest such item is thrown.
template <typename State, typename Body>
void for_each_parallel(std::vector<State>& states, std::size_t count, Body body) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr error;
  std::size_t error_item = std::numeric_limits<std::size_t>::max();
  const auto work = [&](State& state) {
    for (std::size_t item = next++; item < count; item = next++) {
      try {
        body(state, item);
      } catch (...) {
        next = count;
        const std::lock_guard lock(mutex);
        if (item < error_item) {
          error_item = item;
          error = std::current_exception();
        }
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t s = 1; s < states.size() && s < count; ++s) {
      others.emplace_back([&work, &state = states[s]] { work(state); });
    }
    if (!states.empty()) {
      work(states.front());
    }
  }
  if (error) {
    std::rethrow_exception(error);
  }
}

}  // namespace scalesweep
