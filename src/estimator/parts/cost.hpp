// What running something takes: seconds by cause, and the work behind them (for energy).
#pragma once

#include "estimator/parts/charges.hpp"

namespace scalesweep::estimator {

enum class Amount {
  tensor_flop,
  tensor_joules,  // of these, at the clock and the precisions that they run at
  vector_flop,
  dram_bytes,
  l2_bytes,
  scale_up_bytes,
  scale_out_bytes,
  scale_up_joules,  // of these, by the levels that they cross
  scale_out_joules,
  sender_joules  // the part of both that the devices themselves burn
};
inline constexpr std::size_t amount_count = 10;

// Of one device. Network bytes are those it sends.
struct Work : Indexed<Work, Amount, double, amount_count> {
  double sent_bytes() const {
    return (*this)[Amount::scale_up_bytes] + (*this)[Amount::scale_out_bytes];
  }
};

struct Cost {
  Charges time;
  Work work;

  Cost& operator+=(const Cost& o) {
    time += o.time;
    work += o.work;
    return *this;
  }
  Cost& operator-=(const Cost& o) {
    time -= o.time;
    work -= o.work;
    return *this;
  }
  Cost& add(double n, const Cost& o) {
    time.add(n, o.time);
    work.add(n, o.work);
    return *this;
  }
  friend Cost operator+(const Cost& a, const Cost& b) { return {a.time + b.time, a.work + b.work}; }
  friend Cost operator-(const Cost& a, const Cost& b) { return {a.time - b.time, a.work - b.work}; }
  friend Cost operator*(double n, const Cost& a) { return {n * a.time, n * a.work}; }
};

// What a transfer adds to a stretch of `cover` seconds that it runs beside. Its kernels take
// `core_share` of the cores from those of the cover while it lasts, so that both together take
// max(cover + core_share * transfer, transfer). What is longer than the cover is charged to the
// transfer, by its split, and what both share stays with the cover: a transfer is charged what it
// would save if it took no time. No entry is negative.
inline Cost beyond(const Charges& cover, const Cost& transfer, double core_share = 0.0) {
  Cost extra;
  extra.work = transfer.work;
  const double transfer_s = transfer.time.total_s();
  if (transfer_s > cover.total_s() + core_share * transfer_s) {
    extra.time = ((transfer_s - cover.total_s()) / transfer_s) * transfer.time;
  } else {
    extra.time = core_share * transfer.time;
  }
  return extra;
}

}  // namespace scalesweep::estimator
