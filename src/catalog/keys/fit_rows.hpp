// The keys of a fit, each with the member that it sets.
#pragma once

#include <vector>

#include "catalog/keys/rows.hpp"
#include "technology/library_fits.hpp"

namespace scalesweep::catalog {

// The path of a key begins with the name of the table that sets the members of `Fit`.
template <class Fit>
struct FitRow {
  Key key;
  double Fit::*value;
};

std::vector<FitRow<technology::MatMulFit>> matmul_fit_rows();
std::vector<FitRow<technology::AttentionFit>> attention_fit_rows();
std::vector<FitRow<technology::CollectiveFit>> collective_fit_rows();

}  // namespace scalesweep::catalog
