// Questions that nobody asked: combinations of which filters of the spec leave no point.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/file/columns.hpp"
#include "analysis/file/study_layout.hpp"
#include "analysis/verdict/search.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

// Of a question with rows: all of them are points that a filter left out.
bool was_left_out(const StudyLayout& layout, const FoundQuestion& question);

// Of combinations without a row, as far as filters say it that are conditions on the axes of the
// question and on axes of one value alone. What other filters leave out is not known.
class LeftOut {
 public:
  // Of the spec in the file. `per`: axes.
  LeftOut(const store::StudyReader& reader, const StudyLayout& layout,
          const std::vector<std::string>& per);

  // Whether the combination of these values of `per` is left out.
  bool has(const std::vector<std::int32_t>& values) const;

 private:
  bool holds(const Condition& filter, const std::vector<std::int32_t>& values) const;

  const StudyLayout& layout_;
  std::vector<std::string> per_;
  std::vector<Condition> filters_;  // that can be decided
};

}  // namespace scalesweep::analysis
