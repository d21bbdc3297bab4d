// Whoever helps a merge: other ranks, by messages.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "store/share/merge_messages.hpp"

namespace scalesweep::store {

class MergeRanks {
 public:
  virtual ~MergeRanks() = default;
  // They are 1 ... others(). They may be slow, fail, or never answer.
  virtual int others() const = 0;
  virtual void send(int rank, const MergeOrder& order) = 0;
  // The next reply, waiting up to `timeout_seconds`.
  virtual std::optional<std::pair<int, MergeReply>> receive(double timeout_seconds) = 0;
};

struct MergeSharing {
  MergeRanks* ranks = nullptr;
  unsigned threads = 0;               // of this rank, that encode; 0: one for every processor
  double patience_seconds = 2.0;      // before a block that does not come back is done here
  std::int64_t blocks_of_others = 0;  // result: of the blocks of this call
};

}  // namespace scalesweep::store
