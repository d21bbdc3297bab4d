// The numbers that the indices of a column stand for, and the way back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace scalesweep::store {

class NumberList {
 public:
  // All are other numbers, to the bit; one may be NaN.
  explicit NumberList(std::vector<double> values);

  static bool are_distinct(const std::vector<double>& values);

  const std::vector<double>& values() const { return values_; }
  // Whether both have the same numbers in the same order, to the bit.
  friend bool operator==(const NumberList& one, const NumberList& other);
  // Nothing where it is none of them, to the bit. Fast where it is that of `guess`.
  std::optional<std::size_t> index_of(double value, std::size_t guess) const;

 private:
  std::vector<double> values_;
  std::vector<std::uint32_t> ascending_;  // places of the values, in the order of their bits
};

}  // namespace scalesweep::store
