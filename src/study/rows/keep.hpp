// Which rows of a study stay: of one lease while it runs, and of the whole at the end.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "space/read/spec.hpp"
#include "store/read/study_file.hpp"
#include "store/read/table.hpp"

namespace scalesweep::study {

class KeepRule {
 public:
  // `objectives` are columns or axes with numbers, checked by objective_problem.
  KeepRule(space::Keep keep, std::vector<space::Objective> objectives,
           std::vector<space::Axis> axes, store::Schema schema);

  bool keeps_all() const { return keep_.policy == space::KeepPolicy::all; }
  // Whether the rows of all leases together must be reduced once more.
  bool is_global() const { return keep_.reduces(); }

  // Rows that stay, in the order of their ids. Applying it to parts and then to what is left of all
  // of them gives the same as applying it to the whole.
  std::vector<std::size_t> select(const store::Table& rows) const;
  // How many objectives decide which rows stay, and what they are of a row, as they are minimised.
  std::size_t deciding_count() const;
  std::vector<double> deciding_values(const store::Table& rows, std::size_t row) const;
  // The best first objective of feasible rows from `first_row` on, as it is minimised: the negative
  // of what is maximised. Infinity if there are none.
  double best_objective(const store::Table& rows, std::size_t first_row) const;

 private:
  // Of a row, as it is minimised.
  double value_of(const space::Objective& objective, std::size_t column, const space::Axis* axis,
                  const store::Table& rows, std::size_t row) const;
  const space::Axis* axis_of(const space::Objective& objective) const;
  std::vector<double> values_of(const space::Objective& objective, const store::Table& rows) const;
  std::vector<std::int64_t> groups(const store::Table& rows) const;
  std::vector<std::size_t> best(const store::Table& rows) const;
  std::vector<std::size_t> frontier(const store::Table& rows) const;

  space::Keep keep_;
  std::vector<space::Objective> objectives_;
  std::vector<space::Axis> axes_;
  store::Schema schema_;
  std::size_t status_column_;
};

// The rule of a study by its description alone, as a file holds it: what drops rows at its end.
// Nothing where rows are final. Throws Failure(bad_input) for a policy it does not know.
std::optional<store::RowSelector> selector_of(store::StudyDescription study);

// The problem with an objective ("there is no ...; did you mean ...?"), "" if there is none.
std::string objective_problem(const space::Objective& objective,
                              const std::vector<space::Axis>& axes, const store::Schema& schema);

}  // namespace scalesweep::study
