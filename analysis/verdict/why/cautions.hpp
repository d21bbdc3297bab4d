// What somebody should know before taking the best point: that the study ends where it lies.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/file/study_layout.hpp"
#include "analysis/verdict/search.hpp"
#include "space/read/spec_types.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

// Sentences: axes of quantities or numbers, of those compared, at whose largest or smallest value
// the best choice lies, where the value next to it is more than a tie worse or not feasible at all:
// beyond the end it may be better still.
std::vector<std::string> axes_at_their_ends(const StudyLayout& layout,
                                            const VerdictRequest& request,
                                            const FoundQuestion& question);

// What was measured nowhere of a point, by the column that says so (role least_known); nothing:
// all was, or the study has no such column.
std::optional<std::string> least_known_label(const store::Table& points,
                                             const store::Schema& schema, std::size_t row);

// One sentence of that, or none.
std::vector<std::string> least_known_of(const store::Table& points, const store::Schema& schema,
                                        std::size_t row);

// One sentence, or none: of points that [search] did not look at, what better may be among them, as
// its method knows it.
std::vector<std::string> not_searched_words(const StudyLayout& layout, const Objective& objective,
                                            const FoundQuestion& question, double best,
                                            space::SearchMethod method);

// A range in which a search for shares of budgets was allowed to choose.
struct AllocatedRange {
  std::string name;    // as [allocate] has it: "core_area_share"
  std::string column;  // that holds what was found
  double from = 0.0;
  double to = 1.0;
};

// Of the spec in the file. Empty without a search, and for a file without its spec.
std::vector<AllocatedRange> allocated_ranges(const store::StudyReader& reader);

// Whether a search ended at this bound.
bool is_at(double share, double bound);

// "core_area_share ends at 0.8, as high as [allocate] allows".
std::string ends_words(const AllocatedRange& range, double bound);

// Sentences: shares of budgets that a search found at the bounds of their ranges, in one row.
std::vector<std::string> shares_at_their_bounds(const std::vector<AllocatedRange>& ranges,
                                                const store::Table& points,
                                                const store::Schema& schema, std::size_t row);

}  // namespace scalesweep::analysis
