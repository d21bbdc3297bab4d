// What every rank does: takes leases, evaluates them in short blocks, writes a durable segment
// after every few seconds of work, reports. A segment is written beside the evaluation of the next
// one. Between blocks it attends to messages, and beside blocks of few points, so it answers within
// tens of ms however long a point takes. At the end it does blocks of the merge, in a thread of
// their own.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>
#include <optional>

#include "engine/evaluator.hpp"
#include "engine/output_lock.hpp"
#include "engine/worker/messages.hpp"
#include "engine/worker/transport.hpp"
#include "store/share/merge_thread.hpp"

namespace scalesweep::engine {

struct WorkerOptions {
  std::filesystem::path output;
  double segment_seconds = 5.0;  // of work between two segments
  store::Durability durability = store::Durability::synced;
  double report_interval_seconds = 0.2;  // between two words of progress
  double master_timeout_seconds = 60.0;  // a master silent for longer is taken for dead
  bool keeps_lock = true;      // of the output; the master's own worker needs none of its own
  IdRange locks;               // what it locks there: the ids of this run
  unsigned merge_threads = 1;  // that encode what it merges
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
  // What of a lease is not on disk yet. Whole chunks may be written even if the rest never comes.
  struct Unwritten {
    PointId first = 0;
    PointId end = 0;       // of whole chunks
    store::Counts counts;  // of those
    store::Outcomes outcomes;
    double since_s = 0.0;
    RangeResult result;
  };
  // Of the lease that is being worked on.
  struct Written {
    int segments = 0;
    std::int64_t bytes = 0;  // of their rows in memory
  };
  // A segment on its way to the disk.
  struct Writing {
    IdRange ids;
    std::future<double> seconds;  // that it took, once it is there
  };

  // Tells the master of what goes wrong.
  void guarded(const std::function<void()>& work);
  void work(IdRange lease);
  Unwritten begin_segment(PointId first) const;
  void evaluate(IdRange block, RangeResult& result);
  bool is_due(Unwritten& part) const;
  void begin_writing(Unwritten part, Written& written, std::optional<IdRange> whole_lease);
  bool should_compact(const Written& written) const;
  void finish_writing();

  IdRange next_block(PointId first, PointId lease_end) const;
  void ask_early(std::int64_t points_left);

  void lock_output();
  void merge(const Order& order);
  void report_merged();
  void send_merged(const store::MergeReply& reply);

  void attend(double timeout_seconds);
  void take(const Order& order);
  void report(ReportKind kind, IdRange ids = {});
  void report_failure(ExitCode code, const std::string& text);

  Transport& transport_;
  const store::StudyDescription& study_;
  Evaluator& evaluator_;
  std::int64_t chunk_ids_;
  WorkerOptions options_;
  std::optional<OutputLock> lock_;
  std::optional<store::MergeThread> merging_;
  std::deque<IdRange> leases_;
  std::optional<Writing> writing_;
  RankTotals totals_;
  double rate_ = 0.0;               // ids per second of the last block
  std::int64_t block_points_ = 16;  // of the next block
  bool asked_ = false;              // for a lease that has not come
  bool stopping_ = false;
  bool said_stop_ = false;
  bool said_stopped_ = false;
  std::optional<ExitCode> end_;
  bool may_be_given_up_ = false;  // was silent for so long that the master may have done so
  double heard_s_ = 0.0;
  double reported_s_ = 0.0;
};

// Largest resident set of this process so far.
std::int64_t peak_memory_bytes();

}  // namespace scalesweep::engine
