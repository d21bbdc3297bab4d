// What one rank does of a merge: reads and encodes the blocks that it is told to, writes them where
// it is told to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "store/read/study_file.hpp"
#include "store/share/merge_messages.hpp"

namespace scalesweep::store {

struct MergeHelperOptions {
  std::filesystem::path output;  // NAME.h5
  Durability durability = Durability::synced;
  unsigned threads = 0;             // that encode; 0: one for every processor, up to 8
  double checkpoint_seconds = 1.0;  // what is written is made durable after so long at most
};

// Holds the blocks that wait for their place, one for each order to make one.
class MergeHelper {
 public:
  // The study must outlive it.
  MergeHelper(const StudyDescription& study, MergeHelperOptions options);
  ~MergeHelper();
  MergeHelper(const MergeHelper&) = delete;
  MergeHelper& operator=(const MergeHelper&) = delete;

  // Does it, and says what came of it; never throws a Failure.
  std::vector<MergeReply> obey(const MergeOrder& order);
  // Makes what was written durable, if it is due.
  std::vector<MergeReply> sync_if_due();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace scalesweep::store
