// Links inside a domain, and networks between domains by the port.
#include <fmt/format.h>

#include <charconv>

#include "catalog/data.hpp"
#include "catalog/sections/field.hpp"

namespace scalesweep::catalog {
namespace {

using technology::Network;
using technology::PortTechnology;

// In one direction.
Fields<Network> ring_fields(std::string_view bandwidth) {
  return {
      value(&Network::bandwidth, "bandwidth", bandwidth, "\"450 GB/s\""),
      number(&Network::sustained, fraction, "sustained",
             "fraction of it that a large message reaches", "0.9"),
      value(&Network::latency, "latency", "of one step of a collective (alpha)", "\"1.1 us\""),
      or_zero(value(&Network::call_latency, "call_latency",
                    "of one collective call: launch and synchronisation", "\"4.6 us\"")),
      or_zero(value(&Network::half_size, "half_size",
                    "message that reaches half the sustained rate, once latency is taken "
                    "out; that of a predecessor grows with the rate",
                    "\"5.7 MB\"")),
      or_zero(value(&Network::handshake, "handshake",
                    "of one step in which buffers are handed over, beside its latency",
                    "\"2.1 us\"", "\"0 s\"")),
      number(&Network::own_part, from_zero, "own_part",
             "of a rank's own part of a buffer, what it copies at the rate of sending", "0.26",
             "0"),
  };
}

Fields<Network> network_fields(std::string_view bandwidth) {
  return joined<Network>(
      {ring_fields(bandwidth),
       {number(&Network::in_network_efficiency, fraction_or_none, "in_network",
               "fraction of the rate when the switch reduces; 0 if it cannot", "0.6", "0"),
        field(or_zero(quantity("in_network_half_size", Dimension::bytes,
                               "message that reaches half of that, once latency is taken out",
                               "\"25 MB\"", "that of `half_size`")),
              &Network::in_network_half_size, &Network::half_size),
        number(&Network::one_shot_efficiency, fraction_or_none, "one_shot",
               "fraction of the rate of one-shot all-reduces, which read the peers' buffers; "
               "0 if none do",
               "0.58", "0"),
        or_zero(value(&Network::one_shot_latency, "one_shot_latency",
                      "fixed time of a call of theirs", "\"2.5 us\"", "\"0 s\"")),
        number(&Network::core_share, fraction, "core_share",
               "of a device's cores that a running collective keeps busy", "0.12", "0.1"),
        value(&Network::energy, "energy", "of what is sent, all hops", "\"10 pJ/bit\""),
        value(&Network::device_energy, "device_energy",
              "the part of it that the device burns itself", "\"5 pJ/bit\"", "none"),
        number(&Network::rest_share, fraction_or_none, "rest_share",
               "of what is burnt beyond the device at the full rate, what burns at rest", "0.93",
               "0")}});
}

// What is said of optics and read by people.
template <class Record>
Fields<Record> optics_fields() {
  return {
      said<Record>(integer("switch_ports", "of a switch; said, and not used", "512", "not known")),
      said<Record>(quantity("reach", Dimension::metres, "of a cable; said, and not used",
                            "\"500 m\"", "not known")),
      said<Record>(or_zero(quantity("reconfiguration", Dimension::seconds,
                                    "of setting circuits; not counted: they are set once for a job",
                                    "\"10 ms\"", "none"))),
  };
}

// Blocks of devices that a link of their own joins inside what this one joins.
template <class Record>
Fields<Record> inside_fields(std::string_view link) {
  return by_hand<Record>({
      table("inside", "blocks that a link of their own joins, inside what this one joins", "none"),
      name("inside.link", "that link, of the same section, with its ports where it has them", link,
           "none"),
      integer("inside.size", "devices of such a block", "2", "none"),
  });
}

const Fields<LinkRecord>& link_fields() {
  static const Fields<LinkRecord> fields = joined<LinkRecord>(
      {of_part(&LinkRecord::network, network_fields("of a device, in one direction")),
       inside_fields<LinkRecord>("\"NVLink3\""),
       of_part(&LinkRecord::network,
               Fields<Network>{
                   or_zero(value(&Network::edge, "edge",
                                 "of the die, taken by all links of a device", "\"18 mm\"")),
                   or_zero(value(&Network::cost, "cost",
                                 "per device: its share of switches and cables", "\"900 USD\""))}),
       {value(&LinkRecord::largest_domain, "largest_domain", "devices that it can join", "72")},
       of_part(&LinkRecord::network,
               Fields<Network>{
                   value(&Network::circuit_dimensions, "circuit_dimensions",
                         "of the torus in which circuits join the ranks of a group: what is no "
                         "ring passes devices between; packet switches join all otherwise",
                         "3", "switched")}),
       optics_fields<LinkRecord>()});
  return fields;
}

Fields<PortTechnology> switch_fields() {
  return {
      value(&PortTechnology::switch_latency, "switch_latency", "of passing one switch",
            "\"0.2 us\""),
      value(&PortTechnology::switch_energy, "switch_energy", "of passing one switch",
            "\"5 pJ/bit\""),
      value(&PortTechnology::cable_energy, "cable_energy",
            "of a cable between switches: both ends, over the bits of both directions",
            "\"15 pJ/bit\""),
      value(&PortTechnology::port_cost, "port_cost", "adapter and the cable to the first switch",
            "\"1200 USD\""),
      value(&PortTechnology::switch_cost, "switch_cost", "of a switch, per port", "\"700 USD\""),
      value(&PortTechnology::cable_cost, "cable_cost", "of a cable between switches, both ends",
            "\"1000 USD\""),
      number(&PortTechnology::uplink_sustained, fraction, "uplink_sustained",
             "of the rate of cables between switches, what hashing flows onto them leaves; "
             "1 where switches spread packets, or nothing is known",
             "0.71", "1"),
  };
}

const Fields<PortRecord>& port_fields() {
  static const Fields<PortRecord> fields = [] {
    Key ports = integer("ports", "of every eight devices that a study may name, `NDRx8`", "[1, 8]");
    ports.list = true;
    return joined<PortRecord>(
        {of_part(&PortRecord::technology,
                 of_part(&PortTechnology::port, network_fields("of one port, in one direction"))),
         inside_fields<PortRecord>("\"NDRx8\""),
         of_part(&PortRecord::technology, switch_fields()),
         {field(ports, &PortRecord::ports)},
         optics_fields<PortRecord>()});
  }();
  return fields;
}

void complete(Network& network, const std::string& name) {
  network.name = name;
  network.in_network_reduction = network.in_network_efficiency > 0.0;
}

Inside read_inside(EntryReader& entry, Section section, std::vector<Reference>& references) {
  EntryReader group = entry.optional_group("inside");
  if (!group.exists()) {
    return {};
  }
  const std::optional<Located> link = group.given_text("link");
  const std::optional<std::int64_t> size = group.given_integer("size");
  if (!link || !size) {
    group.table().error(link ? "size" : "link",
                        "is missing: a block inside needs a link and a size, the devices that it "
                        "joins");
    return {};
  }
  references.push_back({section, *link});
  return {*link, static_cast<int>(*size)};
}

}  // namespace

std::vector<Key> link_rows() {
  return heritable(keys_of(link_fields()));
}

std::vector<Key> port_rows() {
  return heritable(keys_of(port_fields()));
}

LinkRecord read_link(EntryReader& entry, const std::string& name,
                     std::vector<Reference>& references) {
  LinkRecord record;
  read_fields(entry, link_fields(), record);
  complete(record.network, name);
  technology::part_rest(record.network, record.network.energy - record.network.device_energy);
  record.inside = read_inside(entry, Section::scale_up, references);
  return record;
}

PortRecord read_ports(EntryReader& entry, const std::string& name,
                      std::vector<Reference>& references) {
  PortRecord record;
  read_fields(entry, port_fields(), record);
  complete(record.technology.port, name);
  record.inside = read_inside(entry, Section::scale_out, references);
  return record;
}

std::optional<std::pair<std::string, std::int64_t>> split_ports(std::string_view name) {
  const std::size_t cross = name.rfind('x');
  if (cross == std::string_view::npos || cross == 0) {
    return std::nullopt;
  }
  std::int64_t ports = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + cross + 1, end, ports);
  if (error != std::errc{} || stop != end || ports < 1) {
    return std::nullopt;
  }
  return std::pair{std::string(name.substr(0, cross)), ports};
}

std::string with_ports(const std::string& technology, std::int64_t ports) {
  return fmt::format("{}x{}", technology, ports);
}

}  // namespace scalesweep::catalog
