// How a run is to go, and how it went.
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
#include "store/read/study_file.hpp"

namespace scalesweep::engine {

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
  bool progress_line = false;          // one rewritten line (terminal) instead of sparse lines
  bool quiet = false;                  // no progress and no summary
  std::string objective_units;         // of RangeResult::best_objective, for the progress line
  bool most_is_best = false;           // that is the negative of what is shown
  std::ostream* log = nullptr;         // progress and messages of rank 0; std::cerr if null
  double rank_timeout_seconds = 60.0;  // a rank silent for longer is taken for dead
  std::int64_t merge_buffer_bytes = std::int64_t{1} << 26;  // of values in a block, at most
  int master_computes_up_to_ranks = 0;  // rank 0 only serves above this; 0: default_computing_ranks
};

struct RunReport {
  ExitCode exit = ExitCode::ok;   // ok, or resumable when stopped early
  bool already_finished = false;  // nothing was done: the output stood there, complete
  int ranks = 1;
  int lost_ranks = 0;               // taken for dead; their work was done by others
  std::int64_t segments = 0;        // written in this run
  std::int64_t points = 0;          // evaluated in this run
  std::int64_t skipped_points = 0;  // of those, counted and not estimated: RangeResult::skipped
  std::int64_t resumed_points = 0;  // found in segments of an earlier run
  double evaluate_seconds = 0.0;    // summed over ranks: evaluation alone
  double write_seconds = 0.0;       // summed over ranks: writing segments
  double serve_seconds = 0.0;       // wall time from the first lease to the last segment
  double wall_seconds = 0.0;        // start to finished file
  double merge_seconds = 0.0;
  std::int64_t blocks_merged_elsewhere = 0;  // by other ranks than 0
  std::int64_t peak_memory_bytes = 0;        // largest resident set of any rank
  double serving_seconds = 0.0;              // of rank 0: processor time for leasing, not computing
  std::int64_t merged_earlier_bytes = 0;     // of the finished file: copied by an earlier run
};

// What ended the whole run, thrown by rank 0 after all other ranks were told; each of them returns
// a report with the same exit code.
class RunFailure : public Failure {
 public:
  using Failure::Failure;
};

}  // namespace scalesweep::engine
