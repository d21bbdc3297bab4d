// What every rank does: takes leases, evaluates them in short blocks, writes each as one durable
// segment, reports. Between blocks it attends to messages, so it answers within tens of ms.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>

#include "engine/messages.hpp"
#include "engine/output_lock.hpp"
#include "engine/run.hpp"
#include "engine/transport.hpp"

namespace scalesweep::engine {

struct WorkerOptions {
  std::filesystem::path output;
  double report_interval_seconds = 0.2;  // between two words of progress
  double master_timeout_seconds = 60.0;  // a master silent for longer is taken for dead
  bool keeps_lock = true;  // of the output; the master's own worker needs none of its own
};

class Worker {
 public:
  // The master is rank 0 of `transport`. Everything must outlive the worker.
  Worker(Transport& transport, const store::StudyDescription& study, Evaluator& evaluator,
         const WorkerOptions& options);

  // Until the master ends the run; returns what it said. Throws ConnectionLost only: failures go
  // to the master.
  ExitCode run();

 private:
  // What of a lease is whole chunks and may be written even if the rest never comes.
  struct Front {
    PointId end = 0;
    std::size_t rows = 0;
    store::Counts counts;
  };

  void work_guarded(IdRange lease);
  void work(IdRange lease);
  void evaluate(IdRange block, RangeResult& result);
  void write(IdRange ids, RangeResult& result);
  IdRange next_block(PointId first, PointId lease_end) const;
  void ask_early(std::int64_t points_left);

  void attend(double timeout_seconds);
  void take(const Order& order);
  void report(ReportKind kind, IdRange ids = {});
  void report_failure(ExitCode code, const std::string& text);

  Transport& transport_;
  const store::StudyDescription& study_;
  Evaluator& evaluator_;
  WorkerOptions options_;
  std::optional<OutputLock> lock_;
  std::deque<IdRange> leases_;
  RankTotals totals_;
  double rate_ = 0.0;               // ids per second of the last block
  std::int64_t block_points_ = 16;  // of the next block
  bool asked_ = false;              // for a lease that has not come
  bool stopping_ = false;
  bool said_stop_ = false;
  bool said_stopped_ = false;
  std::optional<ExitCode> end_;
  double heard_s_ = 0.0;
  double reported_s_ = 0.0;
};

// Largest resident set of this process so far.
std::int64_t peak_memory_bytes();

}  // namespace scalesweep::engine
