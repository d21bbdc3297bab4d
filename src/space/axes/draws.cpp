#include "space/axes/draws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <set>
#include <utility>

#include "core/text.hpp"
#include "space/axes/halton.hpp"
#include "space/axes/workload_axes.hpp"
#include "space/keys/spec_keys.hpp"
#include "space/read/axis_reader.hpp"

namespace scalesweep::space {
namespace {

using config::TableCursor;

constexpr std::int64_t usual_draws = 64;
constexpr std::int64_t usual_seed = 1;

// Behind the first points of a Halton sequence, which are alike in large bases; those of another
// seed begin so much later.
constexpr std::int64_t first_point = 20;
constexpr std::int64_t points_of_a_seed = 7919;

// The standard normal value with such a share below it: Phi halved until nothing is left between.
double normal_quantile(double share) {
  double low = -9.0;
  double high = 9.0;
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = 0.5 * (low + high);
    const double below = 0.5 * std::erfc(-middle / std::numbers::sqrt2);
    (below < share ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// So many digits are the same on every machine.
double rounded(double value) {
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

const Key& key_of(const Axis& axis) {
  const auto& keys = spec_keys();
  return *std::find_if(keys.begin(), keys.end(),
                       [&](const Key& key) { return key.axis == axis.name && key.uncertain; });
}

// False if one of them is out of the range of its key, or there twice.
bool draw_values(Axis& axis, std::int64_t count, std::size_t dimension, std::int64_t seed,
                 Diagnostics& diagnostics) {
  const Key& key = key_of(axis);
  const Distribution distribution = *axis.drawn;
  const SourcePosition position = axis.positions.front();
  axis.labels.clear();
  axis.values.clear();
  axis.positions.clear();
  std::set<std::string> seen;
  for (const double share : even_shares(count, dimension, seed)) {
    const double value = rounded(quantile(distribution, share));
    append_value(axis, value, key);
    axis.positions.push_back(position);
    if (axis.kind == AxisKind::number && !key.range.holds(value)) {
      diagnostics.error(position,
                        fmt::format("{} must be {}, and draw {} of it is {}; lower its mean "
                                    "or its spread",
                                    axis.name, key.range.text(), axis.size(), value));
      return false;
    }
    if (!seen.insert(axis.labels.back()).second) {
      diagnostics.error(position,
                        fmt::format("{} draws of {} are not all different; widen its spread, or "
                                    "draw less often",
                                    count, axis.name));
      return false;
    }
  }
  return true;
}

Axis axis_of_draws(std::int64_t count, const SourcePosition& position) {
  Axis axis;
  axis.name = draw_axis;
  axis.kind = AxisKind::integer;
  axis.units = "1";
  for (std::int64_t i = 1; i <= count; ++i) {
    axis.labels.push_back(std::to_string(i));
    axis.values.push_back(static_cast<double>(i));
    axis.positions.push_back(position);
  }
  return axis;
}

}  // namespace

std::vector<double> even_shares(std::int64_t count, std::size_t dimension, std::int64_t seed) {
  const std::int64_t first = first_point + points_of_a_seed * seed;
  std::vector<std::pair<double, std::size_t>> points;
  for (std::int64_t i = 0; i < count; ++i) {
    points.emplace_back(halton(first + i, dimension), points.size());
  }
  std::sort(points.begin(), points.end());
  std::vector<double> shares(points.size());
  for (std::size_t rank = 0; rank < points.size(); ++rank) {
    shares[points[rank].second] =
        (static_cast<double>(rank) + 0.5) / static_cast<double>(points.size());
  }
  return shares;
}

// Of mean m and standard deviation s m: exp(sigma z - sigma^2 / 2) m, sigma^2 = ln(1 + s^2).
double quantile(const Distribution& distribution, double share) {
  const double variance = std::log1p(distribution.spread * distribution.spread);
  return distribution.mean *
         std::exp(std::sqrt(variance) * normal_quantile(share) - 0.5 * variance);
}

void read_draws(const TableCursor& draws, std::vector<Axis>& axes, Diagnostics& diagnostics) {
  const auto drawn = [](const Axis& axis) { return axis.drawn.has_value(); };
  const auto first = std::find_if(axes.begin(), axes.end(), drawn);
  const std::optional<std::int64_t> count = integer_in_range(draws, "draws.count", usual_draws);
  const std::optional<std::int64_t> seed = integer_in_range(draws, "draws.seed", usual_seed);
  if (first == axes.end()) {
    if (draws.exists()) {
      draws.error(
          "nothing is drawn: write a value of [economics], a power, an area or a pin rate as "
          "{ mean = ..., spread = 0.3 }, or leave [draws] out");
    }
    return;
  }
  if (!count || !seed) {
    return;
  }
  std::size_t dimension = 0;
  for (Axis& axis : axes) {
    if (drawn(axis)) {
      if (!draw_values(axis, *count, dimension++, *seed, diagnostics)) {
        return;
      }
      axis.follows = draw_axis;
    }
  }
  axes.insert(first,
              axis_of_draws(*count, draws.exists() ? draws.position() : first->positions.front()));
}

}  // namespace scalesweep::space
