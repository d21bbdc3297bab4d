// Lanes one under the other over one axis of time; below it what the colours mean.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "cli/explain/trace/trace.hpp"
#include "cli/output/svg.hpp"
#include "core/documents/escapes.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

constexpr double left = 110.0;
constexpr double plot = 1060.0;
constexpr double right = 30.0;
constexpr double top = 40.0;
constexpr double lane_step = 34.0;
constexpr double lane_height = 26.0;
constexpr double legend_step = 190.0;
constexpr int legend_columns = 6;
constexpr int ticks = 5;
constexpr double least_for_name = 14.0;  // width of a slice that has room for a number

// Okabe and Ito's colours, then lighter ones of the same hues.
constexpr std::array<const char*, 13> colours = {
    "#0072b2", "#56b4e9", "#cc79a7", "#d55e00", "#e69f00", "#f0e442", "#009e73",
    "#8c564b", "#7f7f7f", "#66c2a5", "#b3b3b3", "#a6761d", "#1b1b1b"};

// In the order in which they come.
std::map<std::string, std::size_t> colour_of_categories(const Trace& trace,
                                                        std::vector<std::string>& order) {
  std::map<std::string, std::size_t> colour;
  for (const TraceLane& lane : trace.lanes) {
    for (const TraceSlice& slice : lane.slices) {
      if (colour.try_emplace(slice.category, order.size() % colours.size()).second) {
        order.push_back(slice.category);
      }
    }
  }
  return colour;
}

std::string slice_at(const TraceSlice& slice, double y, double per_s, const char* colour) {
  const double x = left + slice.start_s * per_s;
  const double width = slice.duration_s * per_s;
  std::string drawn = fmt::format(
      "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\"><title>{}, {}"
      "</title></rect>\n",
      x, y, std::max(width, 0.05), lane_height, colour, xml_text(slice.name),
      with_si_prefix(slice.duration_s, "s"));
  if (slice.micro_batch >= 0 && width >= least_for_name && slice.category.ends_with("ward")) {
    drawn += fmt::format(
        "<text class=\"on\" x=\"{:.2f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
        x + 0.5 * width, y + 17.0, slice.micro_batch);
  }
  return drawn;
}

std::string axis(double end_s, double y) {
  std::string drawn;
  for (int tick = 0; tick <= ticks; ++tick) {
    const double part = static_cast<double>(tick) / ticks;
    drawn += svg_text(left + part * plot, y, with_si_prefix(part * end_s, "s"),
                      tick == 0       ? "start"
                      : tick == ticks ? "end"
                                      : "middle");
  }
  return drawn;
}

}  // namespace

std::string trace_svg(const Trace& trace) {
  std::vector<std::string> categories;
  const auto colour = colour_of_categories(trace, categories);
  double end_s = 0.0;
  for (const TraceLane& lane : trace.lanes) {
    end_s = std::max(end_s, lane.end_s());
  }
  const double per_s = end_s > 0.0 ? plot / end_s : 0.0;
  std::string body = svg_text(left, 24.0, trace.title);
  double y = top;
  for (const TraceLane& lane : trace.lanes) {
    body += svg_text(left - 10.0, y + 17.0, lane.name, "end");
    body +=
        fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" fill=\"#f2f2f2\"/>\n",
                    left, y, plot, lane_height);
    for (const TraceSlice& slice : lane.slices) {
      body += slice_at(slice, y, per_s, colours[colour.at(slice.category)]);
    }
    y += lane_step;
  }
  body += axis(end_s, y + 12.0);
  y += 34.0;
  for (std::size_t i = 0; i < categories.size(); ++i) {
    const auto column = static_cast<double>(i % legend_columns);
    const double row = y + 20.0 * static_cast<double>(i / legend_columns);
    body +=
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n",
                    left + column * legend_step, row, colours[colour.at(categories[i])]);
    body += svg_text(left + column * legend_step + 18.0, row + 10.0, categories[i]);
  }
  y += 20.0 * std::ceil(static_cast<double>(categories.size()) / legend_columns) + 14.0;
  for (const std::string& note : trace.notes) {
    body += svg_text(left, y, note);
    y += 18.0;
  }
  return svg_picture(left + plot + right, y, body,
                     "<style>.on { fill: #ffffff; font-size: 10px }</style>\n");
}

}  // namespace scalesweep::cli
