#include "simulated_run.hpp"

#include <algorithm>

namespace scalesweep::test {
namespace {

using engine::Order;
using engine::OrderKind;
using engine::ReportKind;

constexpr double ask_seconds = 0.1;
constexpr double tick_seconds = 0.05;
constexpr double progress_seconds = 0.2;
constexpr double longest_run_s = 1e4;

}  // namespace

SimulatedRun::SimulatedRun(const SimulatedOptions& options)
    : options_(options), ranks_(options.ranks.size()) {
  options_.scheduler.ranks = static_cast<int>(options.ranks.size());
  engine::MasterOptions master;
  master.scheduler = options_.scheduler;
  master.rank_timeout_seconds = options_.rank_timeout_s;
  master_.emplace(master, options_.completed, std::vector<bool>(ranks_.size(), true), 0.0,
                  [this](int rank, const Order& order) {
                    if (order.kind == OrderKind::lease) {
                      result_.leases.push_back(order.ids);
                    }
                    at(now_s_ + setting(rank).latency_s, [=, this] { deliver(rank, order); });
                  });
}

SimulatedResult SimulatedRun::run() {
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    at(0.0, [=, this] {
      report(rank, ReportKind::hello);
      ask(rank);
      live(rank);
    });
  }
  at(0.0, [this] { tick(); });
  if (options_.stop_at_s < never) {
    at(options_.stop_at_s, [this] { master_->stop(); });
  }
  while (!events_.empty() && !master_->over() && now_s_ < longest_run_s) {
    auto event = events_.extract(events_.begin());
    now_s_ = event.key();
    event.mapped()();
  }
  result_.over = master_->over();
  result_.complete = master_->complete();
  result_.seconds = now_s_;
  result_.completed_points = master_->completed_points();
  return result_;
}

bool SimulatedRun::dead(int rank, double time_s) const {
  return time_s >= setting(rank).dies_at_s;
}

// When something due at `time_s` really happens.
double SimulatedRun::awake(int rank, double time_s) const {
  const SimulatedRank& r = setting(rank);
  return time_s >= r.sleeps_at_s && time_s < r.wakes_at_s ? r.wakes_at_s : time_s;
}

void SimulatedRun::report(int rank, ReportKind kind, IdRange ids) {
  if (dead(rank, now_s_)) {
    return;
  }
  engine::RankReport report;
  report.kind = kind;
  report.ids = ids;
  report.totals = ranks_[static_cast<std::size_t>(rank)].totals;
  at(now_s_ + setting(rank).latency_s, [=, this] { master_->handle(rank, report, now_s_); });
}

void SimulatedRun::ask(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  if (!r.asked && !r.stopping && r.leases.empty()) {
    r.asked = true;
    report(rank, ReportKind::request);
  }
}

void SimulatedRun::deliver(int rank, const Order& order) {
  if (dead(rank, now_s_)) {
    return;
  }
  if (awake(rank, now_s_) > now_s_) {
    at(awake(rank, now_s_), [=, this] { deliver(rank, order); });
    return;
  }
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  if (order.kind == OrderKind::lease) {
    r.asked = false;
    r.leases.push_back(order.ids);
    begin_next(rank);
  } else if (order.kind == OrderKind::stop) {
    stop(rank);
  }
}

void SimulatedRun::begin_next(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  if (r.current || r.stopping) {
    return;
  }
  if (r.leases.empty()) {
    ask(rank);
    return;
  }
  const IdRange lease = r.leases.front();
  r.leases.pop_front();
  r.current = lease;
  r.began_s = now_s_;
  const std::int64_t epoch = ++r.epoch;
  const double seconds = static_cast<double>(lease.size()) / setting(rank).points_per_second;
  const double end_s = awake(rank, now_s_ + seconds);
  const auto current = [=, this](const Event& event) {
    return [=, this] {
      if (ranks_[static_cast<std::size_t>(rank)].epoch == epoch && !dead(rank, now_s_)) {
        event();
      }
    };
  };
  at(std::max(now_s_, end_s - ask_seconds), current([=, this] { ask(rank); }));
  at(end_s, current([=, this] { write(rank, lease); }));
}

// Evaluation of `ids` has just ended: they are on disk a little later.
void SimulatedRun::write(int rank, IdRange ids) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const auto points = static_cast<double>(ids.size());
  const double write_s =
      options_.write_seconds_per_segment + options_.write_seconds_per_point * points;
  const double done_s = awake(rank, now_s_ + write_s);
  r.writing = true;
  r.totals.evaluated += ids.size();
  r.totals.evaluate_seconds += points / setting(rank).points_per_second;
  r.totals.write_seconds += write_s;
  at(done_s, [=, this] {
    if (dead(rank, now_s_)) {
      return;
    }
    Rank& writer = ranks_[static_cast<std::size_t>(rank)];
    result_.written.push_back(ids);
    report(rank, ReportKind::completed, ids);
    writer.current.reset();
    writer.writing = false;
    if (writer.stopping) {
      report(rank, ReportKind::stopped);
    } else {
      begin_next(rank);
    }
  });
}

void SimulatedRun::stop(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  if (r.stopping) {
    return;
  }
  r.stopping = true;
  r.leases.clear();
  if (!r.current) {
    report(rank, ReportKind::stopped);
    return;
  }
  // Not told by the time alone: an order may come at the very moment at which evaluation ended.
  if (r.writing) {
    return;
  }
  const double points = (now_s_ - r.began_s) * setting(rank).points_per_second;
  const std::int64_t chunk = options_.scheduler.chunk_rows;
  const IdRange lease = *r.current;
  const PointId reached = lease.first + static_cast<PointId>(points);
  if (reached >= lease.last) {
    return;  // will be written at this moment
  }
  ++r.epoch;
  const IdRange front{lease.first, reached / chunk * chunk};
  if (front.empty()) {
    r.current.reset();
    report(rank, ReportKind::stopped);
  } else {
    write(rank, front);
  }
}

void SimulatedRun::live(int rank) {
  if (awake(rank, now_s_) == now_s_) {
    report(rank, ReportKind::progress);
  }
  if (!dead(rank, now_s_)) {
    at(now_s_ + progress_seconds, [=, this] { live(rank); });
  }
}

void SimulatedRun::tick() {
  master_->tick(now_s_);
  at(now_s_ + tick_seconds, [this] { tick(); });
}

}  // namespace scalesweep::test
