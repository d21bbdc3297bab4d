#include "estimator/inference/passes/ping_pong.hpp"

#include <array>

namespace scalesweep::estimator {
namespace {

constexpr std::array<Cost IterationCost::*, 7> parts = {
    &IterationCost::linear,        &IterationCost::attention, &IterationCost::other,
    &IterationCost::communication, &IterationCost::encoder,   &IterationCost::pipeline,
    &IterationCost::host};

void scale_work(IterationCost& cost, double share) {
  for (Cost IterationCost::*const part : parts) {
    (cost.*part).work *= share;
  }
}

IterationCost on_network(const Cost& sent) {
  IterationCost cost;
  cost.communication = sent;
  return cost;
}

double seconds(const IterationCost& cost) {
  return cost.total().time.total_s();
}

}  // namespace

PingPongShares ping_pong_shares(double micro_batches, double layers, double round_s,
                                double busiest_s) {
  if (round_s >= micro_batches * busiest_s) {
    return {1.0, (micro_batches - 1.0) / layers};
  }
  return {1.0 / layers, (micro_batches * layers - 1.0) / layers};
}

IterationCost of_mean_device(IterationCost of_layer_device, const parallel::Strategy& strategy) {
  scale_work(of_layer_device, layer_device_share(strategy));
  return of_layer_device;
}

IterationCost ping_pong(const Stations& stations, double micro_batches, double layers,
                        const parallel::Strategy& strategy) {
  const std::array<IterationCost, 4> in_turn = {stations.attention, on_network(stations.there),
                                                stations.experts, on_network(stations.back)};
  IterationCost round;
  const IterationCost* busiest = &in_turn.front();
  for (const IterationCost& station : in_turn) {
    round += station;
    busiest = seconds(station) > seconds(*busiest) ? &station : busiest;
  }
  const PingPongShares shares =
      ping_pong_shares(micro_batches, layers, seconds(round), seconds(*busiest));
  IterationCost layer = shares.rounds * round;
  layer.add(shares.busiest, *busiest);
  scale_work(layer, 0.0);

  const double attention_share = layer_device_share(strategy);
  const std::array<double, 4> device_shares = {attention_share, attention_share,
                                               1.0 - attention_share, 1.0 - attention_share};
  for (std::size_t i = 0; i < in_turn.size(); ++i) {
    for (Cost IterationCost::*const part : parts) {
      (layer.*part).work += micro_batches * device_shares[i] * (in_turn[i].*part).work;
    }
  }
  return layer;
}

}  // namespace scalesweep::estimator
