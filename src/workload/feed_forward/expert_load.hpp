// How unevenly tokens go to experts: the load of the busiest of the devices that a layer's experts
// are spread over, as a distribution over tokens and over where the popular experts happen to lie.
//
// Expert i of E is as popular as i^-s (Zipf); s = 0: all alike. A token draws top_k distinct ones,
// one after the other in proportion to what is left (successive sampling). Its chance to go to
// expert i is then close to 1 - exp(-c i^-s), with c such that the chances sum to top_k (Rosen,
// "Asymptotic theory for successive sampling", Ann. Math. Stat. 43, 1972). The tokens that a
// device gets are near to a Pearson III distribution with the mean, variance and skewness of such
// sums: over the draws of tokens, and over which experts it holds. The expected largest of n is
// its quantile at Blom's position (n - 3/8) / (n + 1/4) (Blom, "Statistical estimates and
// transformed beta-variables", 1958), by the cube-root transformation of Wilson and Hilferty
// (1931). The device with the most popular expert is none of those n and stands beside them: the
// larger of the two is that of two normal variables (Clark, "The greatest of a finite set of
// random variables", Oper. Res. 9, 1961).
//
// Redundant experts are copies of the most popular ones, each given to the one with the most
// tokens a copy, and all copies are dealt out so that devices have the same load, as far as the
// number that each holds lets them (EPLB of DeepSeek-V3, arXiv:2412.19437, section 3.4.1). The
// popularity is known exactly there; what a token draws is still chance.
//
// Against simulated draws (expert_load_test): within 9 % of the largest load, 2.5 % on
// average; with copies within 12 %.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "workload/model.hpp"

namespace scalesweep::workload {

// Experts that the fullest of `ranks` devices holds of a layer, copies counted: ranks that do not
// divide their number have one more or less than each other.
double experts_held(const Experts& experts, double ranks, double redundant);

// Distinct experts that `tokens` independent tokens reach on a device that holds `held` of them,
// all as popular: held (1 - (1 - top_k / count)^tokens); those that go alike count as one.
double experts_reached(const Experts& experts, double held, double tokens);

// Experts::request_skew where nobody says it: that of DeepSeek-R1, the only one known
// (nodes/models-experts.toml), for 32 experts and more. Fewer and larger ones are nearly as popular
// as each other: none.
std::optional<double> usual_request_skew(std::int64_t experts);

// Built once for many tokens: a few microseconds, nothing where Experts::skew is not given.
class ExpertLoads {
 public:
  // `redundant` copies of experts, on `ranks` devices that hold the experts of a layer together.
  ExpertLoads(const Experts& experts, double ranks, double redundant);

  // Of the fullest device.
  double held() const { return held_; }

  // Copies of tokens that the busiest device gets, over the mean of all, of `tokens` of all ranks;
  // their expected value. At least 1. Without a skew the measured Experts::imbalance, times what
  // padding and copies of some make uneven by themselves.
  double largest(double tokens) const;

  // Of the copies that a device's `tokens` make, the share beyond `capacity` times the mean of an
  // expert, which is dropped (GShard, arXiv:2006.16668, section 2.2): tokens of an expert as normal
  // variables. Without a skew all experts are as popular, and chance is left.
  double dropped(double tokens, double capacity) const;

  // Distinct experts of a device that `tokens` reach: as experts_reached, by popularity.
  double reached(double tokens) const;

 private:
  // Experts next to each other in popularity, taken as alike: each by itself at the top, groups
  // that grow by a quarter of their rank behind.
  struct Group {
    double experts = 0.0;
    double chance = 0.0;  // that a token goes to one of them
    double copies = 1.0;  // of each
  };
  static constexpr std::size_t most_groups = 64;

  // Mean, variance and third central moment of a device's share of one token, over which experts
  // it holds; and the variance over which ones the token draws.
  struct Moments {
    double mean = 0.0, placed = 0.0, placed_third = 0.0, drawn = 0.0;
  };

  void make_groups(const Experts& experts);
  void set_chances(double top_k);
  void add_copies(double redundant, double ranks);
  void set_random_moments();
  void pack(double top_k);
  double largest_packed(double drawn) const;
  // Devices and what tokens bring each of them, where copies are packed.
  template <typename Add>
  void for_each_packed(double level, const Add& add) const;
  double drawn_variance() const;  // of one token, summed over all copies
  double load(std::size_t group) const { return groups_[group].chance / groups_[group].copies; }

  Experts experts_;
  double ranks_ = 1.0;
  double fullest_ = 1.0;  // of them, those that hold as many as any
  double held_ = 1.0;
  double even_ = 1.0;  // the largest load over the mean, where all experts have the same
  bool grouped_ = false;
  std::array<Group, most_groups> groups_{};
  std::size_t size_ = 0;
  Moments others_;  // devices without the hottest expert
  Moments hottest_;
  bool packed_ = false;   // copies are, the groups the hottest first
  double level_ = 0.0;    // of a token, to each device that has nothing above it
  double filling_ = 0.0;  // what the coldest copies add to a device with a hot one
};

}  // namespace scalesweep::workload
