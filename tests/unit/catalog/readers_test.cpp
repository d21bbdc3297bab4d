// Processes, packages, topologies, economics, and what nodes are called: the example catalog as the
// technology layer sees it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/failure.hpp"
#include "example_catalog.hpp"

namespace scalesweep::catalog {
namespace {

using test::complaints;
using test::example_text;
using test::load_text;
using test::with;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Readers, AMemoryIsItsPinsTimesTheirRate) {
  const technology::MemoryTechnology memory = load_text(example_text).memory("HBM2");

  EXPECT_EQ(memory.pins, 1024);
  EXPECT_DOUBLE_EQ(memory.stack_bandwidth.si(), 256e9);
  EXPECT_NEAR(memory.cost.si(), 10e-9, 1e-20);
  EXPECT_NEAR(memory.carbon.si(), 65e-12, 1e-22);
}

TEST(Readers, LinksAndPortsSayWhatTheyTakeOfTheDeviceAndWhatTheyCost) {
  const Catalog catalog = load_text(example_text);
  const technology::Network& link = catalog.scale_up("Link");
  const technology::Network port = catalog.scale_out("Netx8", "fat-tree", 64);

  EXPECT_NEAR(link.device_energy.si(), 40e-12, 1e-22);
  EXPECT_NEAR(link.edge.si(), 20e-3, 1e-12);
  EXPECT_EQ(link.cost.si(), 700.0);
  // One switch between 64 ports: its latency, its energy, one of its ports.
  EXPECT_NEAR(port.latency.si(), 5.3e-6, 1e-15);
  EXPECT_NEAR(port.energy.si(), 8 * 120e-12, 1e-21);
  EXPECT_EQ(port.cost.si(), 1500.0);
  EXPECT_EQ(catalog.scale_out("Netx1", "fat-tree", 64).cost.si(), 1500.0 / 8);
}

TEST(Readers, LinksMayBeCircuits) {
  EXPECT_EQ(load_text(example_text).scale_up("Link").circuit_dimensions, 0);
  const std::string optical =
      with(example_text, "[scale_up.Link]\n",
           "[scale_up.Link]\ncircuit_dimensions = 3\nswitch_ports = 136\nreach = \"500 m\"\n"
           "reconfiguration = \"10 ms\"\n");
  EXPECT_EQ(load_text(optical).scale_up("Link").circuit_dimensions, 3);
  EXPECT_THAT(complaints(with(optical, "circuit_dimensions = 3", "circuit_dimensions = 0")),
              HasSubstr("0 is too small; it must be at least 1"));
  EXPECT_THAT(complaints(with(optical, "\"500 m\"", "500")), HasSubstr("unit"));
}

TEST(Readers, LinksMayHaveOneShotKernelsAndTakeCores) {
  const std::string more = with(example_text, "[scale_up.Link]\n",
                                "[scale_up.Link]\none_shot = 0.5\none_shot_latency = \"3 us\"\n"
                                "core_share = 0.2\n");
  const Catalog without = load_text(example_text);
  const technology::Network& plain = without.scale_up("Link");
  EXPECT_EQ(plain.one_shot_efficiency, 0.0);
  EXPECT_EQ(plain.core_share, 0.1);
  const Catalog catalog = load_text(more);
  const technology::Network& link = catalog.scale_up("Link");
  EXPECT_EQ(link.one_shot_efficiency, 0.5);
  EXPECT_DOUBLE_EQ(link.one_shot_latency.si(), 3e-6);
  EXPECT_EQ(link.core_share, 0.2);
}

TEST(Readers, AttentionKernelsAreHoppersUnlessTold) {
  const technology::AttentionKernels usual;
  const std::string more =
      with(example_text, "[device.chip.shared]\n",
           "[device.chip.attention]\nsoftmax_flop = 30\nshared_heads = 1\nnarrow_products = false\n"
           "merge_latency = \"1 us\"\n\n[device.chip.shared]\n");
  const technology::AttentionKernels plain =
      load_text(example_text).catalogued_system({.device = "chip"}).device.attention;
  EXPECT_EQ(plain.softmax_flop, usual.softmax_flop);
  const technology::AttentionKernels told =
      load_text(more).catalogued_system({.device = "chip"}).device.attention;
  EXPECT_EQ(told.softmax_flop, 30.0);
  EXPECT_EQ(told.shared_heads, 1);
  EXPECT_FALSE(told.narrow_products);
  EXPECT_DOUBLE_EQ(told.merge_latency.si(), 1e-6);
  EXPECT_EQ(told.decode_latency.si(), usual.decode_latency.si());

  EXPECT_THAT(complaints(with(more, "softmax_flop = 30", "softmax_flop = 0")),
              HasSubstr("must be above 0"));
  EXPECT_THAT(complaints(with(more, "shared_heads", "shared_head")),
              HasSubstr("unknown key 'shared_head'"));
}

TEST(Readers, MatMulKernelsAddNothingUnlessTold) {
  const technology::Device plain =
      load_text(example_text).catalogued_system({.device = "chip"}).device;
  EXPECT_EQ(plain.matmul.split_latency.si(), 0.0);

  const std::string more =
      with(example_text, "[device.chip.shared]\n",
           "[device.chip.matmul]\nsplit_latency = \"2 us\"\nlong_gemm_clock = { bf16 = 0.7 }\n"
           "quantize_latency = { bf16 = \"9 us\" }\n\n[device.chip.shared]\n");
  const technology::Device told = load_text(more).catalogued_system({.device = "chip"}).device;
  EXPECT_DOUBLE_EQ(told.matmul.split_latency.si(), 2e-6);
  EXPECT_DOUBLE_EQ(
      told.matmul.quantize_latency[technology::index_of(technology::Precision::bf16)].si(), 9e-6);

  EXPECT_THAT(complaints(with(more, "bf16 = 0.7", "bf16 = 1.7")),
              HasSubstr("1.7 is not a fraction; it must be above 0 and at most 1"));
  EXPECT_THAT(complaints(with(more, "bf16 = 0.7", "bf61 = 0.7")),
              HasSubstr("unknown precision 'bf61'"));
}

TEST(Readers, ATemplateNamesItsReferenceDie) {
  const technology::DeviceTemplate open = load_text(example_text).architecture("open");

  EXPECT_EQ(open.core_matrix_share, 0.25);
  EXPECT_NEAR(open.reference_die_area.si(), 800e-6, 1e-15);
  EXPECT_NEAR(open.fixed_area.si(), 80e-6, 1e-15);
  EXPECT_EQ(open.fixed_power.si(), 30.0);
  EXPECT_EQ(open.memory_edge_share, 0.6);
  EXPECT_EQ(open.link_edge_share, 0.25);
  EXPECT_NEAR(open.l2_access_energy.si(), 8 * 0.13e-12, 1e-24);
  EXPECT_NEAR(open.l2_wire_energy.si(), 8 * 0.1e-12 / 1e-3, 1e-18);
}

TEST(Readers, AProcessIsFoundByAnyNameOfItsNode) {
  const Catalog catalog = load_text(example_text);
  const std::optional<technology::Process> process = catalog.process("N6");

  ASSERT_TRUE(process);
  EXPECT_EQ(process->name, "N7");
  EXPECT_EQ(process->wafer_price.si(), 9346.0);
  EXPECT_NEAR(process->wafer_diameter.si(), 0.3, 1e-12);
  EXPECT_NEAR(process->defect_density.si(), 900.0, 1e-9);
  EXPECT_EQ(process->clustering, 3.0);
  EXPECT_EQ(process->repairable_share, 0.6);
  EXPECT_NEAR(process->carbon.si(), 14400.0, 1e-9);
  EXPECT_FALSE(catalog.process("N3"));
  // One step beyond N5: twice the price again, and the other factors once more.
  const std::optional<technology::Process> beyond = catalog.process("N5+1");
  ASSERT_TRUE(beyond);
  EXPECT_EQ(beyond->name, "N5+1");
  EXPECT_NEAR(beyond->wafer_price.si(), 4 * 9346.0, 1e-6);
  EXPECT_NEAR(beyond->defect_density.si(), 1000.0 / 0.9, 1e-9);
  EXPECT_FALSE(catalog.process("N7+x"));
}

TEST(Readers, APackageOfOneDieNeedsNoJoint) {
  const technology::Package package = load_text(example_text).package("interposer");
  EXPECT_EQ(package.most_dies, 4);
  EXPECT_NEAR(package.area.si(), 2831e-6, 1e-15);
  EXPECT_NEAR(package.reticle.si(), 858e-6, 1e-15);
  EXPECT_FALSE(package.interfaces_apart);
  EXPECT_NEAR(package.joint_bandwidth.si(), 177e12, 1.0);
  EXPECT_NEAR(package.joint_energy.si(), 2e-12, 1e-22);
  EXPECT_NEAR(package.cost.si(), 250e3, 1e-6);
  EXPECT_EQ(package.assembly.si(), 20.0);
  EXPECT_EQ(package.assembly_yield, 0.99);
  EXPECT_EQ(package.carbon.si(), 5.0);

  const std::string no_joint =
      with(example_text, "joint_bandwidth = \"177 GB/s/mm\"\njoint_energy = \"0.25 pJ/bit\"\n", "");
  EXPECT_THAT(complaints(no_joint),
              HasSubstr("missing key 'joint_bandwidth' in [package.interposer]"));
  EXPECT_EQ(complaints(with(no_joint, "most_dies = 4", "most_dies = 1")), "");
}

TEST(Readers, ATopologyNamesItsKind) {
  const technology::Topology topology = load_text(example_text).topology("fat-tree");
  EXPECT_EQ(topology.kind, technology::TopologyKind::fat_tree);
  EXPECT_EQ(topology.radix, 64);
  EXPECT_EQ(topology.oversubscription, 1.0);

  EXPECT_THAT(complaints(with(example_text, "topology = \"fat-tree\"", "topology = \"flat-tree\"")),
              HasSubstr("unknown topology 'flat-tree'; did you mean 'fat-tree'?"));
  EXPECT_THAT(complaints(with(example_text, "topology = \"fat-tree\"\n", "")),
              HasSubstr("missing key 'topology' in [topology.fat-tree]"));
  EXPECT_THAT(complaints(with(example_text, "radix = 64", "radix = 2")),
              HasSubstr("2 is too small; it must be at least 4"));
}

TEST(Readers, RunsOfLabsAltogetherOrNotAtAll) {
  const auto entry = [](const std::string& rest) {
    return std::string(example_text) +
           "[reliability.labs]\nsource = \"paper\"\nkind = \"assumed\"\n" + rest;
  };
  const std::string known = "reached = 1.5\nreached_low = 1.2\nreached_high = 3\n";
  const technology::Reliability labs =
      load_text(entry("evaluation = 0.007\n" + known)).reliability("labs");
  EXPECT_EQ(labs.evaluation, 0.007);
  EXPECT_EQ(labs.batch_ramp, 0.0);
  EXPECT_EQ(labs.reached, 1.5);
  EXPECT_EQ(labs.reached_low, 1.2);
  EXPECT_EQ(labs.reached_high, 3.0);
  EXPECT_EQ(load_text(entry("")).reliability("labs").reached, 0.0);
  const std::string says =
      "'reached' has to lie between 'reached_low', above 0, and 'reached_high'; give all three or "
      "none of them";
  EXPECT_THAT(complaints(entry("reached = 1.5\n")), HasSubstr(says));
  EXPECT_THAT(complaints(entry("reached_high = 1.5\n")), HasSubstr(says));
  EXPECT_EQ(complaints(entry(known)), "");
  EXPECT_THAT(complaints(entry("reached = 1.1\nreached_low = 1.2\nreached_high = 3\n")),
              HasSubstr(says));
  EXPECT_THAT(complaints(entry("by_hand = 1.5\n")), HasSubstr("1.5 is not a fraction"));
}

TEST(Readers, EconomicsInSi) {
  const technology::Economics economics = load_text(example_text).economics();
  EXPECT_NEAR(economics.energy_price.si(), 0.08 / 3.6e6, 1e-16);
  EXPECT_EQ(economics.power_usage_effectiveness, 1.2);
  EXPECT_NEAR(economics.grid_carbon.si(), 0.36 / 3.6e6, 1e-16);
  EXPECT_NEAR(economics.lifetime.si(), 4 * 365.25 * 86400, 1.0);
  EXPECT_EQ(economics.utilization, 0.8);
  EXPECT_EQ(economics.silicon_markup, 3.0);
  EXPECT_FALSE(economics.one_silicon_markup);
  EXPECT_EQ(economics.parts_markup, 1.25);
  EXPECT_EQ(economics.network_markup, 1.5);
  EXPECT_EQ(economics.rental_markup, 1.0);
  EXPECT_EQ(economics.interest, 0.0);
  EXPECT_EQ(economics.facility_cost.si(), 11.0);
  EXPECT_NEAR(economics.facility_lifetime.si(), 15 * 365.25 * 86400, 1.0);
  EXPECT_EQ(economics.delivery_cost.si(), 1.0);
  EXPECT_EQ(economics.server_cost.si(), 12000.0);
  EXPECT_EQ(economics.server_power.si(), 350.0);
  EXPECT_EQ(economics.server_carbon.si(), 160.0);
  EXPECT_THAT(complaints(with(example_text, "utilization = 0.8", "utilization = 1.2")),
              HasSubstr("1.2 is not a fraction; it must be above 0 and at most 1"));
  const auto with_interest = [](const std::string& interest) {
    return with(example_text, "utilization = 0.8", "utilization = 0.8\ninterest = " + interest);
  };
  EXPECT_EQ(load_text(with_interest("0.08")).economics().interest, 0.08);
  EXPECT_THAT(complaints(with_interest("8")), HasSubstr("8 is not"));
}

TEST(Readers, EconomicsTakeWhatTheyLackFromAnother) {
  const Catalog catalog = load_text(with(example_text, "[fit.default]", R"([economics.rented]
like = "default"
source = "paper"
kind = "published"
rental_markup = 2.0

[fit.default])"));
  const technology::Economics rented = catalog.economics("rented");
  EXPECT_EQ(rented.rental_markup, 2.0);
  EXPECT_EQ(rented.facility_cost.si(), 11.0);
  EXPECT_EQ(rented.silicon_markup, 3.0);
}

// The chip with a die, and what it is sold for.
std::string sold(const std::string& keys) {
  return with(example_text, "idle_power = \"80 W\"\n",
              "idle_power = \"80 W\"\ndie_area = \"800 mm2\"\nlogic = \"N7\"\n" + keys);
}

// What dies cost over making them is what the price leaves for them.
TEST(Readers, APriceSaysWhatTheMakerAsksForDies) {
  const auto own = [](const std::string& text, const technology::Economics& economics) {
    const Catalog catalog = load_text(text);
    return catalog.ownership(catalog.catalogued_system({.device = "chip"}), economics).value();
  };
  technology::Economics economics = load_text(example_text).economics();
  EXPECT_EQ(own(sold(""), economics).silicon_markup, 3.0);
  const technology::Ownership asked = own(sold("price = \"9000 USD\"\n"), economics);
  EXPECT_NEAR(asked.device_price().si(), 9000.0, 1e-6);
  EXPECT_NEAR(asked.price(technology::Capital::memory).si(), 1.25 * asked.device.memory.si(), 1e-9);
  EXPECT_NEAR(asked.repriced(technology::Repricing::other_margin).si(),
              asked.price(technology::Capital::silicon).si(), 1e-9)
      << "of the product itself a part and a sum are the same";
  EXPECT_TRUE(
      std::isnan(own(sold(""), economics).repriced(technology::Repricing::other_margin).si()));
  // A study that says what dies are sold for means all makers.
  economics.one_silicon_markup = true;
  EXPECT_EQ(own(sold("price = \"9000 USD\"\n"), economics).silicon_markup, 3.0);
}

// The same chip with smaller dies, priced like it: 50 % of the silicon at 50 % of the price, or the
// same sum beside making it.
TEST(Readers, AProductSaysAMarginAsAPartAndAsASum) {
  using technology::Capital;
  const Catalog catalog = load_text(sold("price = \"9000 USD\"\n"));
  technology::System system = catalog.catalogued_system({.device = "chip"});
  technology::Economics economics = catalog.economics();
  const technology::Ownership product = catalog.ownership(system, economics).value();
  const Usd margin = product.price(Capital::silicon) - product.device.dies;
  system.device.die_area *= 0.5;
  const auto other = [&] {
    const technology::Ownership own = catalog.ownership(system, economics).value();
    return std::pair{own.price(Capital::silicon),
                     own.repriced(technology::Repricing::other_margin)};
  };
  const Usd dies = catalog.ownership(system, economics).value().device.dies;
  EXPECT_LT(dies, product.device.dies);
  const double markup = product.silicon_markup;
  EXPECT_NEAR(other().first.si(), markup * dies.si(), 1e-9);
  EXPECT_NEAR(other().second.si(), (dies + margin).si(), 1e-9);
  economics.margin = margin;
  EXPECT_NEAR(other().first.si(), (dies + margin).si(), 1e-9);
  EXPECT_NEAR(other().second.si(), markup * dies.si(), 1e-9);
  economics.margin.reset();
  economics.one_silicon_markup = true;
  economics.silicon_markup = 2.0;
  EXPECT_NEAR(other().first.si(), 2.0 * dies.si(), 1e-9);
  EXPECT_NEAR(other().second.si(), (dies + product.device.dies).si(), 1e-9);
}

TEST(Readers, WhatADeviceCanBeSetToIsNotAboveWhatItIsSoldWith) {
  EXPECT_EQ(complaints(sold("lowest_clock = \"1 MHz\"\nlowest_power_limit = \"1 W\"\n"
                            "lowest_measured_power = \"1 W\"\n")),
            "");
  EXPECT_THAT(complaints(sold("lowest_clock = \"9 GHz\"\n")),
              HasSubstr("'lowest_clock' is above 'clock'; give a lower one, or leave it out"));
  EXPECT_THAT(
      complaints(sold("lowest_power_limit = \"99 kW\"\n")),
      HasSubstr("'lowest_power_limit' is above 'power'; give a lower one, or leave it out"));
  EXPECT_THAT(
      complaints(sold("lowest_measured_power = \"99 kW\"\n")),
      HasSubstr("'lowest_measured_power' is above 'power'; give a lower one, or leave it out"));
}

TEST(Readers, MistakesInPrices) {
  EXPECT_THAT(complaints(sold("price = \"100 USD\"\n")),
              HasSubstr("device chip: its price of 100 USD is below the "));
  EXPECT_THAT(complaints(sold("price = \"9000 USD\"\npriced_like = \"chip\"\n")),
              HasSubstr("'chip' has a price; take one of the two away"));
  EXPECT_THAT(complaints(sold("priced_like = \"chop\"\n")),
              HasSubstr("no entry 'chop' among devices; did you mean 'chip'?"));
  EXPECT_THAT(complaints(sold("priced_like = \"chip-80\"\n")),
              HasSubstr("device chip: 'chip-80', like which it is priced, has no price"));
  EXPECT_THAT(complaints(sold("price = 9000\n")), HasSubstr("unit"));
}

TEST(Readers, AnUnknownPackageOfADevice) {
  EXPECT_THAT(complaints(with(example_text, "memory = \"HBM2\"\n",
                              "memory = \"HBM2\"\npackage = \"interposter\"\n")),
              HasSubstr("no entry 'interposter' among packages; did you mean 'interposer'?"));
}

// A second series with the same nodes, in which the alias must mean the same node.
std::string with_second_series(const std::string& n7_alias, const std::string& n5_alias) {
  std::string series = example_text.substr(example_text.find("[logic.foundry.N7]"));
  series = series.substr(0, series.find("[memory.HBM2]"));
  series = with(with(series, "foundry", "other"), "foundry", "other");
  series = with(series, "aliases = [\"7FF\"]\n", n7_alias);
  series = with(series, "[logic.other.N5]\n", "[logic.other.N5]\n" + n5_alias);
  return with(example_text, "[memory.HBM2]", series + "[memory.HBM2]");
}

TEST(Readers, AnAliasIsOneNodeInEverySeries) {
  const Catalog catalog = load_text(with_second_series("aliases = [\"7FF\"]\n", ""));

  EXPECT_THAT(catalog.scalings(), ElementsAre("foundry", "other"));
  EXPECT_EQ(catalog.canonical(Section::logic, "7FF"), "N7");
  EXPECT_EQ(catalog.logic("7FF", "other").name, "N7");
  EXPECT_EQ(catalog.logic("7FF", "other").series, "other");
  EXPECT_THAT(complaints(with_second_series("", "aliases = [\"7FF\"]\n")),
              HasSubstr("'7FF' is the other name of 'N7' in another series, and of 'N5' here"));
}

TEST(Readers, OnlyBeyondTheLastNode) {
  const Catalog catalog = load_text(example_text);

  EXPECT_TRUE(catalog.extrapolates("N5+1", "foundry"));
  EXPECT_FALSE(catalog.extrapolates("N7+1", "foundry"));
  EXPECT_FALSE(catalog.extrapolates("N5", "foundry"));
  EXPECT_FALSE(catalog.extrapolates("N5+", "foundry"));
  EXPECT_FALSE(catalog.extrapolates("N5+0", "foundry"));
  EXPECT_FALSE(catalog.extrapolates("N5+1", "other"));
  const technology::LogicNode beyond = catalog.logic("N5+2", "foundry");
  EXPECT_EQ(beyond.name, "N5+2");
  EXPECT_NEAR(beyond.logic_density, 1.5 * 1.5 * 1.5, 1e-12);
  EXPECT_NEAR(beyond.switching_energy, 0.7 * 0.7 * 0.7, 1e-12);
  EXPECT_THROW((void)catalog.logic("N7+1", "foundry"), Failure);
}

// Such a memory is what the cores of a template hold, and says nothing of stacks.
TEST(Readers, MemoryInCoresIsNoStack) {
  const std::string cells =
      "[memory.cells]\nsource = \"paper\"\nkind = \"assumed\"\nin_cores = true\n";
  const technology::MemoryTechnology memory = load_text(example_text + cells).memory("cells");
  EXPECT_TRUE(memory.in_cores);
  EXPECT_EQ(memory.stack_capacity.si(), 0.0);
  EXPECT_FALSE(load_text(example_text).memory("HBM2").in_cores);
  EXPECT_THAT(complaints(example_text + cells + "pins = 1024\n"),
              HasSubstr("'pins' is that of stacks: where in_cores is true the template says it"));
}

TEST(Readers, ACacheThatHoldsNothingIsAMesh) {
  const std::string mesh = with(example_text, "area_holds = \"40 MiB\"", "area_holds = \"0 B\"");
  EXPECT_TRUE(load_text(mesh).architecture("open").mesh);
  EXPECT_FALSE(load_text(example_text).architecture("open").mesh);
}

}  // namespace
}  // namespace scalesweep::catalog
