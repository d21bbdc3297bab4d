// Point ids: every rule-valid configuration of a study has a stable integer, dense from 0.
#pragma once

#include <cstdint>

namespace scalesweep {

using PointId = std::int64_t;

// Half-open: first is in, last is not.
struct IdRange {
  PointId first = 0;
  PointId last = 0;

  std::int64_t size() const { return last - first; }
  bool empty() const { return last <= first; }
  friend bool operator==(const IdRange&, const IdRange&) = default;
};

}  // namespace scalesweep
