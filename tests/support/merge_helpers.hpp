// Other ranks of a merge as threads of this process, which may be slow, silent or elsewhere.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "store/share/merge_ranks.hpp"
#include "store/share/merge_thread.hpp"

namespace scalesweep::test {

struct HelperFaults {
  std::map<int, int> silent_after = {};  // rank -> replies; then it neither hears nor answers
  std::map<int, std::filesystem::path> elsewhere = {};  // rank -> the output that it sees
  double delay_seconds = 0.0;                           // of every reply
};

class HelperThreads : public store::MergeRanks {
 public:
  HelperThreads(int others, const store::StudyDescription& study,
                const store::MergeHelperOptions& options, HelperFaults faults = {})
      : faults_(std::move(faults)), said_(static_cast<std::size_t>(others) + 1) {
    for (int rank = 1; rank <= others; ++rank) {
      store::MergeHelperOptions own = options;
      own.threads = 1;
      if (const auto found = faults_.elsewhere.find(rank); found != faults_.elsewhere.end()) {
        own.output = found->second;
      }
      threads_.push_back(std::make_unique<store::MergeThread>(study, own));
    }
  }

  int others() const override { return static_cast<int>(threads_.size()); }
  void send(int rank, const store::MergeOrder& order) override {
    if (!is_silent(rank)) {
      thread(rank).order(store::decode_merge_order(store::encode(order)));
    }
  }
  std::optional<std::pair<int, store::MergeReply>> receive(double timeout_seconds) override {
    const auto end = Clock::now() + std::chrono::duration<double>(timeout_seconds);
    while (true) {
      collect();
      if (!letters_.empty() && letters_.front().due <= Clock::now()) {
        auto reply = std::move(letters_.front().reply);
        letters_.pop_front();
        return reply;
      }
      if (Clock::now() >= end) {
        return std::nullopt;
      }
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Letter {
    Clock::time_point due;
    std::pair<int, store::MergeReply> reply;
  };

  store::MergeThread& thread(int rank) { return *threads_[static_cast<std::size_t>(rank) - 1]; }
  bool is_silent(int rank) const {
    const auto found = faults_.silent_after.find(rank);
    return found != faults_.silent_after.end() &&
           said_[static_cast<std::size_t>(rank)] >= found->second;
  }
  void collect() {
    const auto delay = std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(faults_.delay_seconds));
    for (int rank = 1; rank <= others(); ++rank) {
      for (const store::MergeReply& reply : thread(rank).replies()) {
        if (!is_silent(rank)) {
          ++said_[static_cast<std::size_t>(rank)];
          letters_.push_back(
              {Clock::now() + delay, {rank, store::decode_merge_reply(store::encode(reply))}});
        }
      }
    }
  }

  HelperFaults faults_;
  std::vector<int> said_;
  std::deque<Letter> letters_;
  std::vector<std::unique_ptr<store::MergeThread>> threads_;
};

}  // namespace scalesweep::test
