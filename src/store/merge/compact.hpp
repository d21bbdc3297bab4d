// Segments of a lease put together while the study runs.
#pragma once

#include <filesystem>
#include <optional>

#include "core/id_range.hpp"
#include "store/read/study_file.hpp"

namespace scalesweep::store {

// One segment in place of the valid ones that cover exactly `ids`, whose chunks are copied where
// they can be; those are removed once it is durable. `selector` drops rows that a policy need not
// keep (RowSelector over rows of these ids alone). Nothing where there is only one, `ids` are not
// covered, or others that overlap would cover less without the parts. Few files open quickly.
std::optional<Segment> compact_segments(const std::filesystem::path& output,
                                        const StudyDescription& study, IdRange ids,
                                        const std::optional<RowSelector>& selector,
                                        Durability durability = Durability::synced);

}  // namespace scalesweep::store
