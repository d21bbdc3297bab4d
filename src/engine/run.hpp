// Evaluates every id of a study on all ranks and leaves one finished file.
//
// The master leases contiguous id ranges; a lease becomes one durable segment; the values do not
// depend on how many ranks there are or who computed what. Ranks never wait in a collective.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <limits>
#include <optional>
#include <string>

#include "core/failure.hpp"
#include "core/id_range.hpp"
#include "engine/worker/transport.hpp"
#include "store/read/study_file.hpp"

namespace scalesweep::engine {

// The rows of a range of ids and how many ids ended in which status.
struct RangeResult {
  store::Table rows;
  store::Counts counts;
  double best_objective = 0.0;  // smallest first objective among feasible rows; infinity if none
};

// Injected: one per rank, called from one thread. `evaluate` is called with ranges inside one
// lease, in order; `reduce` is called on the rows of a whole lease before they are written.
struct Evaluator {
  std::function<void(IdRange, RangeResult&)> evaluate;  // appends rows, adds counts
  std::function<void(RangeResult&)> reduce;  // may drop rows that the policy does not keep
  std::optional<store::RowSelector> select;  // over the whole study, at the end
};

struct RunOptions {
  std::filesystem::path output;
  // What a crash may lose, per rank; nothing: about 5 s, longer where very many ranks write.
  std::optional<double> segment_seconds = std::nullopt;
  // Only these ids are evaluated, and nothing is merged: one of several runs that share an output.
  std::optional<IdRange> shard = std::nullopt;
  // Stops early (resumable) so that it ends within this time, counted from the call.
  double time_limit_seconds = std::numeric_limits<double>::infinity();
  store::Durability durability = store::Durability::synced;
  store::Layout layout = store::Layout::merged;
  // Bytes on disk per id, estimated; asked only where there is work to do and room is to be
  // checked before it is begun.
  std::function<double()> stored_bytes_per_id = {};
  // Bytes that may still be written there; by the file system, if not given. Asked once a second.
  std::function<double()> free_bytes = {};
  bool progress_line = false;           // one rewritten line (terminal) instead of sparse lines
  bool quiet = false;                   // no progress and no summary
  std::string objective_units;          // of RangeResult::best_objective, for the progress line
  std::ostream* log = nullptr;          // progress and messages of rank 0; std::cerr if null
  double rank_timeout_seconds = 60.0;   // a rank silent for longer is taken for dead
  int master_computes_up_to_ranks = 0;  // rank 0 only serves above this; 0: default_computing_ranks
};

struct RunReport {
  ExitCode exit = ExitCode::ok;   // ok, or resumable when stopped early
  bool already_finished = false;  // nothing was done: the output stood there, complete
  int ranks = 1;
  int lost_ranks = 0;               // taken for dead; their work was done by others
  std::int64_t segments = 0;        // written in this run
  std::int64_t points = 0;          // evaluated in this run
  std::int64_t resumed_points = 0;  // found in segments of an earlier run
  double evaluate_seconds = 0.0;    // summed over ranks: evaluation alone
  double write_seconds = 0.0;       // summed over ranks: writing segments
  double serve_seconds = 0.0;       // wall time from the first lease to the last segment
  double wall_seconds = 0.0;        // start to finished file
  double merge_seconds = 0.0;
  std::int64_t peak_memory_bytes = 0;     // largest resident set of any rank
  double serving_seconds = 0.0;           // of rank 0: processor time for leasing, not computing
  std::int64_t merged_earlier_bytes = 0;  // of the finished file: copied by an earlier run
};

// What ended the whole run, thrown by rank 0 after all other ranks were told; each of them returns
// a report with the same exit code.
class RunFailure : public Failure {
 public:
  using Failure::Failure;
};

// Called on every rank with the same study. The report is complete on rank 0 only; `exit` is the
// same on all. Throws RunFailure on rank 0: the output cannot be used (cannot_create), a rank could
// not write (io), an evaluator threw (internal). Throws ConnectionLost on any rank.
RunReport run_study(Transport& transport, const store::StudyDescription& study,
                    Evaluator& evaluator, const RunOptions& options);

}  // namespace scalesweep::engine
