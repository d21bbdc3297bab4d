// scalesweep catalog compare: derived devices beside the products whose budgets they are given, in
// whole work and by their peaks.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "cli/options/command.hpp"
#include "cli/output/sheet.hpp"

namespace scalesweep::cli {

inline constexpr std::size_t compared_count = 6;

// Cores, clock, 16-bit matrix peak, DRAM bandwidth and capacity, L2 capacity, in SI units.
struct Comparison {
  std::string name;
  std::array<double, compared_count> derived{};
  std::array<double, compared_count> real{};
  double highest_clock_hz = 0.0;  // derived, whatever the power
};

Comparison compare(const std::string& name, const technology::Derivation& derived,
                   const technology::Device& real, double flop_per_clock);

// Of more than one device also the mean of the absolute errors.
Sheet comparison_sheet(const std::vector<Comparison>& rows);

// The devices named, or all that name a template; by another template than their own where
// `architecture` says so, and then all that the catalog knows enough about. Refuses a device that
// is named and has no twin.
ExitCode compare_devices(const std::vector<std::string>& names, const std::string& architecture,
                         const catalog::Catalog& catalog, Format format, const Streams& streams);

}  // namespace scalesweep::cli
