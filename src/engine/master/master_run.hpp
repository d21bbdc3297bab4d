// Rank 0 of a run: the output, its own worker, the loop that serves all ranks, the merge.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/host/progress.hpp"
#include "engine/evaluator.hpp"
#include "engine/master/master.hpp"
#include "engine/master/pace.hpp"
#include "engine/master/rank_helpers.hpp"
#include "engine/output_lock.hpp"
#include "engine/run_options.hpp"
#include "engine/worker/local_worker.hpp"
#include "engine/worker/transport.hpp"
#include "store/segments/output.hpp"

namespace scalesweep::engine {

class MasterRun {
 public:
  // Everything must outlive it.
  MasterRun(Transport& transport, const store::StudyDescription& study, Evaluator& evaluator,
            const RunOptions& options, const WorkerOptions& local);

  // Once. Tells the other ranks how it ended, whatever happens. Throws RunFailure, ConnectionLost.
  RunReport run();

 private:
  void run_to_end();
  IdRange ids() const;  // that this run is to evaluate
  std::optional<std::vector<IdRange>> claim();
  Failure refusal(const store::OutputReport& report) const;
  void expect_room();
  std::optional<double> room() const;
  void begin(const std::vector<IdRange>& completed);
  void serve();
  void receive();
  void receive_local(double timeout_seconds);
  void watch();
  void note_lost_ranks();
  void note_stop();
  void show_progress();
  void account();
  void merge();
  store::PassProgress pass_log();
  std::vector<int> merging_ranks() const;
  void serve_merge(RankHelpers& helpers);
  std::string summary() const;

  void send(int rank, const Order& order);
  void send_to_others(const Order& order);
  void keep_alive();

  Transport& transport_;
  const store::StudyDescription& study_;
  const Evaluator& evaluator_;
  const RunOptions& options_;
  Pace pace_;
  ProgressLog log_;
  double start_s_ = 0.0;
  double serving_start_s_ = 0.0;
  double alive_s_ = 0.0;  // when the other ranks last heard from here
  std::optional<OutputLock> lock_;
  std::optional<Master> master_;
  LocalWorker local_;
  int lost_ranks_ = 0;  // already noted
  bool stop_noted_ = false;
  double space_seen_s_ = 0.0;
  double bytes_per_id_ = 0.0;                   // 0: not known, or not to be watched
  std::atomic<bool> signal_elsewhere_ = false;  // while it merges
  RunReport report_;
};

}  // namespace scalesweep::engine
