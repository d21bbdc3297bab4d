#include "technology/topology.hpp"

#include <algorithm>
#include <cmath>

#include "core/contracts.hpp"

namespace scalesweep::technology {
namespace {

// Levels of switches that a folded Clos of this radix needs: 2 (r/2)^levels endpoints fit.
int tree_levels(double radix, double endpoints) {
  int levels = 1;
  for (double fit = radix; fit < endpoints && levels < 8; fit *= radix / 2.0) {
    ++levels;
  }
  return levels;
}

// Ports of a lowest switch that go down.
double leaf_ports(const Topology& topology) {
  const double down = topology.oversubscription / (1.0 + topology.oversubscription);
  return std::max(1.0, std::floor(topology.radix * down));
}

// Far endpoints meet at the top. Every level above the first has one cable an endpoint, divided by
// the oversubscription, and each cable ends in two switch ports.
Path tree_path(const Topology& topology, double endpoints) {
  const int levels = tree_levels(topology.radix, endpoints);
  Path path;
  path.switches = 2 * levels - 1;
  path.cables = path.switches - 1;
  path.distant_share = levels > 1 ? 1.0 / topology.oversubscription : 1.0;
  path.near_endpoints = levels > 1 ? leaf_ports(topology) : endpoints;
  path.cables_per_endpoint = (levels - 1) / topology.oversubscription;
  path.switch_ports_per_endpoint = 1.0 + 2.0 * path.cables_per_endpoint;
  return path;
}

// Ranks of one rail share a first-level switch (NVIDIA DGX SuperPOD reference architecture): a
// message between them passes that one, or three where the rail is longer than a switch.
Path rail_path(const Topology& topology, double endpoints) {
  constexpr double rails = 8.0;
  Path path = tree_path(topology, endpoints);
  const int levels = tree_levels(topology.radix, endpoints / rails);
  path.switches = 2 * levels - 1;
  path.cables = path.switches - 1;
  path.distant_share = levels > 1 ? 1.0 / topology.oversubscription : 1.0;
  path.near_endpoints = levels > 1 ? rails * leaf_ports(topology) : endpoints;
  return path;
}

// Neighbours are joined directly, by a router in each device: rings pass one cable and one router a
// step. Far ranks are k/4 cables away in each of the n dimensions, and every message takes that
// many of the cables, of which there are as many as ports: that bounds the bandwidth of far
// patterns; their longer way is not counted in latency and energy.
Path torus_path(const Topology& topology, double endpoints) {
  Path path;
  path.switches = 1;
  path.cables = 1;
  path.distant_share = torus_share(topology.dimensions, endpoints);
  path.near_endpoints = endpoints;  // no uplinks
  path.cables_per_endpoint = topology.dimensions;
  return path;
}

// Minimal routes: one switch in each group and a global cable between the groups. A balanced switch
// has a quarter of its ports for endpoints, half inside the group, a quarter for other groups.
Path dragonfly_path(const Topology& topology, double endpoints) {
  Path path;
  const double group = topology.radix / 4.0 * (topology.radix / 2.0 + 1.0);
  const bool one_group = endpoints <= group;
  path.switches = one_group ? 2 : 4;
  path.cables = path.switches - 1;
  path.distant_share = one_group ? 1.0 : std::min(1.0, topology.taper);
  path.near_endpoints = one_group ? endpoints : group;
  path.cables_per_endpoint = 1.0 + 0.5 * topology.taper;
  path.switch_ports_per_endpoint = 1.0 + 2.0 + topology.taper;
  return path;
}

}  // namespace

double torus_share(double dimensions, double endpoints) {
  const double side = std::pow(std::max(1.0, endpoints), 1.0 / dimensions);
  return 1.0 / std::max(1.0, dimensions * side / 4.0);
}

Path path_of(const Topology& topology, double endpoints) {
  SCALESWEEP_EXPECT(endpoints >= 1.0 && topology.radix >= 4);
  switch (topology.kind) {
    case TopologyKind::fat_tree:
      return tree_path(topology, endpoints);
    case TopologyKind::rail_optimised:
      return rail_path(topology, endpoints);
    case TopologyKind::torus:
      return torus_path(topology, endpoints);
    case TopologyKind::dragonfly:
      return dragonfly_path(topology, endpoints);
  }
  return {};
}

std::vector<FabricLevel> fabric_levels(const PortTechnology& technology, const Topology& topology,
                                       double endpoints) {
  const Path path = path_of(topology, endpoints);
  FabricLevel all = {on_topology(technology, topology, endpoints)};
  const double uplinks = path.distant_share * technology.uplink_sustained;
  if (path.near_endpoints >= endpoints || uplinks >= 1.0) {
    return {all};
  }
  FabricLevel near = {on_topology(technology, topology, path.near_endpoints), path.near_endpoints};
  near.network.cost = Usd();  // that of all has all ports
  near.network.switches = 0.0;
  near.network.rest_power = Watts();
  all.network.bandwidth *= uplinks;
  all.network.half_size *= uplinks;  // the same time
  all.network.in_network_half_size *= uplinks;
  near.network.distant_share = all.network.distant_share = 1.0;
  return {near, all};
}

Network on_topology(const PortTechnology& technology, const Topology& topology, double endpoints) {
  const Path path = path_of(topology, endpoints);
  Network network = technology.port;
  network.distant_share = path.distant_share;
  network.latency += technology.switch_latency * static_cast<double>(path.switches);
  network.energy += technology.switch_energy * static_cast<double>(path.switches) +
                    technology.cable_energy * static_cast<double>(path.cables);
  part_rest(network, technology.port.energy - technology.port.device_energy +
                         technology.switch_energy * path.switch_ports_per_endpoint +
                         technology.cable_energy * 2.0 * path.cables_per_endpoint);
  network.cost = technology.port_cost + technology.switch_cost * path.switch_ports_per_endpoint +
                 technology.cable_cost * path.cables_per_endpoint;
  network.switches = path.switch_ports_per_endpoint / topology.radix;
  return network;
}

}  // namespace scalesweep::technology
