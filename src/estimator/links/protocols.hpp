// How long one level of a network takes to carry what a rank sends in a collective, by the fastest
// protocol: a flag beside every word, a flag beside every line, or buffers that are handed over.
//
// The names and parts of protocols are those of NCCL (LL, LL128, Simple; Hu et al., "Demystifying
// NCCL", arXiv:2507.04786), their numbers are fitted: nodes/fits.toml for what all links share,
// nodes/links.toml for the rest.
#pragma once

#include "estimator/parts/charges.hpp"
#include "technology/device.hpp"

namespace scalesweep::estimator {

// Fixed times of the steps of a collective, in seconds.
struct Steps {
  double latency_s = 0.0;
  double handshake_s = 0.0;  // until buffers are handed over, where a protocol does

  Steps& operator+=(const Steps& other);
};
Steps operator*(double count, Steps steps);

// One level of the network, seen as plain numbers.
class Level {
 public:
  Level() = default;
  Level(const technology::Network& network, Resource resource);

  Resource resource() const { return resource_; }
  double port_bytes_per_s() const { return network_->bandwidth.si(); }
  double bytes_per_s() const { return port_bytes_per_s() * network_->sustained; }
  // Of `bytes_per_s`, what p far ranks reach: circuits join each with its neighbours, so that
  // messages to others pass through these.
  double far_share(double p) const;
  // What is reached where each of p ranks sends to all others.
  double pair_bytes_per_s(double p) const;
  double latency_s() const { return network_->latency.si(); }
  Steps step() const { return {latency_s(), network_->handshake.si()}; }
  Steps far_step() const;  // between far ranks
  double call_s() const { return network_->call_latency.si(); }
  double half_bytes() const { return network_->half_size.si(); }
  // Fraction of the port's rate when reducing in the switch; 0: cannot.
  double in_network() const {
    return network_->in_network_reduction ? network_->in_network_efficiency : 0.0;
  }
  double in_network_half_bytes() const { return network_->in_network_half_size.si(); }
  // Of its own part of the buffer, what a rank copies meanwhile; across nodes that hides behind a
  // network that is slower.
  double own_share() const { return inside() ? network_->own_part : 0.0; }
  double line_own_share() const { return inside() ? 1.0 : 0.0; }
  double one_shot_s() const { return network_->one_shot_latency.si(); }
  // Fraction of the port's rate of kernels that read the peers; 0: none.
  double one_shot() const { return network_->one_shot_efficiency; }
  double joules_per_byte() const { return network_->energy.si(); }
  double sender_joules_per_byte() const { return network_->device_energy.si(); }
  const technology::CollectiveFit& fit() const { return network_->fit; }

 private:
  bool inside() const { return resource_ == Resource::scale_up; }

  const technology::Network* network_ = nullptr;
  Resource resource_ = Resource::scale_up;
};

// What one rank sends in the steps of a ring or a tree, each of which waits for the one before.
struct Stream {
  Steps steps;  // all of them
  double wire_bytes = 0.0;
  double part_bytes = 0.0;  // of one step
  double own_bytes = 0.0;   // that it sends to itself: its part of the buffer
  double bytes_per_s = 0.0;
};

// What one rank sends to others at once.
struct Exchange {
  double steps_s = 0.0;
  double wire_bytes = 0.0;
  double part_bytes = 0.0;  // to one of them
  double own_bytes = 0.0;
  double bytes_per_s = 0.0;
};

struct Sending {
  double latency_s = 0.0;
  double wire_s = 0.0;

  double total_s() const { return latency_s + wire_s; }
};

// `bytes` at a rate that they near as they grow. They go in pieces: more of them fill the way
// sooner, and each costs some time. The best number takes (sqrt(bytes) + sqrt(piece))^2 / rate,
// with a piece such that `half_bytes` reach half the rate (van de Geijn's pipelined broadcast).
double streamed_s(double bytes, double half_bytes, double bytes_per_s);

Sending fastest_stream(const Stream& stream, const Level& level);
Sending fastest_exchange(const Exchange& exchange, const Level& level);

}  // namespace scalesweep::estimator
