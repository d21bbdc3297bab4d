#include "store/share/merge_thread.hpp"

#include <iterator>
#include <utility>

namespace scalesweep::store {

MergeThread::MergeThread(const StudyDescription& study, MergeHelperOptions options)
    : helper_(study, std::move(options)), thread_([this] { work(); }) {}

MergeThread::~MergeThread() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void MergeThread::order(MergeOrder order) {
  const std::lock_guard lock(mutex_);
  orders_.push_back(std::move(order));
  changed_.notify_all();
}

std::vector<MergeReply> MergeThread::replies() {
  const std::lock_guard lock(mutex_);
  return std::exchange(replies_, {});
}

bool MergeThread::is_busy() const {
  const std::lock_guard lock(mutex_);
  return busy_ || !orders_.empty() || !replies_.empty();
}

void MergeThread::reply(std::vector<MergeReply> replies) {
  const std::lock_guard lock(mutex_);
  std::move(replies.begin(), replies.end(), std::back_inserter(replies_));
}

void MergeThread::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || !orders_.empty(); });
    if (ends_) {
      return;
    }
    const MergeOrder order = std::move(orders_.front());
    orders_.pop_front();
    busy_ = true;
    lock.unlock();
    reply(helper_.obey(order));
    reply(helper_.sync_if_due());
    lock.lock();
    busy_ = false;
  }
}

}  // namespace scalesweep::store
