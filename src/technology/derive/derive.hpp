// From a template, a logic node, a memory, a package and budgets to a device, with every value on
// the way.
//
// Area decides how many cores and how much L2 there are, power how fast they run, the die edge and
// the package how many memory stacks and links fit. After DeepFlow (Ardalani et al., ACM TODAES
// 2024) and Kundu et al. (arXiv:2407.14645), section III. They divide the power between cores,
// memory and links; here all share it, and what runs decides who draws how much.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/enum_names.hpp"
#include "technology/derive/device_template.hpp"
#include "technology/derive/logic.hpp"
#include "technology/device.hpp"
#include "technology/memory.hpp"
#include "technology/package.hpp"

namespace scalesweep::technology {

// How the budgets are divided; what is left out follows from the template and the parts.
struct Shares {
  // Of what interfaces leave of the dies: cores; L2 takes the rest.
  std::optional<double> core_area;
  // Of the outer die edge: memory, filled with stacks; links take the rest and are as wide as it.
  std::optional<double> memory_edge;
  // Of the power: what memory may take at most; its pins run slower if need be.
  std::optional<double> memory_power;
};

// Who may draw the power. Shared: all of it is there for what runs, whose clock follows from the
// power that it takes (estimator/parts/power/power_limit.hpp). Static: memory and links keep what
// their full rate takes, and cores the clock that the rest carries under full load.
enum class PowerSharing : std::uint8_t { shared, fixed };
inline constexpr auto power_sharing_names = enum_names<PowerSharing>("shared", "static");

struct Budget {
  SquareMetres die_area;  // of one die
  int dies = 1;
  Watts power;     // thermal design power of the device
  int stacks = 1;  // of memory; not used where shares.memory_edge is given
  // Of one memory pin; the technology's own if left out.
  std::optional<BytesPerSecond> pin_rate = std::nullopt;
  // Of the matrix units of one core in 16 bit; the template's own if left out.
  std::optional<double> flop_per_clock = std::nullopt;
  // Of the cores on the dies, those sold as working; the template's own if left out.
  std::optional<double> enabled_cores = std::nullopt;
  Shares shares = {};
  PowerSharing power_sharing = PowerSharing::shared;
};

// What a device is made of. `node` and `reference` belong to one series; `reference` is the node
// that the template names.
struct Parts {
  DeviceTemplate architecture;
  LogicNode node;
  LogicNode reference;
  MemoryTechnology memory;
  Network scale_up;
  Package package;
};

enum class DeriveProblem : std::uint8_t {
  die_exceeds_reticle,
  dies_exceed_package,
  stacks_exceed_edge,
  links_exceed_edge,
  package_exceeded,
  interfaces_exceed_die,
  no_core_fits,
  power_below_rest,
  power_below_leakage,
  voltage_below_threshold,
};
inline constexpr auto derive_problem_names = enum_names<DeriveProblem>(
    "die_exceeds_reticle", "dies_exceed_package", "stacks_exceed_edge", "links_exceed_edge",
    "package_exceeded", "interfaces_exceed_die", "no_core_fits", "power_below_rest",
    "power_below_leakage", "voltage_below_threshold");
inline constexpr std::size_t derive_problem_count = derive_problem_names.size();
constexpr std::string_view name_of(DeriveProblem problem) {
  return derive_problem_names[problem];
}

// Why there is no such device, and by how much: `required` of something of which only `available`
// is there, both in SI units.
struct Infeasible {
  DeriveProblem problem = DeriveProblem::no_core_fits;
  double required = 0.0;
  double available = 0.0;
};

// A sentence: "the memory stacks need 66 mm of die edge, 57.5 mm are there (15% too much)".
std::string to_string(const Infeasible& infeasible);

// Every value between the budgets and the device.
struct Derivation {
  std::optional<Infeasible> infeasible;  // then what follows holds up to the failing step only

  // Dies, and what stands beside them.
  int die_rows = 1;
  int die_columns = 1;
  Metres outer_edge;   // of all dies together, joints between them left out
  Metres memory_edge;  // the part of it that memory may use
  Metres link_edge;    // the part that links may use
  int stacks = 0;
  int stacks_by_edge = 0;
  int stacks_by_package = 0;

  // Areas of all dies together.
  SquareMetres fixed_area;
  SquareMetres memory_interface_area;
  SquareMetres cores_area;
  SquareMetres l2_area;        // beside the cores
  SquareMetres l2_area_below;  // on the dies below them
  SquareMetres core_area;      // of one core
  double fitting_cores = 0.0;
  int physical_cores = 0;

  // Power.
  Watts memory_power;        // at full bandwidth
  double memory_rate = 1.0;  // of the pins over what they can; below 1 where power is short
  Watts link_power;          // at full bandwidth, what the device burns of it
  Watts fixed_power;
  Watts core_budget;             // what is left; shared: by `fixed_power` alone
  JoulesPerByte l2_wire_energy;  // at nominal voltage: across a die, and between dies
  Watts nominal_core_dynamic;    // of all cores and L2 at nominal voltage and clock
  Watts nominal_l2_dynamic;      // the part of it that L2 takes
  Watts nominal_core_leakage;
  OperatingPoint point;  // of the rated clock
  Hertz highest_clock;   // at the highest supply, whatever the power

  Device device;
  Network scale_up;  // as wide as its edge where shares.memory_edge is given
};

// With shared power the clock is rated as makers do it: as far above what a long 16-bit GEMM
// sustains within the power as on the device that the template was calibrated on, up to the highest
// supply.
Derivation derive(const Parts& parts, const Budget& budget);

// Which budget holds the peak of the matrix units down: the one of which one percent more brings
// most.
enum class Limit : std::uint8_t { area, reticle, power, voltage, beachfront, package, stacks };
inline constexpr auto limit_names = enum_names<Limit>(
    "die area", "reticle", "power", "voltage", "beachfront", "package area", "stacks asked for");
constexpr std::string_view name_of(Limit limit) {
  return limit_names[limit];
}
struct Binding {
  Limit compute = Limit::power;  // of the matrix peak
  double by_area = 0.0;          // d ln peak / d ln area
  double by_power = 0.0;
  double by_voltage = 0.0;           // of the highest supply
  Limit memory = Limit::beachfront;  // of the DRAM bandwidth
};
// Of a feasible derivation.
Binding binding_limits(const Parts& parts, const Budget& budget, const Derivation& derivation);

}  // namespace scalesweep::technology
