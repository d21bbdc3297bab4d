#include "catalog/read/complete_energies.hpp"

#include <fmt/format.h>

#include <optional>

#include "technology/derive/long_gemm.hpp"

namespace scalesweep::catalog {
namespace {

SourcePosition position_of(const CatalogData& data, Section section, std::string_view name) {
  const Entry* const entry = data.entry(section, name);
  return entry != nullptr ? entry->position : SourcePosition{};
}

const technology::LogicNode* foundry_node(const CatalogData& data, std::string_view name) {
  const auto alias = data.node_aliases.find(name);
  const std::string node = alias == data.node_aliases.end() ? std::string(name) : alias->second;
  const auto found = data.logic.find("foundry/" + node);
  return found == data.logic.end() ? nullptr : &found->second;
}

// Energy of an operation on one node over that on another, as foundries state it.
double switching_ratio(const CatalogData& data, std::string_view node, std::string_view other) {
  const technology::LogicNode* const of = foundry_node(data, node);
  const technology::LogicNode* const over = foundry_node(data, other);
  return of != nullptr && over != nullptr ? of->switching_energy / over->switching_energy : 1.0;
}

// A product runs at the nominal voltage of its node, as foundries state it, where it does not say
// its own; where the node is not known its clock cannot be moved.
void set_voltage(const CatalogData& data, technology::Device& device, Diagnostics& diagnostics) {
  const technology::LogicNode* const node = foundry_node(data, device.logic);
  if (node == nullptr) {
    device.supply = {};
    return;
  }
  device.voltage = node->voltage;
  if (device.supply.si() == 0.0) {
    device.supply = device.voltage.nominal;
  }
  if (device.supply < device.voltage.minimum || device.voltage.maximum < device.supply) {
    diagnostics.error(position_of(data, Section::devices, device.name),
                      fmt::format("device {}: supply of {:.4g} V is beyond the {:.4g} to {:.4g} V "
                                  "of {}; give one between them, or leave it out",
                                  device.name, device.supply.si(), device.voltage.minimum.si(),
                                  device.voltage.maximum.si(), device.logic));
    device.supply = device.voltage.nominal;
  }
}

// What the design power leaves to the matrix units in a long GEMM is theirs.
void set_tensor_energy(const CatalogData& data, DeviceRecord& record, Diagnostics& diagnostics) {
  technology::Device& device = record.device;
  for (std::size_t p = 0; p < technology::precision_count; ++p) {
    if (device.tensor_peak[p].si() <= 0.0 || device.tensor_energy[p].si() > 0.0) {
      continue;
    }
    const auto precision = static_cast<technology::Precision>(p);
    device.tensor_energy[p] =
        technology::tensor_energy_for(device, precision, record.long_gemm_clock[p]);
    if (device.tensor_energy[p].si() <= 0.0) {
      diagnostics.error(
          position_of(data, Section::devices, device.name),
          fmt::format("device {}: idle and active power and the traffic of a long {} GEMM take "
                      "all of its {:.4g} W, so that nothing is left for the matrix units; give "
                      "less of them or tensor_energy.{}",
                      device.name, technology::name_of(precision), device.thermal_design_power.si(),
                      technology::name_of(precision)));
    }
  }
}

void set_tensor_energy(const CatalogData& data, technology::DeviceTemplate& design,
                       Diagnostics& diagnostics) {
  const Entry* const device = data.entry(Section::devices, design.calibrated_on);
  for (std::size_t p = 0; p < technology::precision_count; ++p) {
    JoulesPerFlop& energy = design.tensor_energy[p];
    if (design.tensor_flop_per_clock[p] <= 0.0 || energy.si() > 0.0 || device == nullptr) {
      continue;
    }
    const technology::Device& real = data.devices.at(device->name).device;
    energy = real.tensor_energy[p] * switching_ratio(data, design.reference_node, real.logic);
    if (energy.si() <= 0.0) {
      diagnostics.error(
          position_of(data, Section::templates, design.name),
          fmt::format("template {}: {} has no {}, so that its energy is not "
                      "known; give tensor_energy.{}",
                      design.name, design.calibrated_on, technology::precision_names[p],
                      technology::precision_names[p]));
    }
  }
}

}  // namespace

void complete_energies(CatalogData& data, Diagnostics& diagnostics) {
  for (auto& [name, record] : data.devices) {
    const auto memory = data.memories.find(record.device.memory);
    if (memory != data.memories.end()) {
      record.device.memory_in_cores = memory->second.in_cores;
      if (record.device.dram.energy.si() == 0.0) {
        record.device.dram.energy = memory->second.energy;
      }
    }
    record.device.dram.energy += record.device.memory_access_energy;
    set_voltage(data, record.device, diagnostics);
    set_tensor_energy(data, record, diagnostics);
  }
  for (auto& [name, design] : data.templates) {
    set_tensor_energy(data, design, diagnostics);
  }
}

}  // namespace scalesweep::catalog
