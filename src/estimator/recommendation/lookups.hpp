// The kernels that look rows of tables up and update them, all tables of a device in one (the
// table-batched kernels of FBGEMM; Khudia et al. 2021, and Mudigere et al., arXiv:2104.05158,
// section 4.1).
#pragma once

#include <vector>

#include "estimator/parts/cost.hpp"
#include "estimator/parts/rates.hpp"
#include "estimator/recommendation/job.hpp"
#include "estimator/recommendation/tables.hpp"

namespace scalesweep::estimator {

// How a device reads rows that lie anywhere.
struct RowRates {
  Rates rates;
  double host_bytes_per_s = 0.0;
};

struct LookupCost {
  Cost cost;  // with the products of pairs where they are fused
  bool has_pairs = false;
  double lookups = 0.0;  // rows
  double found_in_l2 = 0.0;
};

// Reads indices and rows and writes the sums of bags. The hottest rows of each table stay in L2, of
// which it has the share that its rows are of all bytes that are looked up.
// Products of pairs are taken of the rows as they come where a stack does that and all tables are
// here: of whole steps of the matrix units, beside what is read.
LookupCost lookup_cost(const RecommendationJob& job, const std::vector<DeviceTables>& tables,
                       bool has_all_tables, const RowRates& rates);

// Indices are sorted, so that gradients of a row are added up, and each row that was looked up is
// read, updated and written with its state, once.
Cost update_cost(const RecommendationJob& job, const std::vector<DeviceTables>& tables,
                 const RowRates& rates);

}  // namespace scalesweep::estimator
