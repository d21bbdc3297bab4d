#include "engine/output_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include "core/failure.hpp"
#include "store/hdf5/names.hpp"
#include "store/merge/finish.hpp"
#include "store/segments/output.hpp"

namespace scalesweep::engine {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Byte n of the file stands for id n, and once more further on for the ranks that write it; nothing
// is written there. Runs of different ids do not keep each other out.
constexpr off_t masters_begin = 0;
constexpr off_t ranks_begin = off_t{1} << 61U;
constexpr IdRange all_ids{0, PointId{1} << 60U};

constexpr auto retry_interval = std::chrono::milliseconds(20);
constexpr double creation_patience_seconds = 5.0;
constexpr double silent_wait_seconds = 1.0;
constexpr int most_rounds = 10;

std::string errno_text() {
  return std::generic_category().message(errno);
}

fs::path lock_file(const fs::path& output) {
  return store::segments_folder(output) / store::description_name;
}

enum class Taken { yes, no, unsupported };

// Open file description locks: two in one process are two, and a close elsewhere drops none.
struct flock lock_of(short type, off_t begin, IdRange ids) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = begin + ids.first;
  lock.l_len = std::max<off_t>(ids.size(), 1);  // 0 would be "to the end of all files"
  return lock;
}

Taken set_lock(int descriptor, short type, off_t begin, IdRange ids) {
  struct flock lock = lock_of(type, begin, ids);
  if (fcntl(descriptor, F_OFD_SETLK, &lock) == 0) {
    return Taken::yes;
  }
  return errno == EAGAIN || errno == EACCES ? Taken::no : Taken::unsupported;
}

class Deadline {
 public:
  explicit Deadline(double seconds) : seconds_(seconds) {}
  double waited() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  bool passed() const { return waited() >= seconds_; }

 private:
  Clock::time_point start_ = Clock::now();
  double seconds_;
};

bool was_removed(int descriptor) {
  struct stat status = {};
  return fstat(descriptor, &status) == 0 && status.st_nlink == 0;
}

// Ranks hold their byte until they end; a new run that computed beside them would do no harm to
// values, but could finish and remove the folder under their feet.
void wait_for_orphans(int descriptor, const fs::path& output, IdRange ids,
                      const std::function<void(const std::string&)>& say, double patience_seconds) {
  const Deadline deadline(patience_seconds);
  bool said = false;
  while (set_lock(descriptor, F_WRLCK, ranks_begin, ids) == Taken::no) {
    if (deadline.passed()) {
      throw Failure(ExitCode::cannot_create,
                    fmt::format("{}: ranks of an earlier run are still at work here; end those "
                                "processes, then run this again",
                                store::segments_folder(output).string()));
    }
    if (!said && deadline.waited() >= silent_wait_seconds) {
      say(fmt::format("{}: waiting for ranks of an earlier run to end",
                      store::segments_folder(output).string()));
      said = true;
    }
    std::this_thread::sleep_for(retry_interval);
  }
  set_lock(descriptor, F_UNLCK, ranks_begin, ids);
}

// Nothing if there is no file to lock, or it cannot be opened: what then is wrong, others say.
std::optional<OutputLock> lock_existing(const fs::path& output, IdRange ids,
                                        const std::function<void(const std::string&)>& say,
                                        double orphan_patience_seconds) {
  const int descriptor = ::open(lock_file(output).c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) {
    return std::nullopt;
  }
  OutputLock lock(descriptor);
  const Taken taken = set_lock(descriptor, F_WRLCK, masters_begin, ids);
  if (taken == Taken::no) {
    throw Failure(ExitCode::cannot_create,
                  fmt::format("{}: another run is writing it now; wait for that one, or choose "
                              "another -o",
                              output.string()));
  }
  if (taken == Taken::unsupported) {
    say(fmt::format("{}: this file system has no locks ({}); make sure that no other run uses it",
                    store::segments_folder(output).string(), errno_text()));
    return lock;
  }
  if (was_removed(descriptor)) {
    return std::nullopt;
  }
  wait_for_orphans(descriptor, output, ids, say, orphan_patience_seconds);
  return lock;
}

// Whoever makes the folder describes it; anyone else waits, because a description that is
// replaced takes the lock on it along.
void create(const fs::path& output, const store::StudyDescription& study,
            store::Durability durability) {
  std::error_code code;
  const bool made = fs::create_directory(store::segments_folder(output), code);
  if (!made && !code) {
    const Deadline deadline(creation_patience_seconds);
    while (!fs::exists(lock_file(output), code) && !deadline.passed()) {
      std::this_thread::sleep_for(retry_interval);
    }
  }
  store::prepare_output(output, study, durability);
}

// Of another study that was given up before anything was computed: it is in nobody's way.
bool discard_unstarted(const fs::path& output) {
  const int descriptor = ::open(lock_file(output).c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) {
    return false;
  }
  const OutputLock lock(descriptor);
  return set_lock(descriptor, F_WRLCK, masters_begin, all_ids) == Taken::yes &&
         set_lock(descriptor, F_WRLCK, ranks_begin, all_ids) == Taken::yes &&
         store::discard_unstarted(output);
}

}  // namespace

OutputLock::~OutputLock() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

OutputLock::OutputLock(OutputLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputLock& OutputLock::operator=(OutputLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Claim claim_output(const fs::path& output, const store::StudyDescription& study, IdRange ids,
                   const std::function<void(const std::string&)>& say, store::Durability durability,
                   const store::PassProgress& progress, double orphan_patience_seconds) {
  // Every round but the last meets another run that begins or ends at this moment.
  for (int round = 0; round < most_rounds; ++round) {
    // Locked before it is looked at, so that what was seen stays true.
    std::optional<OutputLock> lock = lock_existing(output, ids, say, orphan_patience_seconds);
    store::OutputReport report = store::inspect_output(output, study, ids, progress);
    const bool needs_folder = report.layout == store::Layout::by_segment;
    // Of a run that ended before it had tidied up. A folder that nobody can lock any more is one
    // that was nearly gone.
    std::error_code ignored;
    const bool is_free = lock || (fs::is_directory(store::segments_folder(output), ignored) &&
                                  !fs::exists(lock_file(output), ignored));
    if (report.state == store::OutputState::finished && is_free && !needs_folder) {
      store::finish(output, study, std::nullopt);
    }
    if (report.state == store::OutputState::other_study) {
      lock.reset();
      if (discard_unstarted(output)) {
        continue;
      }
    }
    if (report.state != store::OutputState::absent &&
        report.state != store::OutputState::resumable) {
      return {std::move(report), std::nullopt};
    }
    if (lock && report.state == store::OutputState::resumable) {
      return {std::move(report), std::move(lock)};
    }
    create(output, study, durability);
  }
  const bool writable = ::access(lock_file(output).c_str(), W_OK) == 0;
  throw Failure(ExitCode::cannot_create,
                fmt::format("{}: cannot be opened for writing: {}", lock_file(output).string(),
                            writable ? "it comes and goes" : errno_text()));
}

OutputLock join_output(const fs::path& output, IdRange ids) {
  const int descriptor = ::open(lock_file(output).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw Failure(ExitCode::io, fmt::format("{}: {}; does every rank see the same file system?",
                                            lock_file(output).string(), errno_text()));
  }
  OutputLock lock(descriptor);
  set_lock(descriptor, F_RDLCK, ranks_begin, ids);
  return lock;
}

std::optional<OutputLock> lock_output(const fs::path& output, std::int64_t points,
                                      const std::function<void(const std::string&)>& say,
                                      double orphan_patience_seconds) {
  return lock_existing(output, {0, points}, say, orphan_patience_seconds);
}

bool is_being_written(const fs::path& output) {
  const int descriptor = ::open(lock_file(output).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return false;
  }
  const OutputLock closes(descriptor);
  struct flock lock = {};
  lock.l_type = F_WRLCK;  // asks only, so that reading is enough
  lock.l_whence = SEEK_SET;
  return fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace scalesweep::engine
