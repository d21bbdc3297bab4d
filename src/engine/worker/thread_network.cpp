#include "engine/worker/thread_network.hpp"

#include <algorithm>

#include "core/contracts.hpp"

namespace scalesweep::engine {
namespace {

// SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA
// 2014).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

}  // namespace

class ThreadNetwork::Endpoint : public Transport {
 public:
  Endpoint(ThreadNetwork& network, int rank) : network_(network), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(network_.boxes_.size()); }
  int ranks_here() const override { return size(); }
  void send(int to, std::vector<std::byte> bytes) override {
    network_.send(rank_, to, std::move(bytes));
  }
  std::optional<Message> receive(double timeout_seconds) override {
    return network_.receive(rank_, timeout_seconds);
  }
  bool stop_requested() const override {
    return network_.boxes_[static_cast<std::size_t>(rank_)]->stop.load();
  }

 private:
  ThreadNetwork& network_;
  int rank_;
};

ThreadNetwork::ThreadNetwork(int ranks, NetworkFaults faults) : faults_(std::move(faults)) {
  for (int rank = 0; rank < ranks; ++rank) {
    boxes_.push_back(std::make_unique<Box>());
  }
}

std::unique_ptr<Transport> ThreadNetwork::endpoint(int rank) {
  SCALESWEEP_EXPECT(rank >= 0 && rank < static_cast<int>(boxes_.size()));
  return std::make_unique<Endpoint>(*this, rank);
}

void ThreadNetwork::request_stop(int rank) {
  boxes_[static_cast<std::size_t>(rank)]->stop.store(true);
}

void ThreadNetwork::kill(int rank) {
  const std::lock_guard lock(mutex_);
  boxes_[static_cast<std::size_t>(rank)]->dead = true;
  arrived_.notify_all();
}

std::chrono::duration<double> ThreadNetwork::delay(int from, int to, int number) const {
  std::uint64_t x = mixed(faults_.seed);
  for (const int part : {from, to, number}) {
    x = mixed(x ^ static_cast<std::uint64_t>(part));
  }
  const double fraction = static_cast<double>(x >> 11U) * 0x1p-53;
  return std::chrono::duration<double>(fraction * faults_.longest_delay_seconds);
}

void ThreadNetwork::send(int from, int to, std::vector<std::byte> bytes) {
  SCALESWEEP_EXPECT(to >= 0 && to < static_cast<int>(boxes_.size()) && to != from);
  const std::lock_guard lock(mutex_);
  Box& sender = *boxes_[static_cast<std::size_t>(from)];
  const auto death = faults_.dies_after_sending.find(from);
  if (death != faults_.dies_after_sending.end() && sender.sent >= death->second) {
    sender.dead = true;
  }
  Box& receiver = *boxes_[static_cast<std::size_t>(to)];
  if (sender.dead || receiver.dead) {
    return;
  }
  auto due =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(delay(from, to, sender.sent));
  ++sender.sent;
  std::deque<Letter>& letters = receiver.by_sender[from];
  if (!letters.empty()) {
    due = std::max(due, letters.back().due);
  }
  letters.push_back({due, {from, std::move(bytes)}});
  arrived_.notify_all();
}

std::optional<Message> ThreadNetwork::receive(int rank, double timeout_seconds) {
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(timeout_seconds));
  std::unique_lock lock(mutex_);
  Box& box = *boxes_[static_cast<std::size_t>(rank)];
  while (true) {
    if (box.dead) {
      throw ConnectionLost("this rank is dead");
    }
    std::deque<Letter>* next = nullptr;
    for (auto& [sender, letters] : box.by_sender) {
      if (!letters.empty() && (next == nullptr || letters.front().due < next->front().due)) {
        next = &letters;
      }
    }
    const auto now = Clock::now();
    if (next != nullptr && next->front().due <= now) {
      Message message = std::move(next->front().message);
      next->pop_front();
      return message;
    }
    if (now >= deadline) {
      return std::nullopt;
    }
    arrived_.wait_until(lock, next == nullptr ? deadline : std::min(deadline, next->front().due));
  }
}

}  // namespace scalesweep::engine
