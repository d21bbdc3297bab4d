// What a service can do at each rate that a user sees: of all layouts and loads those points that
// no other beats in both tokens per second of a user and tokens per second of a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/recommend/answer/layout_reader.hpp"

namespace scalesweep::cli {

inline constexpr const char* load_axis = "concurrency";

struct CurvePoint {
  Layout layout;
  double user_per_s = 0.0;    // tokens, the inverse of the time per output token
  double device_per_s = 0.0;  // output tokens, of all devices over their number
  std::int64_t open = 0;      // requests in flight, of all replicas
};

// Of one device and, where several are asked about, one framework. The user's rate falls from point
// to point, that of a device grows.
struct Curve {
  std::string device;
  std::string framework;  // empty: that of all
  std::vector<CurvePoint> points;

  std::string name() const { return framework.empty() ? device : device + ", " + framework; }
};

struct Curves {
  std::vector<std::string> chosen;  // axes that vary, whose labels Layout::choice has
  std::vector<Curve> curves;        // in the order of the question; without those that have none
};

// The file must keep all points of `study`, which was made for a curve.
Curves find_curves(const store::StudyReader& reader, const study::Study& study);

// The point with most for a device of those that give a user so many tokens per second at
// least; null where none does, or where the whole curve does.
const CurvePoint* point_at_least(const Curve& curve, double user_per_s);

// The places of `most` points, or one more, that stand for all: the ends are among them.
std::vector<std::size_t> shown_points(const Curve& curve, std::size_t most);

}  // namespace scalesweep::cli
