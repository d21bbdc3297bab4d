// Other ranks as helpers of a merge that runs in a thread beside the one that talks to ranks: two
// mailboxes between these threads.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "store/share/merge_ranks.hpp"

namespace scalesweep::engine {

class RankHelpers : public store::MergeRanks {
 public:
  // Ranks of the transport; in the merge they are 1, 2, ... in this order.
  explicit RankHelpers(std::vector<int> ranks) : ranks_(std::move(ranks)) {}

  // For the merge.
  int others() const override { return static_cast<int>(ranks_.size()); }
  void send(int rank, const store::MergeOrder& order) override;
  std::optional<std::pair<int, store::MergeReply>> receive(double timeout_seconds) override;

  // For who talks to ranks: what is to be sent to which of the transport, and what one has said.
  std::vector<std::pair<int, std::vector<std::byte>>> outgoing();
  void deliver(int rank, const std::vector<std::byte>& payload);

 private:
  std::vector<int> ranks_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<std::pair<int, std::vector<std::byte>>> outgoing_;
  std::deque<std::pair<int, store::MergeReply>> replies_;
};

}  // namespace scalesweep::engine
