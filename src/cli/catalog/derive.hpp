// scalesweep catalog derive: a device from a node, a memory, a package and budgets, with every
// value on the way.
#pragma once

#include <memory>
#include <string>

#include "catalog/catalog.hpp"
#include "cli/options/command.hpp"
#include "cli/output/sheet.hpp"

namespace scalesweep::cli {

// As typed; "" where left out.
struct DeriveArguments {
  std::string architecture;
  std::string like;
  std::string logic, scaling, memory, package, scale_up;
  std::string die_area, power, pin_rate;
  int dies = 0;
  int stacks = 0;
  double flop_per_clock = 0.0;
  double enabled_cores = 0.0;
  double core_area_share = 0.0;
  double memory_edge_share = 0.0;
  std::string power_sharing;
  double memory_power_share = 0.0;
  bool extrapolate = false;
};

std::shared_ptr<DeriveArguments> add_derive_options(Command& command);

// Throws Failure(usage) for what is missing or unknown, Failure(bad_input) where there is no such
// device, with the limit and by how much.
ExitCode derive_device(const DeriveArguments& arguments, const catalog::Catalog& catalog,
                       Format format, const Streams& streams);

}  // namespace scalesweep::cli
