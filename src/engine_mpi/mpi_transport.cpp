#include "engine_mpi/mpi_transport.hpp"

#include <fmt/core.h>
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <list>
#include <thread>

#include "core/contracts.hpp"
#include "engine/signals.hpp"

namespace scalesweep::engine_mpi {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int tag = 7;
// Ranks may share cores: look a few times, then sleep for longer and longer.
constexpr int looks_before_sleep = 16;
constexpr auto shortest_sleep = std::chrono::microseconds(20);
constexpr auto longest_sleep = std::chrono::microseconds(4000);
// More than one, so that the number of those on their way shrinks.
constexpr int looks_per_send = 8;
constexpr auto launcher_check_interval = std::chrono::milliseconds(100);
// What is still on its way when the transport ends gets this long; a dead rank takes nothing.
constexpr auto flush_patience = std::chrono::milliseconds(500);

void check(int code, const char* action) {
  if (code == MPI_SUCCESS) {
    return;
  }
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Failure(ExitCode::mpi_unavailable, fmt::format("MPI cannot {}: {}", action, text));
}

class MpiTransport : public engine::Transport {
 public:
  explicit MpiTransport(const MpiSession& session) : session_(session) {}
  ~MpiTransport() override { flush(); }
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  int rank() const override { return session_.rank(); }
  int size() const override { return session_.size(); }
  int ranks_here() const override { return session_.ranks_here(); }
  void send(int to, std::vector<std::byte> bytes) override;
  std::optional<engine::Message> receive(double timeout_seconds) override;
  bool stop_requested() const override { return signals_.requested(); }

 private:
  struct Pending {
    MPI_Request request = MPI_REQUEST_NULL;
    std::vector<std::byte> bytes;
  };

  std::optional<engine::Message> look();
  void drop_sent();
  void check_launcher();
  void flush();

  const MpiSession& session_;
  engine::StopSignals signals_;
  std::list<Pending> pending_;  // buffers belong to MPI until their request completes
  int idle_looks_ = 0;          // since the last message, over calls
  std::chrono::microseconds sleep_ = shortest_sleep;
  Clock::time_point next_launcher_check_ = Clock::now() + launcher_check_interval;
};

void MpiTransport::send(int to, std::vector<std::byte> bytes) {
  SCALESWEEP_EXPECT(to >= 0 && to < size() && to != rank());
  drop_sent();
  Pending& pending = pending_.emplace_back(Pending{MPI_REQUEST_NULL, std::move(bytes)});
  check(MPI_Isend(pending.bytes.data(), static_cast<int>(pending.bytes.size()), MPI_BYTE, to, tag,
                  MPI_COMM_WORLD, &pending.request),
        "send");
}

std::optional<engine::Message> MpiTransport::look() {
  int there = 0;
  MPI_Status status;
  check(MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &there, &status), "look for messages");
  if (there == 0) {
    return std::nullopt;
  }
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  engine::Message message;
  message.rank = status.MPI_SOURCE;
  message.bytes.resize(static_cast<std::size_t>(size));
  check(MPI_Recv(message.bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, tag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE),
        "receive");
  return message;
}

std::optional<engine::Message> MpiTransport::receive(double timeout_seconds) {
  const auto deadline = Clock::now() + std::chrono::duration<double>(timeout_seconds);
  while (true) {
    if (auto message = look()) {
      idle_looks_ = 0;
      sleep_ = shortest_sleep;
      return message;
    }
    const auto now = Clock::now();
    if (now >= next_launcher_check_) {
      check_launcher();
      next_launcher_check_ = now + launcher_check_interval;
    }
    if (now >= deadline) {
      return std::nullopt;
    }
    if (idle_looks_ < looks_before_sleep) {
      ++idle_looks_;
      sched_yield();
    } else {
      const std::chrono::duration<double> left = deadline - now;
      std::this_thread::sleep_for(std::min<std::chrono::duration<double>>(sleep_, left));
      sleep_ = std::min(sleep_ * 2, longest_sleep);
    }
  }
}

// Looks at a few in turn: where thousands are on their way, looking at all with every new one would
// take all the time.
void MpiTransport::drop_sent() {
  for (int looks = 0; looks < looks_per_send && !pending_.empty(); ++looks) {
    int done = 0;
    check(MPI_Test(&pending_.front().request, &done, MPI_STATUS_IGNORE), "send");
    if (done != 0) {
      pending_.pop_front();
    } else {
      pending_.splice(pending_.end(), pending_, pending_.begin());
    }
  }
}

void MpiTransport::check_launcher() {
  if (session_.launcher_lost()) {
    throw engine::ConnectionLost(
        "the launcher of this job (mpirun or srun) is gone; the same command goes on");
  }
}

void MpiTransport::flush() {
  const auto deadline = Clock::now() + flush_patience;
  while (!pending_.empty() && Clock::now() < deadline && !session_.launcher_lost()) {
    drop_sent();
    sched_yield();
  }
  if (!pending_.empty()) {
    // MPI still reads these buffers, and will as long as the process lives.
    static_cast<void>(new std::list<Pending>(std::move(pending_)));
  }
}

}  // namespace

std::unique_ptr<engine::Transport> make_mpi_transport(const MpiSession& session) {
  return std::make_unique<MpiTransport>(session);
}

}  // namespace scalesweep::engine_mpi
