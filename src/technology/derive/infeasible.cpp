// Why there is no device, in words.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "technology/derive/derive.hpp"

namespace scalesweep::technology {

std::string to_string(const Infeasible& i) {
  const double percent = i.available > 0.0 ? 100.0 * (i.required / i.available - 1.0)
                                           : std::numeric_limits<double>::infinity();
  const std::string excess = i.available > 0.0
                                 ? fmt::format(" ({:.0f}% too much)", std::ceil(percent - 1e-6))
                                 : std::string();
  const auto mm = [](double metres) { return metres * 1e3; };
  const auto mm2 = [](double area) { return area * 1e6; };
  switch (i.problem) {
    case DeriveProblem::die_exceeds_reticle:
      return fmt::format("a die of {:.4g} mm2 exceeds the reticle field of {:.4g} mm2{}",
                         mm2(i.required), mm2(i.available), excess);
    case DeriveProblem::dies_exceed_package:
      return fmt::format("the package carries at most {:.0f} dies, not {:.0f}", i.available,
                         i.required);
    case DeriveProblem::stacks_exceed_edge:
      return fmt::format("the memory stacks need {:.4g} mm of die edge, {:.4g} mm are there{}",
                         mm(i.required), mm(i.available), excess);
    case DeriveProblem::links_exceed_edge:
      return fmt::format("the links need {:.4g} mm of die edge, {:.4g} mm are left{}",
                         mm(i.required), mm(i.available), excess);
    case DeriveProblem::package_exceeded:
      return fmt::format("dies and memory stacks take {:.4g} mm2, the package has {:.4g} mm2{}",
                         mm2(i.required), mm2(i.available), excess);
    case DeriveProblem::interfaces_exceed_die:
      return fmt::format("the interfaces alone take {:.4g} mm2, the dies have {:.4g} mm2{}",
                         mm2(i.required), mm2(i.available), excess);
    case DeriveProblem::no_core_fits:
      return fmt::format("one working core takes {:.4g} mm2, {:.4g} mm2 are left for cores{}",
                         mm2(i.required), mm2(i.available), excess);
    case DeriveProblem::power_below_rest:
      return fmt::format("what burns beside the cores takes {:.4g} W of {:.4g} W{}", i.required,
                         i.available, excess);
    case DeriveProblem::power_below_leakage:
      return fmt::format("leakage at the lowest voltage takes {:.4g} W, {:.4g} W are left{}",
                         i.required, i.available, excess);
    case DeriveProblem::voltage_below_threshold:
      return fmt::format(
          "the power left would be leaked away at {:.2g} V already, below the threshold of {:.2g} "
          "V",
          i.available, i.required);
  }
  return {};
}

}  // namespace scalesweep::technology
