// How much a frontier dominates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace scalesweep::reduce {

// Where hypervolume gives up: steps of about what a comparison takes, a second or two, and rows of
// more than three objectives.
constexpr std::int64_t hypervolume_steps = 400'000'000;
constexpr std::size_t hypervolume_rows = 5000;

// The volume that at least one row dominates within the box that ends at `reference`, the worst
// corner; all objectives minimised. Rows that are not better than it everywhere, or have a NaN, add
// nothing. 1 to max_columns columns of equal length, as many as `reference` has values.
//
// Exact but for rounding. Two objectives: a sweep; three: a sweep over the staircase of two; more:
// the sum of what each row adds to those behind it, with one objective less at every level, as in
// L. While, L. Bradstreet and L. Barone, "A fast way of calculating exact hypervolumes", IEEE
// Trans. Evol. Comput. 16 (2012) 86. The work of that can grow with the power of the number of
// objectives: nothing where it would take more than `most_steps` or has more than hypervolume_rows
// rows, which depends on the rows alone.
std::optional<double> hypervolume(std::span<const std::span<const double>> objectives,
                                  std::span<const double> reference,
                                  std::int64_t most_steps = hypervolume_steps);

}  // namespace scalesweep::reduce
