#include "estimator/links/protocols.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/contracts.hpp"
#include "technology/topology.hpp"

namespace scalesweep::estimator {
namespace {

// A flag beside every word takes half of the link at best, whatever its channels could do.
constexpr double word_share = 0.5;

// Flags beside every word: what cores' channels take is a latency, since no rate of the link sets
// it.
Sending with_word_flags(double latency_s, double channel_s, double link_s) {
  return channel_s > link_s ? Sending{latency_s + channel_s, 0.0} : Sending{latency_s, link_s};
}

void keep_faster(Sending& best, const Sending& other) {
  if (other.total_s() < best.total_s()) {
    best = other;
  }
}

}  // namespace

Steps& Steps::operator+=(const Steps& other) {
  latency_s += other.latency_s;
  handshake_s += other.handshake_s;
  return *this;
}

Steps operator*(double count, Steps steps) {
  return {count * steps.latency_s, count * steps.handshake_s};
}

Level::Level(const technology::Network& network, Resource resource)
    : network_(&network), resource_(resource) {
  SCALESWEEP_EXPECT(bytes_per_s() > 0.0);
}

double Level::far_share(double p) const {
  const int circuits = network_->circuit_dimensions;
  return network_->distant_share * (circuits > 0 ? technology::torus_share(circuits, p) : 1.0);
}

double Level::pair_bytes_per_s(double p) const {
  return bytes_per_s() * far_share(p) * (inside() ? fit().pair_share : 1.0);
}

Steps Level::far_step() const {
  return (inside() ? fit().far_step : 1.0) * step();
}

double streamed_s(double bytes, double half_bytes, double bytes_per_s) {
  constexpr double root_of_piece = std::numbers::sqrt2 - 1.0;
  const double root = std::sqrt(bytes) + root_of_piece * std::sqrt(half_bytes);
  return root * root / bytes_per_s;
}

Sending fastest_stream(const Stream& stream, const Level& level) {
  const technology::CollectiveFit& fit = level.fit();
  const double rate = stream.bytes_per_s;
  const double latency_s = stream.steps.latency_s;
  Sending best = with_word_flags(latency_s, stream.wire_bytes / fit.word_bytes_per_s,
                                 stream.wire_bytes / (word_share * rate));
  if (stream.part_bytes <= fit.line_flag_part_bytes) {
    const double bytes = stream.wire_bytes + level.line_own_share() * stream.own_bytes;
    keep_faster(best, {(1.0 + fit.line_step) * latency_s, bytes / (fit.line_flag_share * rate)});
  }
  // A rank sends the first slices of a step while it waits for the buffer of the others.
  const double bytes = stream.wire_bytes + level.own_share() * stream.own_bytes;
  const double handshake_s = stream.steps.handshake_s;
  const double hidden_s = fit.handshake_hidden * bytes / rate;
  const double wire_s = streamed_s(bytes, level.half_bytes(), rate);
  keep_faster(best, handshake_s > hidden_s ? Sending{latency_s + handshake_s, wire_s - hidden_s}
                                           : Sending{latency_s, wire_s});
  return best;
}

Sending fastest_exchange(const Exchange& exchange, const Level& level) {
  const technology::CollectiveFit& fit = level.fit();
  const double rate = exchange.bytes_per_s;
  // Each of the others has a channel of its own.
  Sending best = with_word_flags(exchange.steps_s, exchange.part_bytes / fit.pair_word_bytes_per_s,
                                 exchange.wire_bytes / (word_share * rate));
  const double bytes = exchange.wire_bytes + level.own_share() * exchange.own_bytes;
  keep_faster(best, {exchange.steps_s + fit.pair_handshake * level.latency_s(),
                     streamed_s(bytes, fit.pair_half_share * level.half_bytes(), rate)});
  return best;
}

}  // namespace scalesweep::estimator
