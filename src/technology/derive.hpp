// From a template, a logic node, a memory and budgets to a device, with every value on the way.
//
// Area decides how many cores and how much L2 there are, power how fast they run, the die edge and
// the package how many memory stacks fit. After DeepFlow (Ardalani et al., ACM TODAES 2024) and
// Kundu et al. (arXiv:2407.14645), section III; here memory and links take the power that their
// rate needs, and cores get the rest, instead of fixed shares.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "technology/device.hpp"
#include "technology/device_template.hpp"
#include "technology/logic.hpp"
#include "technology/memory.hpp"

namespace scalesweep::technology {

struct Budget {
  SquareMetres die_area;  // of one die
  int dies = 1;
  Watts power;  // thermal design power of the device
  int stacks = 1;
};

enum class DeriveProblem : std::uint8_t {
  die_exceeds_reticle,
  stacks_exceed_edge,
  package_exceeded,
  interfaces_exceed_die,
  no_core_fits,
  power_below_memory_and_links,
  power_below_leakage,
};
inline constexpr std::size_t derive_problem_count = 7;
inline constexpr std::array<std::string_view, derive_problem_count> derive_problem_names = {
    "die_exceeds_reticle",   "stacks_exceed_edge", "package_exceeded",
    "interfaces_exceed_die", "no_core_fits",       "power_below_memory_and_links",
    "power_below_leakage"};
constexpr std::string_view name_of(DeriveProblem problem) {
  return derive_problem_names[static_cast<std::size_t>(problem)];
}

// Why there is no such device, and by how much: `required` of something of which only `available`
// is there, both in SI units.
struct Infeasible {
  DeriveProblem problem = DeriveProblem::no_core_fits;
  double required = 0.0;
  double available = 0.0;
};

// A sentence: "6 memory stacks need 66 mm of die edge, 57.5 mm are there (15% too much)".
std::string to_string(const Infeasible& infeasible);

// Every value between the budgets and the device.
struct Derivation {
  std::optional<Infeasible> infeasible;  // then what follows holds up to the failing step only

  // Stacks that the die edge and the package would take.
  Metres memory_edge;  // usable
  int stacks_by_edge = 0;
  int stacks_by_package = 0;

  // Areas of all dies together.
  SquareMetres fixed_area;
  SquareMetres memory_interface_area;
  SquareMetres cores_area;
  SquareMetres l2_area;
  SquareMetres core_area;  // of one core
  double fitting_cores = 0.0;
  int physical_cores = 0;

  // Power.
  Watts memory_power;  // at full bandwidth
  Watts link_power;    // at full bandwidth, switches included
  Watts fixed_power;
  Watts core_budget;           // what is left
  Watts nominal_core_dynamic;  // of all cores at nominal voltage and clock
  Watts nominal_core_leakage;
  OperatingPoint point;

  Device device;
};

// `node` and `reference` belong to one series; `reference` is the node that the template names.
Derivation derive(const DeviceTemplate& architecture, const LogicNode& node,
                  const LogicNode& reference, const MemoryTechnology& memory,
                  const Network& scale_up, const Budget& budget);

}  // namespace scalesweep::technology
