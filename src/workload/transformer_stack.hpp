// How a software stack writes and cuts a transformer, whether it trains or serves it.
#pragma once

#include "workload/stage_balance.hpp"

namespace scalesweep::workload {

struct TransformerStack {
  StageBalance stage_balance = StageBalance::layers;
  // Root mean square norms, rotary positions and gated MLPs are written operator by operator, of
  // which an eager library makes kernels of their own.
  bool composed = false;

  friend bool operator==(const TransformerStack&, const TransformerStack&) = default;
};

}  // namespace scalesweep::workload
