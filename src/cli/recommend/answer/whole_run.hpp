// What a whole training run comes to in a layout: time, devices, money and energy, with the
// failures that so many devices have.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/verdict/verdict.hpp"
#include "cli/recommend/answer/answer.hpp"

namespace scalesweep::cli {

struct WholeRun {
  double seconds = analysis::nothing_known;
  double device_hours = analysis::nothing_known;
  double usd = analysis::nothing_known;       // capital written off, and energy
  double energy_j = analysis::nothing_known;  // of devices and networks
  double goodput = analysis::nothing_known;

  double days() const { return seconds / 86400.0; }
  double energy_kwh() const { return energy_j / 3.6e6; }
};

WholeRun whole_run(const Layout& layout);

// "45.6 days", "13.2 h".
std::string run_time_text(const WholeRun& run);

// "15 T tokens take 45.6 days (+- 7 %) on 1,024 devices: 1.12 M device hours, ..."
std::string run_text(const Layout& layout, std::int64_t tokens);

}  // namespace scalesweep::cli
