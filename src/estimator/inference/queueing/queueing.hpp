// Waiting at one server, or for a place among many: Poisson arrivals (Kleinrock, Queueing Systems,
// volume 1, 1975, chapter 5), and those that come in bursts by the first two moments of the times
// between them (Kingman, "The single server queue in heavy traffic", Proc. Cambridge Phil. Soc. 57,
// 1961; Whitt, "The queueing network analyzer", Bell System Technical Journal 62, 1983).
//
// A squared coefficient of variation (scv) is a variance over the square of its mean: 1 of the
// times between Poisson arrivals.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace scalesweep::estimator {

// A queue that is full all the time never empties: more than this share of the server's time is
// not given out.
inline constexpr double highest_utilisation = 0.95;

// Of what has this mean and this mean of its squares; their difference rounds to either side of 0.
inline double scv_of(double mean, double mean_square) {
  return std::max(0.0, mean_square / (mean * mean) - 1.0);
}

// Mean wait before service in an M/G/1 queue, first come, first served: rate E[S^2] / (2 (1 -
// rate E[S])) (Pollaczek 1930, Khinchine 1932). Of other arrivals E[S^2] + (scv - 1) E[S]^2 stands
// in the place of E[S^2] (Kingman 1961), times what Kraemer and Langenbach-Belz found for light
// loads ("Approximate formulae for the delay in the queueing system GI/G/1", ITC 8, 1976).
inline double mean_wait_s(double rate, double service_s, double service_square_s2,
                          double arrival_scv = 1.0) {
  const double utilisation = rate * service_s;
  if (utilisation >= 1.0) {
    return std::numeric_limits<double>::infinity();
  }
  const double poisson_s = rate * service_square_s2 / (2.0 * (1.0 - utilisation));
  if (arrival_scv == 1.0 || utilisation <= 0.0) {
    return poisson_s;
  }
  const double service_scv = scv_of(service_s, service_square_s2);
  const double both_scv = service_scv + arrival_scv;
  if (both_scv <= 0.0) {
    return 0.0;  // nothing varies: each comes when the one before is gone
  }
  const double fewer = 1.0 - arrival_scv;
  const double light =
      arrival_scv < 1.0
          ? std::exp(-2.0 * (1.0 - utilisation) * fewer * fewer / (3.0 * utilisation * both_scv))
          : std::exp((1.0 - utilisation) * fewer / (arrival_scv + 4.0 * service_scv));
  return light * both_scv / (both_scv + fewer) * poisson_s;
}

// Of `requests` of a closed loop that are alike to the token: they end one iteration after the
// other once they have begun so, and their successors go through consecutive iterations. Each finds
// one with a prompt under way, and one more where the host schedules ahead: the iteration to come
// is formed when that one begins. How many prompts share one depends on how the client sends them;
// `iteration_s` is that of a mean one.
inline double wait_in_file_s(double requests, bool schedules_ahead, double iteration_s) {
  return std::min(schedules_ahead ? 2.0 : 1.0, std::max(0.0, requests - 1.0)) * iteration_s;
}

// Of those that come to a server, the share that waits: all that find it busy, a little more where
// they come in bursts (Kraemer and Langenbach-Belz 1976, as Whitt 1983 has it).
inline double share_that_waits(double utilisation, double arrival_scv, double service_scv) {
  if (utilisation >= 1.0) {
    return 1.0;
  }
  const double rho = utilisation;
  const double both = rho * rho * (4.0 * arrival_scv + service_scv);
  const double h = arrival_scv < 1.0 ? (1.0 + arrival_scv + rho * service_scv) /
                                           (1.0 + rho * (service_scv - 1.0) + both)
                                     : 4.0 * rho / (arrival_scv + both);
  return std::clamp(rho + (arrival_scv - 1.0) * rho * (1.0 - rho) * h, 0.0, 1.0);
}

// Of arrivals that are sent to one of so many servers at random (Whitt 1983).
inline double split_scv(double arrival_scv, double servers) {
  return 1.0 + (arrival_scv - 1.0) / servers;
}

// Bursts take time: variance over mean of the number of arrivals while `arrivals` come in the mean,
// of times between them that are one of two exponentials with balanced means (Whitt 1982); and how
// many more than in the mean come after an arrival until then. Below an scv of 1 the limits.
inline double share_of_burst(double arrival_scv, double arrivals) {
  return arrival_scv > 1.0 ? -std::expm1(-2.0 * arrivals / (arrival_scv + 1.0)) : 1.0;
}
inline double dispersion(double arrival_scv, double arrivals) {
  if (arrival_scv <= 1.0) {
    return arrival_scv;
  }
  const double lags = 2.0 * arrivals / (arrival_scv + 1.0);
  const double whole = lags > 1e-6 ? 1.0 + std::expm1(-lags) / lags : 0.5 * lags;
  return 1.0 + (arrival_scv - 1.0) * whole;
}
inline double companions(double arrival_scv, double arrivals) {
  return 0.5 * (arrival_scv - 1.0) * share_of_burst(arrival_scv, arrivals);
}

// Of what leaves a server (Whitt 1983): as irregular as arrivals where it is idle, as service where
// it is busy.
inline double departure_scv(double utilisation, double arrival_scv, double service_scv) {
  const double busy = std::min(1.0, utilisation * utilisation);
  return busy * service_scv + (1.0 - busy) * arrival_scv;
}

// Variance over mean of how many are served at a time where nobody waits: 1 of Poisson arrivals,
// the scv of arrivals where all stay as long, (scv + 1) / 2 where stays are exponential (Whitt, "On
// the heavy-traffic limit theorem for GI/G/infinity queues", Adv. Appl. Prob. 14, 1982). Between
// these two a line in the inverse of E[S^2].
inline double peakedness(double arrival_scv, double stay_scv) {
  return std::max(0.0, 1.0 + (arrival_scv - 1.0) / (1.0 + stay_scv));
}

// Those that wait at all, and the mean of all. The time of those that do is taken as exponential
// (Abate, Choudhury and Whitt, "Exponential approximations for tail probabilities in queues I:
// waiting times", Operations Research 43, 1995).
struct Wait {
  double share = 0.0;
  double mean_s = 0.0;
};

// One wait after the other.
inline Wait both(const Wait& a, const Wait& b) {
  return {1.0 - (1.0 - a.share) * (1.0 - b.share), a.mean_s + b.mean_s};
}

// At one server; `square_s2` is the mean of the squares of what is served.
inline Wait wait_at_one(double rate, double service_s, double square_s2, double arrival_scv) {
  return {share_that_waits(rate * service_s, arrival_scv, scv_of(service_s, square_s2)),
          mean_wait_s(rate, service_s, square_s2, arrival_scv)};
}

// What is left of a wait after so many seconds of it.
inline Wait after(const Wait& wait, double s) {
  const double left = wait.mean_s > 0.0 ? std::exp(-s * wait.share / wait.mean_s) : 0.0;
  return {left * wait.share, left > 0.0 ? left * wait.mean_s : 0.0};
}

// What this share of all waits longer than.
inline double exceeded_s(const Wait& wait, double share) {
  return wait.share > share ? wait.mean_s / wait.share * std::log(wait.share / share) : 0.0;
}

// For one of `places`, of which `mean` are taken with this standard deviation where enough are
// free; with all of them `full_rate` would be served. A diffusion: normal below, where the number
// springs back to its mean, and exponential above, where it falls at a constant speed; the scv are
// those of what comes and of what is done in a given time (Halfin and
// Whitt, "Heavy-traffic limits for queues with many exponential servers", Operations Research 29,
// 1981; Browne and Whitt, "Piecewise-linear diffusion processes", in Advances in Queueing, 1995).
inline Wait wait_for_place(double rate, double full_rate, double places, double mean,
                           double deviation, double arrival_scv, double served_scv) {
  constexpr double all = 1.0 - 1e-9;  // but for rounding
  if (rate >= all * full_rate || mean >= all * places) {
    return {1.0, std::numeric_limits<double>::infinity()};
  }
  if (deviation <= 0.0) {
    return {};
  }
  const double load = rate / full_rate;
  const double waiting = 0.5 * load * (arrival_scv + served_scv) / (1.0 - load);
  const double beta = (places - mean) / deviation;
  const double density = 0.3989422804014327 * std::exp(-0.5 * beta * beta);
  const double below = 0.5 * std::erfc(-0.7071067811865476 * beta);
  const double above = waiting * density / deviation;
  const double share = above / (below + above);
  return {share, share * waiting / rate};
}

// Rest of the interval that an arrival at any time falls into, E[T^2] / (2 E[T]): a share of the
// intervals lasts a_s, the rest b_s.
inline double residual_s(double share, double a_s, double b_s) {
  const double mean_s = share * a_s + (1.0 - share) * b_s;
  return mean_s > 0.0 ? (share * a_s * a_s + (1.0 - share) * b_s * b_s) / (2.0 * mean_s) : 0.0;
}

// Share of intervals in which something arrives, of `mean` Poisson arrivals in each.
inline double some_arrive(double mean) {
  return -std::expm1(-mean);
}

// The median number of Poisson arrivals (Choi, "On the medians of gamma distributions and an
// equation of Ramanujan", Proc. AMS 121, 1994).
inline double median_arrivals(double mean) {
  return mean > 0.0 ? std::max(0.0, std::floor(mean + 1.0 / 3.0 - 0.02 / mean)) : 0.0;
}

}  // namespace scalesweep::estimator
