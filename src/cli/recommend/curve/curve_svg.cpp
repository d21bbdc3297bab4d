// Tokens per second of a device over those of a user, both on logarithmic axes. A step leads from
// point to point: what is given to a user is given at that rate of the device, up to the next one.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "cli/output/svg.hpp"
#include "cli/recommend/answer/figure_text.hpp"
#include "cli/recommend/curve/curve_show.hpp"
#include "core/documents/escapes.hpp"

namespace scalesweep::cli {
namespace {

constexpr double left = 80.0;
constexpr double top = 44.0;
constexpr double plot_width = 760.0;
constexpr double plot_height = 460.0;
constexpr double right = 30.0;
constexpr double legend_step = 18.0;
constexpr double margin = 1.15;          // factor beyond the points on each side
constexpr double label_height = 15.0;    // least distance of two labels of layouts
constexpr std::size_t most_marked = 60;  // points of a curve that are drawn as such

// Okabe and Ito's colours.
constexpr std::array<const char*, 7> colours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                "#e69f00", "#56b4e9", "#1b1b1b"};

// From the least to the most of one axis, which takes so many pixels.
class LogAxis {
 public:
  explicit LogAxis(const std::vector<double>& values, double pixels)
      : low_(std::log10(*std::min_element(values.begin(), values.end()) / margin)),
        high_(std::log10(*std::max_element(values.begin(), values.end()) * margin)),
        pixels_(pixels) {}

  double at(double value) const { return (std::log10(value) - low_) / (high_ - low_) * pixels_; }

  // 1, 2 and 5 times the powers of ten within; of those alone where there are many.
  std::vector<double> ticks() const {
    constexpr double many_decades = 3.5;
    std::vector<double> found;
    for (int power = static_cast<int>(std::floor(low_)); power <= high_; ++power) {
      for (const double digit : {1.0, 2.0, 5.0}) {
        const double value = digit * std::pow(10.0, power);
        const bool is_within = std::log10(value) >= low_ && std::log10(value) <= high_;
        if (is_within && (digit == 1.0 || high_ - low_ < many_decades)) {
          found.push_back(value);
        }
      }
    }
    return found;
  }

 private:
  double low_;
  double high_;
  double pixels_;
};

struct Frame {
  LogAxis user;
  LogAxis device;

  double x(double user_per_s) const { return left + user.at(user_per_s); }
  double y(double device_per_s) const { return top + plot_height - device.at(device_per_s); }
};

Frame frame_of(const CurveAnswer& answer) {
  std::vector<double> user;
  std::vector<double> device;
  for (const Curve& curve : answer.curves.curves) {
    for (const CurvePoint& point : curve.points) {
      user.push_back(point.user_per_s);
      device.push_back(point.device_per_s);
    }
  }
  for (const MeasuredPoint& point : answer.measured) {
    user.push_back(point.user_per_s);
    device.push_back(point.device_per_s);
  }
  return {LogAxis(user, plot_width), LogAxis(device, plot_height)};
}

std::string line(double x1, double y1, double x2, double y2) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#dddddd\"/>\n", x1,
      y1, x2, y2);
}

std::string axes_text(const Frame& frame) {
  const double bottom = top + plot_height;
  std::string drawn;
  for (const double value : frame.user.ticks()) {
    drawn += line(frame.x(value), top, frame.x(value), bottom);
    drawn += svg_text(frame.x(value), bottom + 18.0, rate_text(value), "middle");
  }
  for (const double value : frame.device.ticks()) {
    drawn += line(left, frame.y(value), left + plot_width, frame.y(value));
    drawn += svg_text(left - 8.0, frame.y(value) + 4.0, rate_text(value), "end");
  }
  drawn += fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#555555\"/>\n",
      left, top, plot_width, plot_height);
  drawn += svg_text(left + 0.5 * plot_width, bottom + 40.0,
                    "output tokens/s a user (1 / time per output token)", "middle");
  return drawn + fmt::format(
                     "<text transform=\"translate(20 {:.1f}) rotate(-90)\" "
                     "text-anchor=\"middle\">output tokens/s a device</text>\n",
                     top + 0.5 * plot_height);
}

std::string point_words(const CurvePoint& point) {
  return fmt::format("{} tokens/s a user, {} a device: {}, {} open requests, limited by {} {}",
                     rate_text(point.user_per_s), rate_text(point.device_per_s), point.layout.words,
                     point.open, point.layout.limit, percent_text(point.layout.limit_share));
}

std::string curve_drawn(const Frame& frame, const Curve& curve, const char* colour) {
  std::string path =
      fmt::format("M{:.1f} {:.1f}", frame.x(curve.points.front().user_per_s), top + plot_height);
  for (const CurvePoint& point : curve.points) {
    path += fmt::format("H{:.1f}V{:.1f}", frame.x(point.user_per_s), frame.y(point.device_per_s));
  }
  path += fmt::format("H{:.1f}", left);
  std::string drawn = fmt::format(
      "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n", path, colour);
  for (const std::size_t place : shown_points(curve, most_marked)) {
    const CurvePoint& point = curve.points[place];
    drawn += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"><title>{}</title></circle>\n",
        frame.x(point.user_per_s), frame.y(point.device_per_s), colour,
        xml_text(point_words(point)));
  }
  return drawn;
}

// Where the layout changes along a curve that is alone, its name, as far as there is room.
std::string layouts_drawn(const Frame& frame, const Curve& curve) {
  std::string drawn;
  std::string last;
  double last_y = 0.0;
  for (const std::size_t place : shown_points(curve, most_marked)) {
    const CurvePoint& point = curve.points[place];
    const double y = frame.y(point.device_per_s);
    const bool has_room = last.empty() || last_y - y >= label_height;
    if (point.layout.words != last && has_room) {
      const double x = frame.x(point.user_per_s);
      const bool is_far_right = x > left + 0.7 * plot_width;
      const double below = std::min(y + 14.0, top + plot_height - 5.0);
      drawn += svg_text(is_far_right ? x - 8.0 : x + 8.0, is_far_right ? below : y - 5.0,
                        point.layout.words, is_far_right ? "end" : "start",
                        " font-size=\"10\" fill=\"#444444\"");
      last = point.layout.words;
      last_y = y;
    }
  }
  return drawn;
}

// Names of curves, then of what was measured that is none of these: each has a colour.
std::vector<std::string> names_of(const CurveAnswer& answer) {
  std::vector<std::string> names;
  for (const Curve& curve : answer.curves.curves) {
    names.push_back(curve.name());
  }
  for (const MeasuredPoint& point : answer.measured) {
    if (std::find(names.begin(), names.end(), point.label) == names.end()) {
      names.push_back(point.label);
    }
  }
  return names;
}

const char* colour_of(const std::vector<std::string>& names, const std::string& name) {
  const auto place = std::find(names.begin(), names.end(), name) - names.begin();
  return colours[static_cast<std::size_t>(place) % colours.size()];
}

std::string diamond(double x, double y, const char* colour, const std::string& title) {
  return fmt::format(
      "<path d=\"M{:.1f} {:.1f}l5 5l-5 5l-5 -5z\" fill=\"#ffffff\" stroke=\"{}\" "
      "stroke-width=\"1.5\"><title>{}</title></path>\n",
      x, y - 5.0, colour, xml_text(title));
}

std::string legend(const CurveAnswer& answer, const std::vector<std::string>& names) {
  std::string drawn;
  double y = top + 18.0;
  const double x = left + plot_width - 14.0;
  for (const Curve& curve : answer.curves.curves) {
    drawn += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>\n", x,
                         y - 4.0, colour_of(names, curve.name()));
    drawn += svg_text(x - 10.0, y, curve.name() + ", estimated", "end");
    y += legend_step;
  }
  std::set<std::string> told;
  for (const MeasuredPoint& point : answer.measured) {
    if (told.insert(point.label).second) {
      drawn += diamond(x, y - 4.0, colour_of(names, point.label), "");
      drawn += svg_text(x - 10.0, y, point.label.empty() ? "measured" : point.label + ", measured",
                        "end");
      y += legend_step;
    }
  }
  return drawn;
}

}  // namespace

std::string curves_svg(const std::string& title, const CurveAnswer& answer) {
  const std::vector<Curve>& curves = answer.curves.curves;
  const Frame frame = frame_of(answer);
  const std::vector<std::string> names = names_of(answer);
  std::string body = svg_text(left, 26.0, title, "start", " font-size=\"14\"") + axes_text(frame);
  for (const Curve& curve : curves) {
    body += curve_drawn(frame, curve, colour_of(names, curve.name()));
  }
  if (curves.size() == 1) {
    body += layouts_drawn(frame, curves.front());
  }
  for (const MeasuredPoint& point : answer.measured) {
    body += diamond(frame.x(point.user_per_s), frame.y(point.device_per_s),
                    colour_of(names, point.label),
                    fmt::format("{} tokens/s a user, {} a device, measured",
                                rate_text(point.user_per_s), rate_text(point.device_per_s)));
  }
  body += legend(answer, names);
  return svg_picture(left + plot_width + right, top + plot_height + 56.0, body);
}

}  // namespace scalesweep::cli
