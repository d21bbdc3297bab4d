#include "engine/master/master.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/contracts.hpp"

namespace scalesweep::engine {

Master::Master(const MasterOptions& options, std::span<const IdRange> completed,
               const std::vector<bool>& present, double now_s, Send send)
    : options_(options),
      scheduler_(options.scheduler, completed),
      ranks_(present.size()),
      send_(std::move(send)),
      last_alive_s_(now_s) {
  SCALESWEEP_EXPECT(static_cast<int>(present.size()) == options.scheduler.ranks);
  for (std::size_t rank = 0; rank < present.size(); ++rank) {
    if (present[rank]) {
      hear(static_cast<int>(rank), now_s);
    }
  }
}

void Master::admit(int rank, double now_s) {
  hear(rank, now_s);
}

// Also of a rank that was only taken for dead.
void Master::hear(int rank, double now_s) {
  Rank& r = at(rank);
  r.heard_s = now_s;
  if (r.state == State::live) {
    by_silence_.splice(by_silence_.end(), by_silence_, r.place);
  } else {
    become(rank, State::live);
  }
}

void Master::become(int rank, State state) {
  Rank& r = at(rank);
  if (r.state == State::live) {
    by_silence_.erase(r.place);
    waiting_.erase(rank);
    count(rank, -1);
  }
  live_ranks_ += (state == State::live ? 1 : 0) - (r.state == State::live ? 1 : 0);
  lost_ranks_ += (state == State::lost ? 1 : 0) - (r.state == State::lost ? 1 : 0);
  r.state = state;
  if (r.state == State::live) {
    r.place = by_silence_.insert(by_silence_.end(), rank);
    if (r.waits) {
      waiting_.insert(rank);
    }
    count(rank, +1);
  }
}

// Takes the rank, if it is live, out of the sums or back in: around whatever may change it.
void Master::count(int rank, int sign) {
  const Rank& r = at(rank);
  if (r.state == State::live) {
    unwritten_points_ += sign * std::max<std::int64_t>(0, r.totals.evaluated - r.credited);
    leased_ranks_ += scheduler_.leases(rank).empty() ? 0 : sign;
  }
}

void Master::handle(int rank, const RankReport& report, double now_s) {
  hear(rank, now_s);
  count(rank, -1);
  note_totals(rank, report.totals);
  obey(rank, report);
  count(rank, +1);
  if (report.kind == ReportKind::request) {
    at(rank).waits = true;
    waiting_.insert(rank);
  } else if (report.kind == ReportKind::stop) {
    stop(options_.scheduler.ranks > 1 ? fmt::format("signal at rank {}", rank) : "signal");
  } else if (report.kind == ReportKind::failed) {
    fail(rank, report.code, report.text);
  }
  serve_waiting();
}

// What changes the leases of the rank alone.
void Master::obey(int rank, const RankReport& report) {
  switch (report.kind) {
    case ReportKind::completed:
      scheduler_.completed(rank, report.ids);
      at(rank).credited += report.ids.size();
      break;
    case ReportKind::stopped:
    case ReportKind::failed:
      scheduler_.lost(rank);
      break;
    case ReportKind::hello:
      if (report.text != options_.identity) {
        fail(rank, ExitCode::bad_input,
             "sees another study than rank 0; are spec, catalog and program the same there?");
      } else if (stopping_) {
        send_(rank, {OrderKind::stop, {}, ExitCode::ok});
      }
      break;
    case ReportKind::request:
    case ReportKind::progress:
    case ReportKind::stop:
    case ReportKind::merge:
      break;
  }
}

void Master::note_totals(int rank, const RankTotals& totals) {
  Rank& r = at(rank);
  const double write_s = totals.write_seconds - r.totals.write_seconds;
  const double evaluate_s = totals.evaluate_seconds - r.totals.evaluate_seconds;
  const std::int64_t segments = totals.segments - r.totals.segments;
  if (totals.evaluated > r.totals.evaluated || evaluate_s + write_s > 0.0) {
    scheduler_.measured(rank, totals.evaluated - r.totals.evaluated,
                        std::max(evaluate_s + write_s, 0.0));
  }
  if (segments > 0) {
    longest_write_seconds_ =
        std::max(longest_write_seconds_, write_s / static_cast<double>(segments));
  }
  totals_.evaluated += totals.evaluated - r.totals.evaluated;
  totals_.skipped += totals.skipped - r.totals.skipped;
  totals_.evaluate_seconds += evaluate_s;
  totals_.write_seconds += write_s;
  totals_.segments += segments;
  totals_.peak_memory_bytes = std::max(totals_.peak_memory_bytes, totals.peak_memory_bytes);
  totals_.best_objective = std::min(totals_.best_objective, totals.best_objective);
  r.totals = totals;
}

bool Master::lease_to(int rank) {
  count(rank, -1);
  const std::optional<IdRange> lease = scheduler_.next(rank);
  count(rank, +1);
  if (lease) {
    at(rank).waits = false;
    waiting_.erase(rank);
    send_(rank, {OrderKind::lease, *lease, ExitCode::ok});
  }
  return lease.has_value();
}

void Master::serve_waiting() {
  while (!stopping_ && !waiting_.empty() && lease_to(*waiting_.begin())) {
  }
}

void Master::lose(int rank) {
  become(rank, State::lost);  // still waits, if it did: it may only be slow
  scheduler_.lost(rank);
}

void Master::tick(double now_s) {
  while (!by_silence_.empty() &&
         now_s - at(by_silence_.front()).heard_s > options_.rank_timeout_seconds) {
    lose(by_silence_.front());
  }
  serve_waiting();
  if (now_s - last_alive_s_ >= options_.rank_timeout_seconds / 4.0) {
    last_alive_s_ = now_s;
    send_to_all({OrderKind::alive, {}, ExitCode::ok});
  }
}

void Master::send_to_all(const Order& order) {
  for (int rank = 0; rank < options_.scheduler.ranks; ++rank) {
    if (at(rank).state != State::absent) {
      send_(rank, order);
    }
  }
}

void Master::stop(const std::string& why) {
  if (!stopping_) {
    stopping_ = true;
    stop_reason_ = why;
    send_to_all({OrderKind::stop, {}, ExitCode::ok});
  }
}

void Master::fail(int rank, ExitCode code, const std::string& text) {
  if (!failure_) {
    failure_ =
        Cause{code, options_.scheduler.ranks > 1 ? fmt::format("rank {}: {}", rank, text) : text};
  }
  stop("failure");
}

bool Master::over() const {
  return scheduler_.complete() || (stopping_ && leased_ranks_ == 0);
}

std::vector<int> Master::live() const {
  std::vector<int> ranks(by_silence_.begin(), by_silence_.end());
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

std::int64_t Master::evaluated_points() const {
  return std::min(scheduler_.completed_points() + unwritten_points_, options_.scheduler.ids.size());
}

}  // namespace scalesweep::engine
