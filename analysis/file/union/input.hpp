// One of the studies that are put together. Private to union.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "store/read/reader.hpp"

namespace scalesweep::analysis {

struct Input {
  std::filesystem::path file;
  std::string name;  // on the axis `study`
  store::StudyReader reader;
};

// The values of lists in one list: each once, and in an order that keeps that of every list where
// one can. `more` goes in behind what stands before it there, else before what stands behind it,
// else at the end.
void add_in_order(std::vector<std::string>& all, const std::vector<std::string>& more);

}  // namespace scalesweep::analysis
