// A value for each enumerator of `Enum`, with the algebra of sums: what Charges, Work and the costs
// of phases are. `Self` is the struct that derives from it, `Enum` counts from 0 to `count`.
#pragma once

#include <array>
#include <cstddef>

namespace scalesweep::estimator {

template <class Self, class Enum, class Value, std::size_t count>
struct Indexed {
  std::array<Value, count> values{};

  constexpr Value& operator[](Enum which) { return values[static_cast<std::size_t>(which)]; }
  constexpr const Value& operator[](Enum which) const {
    return values[static_cast<std::size_t>(which)];
  }
  // All of them together, in the order of the enumerators.
  Value sum() const {
    Value sum{};
    for (const Value& value : values) {
      sum += value;
    }
    return sum;
  }

  Self& operator+=(const Self& o) {
    for (std::size_t i = 0; i < count; ++i) {
      values[i] += o.values[i];
    }
    return static_cast<Self&>(*this);
  }
  Self& operator-=(const Self& o) {
    for (std::size_t i = 0; i < count; ++i) {
      values[i] -= o.values[i];
    }
    return static_cast<Self&>(*this);
  }
  Self& operator*=(double factor) {
    for (Value& value : values) {
      value *= factor;
    }
    return static_cast<Self&>(*this);
  }
  friend Self operator+(Self a, const Self& b) { return a += b; }
  friend Self operator-(Self a, const Self& b) { return a -= b; }
  friend Self operator*(double factor, Self a) { return a *= factor; }
};

}  // namespace scalesweep::estimator
