#include "analysis/bottlenecks/doubt.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/file/columns.hpp"
#include "analysis/file/result_columns.hpp"

namespace scalesweep::analysis {

std::vector<double> relative_errors(const ResultTable& points) {
  const store::Column* const column = column_with(points.schema, role::uncertainty);
  if (column == nullptr) {
    return std::vector<double>(points.table.rows(), std::numeric_limits<double>::quiet_NaN());
  }
  return numbers(points.table, points.schema, column->name);
}

Firm leads_firmly(const std::vector<double>& shares, double doubt) {
  if (std::isnan(doubt)) {
    return Firm::unknown;
  }
  double first = 0.0;
  double second = 0.0;
  for (const double share : shares) {
    if (share > first) {
      second = first;
      first = share;
    } else {
      second = std::max(second, share);
    }
  }
  return first - second > doubt ? Firm::yes : Firm::no;
}

Firm both(Firm before, Firm after) {
  if (before == Firm::no || after == Firm::no) {
    return Firm::no;
  }
  return before == Firm::yes && after == Firm::yes ? Firm::yes : Firm::unknown;
}

store::Column firm_column(const std::string& name, const std::string& description) {
  return name_column(name, name, description, firm_names);
}

}  // namespace scalesweep::analysis
