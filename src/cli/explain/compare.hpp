// Two points of one kind of workload beside each other: what differs, by how much, and why.
#pragma once

#include <string>
#include <vector>

#include "cli/output/sheet.hpp"
#include "study/study.hpp"

namespace scalesweep::cli {

struct ComparedPoint {
  const study::Study& study;
  study::Point point;
  std::string name;  // "12", "other.h5:40"
};

// Sentences that say why first; then which axes and fields of the strategy differ, and what of the
// result, resources, phases, terms, memory, energy and cost, largest differences first. CSV: one
// table. Throws Failure(usage) for points of two kinds of workload.
std::vector<Sheet> comparison_sheets(const ComparedPoint& one, const ComparedPoint& other,
                                     Format format);

}  // namespace scalesweep::cli
