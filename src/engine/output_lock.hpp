// One run at a time on one output: locks on NAME.h5.d/study.json that the kernel releases when
// their holder ends, however it ends.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "store/read/study_file.hpp"
#include "store/segments/output.hpp"

namespace scalesweep::engine {

// A lock that is held until destruction. On a file system without locks it holds nothing.
class OutputLock {
 public:
  explicit OutputLock(int descriptor) : descriptor_(descriptor) {}
  ~OutputLock();
  OutputLock(OutputLock&& other) noexcept;
  OutputLock& operator=(OutputLock&& other) noexcept;

 private:
  int descriptor_ = -1;
};

struct Claim {
  store::OutputReport report;
  std::optional<OutputLock> lock;  // only where there is work to do: report.state is resumable
};

// Rank 0: creates what is not there, locks it and says what it holds. `say` gets lines for the log.
// Waits for ranks of an earlier run that are still writing because their launcher was killed.
// Throws Failure(cannot_create) if another run is at work here, or nothing can be created.
Claim claim_output(const std::filesystem::path& output, const store::StudyDescription& study,
                   IdRange ids, const std::function<void(const std::string&)>& say,
                   store::Durability durability = store::Durability::synced,
                   const store::PassProgress& progress = {}, double orphan_patience_seconds = 60.0);

// Other ranks, before they write: keeps a later run waiting until this rank is gone.
// Throws Failure(io).
OutputLock join_output(const std::filesystem::path& output, IdRange ids);

// For what changes an output that is there, all of its ids at once: a merge. Nothing if there is no
// file to lock. Throws Failure(cannot_create) if a run is at work here.
std::optional<OutputLock> lock_output(const std::filesystem::path& output, std::int64_t points,
                                      const std::function<void(const std::string&)>& say,
                                      double orphan_patience_seconds = 60.0);

// Whether a run or a merge is at work on some of its ids now, as far as locks can tell.
bool is_being_written(const std::filesystem::path& output);

}  // namespace scalesweep::engine
