// Passes of decoding that are met again: the searches over the splits of a strategy's replicas, and
// over the pools of prompts beside them, ask for the same batches of a replica.
#pragma once

#include <compare>
#include <map>

#include "estimator/inference/passes/iteration.hpp"
#include "parallel/strategy.hpp"

namespace scalesweep::estimator {

// Of one job on one system.
class DecodePasses {
 public:
  // As iteration_cost of an iteration without prompts, to the bit.
  IterationCost at(const Replica& replica, const workload::TokenGroup& decode) {
    const Key key = {decode.sequences, decode.new_tokens, decode.cached_tokens,
                     replica.setting.kept_share(), parallel::layer_key(replica.strategy)};
    auto found = known_.find(key);
    if (found == known_.end()) {
      found = known_.emplace(key, pass_parts(replica, {{}, decode})).first;
    }
    return whole_passes(replica, found->second);
  }

 private:
  // What the parts of a pass depend on.
  struct Key {
    double sequences = 0.0;
    double new_tokens = 0.0;
    double cached_tokens = 0.0;
    double kept_share = 0.0;  // of weights and caches in L2
    parallel::Strategy layers;

    friend auto operator<=>(const Key&, const Key&) = default;
  };

  std::map<Key, PassParts> known_;
};

}  // namespace scalesweep::estimator
