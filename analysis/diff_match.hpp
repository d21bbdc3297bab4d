// Which rows of two studies are the same point: the same values of axes and the same strategy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/meaning.hpp"
#include "store/reader.hpp"

namespace scalesweep::analysis {

struct RowPair {
  std::int64_t from = 0;
  std::int64_t to = 0;
};

struct Matching {
  std::vector<RowPair> pairs;  // ascending in `from`
  std::vector<std::string> notes;
};

// An axis of one value in both does not keep points apart: a note tells where the values differ.
// Nor does a strategy column or an axis of one value that one study lacks: the other then has the
// default of it, or one value. An axis of several values that one study lacks does: nothing
// matches, and a note says why.
Matching match_rows(const store::StudyReader& from, const store::StudyReader& to);

// "logic N7, memory HBM4, tensor_parallel 8, ...": axes that vary, then strategy columns.
class PointNames {
 public:
  explicit PointNames(const store::StudyReader& reader);
  std::string name(std::int64_t row) const;

 private:
  const store::StudyReader& reader_;
  std::vector<std::string> columns_;
  std::vector<ColumnMeaning> meanings_;
};

}  // namespace scalesweep::analysis
