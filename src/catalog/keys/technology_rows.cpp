// Rows of what devices are made of and stand on: nodes, memories, networks, packages, and what they
// cost.
#include "catalog/keys/rows.hpp"
#include "technology/topology.hpp"

namespace scalesweep::catalog {
namespace {

// Of links and of ports, in one direction.
std::vector<Key> network_rows(std::string_view bandwidth) {
  return {
      quantity("bandwidth", Dimension::bytes_per_second, bandwidth, "\"450 GB/s\""),
      number("sustained", fraction, "fraction of it that a large message reaches", "0.9"),
      quantity("latency", Dimension::seconds, "of one step of a collective (alpha)", "\"1.1 us\""),
      or_zero(quantity("call_latency", Dimension::seconds,
                       "of one collective call: launch and synchronisation", "\"4.6 us\"")),
      or_zero(quantity("half_size", Dimension::bytes,
                       "message that reaches half the sustained rate, once latency is taken out; "
                       "that of a predecessor grows with the rate",
                       "\"5.7 MB\"")),
      or_zero(quantity("handshake", Dimension::seconds,
                       "of one step in which buffers are handed over, beside its latency",
                       "\"2.1 us\"", "\"0 s\"")),
      number("own_part", from_zero,
             "of a rank's own part of a buffer, what it copies at the rate of sending", "0.26",
             "0"),
      number("in_network", fraction_or_none,
             "fraction of the rate when the switch reduces; 0 if it cannot", "0.6", "0"),
      or_zero(quantity("in_network_half_size", Dimension::bytes,
                       "message that reaches half of that, once latency is taken out", "\"25 MB\"",
                       "that of `half_size`")),
      number("one_shot", fraction_or_none,
             "fraction of the rate of one-shot all-reduces, which read the peers' buffers; 0 if "
             "none do",
             "0.58", "0"),
      or_zero(quantity("one_shot_latency", Dimension::seconds, "fixed time of a call of theirs",
                       "\"2.5 us\"", "\"0 s\"")),
      number("core_share", fraction, "of a device's cores that a running collective keeps busy",
             "0.12", "0.1"),
      quantity("energy", Dimension::joules_per_byte, "of what is sent, all hops", "\"10 pJ/bit\""),
      quantity("device_energy", Dimension::joules_per_byte,
               "the part of it that the device burns itself", "\"5 pJ/bit\"", "none"),
  };
}

// What is said of optics and read by people.
std::vector<Key> optics_rows() {
  return {
      integer("switch_ports", "of a switch; said, and not used", "512", "not known"),
      quantity("reach", Dimension::metres, "of a cable; said, and not used", "\"500 m\"",
               "not known"),
      or_zero(quantity("reconfiguration", Dimension::seconds,
                       "of setting circuits; not counted: they are set once for a job", "\"10 ms\"",
                       "none")),
  };
}

// Blocks of devices that a link of their own joins inside what this one joins.
std::vector<Key> inside_rows(std::string_view link) {
  return {
      table("inside", "blocks that a link of their own joins, inside what this one joins", "none"),
      name("inside.link", "that link, of the same section, with its ports where it has them", link,
           "none"),
      integer("inside.size", "devices of such a block", "2", "none"),
  };
}

std::vector<Key> joined(std::vector<Key> keys, const std::vector<Key>& more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

}  // namespace

std::vector<Key> logic_rows() {
  return {
      number("logic_density", above_zero, "gates by area, against N7", "1.8"),
      number("sram_density", above_zero, "bits by area, against N7", "1.3"),
      number("analog_density", above_zero, "interfaces by area, against N7", "1.1"),
      number("switching_energy", above_zero,
             "of the same circuit at the nominal voltage, against N7", "0.7"),
      number("leakage", from_zero, "of the same circuit at the nominal voltage, against N7", "0.9"),
      quantity("voltage", Dimension::volts,
               "nominal supply, at which every node runs a circuit at the same clock",
               "\"0.75 V\""),
      or_zero(quantity("threshold", Dimension::volts,
                       "supply at which the clock of the voltage law is 0", "\"0.35 V\"")),
      quantity("minimum_voltage", Dimension::volts,
               "lowest supply that works: below, the clock falls and the voltage stays",
               "\"0.55 V\""),
      quantity("maximum_voltage", Dimension::volts, "highest supply that is reliable", "\"1.0 V\""),
  };
}

std::vector<Key> process_rows() {
  return {
      quantity("wafer_price", Dimension::usd, "of a processed wafer", "\"9346 USD\""),
      quantity("wafer_diameter", Dimension::metres, "of the wafer", "\"300 mm\""),
      quantity("defect_density", Dimension::per_area, "D0", "\"0.1 1/cm2\""),
      number("clustering", above_zero,
             "alpha of the negative binomial yield (1 + A D0 / alpha)^-alpha", "3"),
      number("repairable_share", fraction,
             "of the die area, where a defect costs one core and not the die", "0.6"),
      quantity("carbon", Dimension::co2_per_area, "emitted in making a processed wafer, per area",
               "\"1.54 kgCO2e/cm2\""),
  };
}

std::vector<Key> memory_rows() {
  Key in_cores = truth("in_cores",
                       "no stacks: the shared memories of all cores are the memory of the device, "
                       "as on a wafer; the entry then says nothing else",
                       "false");
  in_cores.example = "false";  // beside all the others
  return heritable({
      in_cores,
      integer("pins", "data pins of a stack", "1024"),
      quantity("pin_rate", Dimension::bytes_per_second,
               "of one pin. Products run their pins slower than standards allow, and a budget says "
               "so",
               "\"5.2 Gb/s\""),
      quantity("capacity", Dimension::bytes, "of a stack", "\"16 GiB\""),
      number("sustained", fraction, "fraction of the bandwidth that long streams reach", "0.86"),
      quantity("energy", Dimension::joules_per_byte,
               "everything from the cell to the interface of the processor", "\"4.3 pJ/bit\""),
      or_zero(quantity("package_area", Dimension::area,
                       "of a stack beside the die; 0 if it stands on the board", "\"110 mm2\"")),
      quantity("edge", Dimension::metres, "of the die, taken by the interface of a stack",
               "\"6 mm\""),
      quantity("interface_area", Dimension::area,
               "of the die, taken by it, at N7; shrinks as analog circuits do", "\"12 mm2\""),
      quantity("cost", Dimension::usd_per_byte, "of making it", "\"12 USD/GB\""),
      quantity("carbon", Dimension::co2_per_byte, "emitted in making it", "\"65 gCO2e/GB\""),
  });
}

std::vector<Key> link_rows() {
  return heritable(joined(
      joined(joined(network_rows("of a device, in one direction"), inside_rows("\"NVLink3\"")),
             {or_zero(quantity("edge", Dimension::metres,
                               "of the die, taken by all links of a device", "\"18 mm\"")),
              or_zero(quantity("cost", Dimension::usd,
                               "per device: its share of switches and cables", "\"900 USD\"")),
              integer("largest_domain", "devices that it can join", "72"),
              integer("circuit_dimensions",
                      "of the torus in which circuits join the ranks of a group: what is no ring "
                      "passes devices between; packet switches join all otherwise",
                      "3", "switched")}),
      optics_rows()));
}

std::vector<Key> port_rows() {
  Key ports = integer("ports", "of every eight devices that a study may name, `NDRx8`", "[1, 8]");
  ports.list = true;
  return heritable(joined(
      joined(joined(network_rows("of one port, in one direction"), inside_rows("\"NDRx8\"")),
             {quantity("switch_latency", Dimension::seconds, "of passing one switch", "\"0.2 us\""),
              quantity("switch_energy", Dimension::joules_per_byte, "of passing one switch",
                       "\"5 pJ/bit\""),
              quantity("cable_energy", Dimension::joules_per_byte,
                       "of a cable between switches, both ends", "\"15 pJ/bit\""),
              quantity("port_cost", Dimension::usd, "adapter and the cable to the first switch",
                       "\"1200 USD\""),
              quantity("switch_cost", Dimension::usd, "of a switch, per port", "\"700 USD\""),
              quantity("cable_cost", Dimension::usd, "of a cable between switches, both ends",
                       "\"1000 USD\""),
              number("uplink_sustained", fraction,
                     "of the rate of cables between switches, what hashing flows onto them leaves; "
                     "1 where switches spread packets, or nothing is known",
                     "0.71", "1"),
              ports}),
      optics_rows()));
}

std::vector<Key> topology_rows() {
  Key kind = name("topology", "what it is", "\"torus\"");
  kind.words = technology::topology_kind_names;
  Key radix = integer("radix", "ports of a switch, 4 or more", "64", "64");
  radix.range = {4.0, true};
  return {kind, radix,
          number("oversubscription", above_zero,
                 "of a tree: ports down over ports up at the lowest switches", "2", "1"),
          integer("dimensions", "of a torus", "3", "3"),
          number("taper", above_zero,
                 "of a dragonfly: bandwidth between groups over that of the endpoints of a group",
                 "0.5", "1")};
}

std::vector<Key> package_rows() {
  return {
      integer("most_dies", "compute dies that one package takes", "2"),
      quantity("area", Dimension::area, "room for dies and the stacks beside them", "\"2500 mm2\""),
      quantity("reticle", Dimension::area, "largest die: one exposure field", "\"858 mm2\""),
      truth("interfaces_apart",
            "memory and links stand on dies of their own; compute dies hold cores and L2 only",
            "false"),
      truth("l2_spans_dies", "the L2 of all dies is one, or each die has its own", "true"),
      number("base_area_ratio", above_zero,
             "of those dies to the compute dies above them; required with `interfaces_apart`", "1",
             "1"),
      quantity("joint_bandwidth", Dimension::bytes_per_second_per_metre,
               "between two dies, in one direction, along the edge they share; required with more "
               "than one die",
               "\"500 GB/s/mm\"", "none"),
      quantity("joint_energy", Dimension::joules_per_byte,
               "from one die to the next; required with more than one die", "\"0.5 pJ/bit\"",
               "none"),
      quantity("cost", Dimension::usd_per_area, "of the area in use", "\"0.2 USD/mm2\""),
      quantity("assembly", Dimension::usd, "of placing and testing one die or stack", "\"10 USD\""),
      number("assembly_yield", fraction, "of placing one die or stack", "0.99"),
      quantity("carbon", Dimension::co2, "of one package", "\"20 kgCO2e\""),
  };
}

std::vector<Key> economics_rows() {
  return heritable({
      quantity("energy_price", Dimension::usd_per_joule, "of electricity at the meter",
               "\"0.08 USD/kWh\""),
      number("power_usage_effectiveness", above_zero,
             "power of the site over that of its computers", "1.2"),
      or_zero(quantity("grid_carbon", Dimension::co2_per_joule, "of electricity",
                       "\"0.37 kgCO2e/kWh\"")),
      quantity("lifetime", Dimension::seconds,
               "over which capital and embodied carbon are written off", "\"4 a\""),
      number("utilization", fraction, "part of it spent on such work", "0.8"),
      number("silicon_markup", above_zero,
             "price of dies over making them, where no `price` says what their maker asks", "35"),
      number("parts_markup", above_zero,
             "price of memory and package in a device over what they cost its maker", "1.25"),
      number("network_markup", above_zero,
             "price of network equipment over its catalogued street price", "1"),
      number("rental_markup", above_zero,
             "what renting asks for all that is bought over what its owner paid", "1.4", "1"),
      or_zero(quantity("facility_cost", Dimension::usd_per_watt,
                       "building, electrical and cooling plant, by the power of all that stands "
                       "in it",
                       "\"11 USD/W\"")),
      quantity("facility_lifetime", Dimension::seconds, "over which the facility is written off",
               "\"15 a\""),
      or_zero(quantity("delivery_cost", Dimension::usd_per_watt,
                       "supplies, regulators, cold plates and what else grows with power in the "
                       "rack; written off with the device",
                       "\"1 USD/W\"")),
      or_zero(quantity("server_cost", Dimension::usd, "host, board and chassis, per accelerator",
                       "\"6000 USD\"")),
      or_zero(
          quantity("server_power", Dimension::watts, "of the same, per accelerator", "\"150 W\"")),
      or_zero(quantity("server_carbon", Dimension::co2, "embodied in the same, per accelerator",
                       "\"160 kgCO2e\"")),
  });
}

}  // namespace scalesweep::catalog
