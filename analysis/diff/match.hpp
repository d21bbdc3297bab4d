// Which rows of two studies are the same point: the same values of axes and the same strategy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/file/reading.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

struct RowPair {
  std::int64_t from = 0;
  std::int64_t to = 0;
};

struct Matching {
  std::vector<RowPair> pairs;  // ascending in `from`, then in `to`
  bool alike = false;          // both have the same points in the same order
  bool with_all = false;       // a row may be in several pairs: one study lacks an axis
  std::vector<std::string> notes;
};

// An axis of one value in both does not keep points apart: a note tells where the values differ.
// Nor does what follows from the others, as the number of micro-batches.
// Nor does a strategy column or an axis of one value that one study lacks: the other then has the
// default of it, or one value. An axis of several values that one study lacks is ignored: a point
// of that study is compared with those at all values, and a note says so. Where each study has such
// an axis nothing matches, which a note says as well.
Matching match_rows(const store::StudyReader& from, const store::StudyReader& to,
                    const ReadingOptions& how = {});

// "logic N7, memory HBM4, TP8 PP4 DP32 ...": axes that vary, then the strategy.
std::vector<std::string> point_names(const store::StudyReader& reader,
                                     const std::vector<std::int64_t>& rows,
                                     const ReadingOptions& how);

}  // namespace scalesweep::analysis
