#include "engine/master/rank_helpers.hpp"

#include <algorithm>
#include <chrono>

#include "core/contracts.hpp"

namespace scalesweep::engine {

void RankHelpers::send(int rank, const store::MergeOrder& order) {
  SCALESWEEP_EXPECT(rank >= 1 && rank <= others());
  std::vector<std::byte> bytes = store::encode(order);
  const std::lock_guard lock(mutex_);
  outgoing_.emplace_back(ranks_[static_cast<std::size_t>(rank) - 1], std::move(bytes));
}

std::optional<std::pair<int, store::MergeReply>> RankHelpers::receive(double timeout_seconds) {
  std::unique_lock lock(mutex_);
  arrived_.wait_for(lock, std::chrono::duration<double>(timeout_seconds),
                    [this] { return !replies_.empty(); });
  if (replies_.empty()) {
    return std::nullopt;
  }
  std::pair<int, store::MergeReply> reply = std::move(replies_.front());
  replies_.pop_front();
  return reply;
}

std::vector<std::pair<int, std::vector<std::byte>>> RankHelpers::outgoing() {
  const std::lock_guard lock(mutex_);
  return std::exchange(outgoing_, {});
}

void RankHelpers::deliver(int rank, const std::vector<std::byte>& payload) {
  const auto found = std::find(ranks_.begin(), ranks_.end(), rank);
  if (found == ranks_.end()) {
    return;  // it was taken for dead, and was not asked
  }
  store::MergeReply reply = store::decode_merge_reply(payload);
  const std::lock_guard lock(mutex_);
  replies_.emplace_back(static_cast<int>(found - ranks_.begin()) + 1, std::move(reply));
  arrived_.notify_all();
}

}  // namespace scalesweep::engine
