#include "technology/topology.hpp"

#include <gtest/gtest.h>

namespace scalesweep::technology {
namespace {

Topology fat_tree(double oversubscription = 1.0) {
  Topology topology;
  topology.kind = TopologyKind::fat_tree;
  topology.radix = 64;
  topology.oversubscription = oversubscription;
  return topology;
}

Topology torus(int dimensions) {
  Topology topology;
  topology.kind = TopologyKind::torus;
  topology.dimensions = dimensions;
  return topology;
}

Topology dragonfly(double taper = 1.0) {
  Topology topology;
  topology.kind = TopologyKind::dragonfly;
  topology.radix = 64;
  topology.taper = taper;
  return topology;
}

PortTechnology example_port() {
  PortTechnology technology;
  technology.port.bandwidth = BytesPerSecond::si(50e9);
  technology.port.latency = Seconds::si(2e-6);
  technology.port.energy = JoulesPerByte::si(100e-12);
  technology.switch_latency = Seconds::si(0.25e-6);
  technology.switch_energy = JoulesPerByte::si(40e-12);
  technology.cable_energy = JoulesPerByte::si(30e-12);
  technology.port_cost = Usd::si(1500.0);
  technology.switch_cost = Usd::si(500.0);
  technology.cable_cost = Usd::si(800.0);
  return technology;
}

// 2 (r/2)^n endpoints fit n levels: 64, 2,048 and 65,536 at radix 64 (Al-Fares et al. for n = 3:
// r^3 / 4).
TEST(FatTree, GrowsALevelWhenItIsFull) {
  EXPECT_EQ(path_of(fat_tree(), 64).switches, 1);
  EXPECT_EQ(path_of(fat_tree(), 65).switches, 3);
  EXPECT_EQ(path_of(fat_tree(), 2048).switches, 3);
  EXPECT_EQ(path_of(fat_tree(), 2049).switches, 5);
  EXPECT_EQ(path_of(fat_tree(), 65536).switches, 5);
  EXPECT_EQ(path_of(fat_tree(), 65537).switches, 7);
}

TEST(FatTree, PaysOneCableAndTwoPortsForEachLevelAboveTheFirst) {
  const Path path = path_of(fat_tree(), 65536);
  EXPECT_EQ(path.cables, 4);
  EXPECT_DOUBLE_EQ(path.cables_per_endpoint, 2.0);
  EXPECT_DOUBLE_EQ(path.switch_ports_per_endpoint, 5.0);  // 5 r^2 / 4 switches of r ports
  EXPECT_EQ(path.distant_share, 1.0);
}

TEST(FatTree, OversubscriptionThinsOnlyWhatIsAboveTheFirstLevel) {
  EXPECT_EQ(path_of(fat_tree(4.0), 64).distant_share, 1.0);
  const Path path = path_of(fat_tree(4.0), 1024);
  EXPECT_DOUBLE_EQ(path.distant_share, 0.25);
  EXPECT_DOUBLE_EQ(path.cables_per_endpoint, 0.25);
  EXPECT_DOUBLE_EQ(path.switch_ports_per_endpoint, 1.5);
}

TEST(RailOptimised, PassesOneSwitchAsLongAsARailFitsIt) {
  Topology rails = fat_tree();
  rails.kind = TopologyKind::rail_optimised;
  EXPECT_EQ(path_of(rails, 512).switches, 1);  // eight rails of 64
  EXPECT_EQ(path_of(fat_tree(), 512).switches, 3);
  EXPECT_EQ(path_of(rails, 520).switches, 3);
  // The same switches and cables are bought.
  EXPECT_EQ(path_of(rails, 512).switch_ports_per_endpoint,
            path_of(fat_tree(), 512).switch_ports_per_endpoint);
}

TEST(Torus, FarRanksAreAQuarterOfEachRingAway) {
  const Path cube = path_of(torus(3), 16 * 16 * 16);  // 3 x 16 / 4
  EXPECT_EQ(cube.cables, 1);
  EXPECT_EQ(cube.switches, 1);
  EXPECT_NEAR(cube.distant_share, 1.0 / 12.0, 1e-12);
  EXPECT_DOUBLE_EQ(cube.cables_per_endpoint, 3.0);
  EXPECT_EQ(path_of(torus(2), 16 * 16).distant_share, 1.0 / 8.0);
  EXPECT_EQ(path_of(torus(3), 8).distant_share, 1.0 / 1.5);
}

TEST(Torus, OfNeighboursAloneIsNotThinned) {
  const Path pair = path_of(torus(1), 2);
  EXPECT_EQ(pair.cables, 1);
  EXPECT_EQ(pair.distant_share, 1.0);
}

// A group of radix-64 switches: 33 of them with 16 endpoints each (a = 2p = 2h, Kim et al.).
TEST(Dragonfly, CrossesOneGlobalCableBetweenGroups) {
  EXPECT_EQ(path_of(dragonfly(), 528).switches, 2);
  EXPECT_EQ(path_of(dragonfly(), 528).cables, 1);
  EXPECT_EQ(path_of(dragonfly(), 529).switches, 4);
  EXPECT_EQ(path_of(dragonfly(), 529).cables, 3);
}

TEST(Dragonfly, TaperThinsWhatIsBetweenGroups) {
  EXPECT_EQ(path_of(dragonfly(0.5), 528).distant_share, 1.0);
  EXPECT_EQ(path_of(dragonfly(0.5), 1000).distant_share, 0.5);
  EXPECT_EQ(path_of(dragonfly(2.0), 1000).distant_share, 1.0);
  EXPECT_LT(path_of(dragonfly(0.5), 1000).switch_ports_per_endpoint,
            path_of(dragonfly(1.0), 1000).switch_ports_per_endpoint);
}

TEST(OnTopology, AddsEveryHopToLatencyEnergyAndCost) {
  const PortTechnology technology = example_port();
  const Network network = on_topology(technology, fat_tree(), 1024);  // three switches, two cables
  EXPECT_EQ(network.bandwidth, technology.port.bandwidth);
  EXPECT_NEAR(network.latency.si(), 2e-6 + 3 * 0.25e-6, 1e-18);
  EXPECT_NEAR(network.energy.si(), 100e-12 + 3 * 40e-12 + 2 * 30e-12, 1e-24);
  EXPECT_NEAR(network.cost.si(), 1500.0 + 3 * 500.0 + 800.0, 1e-9);
  EXPECT_EQ(network.distant_share, 1.0);
  EXPECT_EQ(on_topology(technology, fat_tree(2.0), 1024).distant_share, 0.5);
}

double full_rate_w(const Network& network, BytesPerSecond port) {
  return (port * network.energy + network.rest_power).si();
}

// 50 GB/s at 100 pJ/B of the port, three switch ports of 40 and a cable of 30 in each direction.
TEST(OnTopology, PartsWhatBurnsAtRestFromWhatBytesBurn) {
  PortTechnology technology = example_port();
  const Network moving = on_topology(technology, fat_tree(), 1024);
  EXPECT_EQ(moving.rest_power.si(), 0.0);
  technology.port.rest_share = 0.75;
  const Network network = on_topology(technology, fat_tree(), 1024);
  EXPECT_NEAR(network.rest_power.si(), 0.75 * 50e9 * 280e-12, 1e-9);
  EXPECT_NEAR(network.energy.si(), 0.25 * 280e-12, 1e-24);
  // A tree whose uplinks carry all that ports do burns all that it has at the full rate.
  for (const double endpoints : {60.0, 1024.0, 65536.0}) {
    const PortTechnology plain = example_port();
    EXPECT_NEAR(full_rate_w(on_topology(technology, fat_tree(), endpoints), plain.port.bandwidth),
                full_rate_w(on_topology(plain, fat_tree(), endpoints), plain.port.bandwidth), 1e-9);
  }
}

// What the device burns of it is part of the device, at rest and at work.
TEST(OnTopology, LeavesWhatDevicesBurnInTheEnergyOfBytes) {
  PortTechnology technology = example_port();
  technology.port.rest_share = 1.0;
  technology.port.device_energy = JoulesPerByte::si(60e-12);
  const Network network = on_topology(technology, fat_tree(), 64);  // one switch
  EXPECT_NEAR(network.energy.si(), 60e-12, 1e-24);
  EXPECT_NEAR(network.rest_power.si(), 50e9 * (40e-12 + 40e-12), 1e-9);
}

TEST(Fabric, WithFewerUplinksBurnsLessAtRestAndOnlyOnce) {
  PortTechnology technology = example_port();
  technology.port.rest_share = 0.9;
  const auto rest_w = [&](const Topology& topology) {
    double sum_w = 0.0;
    for (const FabricLevel& level : fabric_levels(technology, topology, 4096)) {
      sum_w += level.network.rest_power.si();
    }
    return sum_w;
  };
  EXPECT_NEAR(rest_w(fat_tree()), 0.9 * 50e9 * (100e-12 + 5 * 40e-12 + 4 * 30e-12), 1e-9);
  EXPECT_NEAR(rest_w(fat_tree(4.0)), 0.9 * 50e9 * (100e-12 + 2 * 40e-12 + 30e-12), 1e-9);
}

TEST(RestPower, IsThatOfAllLevelsInsideAndBeyondADomain) {
  System system;
  system.levels.resize(3);
  system.domain_level = 0;
  for (std::size_t i = 0; i < system.levels.size(); ++i) {
    system.levels[i].link.rest_power = Watts::si(1.0 + static_cast<double>(i));
  }
  EXPECT_EQ(rest_power(system).inside.si(), 1.0);
  EXPECT_EQ(rest_power(system).beyond.si(), 5.0);
  widen(system.levels[1].link, 0.5);
  EXPECT_EQ(rest_power(system).beyond.si(), 4.0);
}

// 51 of 64 ports go down at 4:1, 32 at 1:1, on each of eight rails.
TEST(Fabric, LevelsAreWhatStaysBelowTheUplinksAndAllAbove) {
  const PortTechnology technology = example_port();
  EXPECT_EQ(fabric_levels(technology, fat_tree(), 4096).size(), 1u);
  EXPECT_EQ(fabric_levels(technology, fat_tree(4.0), 64).size(), 1u);
  const std::vector<FabricLevel> thin = fabric_levels(technology, fat_tree(4.0), 4096);
  ASSERT_EQ(thin.size(), 2u);
  EXPECT_EQ(thin[0].endpoints, 51.0);
  EXPECT_EQ(thin[0].network.bandwidth, technology.port.bandwidth);
  EXPECT_LT(thin[0].network.latency, thin[1].network.latency);
  EXPECT_EQ(thin[0].network.cost.si(), 0.0);
  EXPECT_EQ(thin[1].endpoints, 0.0);
  EXPECT_DOUBLE_EQ(thin[1].network.bandwidth.si(), 12.5e9);
  EXPECT_EQ(thin[1].network.distant_share, 1.0);
  EXPECT_EQ(thin[1].network.cost, on_topology(technology, fat_tree(4.0), 4096).cost);
  Topology rails = fat_tree(4.0);
  rails.kind = TopologyKind::rail_optimised;
  EXPECT_EQ(fabric_levels(technology, rails, 4096)[0].endpoints, 8 * 51.0);
  EXPECT_EQ(fabric_levels(technology, dragonfly(0.5), 4096)[0].endpoints, 528.0);
  EXPECT_EQ(fabric_levels(technology, torus(3), 4096).size(), 1u);
}

TEST(Fabric, CollisionsThinUplinksThatAreAsManyAsPorts) {
  PortTechnology technology = example_port();
  technology.uplink_sustained = 0.7;
  const std::vector<FabricLevel> levels = fabric_levels(technology, fat_tree(), 4096);
  ASSERT_EQ(levels.size(), 2u);
  EXPECT_EQ(levels[0].endpoints, 32.0);
  EXPECT_DOUBLE_EQ(levels[1].network.bandwidth.si(), 35e9);
  EXPECT_DOUBLE_EQ(fabric_levels(technology, fat_tree(2.0), 4096)[1].network.bandwidth.si(),
                   17.5e9);
  EXPECT_EQ(fabric_levels(technology, fat_tree(), 64).size(), 1u);  // one switch, no uplinks
}

TEST(OnTopology, ATorusHasCablesAndARouterButNoSwitchPorts) {
  const PortTechnology technology = example_port();
  const Network network = on_topology(technology, torus(3), 4096);
  EXPECT_EQ(network.latency, technology.port.latency + technology.switch_latency);
  EXPECT_NEAR(network.energy.si(),
              (technology.port.energy + technology.switch_energy + technology.cable_energy).si(),
              1e-24);
  EXPECT_NEAR(network.cost.si(), 1500.0 + 3 * 800.0, 1e-9);
}

TEST(TopologyKind, IsKnownByItsName) {
  for (const std::string_view name : topology_kind_names) {
    const auto kind = topology_kind_names.find(name);
    ASSERT_TRUE(kind) << name;
    EXPECT_EQ(name_of(*kind), name);
  }
  EXPECT_FALSE(topology_kind_names.find("hypercube"));
}

}  // namespace
}  // namespace scalesweep::technology
