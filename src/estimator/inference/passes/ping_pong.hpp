// Micro-batches that go to and fro between devices of attention and of experts: how long a layer
// takes.
#pragma once

#include "estimator/inference/passes/iteration_cost.hpp"
#include "estimator/parts/cost.hpp"
#include "parallel/strategy.hpp"

namespace scalesweep::estimator {

// What a micro-batch takes at each station of a layer with experts, one after the other: on devices
// of attention, on the way to the experts, there, and on the way back.
struct Stations {
  IterationCost attention;
  Cost there;
  IterationCost experts;
  Cost back;
};

// All micro-batches wait at attention when an iteration begins; a station has one at a time, in
// turn, and networks work beside devices. A round is the way of one micro-batch through all
// stations alone, the busiest of them what they queue for. After the first layer they follow each
// other either by rounds or by turns at the busiest station. With enough of them it is the latter,
// and what networks take is hidden: A + F + A2F + F2A at most the time of A for all
// (Introduction.md of StepMesh at 740ac1259d9b, for Step-3's three; ping-pong pipelines of
// MegaScale-Infer, arXiv:2504.02263). Of `micro_batches` m through `layers` L
//
//   T = L R + (m - 1) B      where R >= m B: nothing queues but at the start,
//   T = R + (m L - 1) B      else: the busiest station never waits but at the start
//
// exactly (ping_pong_test, against a simulation event by event). Times of a layer, the mean.
struct PingPongShares {
  double rounds = 0.0;
  double busiest = 0.0;
};
PingPongShares ping_pong_shares(double micro_batches, double layers, double round_s,
                                double busiest_s);

// Of one layer, all micro-batches; the work is that of a mean device of both kinds.
IterationCost ping_pong(const Stations& stations, double micro_batches, double layers,
                        const parallel::Strategy& strategy);

// Of all devices, the part that has layers: work of those alone, of a mean device.
inline double layer_device_share(const parallel::Strategy& strategy) {
  return static_cast<double>(strategy.layer_devices()) / static_cast<double>(strategy.devices());
}
IterationCost of_mean_device(IterationCost of_layer_device, const parallel::Strategy& strategy);
// Of a stage of a replica, with its part of those that hold experts alone.
inline double working_devices(const parallel::Strategy& strategy) {
  return static_cast<double>(strategy.tensor_parallel) * strategy.context_parallel +
         static_cast<double>(strategy.expert_devices) / strategy.data_parallel;
}

}  // namespace scalesweep::estimator
