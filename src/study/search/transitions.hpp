// Where along an axis what limits the best point changes: looked for among few of its values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "store/read/table.hpp"
#include "study/columns/schema.hpp"

namespace scalesweep::study {

// What has the largest part of the time of a point, by itself and as a group, as
// analysis/effects/transitions tells of both; nothing where no point is there.
struct PointLimits {
  std::optional<std::size_t> resource = std::nullopt;
  std::optional<std::size_t> group = std::nullopt;  // its first resource

  friend bool operator==(const PointLimits&, const PointLimits&) = default;
};

PointLimits limits_of(const store::Table& rows, const store::Schema& schema, std::size_t row);

// Looks at so many of the places 0 to `size` - 1 first, evenly spread, both ends among them, then
// between two that differ and have others in between: at the middle, until those that differ are
// neighbours. Each place is looked at once at most. What changes and changes back between two of
// the first is not seen.
void find_changes(std::int32_t size, std::int64_t first,
                  const std::function<PointLimits(std::int32_t place)>& look_at);

}  // namespace scalesweep::study
