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

std::string days_text(double seconds) {
  return !std::isfinite(seconds) ? "-"
         : seconds >= long_run_s ? fmt::format("{:.4g} days", seconds / 86400.0)
         : seconds >= hour_s     ? fmt::format("{:.4g} h", seconds / hour_s)
                                 : duration_text(seconds);
}

// Two digits: the bar is wider than the third.
std::string rough_text(double seconds) {
  const double unit_s = seconds >= long_run_s ? 86400.0 : seconds >= hour_s ? hour_s : 1.0;
  const double number = seconds / unit_s;
  const double digit = std::pow(10.0, std::floor(std::log10(number)) - 1.0);
  return days_text(std::round(number / digit) * digit * unit_s);
}

// "; as labs reached 60 days (50 days to 90 days in two of three runs)", where anybody knows.
std::string reached_text(const WholeRun& run) {
  return std::isfinite(run.reached_s)
             ? fmt::format(
                   "; as labs reached {} ({} to {} in two of three runs), {:.1f} % of it batches "
                   "that grow, evaluation and restarts by hand, the rest software and layouts of "
                   "their year",
                   rough_text(run.reached_s), rough_text(run.reached_low_s),
                   rough_text(run.reached_high_s), 100.0 * run.reported)
             : "";
}

}  // namespace

WholeRun whole_run(const Layout& layout) {
  WholeRun run;
  run.seconds = figure(layout, analysis::FigureKind::whole_run);
  run.device_hours = layout.run_device_hours;
  run.usd = figure(layout, analysis::FigureKind::run_cost);
  run.energy_j = layout.run_energy_j;
  run.goodput = layout.run_goodput;
  run.reached_s = layout.run_reached_s;
  run.reached_low_s = layout.run_reached_low_s;
  run.reached_high_s = layout.run_reached_high_s;
  run.reported = layout.run_reported;
  return run;
}

std::string run_time_text(const WholeRun& run) {
  return days_text(run.seconds);
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
  return fmt::format(
      "{} tokens take {}{} on {} devices if all goes well, {:.1f} % of it steps (goodput): {}{}",
      tokens_text(static_cast<double>(tokens)), run_time_text(run), bar,
      with_thousands(std::llround(layout.devices)), 100.0 * run.goodput, join(costs, ", "),
      reached_text(run));
}

}  // namespace scalesweep::cli
