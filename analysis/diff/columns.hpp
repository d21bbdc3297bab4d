// One column of two studies, over the points that both have. Private to diff.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/diff/match.hpp"
#include "analysis/diff/result.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

struct ColumnComparison {
  ColumnChange change;    // without `point`
  std::int64_t row = -1;  // of `from`, where it differs most
  // Of names: how many points went from which to which.
  std::map<std::pair<std::string, std::string>, std::int64_t> moves;
};

// Marks pairs that differ. Memory is that of the column in both studies, or of a few blocks where
// both have the same points.
ColumnComparison compare_column(const store::StudyReader& from, const store::StudyReader& to,
                                const std::string& name, const Matching& matching,
                                const ReadingOptions& how, std::vector<std::uint8_t>& differs);

}  // namespace scalesweep::analysis
