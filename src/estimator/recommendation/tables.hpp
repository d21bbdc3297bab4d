// Where the tables of a model are: what the fullest, the busiest and the widest device has of them.
//
// Whole tables, parts of columns, rows over all devices, copies: Mudigere et al., arXiv:2104.05158,
// section 4.2, as TorchRec and HugeCTR have them. Tables and parts are dealt out in the order of
// their size to the device that has least (longest processing time first; Graham 1969), by the sum
// of their shares of all bytes that are stored and that are looked up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "parallel/strategy.hpp"
#include "workload/recommendation/recommendation.hpp"

namespace scalesweep::estimator {

// Narrower parts of columns waste the bursts of DRAM that they are read in.
inline constexpr double least_columns = 32.0;

// Tables of one device that are alike.
struct DeviceTables {
  double count = 0.0;
  double rows = 0.0;     // of one, here
  double dim = 0.0;      // columns of a row, here
  double pooling = 0.0;  // rows here that a sample reads of one
  double samples = 0.0;  // whose rows are looked up here
  bool adds_rows = true;

  double lookups() const { return count * samples * pooling; }
  // Rows that come out: sums of bags of which a device has rows, or all of them.
  double results() const { return adds_rows ? std::min(count * samples, lookups()) : lookups(); }
  friend bool operator==(const DeviceTables&, const DeviceTables&) = default;
};

struct PlacedTables {
  bool holds_all = false;             // every device
  std::vector<DeviceTables> busiest;  // of the device that looks up most bytes
  double imbalance = 1.0;             // of these over the mean
  // Of the fullest device.
  double elements = 0.0;
  double rows = 0.0;  // or parts of one that have a state of their own
  // Columns of sums of whole tables and parts of them that the widest device sends to the others,
  // of each sample; and their mean.
  double widest_columns = 0.0;
  double mean_columns = 0.0;
  // Columns of tables whose rows are spread: of those with fewer rows in a bag than devices the
  // rows themselves travel, of the others sums of each device are added up.
  double unpooled_columns = 0.0;
  double summed_columns = 0.0;
  // Copies on all devices: elements, and what a sample reads.
  double copied_elements = 0.0;
  double copied_columns = 0.0;
  double copied_lookups = 0.0;
  // Indices of a sample that go to other devices, each as often as to parts of columns.
  double sent_indices = 0.0;
};

// `samples` of a step, which devices divide.
PlacedTables place_tables(const workload::RecommendationModel& model,
                          parallel::TableSharding sharding, std::int64_t devices,
                          std::int64_t samples);

}  // namespace scalesweep::estimator
