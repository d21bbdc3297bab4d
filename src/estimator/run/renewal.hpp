// A job that failures throw back to its last checkpoint, as a renewal process.
//
// Young, "A first order approximation to the optimum checkpoint interval", CACM 17(9), 1974; Daly,
// "A higher order estimate of the optimum checkpoint interval for restart dumps", FGCS 22(3), 2006:
// exponential times between failures, which strike restarts and checkpoints as well. Erlang, 1917,
// for spares. Pure.
#pragma once

namespace scalesweep::estimator {

struct Renewal {
  double failures_per_s = 0.0;
  double restart_s = 0.0;  // from a failure until work goes on; fails and begins anew as all does
  double stop_s = 0.0;     // that a checkpoint stops the work for
  double behind_s = 0.0;   // that it is written beside the work, and until then of no use
};

// Of so much work and the checkpoint after it, the mean time: e^(l (R + w)) (e^(l (t + d)) - 1) /
// l. That is Daly's wall clock time with a checkpoint that is of use w after it was taken: a job
// needs t + d + w without a failure after each restart and t + d from then on, and falls back by w
// more. Summed over a cycle from restart to restart, w acts as a longer restart does.
double elapsed_s(const Renewal& job, double interval_s);

// The interval for which elapsed_s over work is least: the root of e^(l (t + d)) (1 - l t) = 1,
// where the derivative of that is 0. Neither the restart nor what is written behind changes it.
// Infinite where nothing fails; Young's sqrt(2 d / l) where failures are rare.
double best_interval_s(const Renewal& job);

// The share of the time in which all of so many servers are busy, of independent demands of which
// `offered` are open in the mean where none is turned away (Erlang's loss formula): nodes that are
// repaired, of one more than spares, while a job waits that no other node can fail of.
double all_busy_share(double offered, double servers);

// The fewest servers beside one of which all are busy in no more than this share of the time.
double fewest_spares(double offered, double share);

// How many of a Poisson number with this mean are beyond `held` of them, in the mean.
double mean_beyond(double mean, double held);

}  // namespace scalesweep::estimator
