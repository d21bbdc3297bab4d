// A job that fails, restarts and waits for nodes, event by event: the oracle of the whole run.
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <random>
#include <vector>

#include "estimator/run/renewal.hpp"

namespace scalesweep::test {

struct SimulatedRun {
  estimator::Renewal renewal;  // its failures with those that corruption is found by
  double interval_s = 0.0;
  double corruptions_per_s = 0.0;  // part of the failures
  double corruption_found_s = 0.0;
  // Of the failures, those after which a node is repaired for so long in the mean.
  double repaired_share = 0.0;
  double repair_s = 0.0;
  int spare_nodes = 0;
};

class RunSimulation {
 public:
  RunSimulation(const SimulatedRun& run, unsigned seed) : run_(run), random_(seed) {}

  // Work over time of so much work.
  double goodput(double work_s) {
    checkpoints_ = {{0.0, 0.0, 0.0}};
    next_failure_s_ = after(plain_failures_per_s());
    next_corruption_s_ = after(run_.corruptions_per_s);
    restart(0.0);
    while (done_s_ < work_s) {
      step();
    }
    return done_s_ / now_s_;
  }
  double waited_share() const { return waited_s_ / now_s_; }

 private:
  struct Checkpoint {
    double work_s;
    double taken_s;
    double usable_s;
  };
  enum class State { waiting, restarting, working, stopped };

  double plain_failures_per_s() const {
    return run_.renewal.failures_per_s - run_.corruptions_per_s;
  }
  double after(double rate) {
    return rate > 0.0 ? now_s_ + std::exponential_distribution<double>(rate)(random_)
                      : std::numeric_limits<double>::infinity();
  }

  void step() {
    if (state_ == State::waiting) {
      wait();
      return;
    }
    const double event_s =
        std::min({until_s_, next_failure_s_, next_corruption_s_, found_s(), back_s()});
    if (state_ == State::working) {
      done_s_ += event_s - now_s_;
    }
    now_s_ = event_s;
    if (event_s == back_s()) {
      repairs_s_.erase(std::min_element(repairs_s_.begin(), repairs_s_.end()));
    } else if (event_s == until_s_) {
      end_of_state();
    } else if (event_s == next_corruption_s_) {
      corrupt_s_.push_back(now_s_);
      next_corruption_s_ = after(run_.corruptions_per_s);
    } else {
      fail(event_s == found_s());
    }
  }

  // Until a node is back. Nothing runs that could fail meanwhile.
  void wait() {
    const double waits_s = back_s() - now_s_;
    waited_s_ += waits_s;
    next_failure_s_ += waits_s;
    next_corruption_s_ += waits_s;
    for (double& since_s : corrupt_s_) {
      since_s += waits_s;
    }
    now_s_ += waits_s;
    repairs_s_.erase(std::min_element(repairs_s_.begin(), repairs_s_.end()));
    restart(run_.renewal.restart_s);
  }

  void end_of_state() {
    switch (state_) {
      case State::restarting:
        work();
        return;
      case State::working:
        state_ = State::stopped;
        until_s_ = now_s_ + run_.renewal.stop_s;
        return;
      case State::stopped:
        checkpoints_.push_back({done_s_, now_s_, now_s_ + run_.renewal.behind_s});
        work();
        return;
      case State::waiting:
        return;
    }
  }

  // Of the devices that compute wrongly, the first is seen first.
  double found_s() const {
    return corrupt_s_.empty() ? std::numeric_limits<double>::infinity()
                              : corrupt_s_.front() + run_.corruption_found_s;
  }

  void work() {
    state_ = State::working;
    until_s_ = now_s_ + run_.interval_s;
  }

  void fail(bool found) {
    const double good_until_s =
        found ? corrupt_s_.front() : std::numeric_limits<double>::infinity();
    while (checkpoints_.back().usable_s > now_s_ || checkpoints_.back().taken_s > good_until_s) {
      checkpoints_.pop_back();
    }
    done_s_ = checkpoints_.back().work_s;
    if (found) {
      corrupt_s_.pop_front();
    } else {
      next_failure_s_ = after(plain_failures_per_s());
    }
    if (std::bernoulli_distribution(run_.repaired_share)(random_)) {
      repairs_s_.push_back(after(1.0 / run_.repair_s));
    }
    if (static_cast<int>(repairs_s_.size()) > run_.spare_nodes) {
      state_ = State::waiting;
    } else {
      restart(run_.renewal.restart_s);
    }
  }

  void restart(double takes_s) {
    state_ = State::restarting;
    until_s_ = now_s_ + takes_s;
  }
  double back_s() const {
    return repairs_s_.empty() ? std::numeric_limits<double>::infinity()
                              : *std::min_element(repairs_s_.begin(), repairs_s_.end());
  }

  SimulatedRun run_;
  std::mt19937_64 random_;
  State state_ = State::restarting;
  double now_s_ = 0.0;
  double until_s_ = 0.0;
  double done_s_ = 0.0;
  double waited_s_ = 0.0;
  double next_failure_s_ = 0.0;
  double next_corruption_s_ = 0.0;
  std::deque<double> corrupt_s_;  // since when, in order
  std::vector<Checkpoint> checkpoints_;
  std::vector<double> repairs_s_;
};

}  // namespace scalesweep::test
