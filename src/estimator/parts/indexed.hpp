// A value for each enumerator of `Enum`, with the algebra of sums: what Charges, Work and the costs
// of phases are. `Self` is the struct that derives from it, `Enum` counts from 0 to `count`.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

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
  // += times * o, without the product in between.
  Self& add(double times, const Self& o) {
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (std::is_arithmetic_v<Value>) {
        values[i] += times * o.values[i];
      } else {
        values[i].add(times, o.values[i]);
      }
    }
    return static_cast<Self&>(*this);
  }
  friend Self operator+(const Self& a, const Self& b) {
    return filled([&](std::size_t i) { return a.values[i] + b.values[i]; });
  }
  friend Self operator-(const Self& a, const Self& b) {
    return filled([&](std::size_t i) { return a.values[i] - b.values[i]; });
  }
  friend Self operator*(double factor, const Self& a) {
    return filled([&](std::size_t i) { return factor * a.values[i]; });
  }

 private:
  // Each value written once: sums are most of what an estimate takes, and copies that are changed
  // or zeros that are written over go through memory twice.
  template <class Get>
  static Self filled(const Get& get) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      return Self{{{get(i)...}}};
    }
    (std::make_index_sequence<count>{});
  }
};

}  // namespace scalesweep::estimator
