#include "technology/derive/long_gemm.hpp"

#include <algorithm>
#include <cmath>

#include "core/contracts.hpp"
#include "technology/derive/clock.hpp"
#include "technology/gemm_tiles.hpp"

namespace scalesweep::technology {
namespace {

constexpr double side = 8192.0;

// Bytes for each FLOP of C[n,n] += A[n,n] B[n,n].
double l2_bytes_per_flop(const Device& device, Precision precision) {
  const GemmTile tile = largest_gemm_tile(device);
  const double once = 0.5 * element_bytes(precision) * (1.0 / tile.m + 1.0 / tile.n);
  return once / std::sqrt(static_cast<double>(device.cluster));
}
double dram_bytes_per_flop(Precision precision) {
  return 1.5 * element_bytes(precision) / side;
}

// What a clock changes, against the full one.
struct Clocked {
  double fraction;
  double voltage;
  double switching() const { return fraction * voltage * voltage; }
};

Clocked clocked(const Device& device, double fraction) {
  const bool known = device.supply.si() > 0.0;
  return {fraction,
          known ? supply_for(device.voltage, device.supply, fraction) / device.supply : 1.0};
}

// Of a level that is asked for so many bytes a second and gives what it can.
double traffic_w(const MemoryLevel& level, double bytes_per_s) {
  return std::min(bytes_per_s, level.bandwidth.si() * level.sustained) * level.energy.si();
}

// A long GEMM on a device, which outlives it, at any clock.
class LongGemm {
 public:
  LongGemm(const Device& device, Precision precision)
      : device_(device),
        flop_(flop_per_s(device, precision)),
        l2_w_(traffic_w(device.l2, flop_ * l2_bytes_per_flop(device, precision))),
        dram_w_(traffic_w(device.dram, flop_ * dram_bytes_per_flop(precision))) {}

  double flop_per_s() const { return flop_; }
  // Of all but the matrix units.
  double rest_w(const Clocked& at) const {
    const double leakage_w = device_.leakage_power.si();
    return device_.idle_power.si() - leakage_w + leakage_w * at.voltage +
           dram_w_ * (device_.memory_in_cores ? at.switching() : at.fraction) +
           (device_.active_power.si() + l2_w_) * at.switching();
  }
  double power_w(double energy_j, double fraction) const {
    const Clocked at = clocked(device_, fraction);
    return rest_w(at) + flop_ * energy_j * at.switching();
  }

 private:
  static double flop_per_s(const Device& device, Precision precision) {
    const std::size_t p = index_of(precision);
    return device.tensor_peak[p].si() * device.tensor_sustained[p];
  }

  const Device& device_;
  double flop_;
  double l2_w_;
  double dram_w_;
};

double energy_j(const Device& device, Precision precision) {
  return device.tensor_energy[index_of(precision)].si();
}

}  // namespace

Watts long_gemm_power(const Device& device, Precision precision, double fraction) {
  SCALESWEEP_EXPECT(fraction > 0.0 && fraction <= 1.0);
  return Watts::si(LongGemm(device, precision).power_w(energy_j(device, precision), fraction));
}

double long_gemm_clock(const Device& device, Precision precision) {
  const double limit_w = device.thermal_design_power.si();
  const LongGemm gemm(device, precision);
  const double flop_j = energy_j(device, precision);
  const auto fits = [&](double fraction) { return gemm.power_w(flop_j, fraction) <= limit_w; };
  if (limit_w <= 0.0 || fits(1.0)) {
    return 1.0;
  }
  double fast = 1.0;
  double slow = least_clock_fraction;
  if (!fits(slow)) {
    return slow;
  }
  // Power rises with the clock: to the last bit that matters.
  for (int halving = 0; halving < 40; ++halving) {
    const double middle = 0.5 * (fast + slow);
    (fits(middle) ? slow : fast) = middle;
  }
  return slow;
}

JoulesPerFlop tensor_energy_for(const Device& device, Precision precision, double fraction) {
  SCALESWEEP_EXPECT(fraction > 0.0 && fraction <= 1.0);
  const LongGemm gemm(device, precision);
  SCALESWEEP_EXPECT(gemm.flop_per_s() > 0.0);
  const Clocked at = clocked(device, fraction);
  const double left_w = device.thermal_design_power.si() - gemm.rest_w(at);
  return JoulesPerFlop::si(left_w / (gemm.flop_per_s() * at.switching()));
}

}  // namespace scalesweep::technology
