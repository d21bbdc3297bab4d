// NAME.h5 as virtual datasets over the segments in NAME.h5.d. Private to src/store.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "store/read/study_file.hpp"

namespace scalesweep::store {

// Joins neighbours until few enough segments are left for every reader to have them open at once.
// Nothing if it was stopped; what was joined stays joined.
std::optional<std::vector<Segment>> gather_segments(const std::filesystem::path& output,
                                                    const StudyDescription& study,
                                                    std::vector<Segment> segments,
                                                    const FinishOptions& options);

// Disjoint segments in order, of the whole study.
void link_segments(const std::filesystem::path& output, const StudyDescription& study,
                   const std::vector<Segment>& segments, Durability durability);

}  // namespace scalesweep::store
