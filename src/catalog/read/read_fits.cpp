// What was fitted on all devices alike, out of its entry.
#include "catalog/data.hpp"
#include "catalog/keys/fit_rows.hpp"

namespace scalesweep::catalog {
namespace {

template <class Fit>
void read_rows(EntryReader table, const std::vector<FitRow<Fit>>& rows, Fit& fit) {
  for (const FitRow<Fit>& row : rows) {
    fit.*row.value = table.value(row.key.path.substr(row.key.path.find('.') + 1));
  }
}

}  // namespace

FitRecord read_fit(EntryReader& entry) {
  FitRecord fit;
  read_rows(entry.group("matmul"), matmul_fit_rows(), fit.matmul);
  read_rows(entry.group("attention"), attention_fit_rows(), fit.attention);
  read_rows(entry.group("collectives"), collective_fit_rows(), fit.collectives);
  return fit;
}

}  // namespace scalesweep::catalog
