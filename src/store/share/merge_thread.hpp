// A helper of a merge in a thread of its own, so that whoever owns it can go on listening.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "store/share/merge_helper.hpp"

namespace scalesweep::store {

class MergeThread {
 public:
  // The study must outlive it.
  MergeThread(const StudyDescription& study, MergeHelperOptions options);
  // Ends what is under way, drops the rest.
  ~MergeThread();
  MergeThread(const MergeThread&) = delete;
  MergeThread& operator=(const MergeThread&) = delete;

  // One after the other, in this order.
  void order(MergeOrder order);
  // What was done since the last call.
  std::vector<MergeReply> replies();
  // Whether it works on something or has to.
  bool is_busy() const;

 private:
  void work();
  void reply(std::vector<MergeReply> replies);

  MergeHelper helper_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<MergeOrder> orders_;
  std::vector<MergeReply> replies_;
  bool busy_ = false;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace scalesweep::store
