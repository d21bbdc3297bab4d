// What `scalesweep explain` says of the points that a report is about, for its page.
#pragma once

#include <filesystem>
#include <string>

#include "analysis/bottlenecks/result.hpp"

namespace scalesweep::cli {

struct Explanations {
  std::string json;
  std::string problem;  // why there are none; "" where there are
  std::string details;  // for who makes the report: names files and folders
};

// Of the points that matter most, as many as fit in a page. A file out of which they cannot be
// computed is no failure: they are left out, and the page says why. `file` is where the study lies,
// `command` explains a point of it, without its id.
//   command: as given
//   problem: as above
//   points: by id [head, title, column, ...] of every sheet, places in the members of SheetPool
//   pictures: of training by id step_picture, or why it is not drawn
Explanations explanations_of(const analysis::AnalysisResult& result,
                             const std::filesystem::path& file, const std::string& command);

}  // namespace scalesweep::cli
