// The same work on many things by several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
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

// Items that several threads make and one uses in order: see for_each_in_order.
template <typename Made>
class OrderedItems {
 public:
  // At most `ahead` items, at least 1, are made and not yet used.
  OrderedItems(std::size_t count, std::size_t ahead) : count_(count), ahead_(ahead) {}

  // The next item to be made, once there is room for it; nothing when none is left.
  std::optional<std::size_t> claim() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return next_ >= count_ || next_ < used_ + ahead_; });
    return next_ < count_ ? std::optional(next_++) : std::nullopt;
  }

  void put(std::size_t item, std::optional<Made> made, std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    made_.emplace(item, Slot{std::move(made), std::move(error)});
    changed_.notify_all();
  }

  // What the item whose turn it is was made to; nothing if that takes longer than making another
  // one, which `claimed` then is. Throws what making the item threw.
  std::optional<Made> take(std::optional<std::size_t>& claimed) {
    std::unique_lock lock(mutex_);
    claimed.reset();
    if (made_.count(used_) == 0 && next_ < std::min(count_, used_ + ahead_)) {
      claimed = next_++;
      return std::nullopt;
    }
    changed_.wait(lock, [this] { return made_.count(used_) > 0; });
    Slot slot = std::move(made_.at(used_));
    made_.erase(used_++);
    changed_.notify_all();
    if (slot.error) {
      std::rethrow_exception(slot.error);
    }
    return std::move(slot.made);
  }

  // Nothing more is made.
  void stop() {
    const std::lock_guard lock(mutex_);
    next_ = count_;
    changed_.notify_all();
  }

 private:
  struct Slot {
    std::optional<Made> made;
    std::exception_ptr error;
  };
  std::size_t count_;
  std::size_t ahead_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_ = 0;  // to be made
  std::size_t used_ = 0;
  std::map<std::size_t, Slot> made_;  // and not yet used: a few
};

// Calls make(item) for every item 0 ... count - 1 by `threads` threads, the caller's among them,
// and use(made) with what each gave, by the caller's thread alone and in the order of the items: as
// in a loop, whatever the number of threads. Some items for each thread are made before they are
// used, no more: that is what it takes of memory. What make or use throws ends it, when its turn
// comes.
template <typename Make, typename Use>
void for_each_in_order(std::size_t threads, std::size_t count, Make make, Use use) {
  constexpr std::size_t ahead_of_each = 3;
  using Made = decltype(make(std::size_t{0}));
  OrderedItems<Made> items(count, threads > 1 ? ahead_of_each * threads : 1);
  const auto make_one = [&](std::size_t item) {
    try {
      items.put(item, make(item), nullptr);
    } catch (...) {
      items.put(item, std::nullopt, std::current_exception());
    }
  };
  std::vector<std::jthread> others;
  struct StopAtEnd {
    OrderedItems<Made>& items;
    ~StopAtEnd() { items.stop(); }
  };
  const StopAtEnd before_waiting_for_others{items};
  for (std::size_t t = 1; t < threads && t < count; ++t) {
    others.emplace_back([&] {
      while (const std::optional<std::size_t> item = items.claim()) {
        make_one(*item);
      }
    });
  }
  for (std::size_t used = 0; used < count;) {
    std::optional<std::size_t> claimed;
    if (std::optional<Made> made = items.take(claimed)) {
      use(*made);
      ++used;
    } else {
      make_one(*claimed);
    }
  }
}

}  // namespace scalesweep
