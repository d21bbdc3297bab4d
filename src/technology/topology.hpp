// How the ports of a scale-out network are joined: bandwidth and hop terms.
//
// Al-Fares, Loukissas, Vahdat, "A Scalable, Commodity Data Center Network Architecture" (SIGCOMM
// 2008) for fat trees; Kim, Dally, Scott, Abts, "Technology-Driven, Highly-Scalable Dragonfly
// Topology" (ISCA 2008); Dally and Towles, "Principles and Practices of Interconnection Networks"
// (2004), chapter 5, for tori.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.hpp"
#include "core/quantity.hpp"
#include "technology/device.hpp"

namespace scalesweep::technology {

enum class TopologyKind : std::uint8_t { fat_tree, rail_optimised, torus, dragonfly };
inline constexpr auto topology_kind_names =
    enum_names<TopologyKind>("fat-tree", "rail-optimised", "torus", "dragonfly");
constexpr std::string_view name_of(TopologyKind kind) {
  return topology_kind_names[kind];
}

struct Topology {
  std::string name;
  TopologyKind kind = TopologyKind::fat_tree;
  int radix = 64;                 // ports of a switch
  double oversubscription = 1.0;  // of a tree: ports down over ports up at the lowest switches
  double taper = 1.0;             // of a dragonfly: global over injection bandwidth of a group
  int dimensions = 3;             // of a torus
};

// One port's technology: what stands between a device and the first switch, and what each switch
// and each cable between switches add.
struct PortTechnology {
  Network port;            // bandwidth, sustained, latency and energy without any switch
  Seconds switch_latency;  // of passing one switch
  JoulesPerByte switch_energy;
  // Of passing a cable between switches: what its ends burn, over the bytes of both directions.
  JoulesPerByte cable_energy;
  Usd port_cost;    // adapter and the cable to the first switch
  Usd switch_cost;  // of a switch, per port
  Usd cable_cost;   // between switches, both ends
  // Of the rate of cables between switches, what is left where flows that are hashed onto the same
  // one share it; 1 where switches spread them.
  double uplink_sustained = 1.0;
};

// What a message between far endpoints passes.
struct Path {
  int switches = 0;
  int cables = 0;  // between switches; in a torus between neighbours
  double distant_share = 1.0;
  // Endpoints whose messages to each other stay below the uplinks, that is at their leaf switches
  // or in their group; all of them where nothing is thinner above.
  double near_endpoints = 0.0;
  // Switch ports and cables between switches that one endpoint has to pay for.
  double switch_ports_per_endpoint = 0.0;
  double cables_per_endpoint = 0.0;
};
// Of their bandwidth, what far ranks reach in a torus of `endpoints`: the inverse of the mean
// number of cables between them, n k / 4 with k of them in each of n dimensions (Dally and Towles).
double torus_share(double dimensions, double endpoints);
Path path_of(const Topology& topology, double endpoints);

// The network in levels, from the inside out: where uplinks carry less than ports, blocks of
// endpoints below them and what joins these, with `endpoints` 0; else one level.
struct FabricLevel {
  Network network;
  double endpoints = 0.0;
};
std::vector<FabricLevel> fabric_levels(const PortTechnology& technology, const Topology& topology,
                                       double endpoints);

// The network as a whole, as far patterns see it: latency, energy and cost with all hops of
// `endpoints` ports.
Network on_topology(const PortTechnology& technology, const Topology& topology, double endpoints);

}  // namespace scalesweep::technology
