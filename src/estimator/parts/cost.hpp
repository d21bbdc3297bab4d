// What running something takes: seconds by cause, and the work behind them (for energy).
#pragma once

#include "estimator/parts/charges.hpp"

namespace scalesweep::estimator {

// Of one device. Network bytes are those it sends.
struct Work {
  double tensor_flop = 0.0;
  double vector_flop = 0.0;
  double dram_bytes = 0.0;
  double l2_bytes = 0.0;
  double scale_up_bytes = 0.0;
  double scale_out_bytes = 0.0;

  Work& operator+=(const Work& o) {
    tensor_flop += o.tensor_flop;
    vector_flop += o.vector_flop;
    dram_bytes += o.dram_bytes;
    l2_bytes += o.l2_bytes;
    scale_up_bytes += o.scale_up_bytes;
    scale_out_bytes += o.scale_out_bytes;
    return *this;
  }
  Work& operator*=(double n) {
    tensor_flop *= n;
    vector_flop *= n;
    dram_bytes *= n;
    l2_bytes *= n;
    scale_up_bytes *= n;
    scale_out_bytes *= n;
    return *this;
  }
  friend Work operator*(double n, Work w) { return w *= n; }
};

struct Cost {
  Charges time;
  Work work;

  Cost& operator+=(const Cost& o) {
    time += o.time;
    work += o.work;
    return *this;
  }
  friend Cost operator+(Cost a, const Cost& b) { return a += b; }
  friend Cost operator*(double n, Cost a) {
    a.time *= n;
    a.work *= n;
    return a;
  }
};

// What a transfer adds to a stretch of `cover` seconds that it runs beside. Its kernels take
// `core_share` of the cores from those of the cover while it lasts, so that both together take
// max(cover + core_share * transfer, transfer). Charges are those of the longer less those of the
// cover, so that cover + beyond(cover, transfer) carries the split of whichever sets the time; a
// single entry may be negative, the sum is not.
inline Cost beyond(const Charges& cover, const Cost& transfer, double core_share = 0.0) {
  Cost extra;
  extra.work = transfer.work;
  const double transfer_s = transfer.time.total_s();
  if (transfer_s > cover.total_s() + core_share * transfer_s) {
    extra.time = cover;
    extra.time *= -1.0;
    extra.time += transfer.time;
  } else {
    extra.time = core_share * transfer.time;
  }
  return extra;
}

}  // namespace scalesweep::estimator
