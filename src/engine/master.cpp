#include "engine/master.hpp"

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
    ranks_[rank].state = present[rank] ? State::live : State::absent;
    ranks_[rank].heard_s = now_s;
  }
}

void Master::admit(int rank, double now_s) {
  at(rank).state = State::live;
  at(rank).heard_s = now_s;
}

void Master::handle(int rank, const RankReport& report, double now_s) {
  Rank& r = at(rank);
  r.heard_s = now_s;
  r.state = State::live;  // also one that was only taken for dead
  note_totals(rank, report.totals);
  switch (report.kind) {
    case ReportKind::hello:
      if (report.text != options_.identity) {
        fail(rank, ExitCode::bad_input,
             "sees another study than rank 0; are spec, catalog and program the same there?");
      } else if (stopping_) {
        send_(rank, {OrderKind::stop, {}, ExitCode::ok});
      }
      break;
    case ReportKind::request:
      r.waits = true;
      serve_waiting();
      break;
    case ReportKind::progress:
      break;
    case ReportKind::completed:
      scheduler_.completed(rank, report.ids);
      r.credited += report.ids.size();
      break;
    case ReportKind::stop:
      stop();
      break;
    case ReportKind::stopped:
      scheduler_.lost(rank);
      break;
    case ReportKind::failed:
      fail(rank, report.code, report.text);
      break;
  }
}

void Master::note_totals(int rank, const RankTotals& totals) {
  Rank& r = at(rank);
  const double seconds = totals.evaluate_seconds - r.totals.evaluate_seconds +
                         totals.write_seconds - r.totals.write_seconds;
  if (totals.evaluated > r.totals.evaluated || seconds > 0.0) {
    scheduler_.measured(rank, totals.evaluated - r.totals.evaluated, std::max(seconds, 0.0));
  }
  r.totals = totals;
}

void Master::lease_to(int rank) {
  if (const std::optional<IdRange> lease = scheduler_.next(rank)) {
    at(rank).waits = false;
    send_(rank, {OrderKind::lease, *lease, ExitCode::ok});
  }
}

void Master::serve_waiting() {
  for (int rank = 0; rank < options_.scheduler.ranks && !stopping_; ++rank) {
    if (at(rank).waits && at(rank).state == State::live) {
      lease_to(rank);
    }
  }
}

void Master::lose(int rank) {
  at(rank).state = State::lost;  // still waits, if it did: it may only be slow
  scheduler_.lost(rank);
}

void Master::tick(double now_s) {
  for (int rank = 0; rank < options_.scheduler.ranks; ++rank) {
    if (at(rank).state == State::live && now_s - at(rank).heard_s > options_.rank_timeout_seconds) {
      lose(rank);
    }
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

void Master::stop() {
  if (!stopping_) {
    stopping_ = true;
    send_to_all({OrderKind::stop, {}, ExitCode::ok});
  }
}

void Master::fail(int rank, ExitCode code, const std::string& text) {
  scheduler_.lost(rank);
  if (!failure_) {
    failure_ =
        Cause{code, options_.scheduler.ranks > 1 ? fmt::format("rank {}: {}", rank, text) : text};
  }
  stop();
}

bool Master::over() const {
  if (scheduler_.complete()) {
    return true;
  }
  if (!stopping_) {
    return false;
  }
  for (int rank = 0; rank < options_.scheduler.ranks; ++rank) {
    if (ranks_[static_cast<std::size_t>(rank)].state == State::live &&
        !scheduler_.leases(rank).empty()) {
      return false;
    }
  }
  return true;
}

std::int64_t Master::evaluated_points() const {
  std::int64_t points = scheduler_.completed_points();
  for (const Rank& rank : ranks_) {
    if (rank.state == State::live) {
      points += std::max<std::int64_t>(0, rank.totals.evaluated - rank.credited);
    }
  }
  return std::min(points, options_.scheduler.points);
}

RankTotals Master::totals() const {
  RankTotals sum;
  for (const Rank& rank : ranks_) {
    sum.evaluated += rank.totals.evaluated;
    sum.evaluate_seconds += rank.totals.evaluate_seconds;
    sum.write_seconds += rank.totals.write_seconds;
    sum.segments += rank.totals.segments;
    sum.peak_memory_bytes = std::max(sum.peak_memory_bytes, rank.totals.peak_memory_bytes);
    sum.best_objective = std::min(sum.best_objective, rank.totals.best_objective);
  }
  return sum;
}

int Master::live_ranks() const {
  return static_cast<int>(std::count_if(
      ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.state == State::live; }));
}

int Master::lost_ranks() const {
  return static_cast<int>(std::count_if(
      ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.state == State::lost; }));
}

}  // namespace scalesweep::engine
