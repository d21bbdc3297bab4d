// Architectures whose size and clock are open, which devices are derived from.
#include "catalog/data.hpp"
#include "catalog/sections/core_fields.hpp"

namespace scalesweep::catalog {
namespace {

using technology::DeviceTemplate;

Fields<DeviceTemplate> clock_fields() {
  return joined<DeviceTemplate>(
      {by_hand<DeviceTemplate>(
           {name("calibrated_on",
                 "device that it gives on that one's budgets, or of a projection the last one of "
                 "its line; its energies are those of the template where none are given",
                 "\"a100-sxm-80gb\"")}),
       {value(&DeviceTemplate::reference_node, "reference_node",
              "node at which areas, powers and energies hold", "\"N7\""),
        value(&DeviceTemplate::nominal_clock, "nominal_clock", "at the nominal voltage of any node",
              "\"1410 MHz\"")},
       by_precision(table("tensor_flop_per_clock", "FLOP of one core in one clock, by precision"),
                    number("*", above_zero, "of one", "2048"),
                    &DeviceTemplate::tensor_flop_per_clock),
       {number(&DeviceTemplate::vector_flop_per_clock, above_zero, "vector_flop_per_clock",
               "vector FLOP of one core in one clock", "128")},
       sustained_fields<DeviceTemplate>("of the device that it is calibrated on")});
}

Fields<DeviceTemplate> core_fields() {
  return in_table(
      table("core", "one core at the reference node, without L2, under full load"),
      Fields<DeviceTemplate>{
          value(&DeviceTemplate::core_logic_area, "logic_area", "of its logic", "\"3.4 mm2\""),
          value(&DeviceTemplate::core_sram_area, "sram_area", "of registers and shared memory",
                "\"0.55 mm2\""),
          value(&DeviceTemplate::core_active_power, "active_power",
                "at nominal voltage and clock, while a program keeps it busy, whatever it "
                "computes",
                "\"0.74 W\""),
          or_zero(value(&DeviceTemplate::core_leakage_power, "leakage_power", "at nominal voltage",
                        "\"0.46 W\"")),
          number(&DeviceTemplate::core_matrix_share, fraction, "matrix_share",
                 "of its logic and power: matrix units", "0.2"),
          number(&DeviceTemplate::enabled_cores, fraction, "enabled",
                 "of the cores on the die that are sold as working", "0.84"),
          number(&DeviceTemplate::core_area_share, fraction, "area_share",
                 "of what the interfaces leave of the die: cores; L2 takes the rest", "0.74"),
      });
}

std::vector<Key> areas_of_cache() {
  return {
      or_zero(quantity("area_holds", Dimension::bytes,
                       "what the two areas below hold; 0: there is no cache, operands go from "
                       "core to core over a mesh that is part of the cores",
                       "\"40 MiB\"")),
      or_zero(quantity("logic_area", Dimension::area, "crossbar, tags, queues", "\"144 mm2\"")),
      or_zero(quantity("sram_area", Dimension::area, "of its arrays", "\"36 mm2\"")),
      or_zero(quantity("slice_bytes_per_clock", Dimension::bytes,
                       "of all slices of what `area_holds` says", "\"5120 B\"")),
  };
}

Fields<DeviceTemplate> plain_cache_fields() {
  return {
      quantity(&DeviceTemplate::l2_bytes_per_clock, Dimension::bytes, "bytes_per_clock",
               "of the port of each core, or of the links of a mesh into it", "\"64 B\""),
      truth(&DeviceTemplate::l2_below, "below",
            "it stands on the dies below the cores where the package has them, which stay at "
            "the node that its areas hold for",
            "false"),
      number(&DeviceTemplate::l2_sustained, fraction, "sustained",
             "fraction of it that long streams reach", "0.74", "1"),
      value(&DeviceTemplate::l2_access_energy, "access_energy", "of the arrays", "\"0.13 pJ/bit\""),
      value(&DeviceTemplate::l2_wire_energy, "wire_energy", "of the way there, by length",
            "\"0.1 pJ/bit/mm\""),
  };
}

// What is said of a cache of one size is kept by the byte; of a mesh it is nothing.
void read_areas(EntryReader& l2, DeviceTemplate& t) {
  const double held = l2.value("area_holds");
  t.mesh = held == 0.0;
  const auto by_byte = [&](std::string_view key) {
    const double value = l2.value(key);
    if (!t.mesh && key != "logic_area" && l2.exists() && value == 0.0) {
      l2.table().error(key, "must be above 0, but of a mesh, where area_holds is 0");
    }
    return t.mesh ? 0.0 : value / held;
  };
  t.l2_logic_area_per_byte = by_byte("logic_area");
  t.l2_sram_area_per_byte = by_byte("sram_area");
  t.l2_slice_bytes_per_clock = by_byte("slice_bytes_per_clock");
}

Fields<DeviceTemplate> cache_fields() {
  const Key cache = table("l2", "L2 cache");
  const Fields<DeviceTemplate> plain = plain_cache_fields();
  return read_by_table<DeviceTemplate>(
      cache, keys_of(joined<DeviceTemplate>({by_hand<DeviceTemplate>(areas_of_cache()), plain})),
      [cache, plain](EntryReader& entry, DeviceTemplate& t) {
        EntryReader l2 = group_of(entry, cache);
        read_areas(l2, t);
        read_fields(l2, plain, t);
      });
}

Fields<DeviceTemplate> shared_fields() {
  return in_table(
      table("shared", "shared memory of one core"),
      Fields<DeviceTemplate>{
          value(&DeviceTemplate::shared_capacity, "capacity", "what it holds", "\"164 KiB\""),
          quantity(&DeviceTemplate::shared_bytes_per_clock, Dimension::bytes, "bytes_per_clock",
                   "of one core", "\"128 B\""),
          number(&DeviceTemplate::shared_sustained, fraction, "sustained",
                 "fraction of it that kernels reach", "0.9", "1"),
      });
}

Fields<DeviceTemplate> die_fields() {
  return in_table(
      table("die", "the die on which these values hold"),
      Fields<DeviceTemplate>{
          value(&DeviceTemplate::reference_die_area, "area", "of it", "\"826 mm2\""),
          value(&DeviceTemplate::fixed_area, "fixed_area",
                "of each die: what is neither core nor L2, memory or link", "\"30 mm2\""),
          value(&DeviceTemplate::fixed_power, "fixed_power", "of the same", "\"12 W\""),
          number(&DeviceTemplate::memory_edge_share, fraction, "memory_edge_share",
                 "of the outer edge, usable for memory", "0.5"),
          number(&DeviceTemplate::link_edge_share, fraction, "link_edge_share",
                 "of the outer edge, usable for links", "0.2"),
      });
}

const Fields<DeviceTemplate>& template_fields() {
  static const Fields<DeviceTemplate> fields = joined<DeviceTemplate>(
      {clock_fields(),
       unit_fields<DeviceTemplate>(),
       {field(long_gemm_clock_key(), &DeviceTemplate::long_gemm_clock)},
       vector_fields<DeviceTemplate>(),
       in_table(matmul_table(), &DeviceTemplate::matmul, matmul_fields()),
       in_table(attention_table(), &DeviceTemplate::attention, attention_fields()),
       core_fields(),
       cache_fields(),
       shared_fields(),
       die_fields()});
  return fields;
}

}  // namespace

std::vector<Key> template_rows() {
  return heritable(keys_of(template_fields()));
}

DeviceTemplate read_template(EntryReader& entry, const std::string& name,
                             std::vector<Reference>& references) {
  DeviceTemplate t;
  t.name = name;
  const Located device = entry.text("calibrated_on");
  t.calibrated_on = device.text;
  references.push_back({Section::devices, device});
  read_fields(entry, template_fields(), t);
  check_precisions(entry, t.tensor_flop_per_clock, t.tensor_sustained, "tensor_flop_per_clock");
  return t;
}

}  // namespace scalesweep::catalog
