// Figures by matplotlib, in a process of its own: the tables stand without it.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace scalesweep::analysis {

// Figures are NAME.<figure>.png, .svg and .pdf, or NAME.<figure>-<which>.png where there are
// several.
inline constexpr std::array<std::string_view, 9> figure_names = {
    "step-time",   "latency", "time-per-output-token", "shares", "frontier",
    "bottlenecks", "phases",  "sensitivity",           "effects"};

struct FigureReport {
  std::vector<std::filesystem::path> files;  // PNG, SVG and PDF, in the order drawn
  std::vector<std::string> notes;            // what was left out
  std::string problem;  // why there are none and what to install; empty if all went well
};

// Tried in this order: the distribution's Python, where its packages are, then the one on PATH.
inline const std::vector<std::string> default_pythons = {"/usr/bin/python3", "python3"};

// Runs figures.py on NAME.analysis.h5 with the first Python that has numpy, h5py and matplotlib.
// `executable` is the path of the running program: the script is looked for in the share folder of
// its installation, then in the source tree it was built from. It draws on at most `processes`
// processes, 0 one for every core, and the figures do not depend on how many. Never throws for a
// missing Python: that is `problem`.
FigureReport draw_figures(const std::filesystem::path& tables, const std::filesystem::path& folder,
                          const std::filesystem::path& executable, std::size_t processes = 0,
                          const std::vector<std::string>& pythons = default_pythons);

}  // namespace scalesweep::analysis
