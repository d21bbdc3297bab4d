// Figures by matplotlib, in a process of its own: the tables stand without it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace scalesweep::analysis {

struct FigureReport {
  std::vector<std::filesystem::path> files;  // PNG and SVG, in the order drawn
  std::string problem;  // why there are none and what to install; empty if all went well
};

// Runs figures.py on NAME.analysis.h5 with /usr/bin/python3 or the first python3 on PATH that has
// numpy, h5py and matplotlib. `executable` is the path of the running program: the script is looked
// for beside it, in the share folder of its installation and in the source tree. Never throws for a
// missing Python: that is `problem`.
FigureReport draw_figures(const std::filesystem::path& tables, const std::filesystem::path& folder,
                          const std::filesystem::path& executable);

}  // namespace scalesweep::analysis
