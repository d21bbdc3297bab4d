#include "cli/recommend/answer/whole_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

constexpr double hour_s = 3600.0;
constexpr double long_run_s = 48.0 * hour_s;  // from which on days are told

// "300 B": as people say numbers of tokens.
std::string tokens_text(double tokens) {
  return tokens >= 1e12  ? fmt::format("{:.4g} T", 1e-12 * tokens)
         : tokens >= 1e9 ? fmt::format("{:.4g} B", 1e-9 * tokens)
         : tokens >= 1e6 ? fmt::format("{:.4g} M", 1e-6 * tokens)
                         : with_thousands(std::llround(tokens));
}

// "1.12 million".
std::string large_text(double number) {
  return number >= 1e6 ? fmt::format("{:.4g} million", 1e-6 * number)
                       : with_thousands(std::llround(number));
}

}  // namespace

WholeRun whole_run(const Layout& layout) {
  WholeRun run;
  run.seconds = figure(layout, analysis::FigureKind::whole_run);
  run.device_hours = layout.run_device_hours;
  run.usd = figure(layout, analysis::FigureKind::run_cost);
  run.energy_j = layout.run_energy_j;
  run.goodput = layout.run_goodput;
  return run;
}

std::string run_time_text(const WholeRun& run) {
  return !std::isfinite(run.seconds) ? "-"
         : run.seconds >= long_run_s ? fmt::format("{:.4g} days", run.days())
         : run.seconds >= hour_s     ? fmt::format("{:.4g} h", run.seconds / hour_s)
                                     : duration_text(run.seconds);
}

std::string run_text(const Layout& layout, std::int64_t tokens) {
  const WholeRun run = whole_run(layout);
  const std::string bar = std::isfinite(layout.uncertainty)
                              ? fmt::format(" (+- {:.0f} %)", 100.0 * layout.uncertainty)
                              : "";
  std::vector<std::string> costs = {large_text(run.device_hours) + " device hours"};
  if (std::isfinite(run.usd)) {
    costs.push_back(large_text(run.usd) + " USD");
  }
  if (std::isfinite(run.energy_j)) {
    costs.push_back(with_si_prefix(1e3 * run.energy_kwh(), "Wh") + " of devices and networks");
  }
  return fmt::format("{} tokens take {}{} on {} devices, {:.1f} % of it steps (goodput): {}",
                     tokens_text(static_cast<double>(tokens)), run_time_text(run), bar,
                     with_thousands(std::llround(layout.devices)), 100.0 * run.goodput,
                     join(costs, ", "));
}

}  // namespace scalesweep::cli
