// What devices send each other of a recommendation model: rows that were looked up, their
// gradients, indices, and gradients of what all of them have.
//
// Whole tables and parts of columns: an all-to-all of pooled rows. Rows over all devices: sums of
// each are scattered and reduced, or, where a bag has fewer rows than there are devices, the rows
// travel as they are. Mudigere et al., arXiv:2104.05158, section 4.2.
#pragma once

#include <cstdint>
#include <vector>

#include "estimator/parts/cost.hpp"
#include "estimator/recommendation/job.hpp"
#include "estimator/recommendation/tables.hpp"
#include "parallel/placement.hpp"
#include "technology/device.hpp"

namespace scalesweep::estimator {

struct RowExchange {
  Cost indices;        // before the lookup
  Cost forward;        // after it
  Cost backward;       // before the update; none in inference
  Cost gradients;      // of MLPs and copies of tables; none in inference
  double bytes = 0.0;  // that the widest device sends in all but the last
};

// Collectives of the first devices of a system that were asked for: shardings share some.
class DeviceCollectives {
 public:
  // `system` outlives it.
  DeviceCollectives(std::int64_t devices, const technology::System& system);

  std::int64_t devices() const { return devices_; }
  // Holds until the next call.
  const Cost& send(parallel::CollectiveKind kind, double bytes);

 private:
  struct Known {
    parallel::CollectiveKind kind;
    double bytes;
    Cost cost;
  };

  const technology::System* system_;
  std::int64_t devices_;
  parallel::Group group_;
  std::vector<Known> known_;
};

RowExchange row_exchange(const RecommendationJob& job, const PlacedTables& tables,
                         DeviceCollectives& devices);

}  // namespace scalesweep::estimator
