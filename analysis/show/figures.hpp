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
// several. The table of figures.py says the same, and what each shows.
struct FigureName {
  std::string_view name;
  bool is_default;  // drawn where none is named
};
inline constexpr std::array<FigureName, 11> figure_names = {{
    {"verdict", true},
    {"frontier", true},
    {"shares", true},
    {"moves", true},
    {"step-time", false},
    {"latency", false},
    {"time-per-output-token", false},
    {"bottlenecks", false},
    {"phases", false},
    {"sensitivity", false},
    {"effects", false},
}};
inline constexpr std::string_view all_figures = "all";

// Names of those that are drawn where none is named, or of the others.
std::vector<std::string> names_of_figures(bool is_default);

// All names that may be asked for, `all_figures` the last.
std::vector<std::string> known_figures();

// Throws Failure(usage) for a name that no figure has; `all_figures` stands for every one.
void check_figures(const std::vector<std::string>& names);

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
// missing Python: that is `problem`. `names` are checked ones; none for those by default.
FigureReport draw_figures(const std::filesystem::path& tables, const std::filesystem::path& folder,
                          const std::filesystem::path& executable, std::size_t processes = 0,
                          const std::vector<std::string>& names = {},
                          const std::vector<std::string>& pythons = default_pythons);

}  // namespace scalesweep::analysis
