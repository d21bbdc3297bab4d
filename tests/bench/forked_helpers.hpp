// Other ranks of a merge as processes of their own, beside which a benchmark merges.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "store/share/merge_helper.hpp"
#include "store/share/merge_ranks.hpp"

namespace scalesweep::bench {

class ForkedHelpers : public store::MergeRanks {
 public:
  ForkedHelpers(int others, const store::StudyDescription& study,
                const store::MergeHelperOptions& options) {
    for (int rank = 1; rank <= others; ++rank) {
      int ends[2] = {};
      if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        throw std::runtime_error("no sockets");
      }
      const pid_t child = ::fork();
      if (child == 0) {
        ::close(ends[0]);
        help(ends[1], study, options);
        ::_exit(0);
      }
      ::close(ends[1]);
      helpers_.push_back({child, ends[0]});
    }
  }
  ~ForkedHelpers() override {
    // Later helpers have inherited the sockets of earlier ones.
    for (const Helper& helper : helpers_) {
      ::shutdown(helper.socket, SHUT_RDWR);
    }
    for (const Helper& helper : helpers_) {
      ::close(helper.socket);
      ::waitpid(helper.process, nullptr, 0);
    }
  }
  ForkedHelpers(const ForkedHelpers&) = delete;
  ForkedHelpers& operator=(const ForkedHelpers&) = delete;

  int others() const override { return static_cast<int>(helpers_.size()); }
  void send(int rank, const store::MergeOrder& order) override {
    put(helpers_[static_cast<std::size_t>(rank) - 1].socket, store::encode(order));
  }
  std::optional<std::pair<int, store::MergeReply>> receive(double timeout_seconds) override {
    std::vector<pollfd> sockets;
    for (const Helper& helper : helpers_) {
      sockets.push_back({helper.socket, POLLIN, 0});
    }
    ::poll(sockets.data(), sockets.size(), static_cast<int>(1e3 * timeout_seconds));
    for (std::size_t i = 0; i < sockets.size(); ++i) {
      if ((sockets[i].revents & POLLIN) != 0) {
        if (const auto bytes = take(sockets[i].fd)) {
          return std::pair(static_cast<int>(i) + 1, store::decode_merge_reply(*bytes));
        }
      }
    }
    return std::nullopt;
  }

 private:
  struct Helper {
    pid_t process = 0;
    int socket = -1;
  };

  static void help(int socket, const store::StudyDescription& study,
                   const store::MergeHelperOptions& options) {
    store::MergeHelper helper(study, options);
    while (const auto bytes = take(socket)) {
      for (const store::MergeReply& reply : helper.obey(store::decode_merge_order(*bytes))) {
        put(socket, store::encode(reply));
      }
      for (const store::MergeReply& reply : helper.sync_if_due()) {
        put(socket, store::encode(reply));
      }
    }
  }
  static void put(int socket, const std::vector<std::byte>& bytes) {
    const std::uint64_t size = bytes.size();
    whole(&size, sizeof size, [&](const void* from, std::size_t left) {
      return ::send(socket, from, left, MSG_NOSIGNAL);
    });
    whole(bytes.data(), bytes.size(), [&](const void* from, std::size_t left) {
      return ::send(socket, from, left, MSG_NOSIGNAL);
    });
  }
  // Nothing where the other end is gone.
  static std::optional<std::vector<std::byte>> take(int socket) {
    const auto read = [&](void* to, std::size_t left) { return ::read(socket, to, left); };
    std::uint64_t size = 0;
    if (!whole(&size, sizeof size, read)) {
      return std::nullopt;
    }
    std::vector<std::byte> bytes(size);
    return whole(bytes.data(), size, read) ? std::optional(bytes) : std::nullopt;
  }
  template <typename Pointer, typename Move>
  static bool whole(Pointer* bytes, std::size_t left, Move move) {
    auto* at =
        reinterpret_cast<std::conditional_t<std::is_const_v<Pointer>, const char, char>*>(bytes);
    while (left > 0) {
      const ssize_t moved = move(at, left);
      if (moved <= 0) {
        return false;
      }
      at += moved;
      left -= static_cast<std::size_t>(moved);
    }
    return true;
  }

  std::vector<Helper> helpers_;
};

}  // namespace scalesweep::bench
