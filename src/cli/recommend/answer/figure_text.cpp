#include "cli/recommend/answer/figure_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/text.hpp"

namespace scalesweep::cli {

std::string or_dash(double value, const std::string& text) {
  return std::isfinite(value) ? text : "-";
}

std::string time_text(double seconds) {
  return or_dash(seconds, seconds >= 1.0 ? fmt::format("{:.4g} s", seconds)
                                         : fmt::format("{:.4g} ms", 1e3 * seconds));
}

std::string rate_text(double per_s) {
  return or_dash(per_s,
                 per_s >= 1e4 ? with_thousands(std::llround(per_s)) : fmt::format("{:.4g}", per_s));
}

std::string percent_text(double part) {
  return or_dash(part, fmt::format("{:.0f} %", 100.0 * part));
}

}  // namespace scalesweep::cli
