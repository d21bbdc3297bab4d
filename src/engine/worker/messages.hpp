// What ranks say to the master and the master to ranks, and how that becomes bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/failure.hpp"
#include "core/id_range.hpp"

namespace scalesweep::engine {

// Totals of one rank since the run began; every report carries them, so none can be missed.
struct RankTotals {
  std::int64_t evaluated = 0;  // ids, whether or not their rows are on disk yet
  std::int64_t skipped = 0;    // of those: RangeResult::skipped
  double evaluate_seconds = 0.0;
  double write_seconds = 0.0;
  std::int64_t segments = 0;
  std::int64_t peak_memory_bytes = 0;
  double best_objective = std::numeric_limits<double>::infinity();
};

enum class ReportKind : std::uint8_t {
  hello,      // first word; text: identity of the study this rank sees
  request,    // wants a lease (may still be computing one)
  progress,   // alive
  completed,  // ids are on disk in one segment: a lease, or the front of one that goes on
  stop,       // a signal arrived at this rank
  stopped,    // after an order to stop: nothing is under way any more, leases are given back
  failed,     // code and text say why; nothing is under way any more
  merge,      // payload: of a block that this rank merges (store/share)
};

struct RankReport {
  ReportKind kind = ReportKind::progress;
  IdRange ids;
  RankTotals totals;
  ExitCode code = ExitCode::ok;
  std::string text;
  std::vector<std::byte> payload = {};
};

enum class OrderKind : std::uint8_t {
  lease,  // compute and write ids
  alive,  // the master is there
  stop,   // write what is whole, say `stopped`
  end,    // the run is over with `code`
  merge,  // payload: what to do with a block of the merge (store/share)
};

struct Order {
  OrderKind kind = OrderKind::alive;
  IdRange ids;
  ExitCode code = ExitCode::ok;
  std::vector<std::byte> payload = {};
};

// Texts are cut to `max_text_bytes`, so that every message but those of a merge is small.
inline constexpr std::size_t max_text_bytes = 2000;
std::vector<std::byte> encode(const RankReport& report);
std::vector<std::byte> encode(const Order& order);

// Throw Failure(mpi_unavailable) for bytes that are no such message: another build of scalesweep
// runs on another rank.
RankReport decode_report(std::span<const std::byte> bytes);
Order decode_order(std::span<const std::byte> bytes);

}  // namespace scalesweep::engine
