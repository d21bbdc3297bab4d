// What a whole training run comes to in a layout: time, devices, money and energy, with the
// failures that so many devices have.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/verdict/verdict.hpp"
#include "cli/recommend/answer/answer.hpp"

namespace scalesweep::cli {

struct WholeRun {
  double seconds = analysis::nothing_known;  // if all goes well
  // As labs reached: the middle, and what two of three of their runs lay between.
  double reached_s = analysis::nothing_known;
  double reached_low_s = analysis::nothing_known;
  double reached_high_s = analysis::nothing_known;
  double reported = analysis::nothing_known;  // share of it: losses that they report
  double device_hours = analysis::nothing_known;
  double usd = analysis::nothing_known;       // capital written off, and energy
  double energy_j = analysis::nothing_known;  // of devices and networks
  double goodput = analysis::nothing_known;

  double days() const { return seconds / 86400.0; }
  double energy_kwh() const { return energy_j / 3.6e6; }
};

WholeRun whole_run(const Layout& layout);

// If all goes well: "45.6 days", "13.2 h".
std::string run_time_text(const WholeRun& run);

// "15 T tokens take 45.6 days (+- 7 %) on 1,024 devices if all goes well: 1.12 M device hours, ...;
// as labs reached 60 days (50 to 90)".
std::string run_text(const Layout& layout, std::int64_t tokens);

}  // namespace scalesweep::cli
