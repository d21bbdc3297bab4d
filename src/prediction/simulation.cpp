#include "prediction/simulation.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <queue>

#include "core/contracts.hpp"
#include "engine/master/master.hpp"

namespace scalesweep::engine {
namespace {

constexpr double ask_seconds = 0.1;
constexpr double tick_seconds = 0.05;
constexpr double longest_run_s = 1e7;

// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA
// 2014), as a number in [0, 1).
double noise(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = a * 0x9E3779B97F4A7C15U + b + 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1.0p-53;
}

// How much work the ids before one are, in points of usual cost.
class WorkProfile {
 public:
  WorkProfile(IdRange ids, const SimulatedCosts& costs)
      : first_(ids.first), range_(static_cast<double>(costs.range_points)) {
    const std::int64_t ranges = ids.size() / costs.range_points + 1;
    before_.reserve(static_cast<std::size_t>(ranges) + 1);
    before_.push_back(0.0);
    for (std::int64_t i = 0; i < ranges; ++i) {
      const double u = noise(costs.seed, static_cast<std::uint64_t>(i));
      const double cost = 1.0 + costs.spread_of_ranges * (2.0 * u - 1.0);
      before_.push_back(before_.back() + cost * range_);
    }
    // Usual is the mean of all ids.
    const double usual = ids.empty() ? 1.0 : before(ids.last) / static_cast<double>(ids.size());
    for (double& work : before_) {
      work /= usual;
    }
  }

  double before(PointId id) const {
    const double position = static_cast<double>(id - first_) / range_;
    const auto cell = std::min(static_cast<std::size_t>(position), before_.size() - 2);
    return before_[cell] +
           (before_[cell + 1] - before_[cell]) * (position - static_cast<double>(cell));
  }
  double of(IdRange ids) const { return before(ids.last) - before(ids.first); }
  // The id that one reaches with so much work from `from`.
  PointId reached(PointId from, double work) const {
    const double target = before(from) + work;
    const auto above = std::upper_bound(before_.begin(), before_.end(), target);
    const auto cell =
        std::min(static_cast<std::size_t>(above - before_.begin()) - 1, before_.size() - 2);
    const double part = (target - before_[cell]) / (before_[cell + 1] - before_[cell]);
    return first_ + static_cast<PointId>((static_cast<double>(cell) + part) * range_);
  }

 private:
  PointId first_;
  double range_;
  std::vector<double> before_;
};

class Simulation {
 public:
  explicit Simulation(const SimulationOptions& options);
  SimulationResult run();

 private:
  enum class Kind : std::uint8_t { start, order, report, ask, step, live, tick, stop };
  struct Event {
    double time_s = 0.0;
    std::uint64_t number = 0;  // equal times keep their order
    Kind kind = Kind::tick;
    int rank = 0;
    std::int64_t detail = 0;  // slot of a message, epoch of a step
    bool operator>(const Event& other) const {
      return time_s != other.time_s ? time_s > other.time_s : number > other.number;
    }
  };
  struct Rank {
    std::deque<IdRange> leases;
    std::optional<IdRange> current;
    IdRange step;  // of `current`: the next segment
    int steps = 0;
    double began_s = 0.0;
    double evaluated_s = 0.0;  // when its evaluation ends
    bool asked = false;
    bool stopping = false;
    std::int64_t epoch = 0;  // events of a step that was cut short do not count
    double heard_last_s = 0.0;
    double said_last_s = 0.0;
    double worked_until_s = 0.0;
    double seen_busy_s = 0.0;
    RankTotals totals;
  };

  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  const SimulatedRank& setting(int rank) const {
    return options_.ranks[static_cast<std::size_t>(rank)];
  }
  void push(double time_s, Kind kind, int rank, std::int64_t detail = 0);
  void happen(const Event& event);
  bool dead(int rank) const { return now_s_ >= setting(rank).dies_at_s; }
  double awake(int rank, double time_s) const;
  double latency(int rank);
  void say(int rank, ReportKind kind, IdRange ids = {});
  void master_hears(int rank, std::int64_t slot);
  void master_sends(int rank, const Order& order);
  void deliver(int rank, std::int64_t slot);
  void ask(int rank);
  void begin_next(int rank);
  void begin_step(int rank);
  double write_seconds(int rank, IdRange ids) const;
  void end_step(int rank, std::int64_t epoch);
  void stop(int rank);
  void live(int rank);

  SimulationOptions options_;
  WorkProfile work_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t pushed_ = 0;
  double now_s_ = 0.0;
  double master_free_s_ = 0.0;  // when the master has time again
  std::vector<Rank> ranks_;
  std::vector<RankReport> reports_;
  std::vector<std::int64_t> free_reports_;
  std::vector<Order> orders_;
  std::vector<std::int64_t> free_orders_;
  std::optional<Master> master_;
  SimulationResult result_;
};

template <typename T>
std::int64_t keep(std::vector<T>& slots, std::vector<std::int64_t>& free, const T& value) {
  if (free.empty()) {
    slots.push_back(value);
    return static_cast<std::int64_t>(slots.size()) - 1;
  }
  const std::int64_t slot = free.back();
  free.pop_back();
  slots[static_cast<std::size_t>(slot)] = value;
  return slot;
}

Simulation::Simulation(const SimulationOptions& options)
    : options_(options), work_(options.scheduler.ids, options.costs), ranks_(options.ranks.size()) {
  SCALESWEEP_EXPECT(!options.ranks.empty());
  options_.scheduler.ranks = static_cast<int>(options.ranks.size());
  MasterOptions master;
  master.scheduler = options_.scheduler;
  master.rank_timeout_seconds = options_.silent ? never : options_.rank_timeout_s;
  std::vector<bool> present(ranks_.size(), true);
  present[0] = options_.master_computes || ranks_.size() == 1;
  master_.emplace(master, options_.completed, present, 0.0,
                  [this](int rank, const Order& order) { master_sends(rank, order); });
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (present[rank]) {
      push(options_.ranks[rank].starts_at_s, Kind::start, static_cast<int>(rank));
    }
  }
  push(0.0, Kind::tick, 0);
  if (options_.stop_at_s < never) {
    push(options_.stop_at_s, Kind::stop, 0);
  }
}

SimulationResult Simulation::run() {
  while (!events_.empty() && !master_->over() && now_s_ < longest_run_s) {
    const Event event = events_.top();
    events_.pop();
    now_s_ = event.time_s;
    happen(event);
  }
  result_.over = master_->over();
  result_.complete = master_->complete();
  result_.seconds = std::max(now_s_, master_free_s_);
  result_.completed_points = master_->completed_points();
  result_.merge_seconds = result_.complete ? options_.costs.merge_per_point *
                                                 static_cast<double>(options_.scheduler.ids.size())
                                           : 0.0;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (options_.ranks[rank].dies_at_s > result_.seconds) {
      result_.idle_seconds += std::max(0.0, result_.seconds - ranks_[rank].worked_until_s);
    }
  }
  if (options_.silent) {
    const double words =
        result_.seconds / options_.report_interval_s * static_cast<double>(options_.ranks.size());
    result_.master_busy_seconds += words * options_.costs.report_service;
    result_.message_count += static_cast<std::int64_t>(words);
  }
  return result_;
}

void Simulation::push(double time_s, Kind kind, int rank, std::int64_t detail) {
  events_.push({time_s, pushed_++, kind, rank, detail});
}

void Simulation::happen(const Event& event) {
  switch (event.kind) {
    case Kind::start:
      say(event.rank, ReportKind::hello);
      ask(event.rank);
      if (!options_.silent) {
        live(event.rank);
      }
      break;
    case Kind::order:
      deliver(event.rank, event.detail);
      break;
    case Kind::report:
      master_hears(event.rank, event.detail);
      break;
    case Kind::ask:
      if (at(event.rank).epoch == event.detail) {
        ask(event.rank);
      }
      break;
    case Kind::step:
      end_step(event.rank, event.detail);
      break;
    case Kind::live:
      live(event.rank);
      break;
    case Kind::tick:
      master_free_s_ = std::max(master_free_s_, now_s_);
      master_->tick(master_free_s_);
      push(now_s_ + tick_seconds, Kind::tick, 0);
      break;
    case Kind::stop:
      master_free_s_ = std::max(master_free_s_, now_s_);
      master_->stop("time");
      break;
  }
}

// When something due at `time_s` really happens.
double Simulation::awake(int rank, double time_s) const {
  const SimulatedRank& r = setting(rank);
  return time_s >= r.sleeps_at_s && time_s < r.wakes_at_s ? r.wakes_at_s : time_s;
}

double Simulation::latency(int rank) {
  const double spread = options_.costs.latency_spread;
  const double part = spread > 0.0 ? 1.0 - spread * noise(options_.costs.seed + 1, pushed_) : 1.0;
  return setting(rank).latency_s * part;
}

void Simulation::say(int rank, ReportKind kind, IdRange ids) {
  Rank& r = at(rank);
  if (dead(rank)) {
    return;
  }
  RankReport report;
  report.kind = kind;
  report.ids = ids;
  report.totals = r.totals;
  r.said_last_s = std::max(r.said_last_s, now_s_ + latency(rank));
  push(r.said_last_s, Kind::report, rank, keep(reports_, free_reports_, report));
}

void Simulation::master_hears(int rank, std::int64_t slot) {
  const RankReport report = reports_[static_cast<std::size_t>(slot)];
  free_reports_.push_back(slot);
  master_free_s_ = std::max(master_free_s_, now_s_) + options_.costs.report_service;
  result_.master_busy_seconds += options_.costs.report_service;
  ++result_.message_count;
  master_->handle(rank, report, master_free_s_);
}

void Simulation::master_sends(int rank, const Order& order) {
  if (order.kind == OrderKind::lease) {
    ++result_.lease_count;
    if (options_.keeps_ranges) {
      result_.leases.push_back(order.ids);
    }
  }
  master_free_s_ += options_.costs.order_service;
  result_.master_busy_seconds += options_.costs.order_service;
  ++result_.message_count;
  Rank& r = at(rank);
  r.heard_last_s = std::max(r.heard_last_s, master_free_s_ + latency(rank));
  push(r.heard_last_s, Kind::order, rank, keep(orders_, free_orders_, order));
}

void Simulation::deliver(int rank, std::int64_t slot) {
  if (!dead(rank) && awake(rank, now_s_) > now_s_) {
    push(awake(rank, now_s_), Kind::order, rank, slot);
    return;
  }
  const Order order = orders_[static_cast<std::size_t>(slot)];
  free_orders_.push_back(slot);
  if (dead(rank)) {
    return;
  }
  if (order.kind == OrderKind::lease) {
    at(rank).asked = false;
    at(rank).leases.push_back(order.ids);
    begin_next(rank);
  } else if (order.kind == OrderKind::stop) {
    stop(rank);
  }
}

void Simulation::ask(int rank) {
  Rank& r = at(rank);
  if (!r.asked && !r.stopping && r.leases.empty()) {
    r.asked = true;
    say(rank, ReportKind::request);
  }
}

void Simulation::begin_next(int rank) {
  Rank& r = at(rank);
  if (r.current || r.stopping) {
    return;
  }
  if (r.leases.empty()) {
    ask(rank);
    return;
  }
  r.current = r.leases.front();
  r.leases.pop_front();
  r.step = {r.current->first, r.current->first};
  r.steps = 0;
  begin_step(rank);
}

// One segment: as many whole chunks as its time needs, at least one.
void Simulation::begin_step(int rank) {
  Rank& r = at(rank);
  const double rate = setting(rank).points_per_second;
  const std::int64_t chunk = options_.scheduler.chunk_rows;
  const PointId first = r.step.last;
  const PointId due = work_.reached(first, rate * options_.segment_seconds);
  const PointId last = std::max((first / chunk + 1) * chunk, (due + chunk - 1) / chunk * chunk);
  r.step = {first, std::min(last, r.current->last)};
  ++r.steps;
  r.began_s = now_s_;
  double seconds = work_.of(r.step) / rate;
  result_.work_seconds += seconds;
  if (rank == 0) {
    seconds += result_.master_busy_seconds - r.seen_busy_s;  // it serves in the same time
    r.seen_busy_s = result_.master_busy_seconds;
  }
  r.evaluated_s = awake(rank, now_s_ + seconds);
  const double written_s = awake(rank, r.evaluated_s + write_seconds(rank, r.step));
  const std::int64_t epoch = ++r.epoch;
  if (r.step.last == r.current->last) {
    push(std::max(now_s_, r.evaluated_s - ask_seconds), Kind::ask, rank, epoch);
  }
  push(written_s, Kind::step, rank, epoch);
}

double Simulation::write_seconds(int rank, IdRange ids) const {
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const SimulatedCosts& costs = options_.costs;
  double seconds =
      costs.write_per_segment + costs.write_per_point * static_cast<double>(ids.size());
  if (r.steps > 1 && ids.last == r.current->last) {
    seconds += costs.compact_per_point * static_cast<double>(r.current->size());
  }
  return seconds;
}

// The segment is on disk.
void Simulation::end_step(int rank, std::int64_t epoch) {
  Rank& r = at(rank);
  if (r.epoch != epoch || dead(rank)) {
    return;
  }
  r.totals.evaluated += r.step.size();
  r.totals.evaluate_seconds += r.evaluated_s - r.began_s;
  r.totals.write_seconds += now_s_ - r.evaluated_s;
  ++r.totals.segments;
  ++result_.segment_count;
  r.worked_until_s = now_s_;
  if (options_.keeps_ranges) {
    result_.written.push_back(r.step);
    if (r.steps > 1 && r.step.last == r.current->last && !r.stopping) {
      result_.compacted.push_back({*r.current, result_.written.size()});
    }
  }
  say(rank, ReportKind::completed, r.step);
  if (r.stopping) {
    r.current.reset();
    say(rank, ReportKind::stopped);
  } else if (r.step.last < r.current->last) {
    begin_step(rank);
  } else {
    r.current.reset();
    begin_next(rank);
  }
}

void Simulation::stop(int rank) {
  Rank& r = at(rank);
  if (r.stopping) {
    return;
  }
  r.stopping = true;
  r.leases.clear();
  if (!r.current) {
    say(rank, ReportKind::stopped);
    return;
  }
  if (now_s_ >= r.evaluated_s) {
    return;  // is being written
  }
  const double done = (now_s_ - r.began_s) * setting(rank).points_per_second;
  const std::int64_t chunk = options_.scheduler.chunk_rows;
  const PointId whole = work_.reached(r.step.first, done) / chunk * chunk;
  ++r.epoch;
  if (whole <= r.step.first) {
    r.current.reset();
    say(rank, ReportKind::stopped);
    return;
  }
  r.step.last = std::min(whole, r.step.last);
  r.evaluated_s = now_s_;
  push(awake(rank, now_s_ + write_seconds(rank, r.step)), Kind::step, rank, r.epoch);
}

void Simulation::live(int rank) {
  if (dead(rank)) {
    return;
  }
  if (awake(rank, now_s_) == now_s_) {
    say(rank, ReportKind::progress);
  }
  push(now_s_ + options_.report_interval_s, Kind::live, rank);
}

}  // namespace

SimulationResult simulate(const SimulationOptions& options) {
  return Simulation(options).run();
}

}  // namespace scalesweep::engine
