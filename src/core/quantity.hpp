// Physical quantities for public interfaces: one double in SI base scale, tagged by its dimension.
//
// Adding seconds to bytes does not compile. Values enter by `Seconds::si(x)` or a named factory
// and leave by `.si()`, so that the place where the unit is dropped is visible. Hot loops use raw
// doubles with a unit suffix (`time_s`) instead.
//
//   Seconds t = Bytes::si(80e9) / BytesPerSecond::si(2e12);   // 0.04 s
#pragma once

namespace scalesweep {

// Exponents of byte, flop, second, joule, metre, volt, dollar, kilogram of CO2 equivalent.
template <int B, int F, int S, int J, int M, int V, int U, int C>
class Quantity {
 public:
  constexpr Quantity() = default;
  static constexpr Quantity si(double value) { return Quantity(value); }
  constexpr double si() const { return value_; }

  constexpr Quantity& operator+=(Quantity o) {
    value_ += o.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity o) {
    value_ -= o.value_;
    return *this;
  }
  constexpr Quantity& operator*=(double f) {
    value_ *= f;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    return Quantity(a.value_ + b.value_);
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    return Quantity(a.value_ - b.value_);
  }
  friend constexpr Quantity operator*(Quantity a, double f) { return Quantity(a.value_ * f); }
  friend constexpr Quantity operator*(double f, Quantity a) { return Quantity(a.value_ * f); }
  friend constexpr Quantity operator/(Quantity a, double f) { return Quantity(a.value_ / f); }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }
  // Written out rather than defaulted from <=>: GCC 12 adds a branch for the latter.
  friend constexpr bool operator==(Quantity a, Quantity b) { return a.value_ == b.value_; }
  friend constexpr bool operator<(Quantity a, Quantity b) { return a.value_ < b.value_; }
  friend constexpr bool operator>(Quantity a, Quantity b) { return a.value_ > b.value_; }
  friend constexpr bool operator<=(Quantity a, Quantity b) { return a.value_ <= b.value_; }
  friend constexpr bool operator>=(Quantity a, Quantity b) { return a.value_ >= b.value_; }

 private:
  explicit constexpr Quantity(double value) : value_(value) {}
  double value_ = 0.0;
};

template <int B1, int F1, int S1, int J1, int M1, int V1, int U1, int C1, int B2, int F2, int S2,
          int J2, int M2, int V2, int U2, int C2>
constexpr auto operator*(Quantity<B1, F1, S1, J1, M1, V1, U1, C1> a,
                         Quantity<B2, F2, S2, J2, M2, V2, U2, C2> b) {
  return Quantity<B1 + B2, F1 + F2, S1 + S2, J1 + J2, M1 + M2, V1 + V2, U1 + U2, C1 + C2>::si(
      a.si() * b.si());
}

template <int B1, int F1, int S1, int J1, int M1, int V1, int U1, int C1, int B2, int F2, int S2,
          int J2, int M2, int V2, int U2, int C2>
constexpr auto operator/(Quantity<B1, F1, S1, J1, M1, V1, U1, C1> a,
                         Quantity<B2, F2, S2, J2, M2, V2, U2, C2> b) {
  return Quantity<B1 - B2, F1 - F2, S1 - S2, J1 - J2, M1 - M2, V1 - V2, U1 - U2, C1 - C2>::si(
      a.si() / b.si());
}

using Bytes = Quantity<1, 0, 0, 0, 0, 0, 0, 0>;
using Flop = Quantity<0, 1, 0, 0, 0, 0, 0, 0>;
using Seconds = Quantity<0, 0, 1, 0, 0, 0, 0, 0>;
using Joules = Quantity<0, 0, 0, 1, 0, 0, 0, 0>;
using Metres = Quantity<0, 0, 0, 0, 1, 0, 0, 0>;
using SquareMetres = Quantity<0, 0, 0, 0, 2, 0, 0, 0>;
using Volts = Quantity<0, 0, 0, 0, 0, 1, 0, 0>;
using Usd = Quantity<0, 0, 0, 0, 0, 0, 1, 0>;
using KilogramsCo2 = Quantity<0, 0, 0, 0, 0, 0, 0, 1>;
using Hertz = Quantity<0, 0, -1, 0, 0, 0, 0, 0>;
using Watts = Quantity<0, 0, -1, 1, 0, 0, 0, 0>;
using BytesPerSecond = Quantity<1, 0, -1, 0, 0, 0, 0, 0>;
using FlopPerSecond = Quantity<0, 1, -1, 0, 0, 0, 0, 0>;
using JoulesPerByte = Quantity<-1, 0, 0, 1, 0, 0, 0, 0>;
using JoulesPerFlop = Quantity<0, -1, 0, 1, 0, 0, 0, 0>;
using UsdPerByte = Quantity<-1, 0, 0, 0, 0, 0, 1, 0>;
using UsdPerArea = Quantity<0, 0, 0, 0, -2, 0, 1, 0>;
using UsdPerJoule = Quantity<0, 0, 0, -1, 0, 0, 1, 0>;
using UsdPerWatt = Quantity<0, 0, 1, -1, 0, 0, 1, 0>;
using KilogramsCo2PerByte = Quantity<-1, 0, 0, 0, 0, 0, 0, 1>;
using KilogramsCo2PerArea = Quantity<0, 0, 0, 0, -2, 0, 0, 1>;
using KilogramsCo2PerJoule = Quantity<0, 0, 0, -1, 0, 0, 0, 1>;
using PerSquareMetre = Quantity<0, 0, 0, 0, -2, 0, 0, 0>;
using BytesPerSecondMetre = Quantity<1, 0, -1, 0, -1, 0, 0, 0>;  // bandwidth along a die's edge
using JoulesPerByteMetre = Quantity<-1, 0, 0, 1, -1, 0, 0, 0>;   // along a wire

static_assert(sizeof(Seconds) == sizeof(double));

}  // namespace scalesweep
