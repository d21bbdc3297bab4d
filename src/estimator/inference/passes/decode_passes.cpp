#include "estimator/inference/service/decode_passes.hpp"

namespace scalesweep::estimator {

IterationCost DecodePasses::at(const Replica& replica, const workload::TokenGroup& decode) {
  const Key key = {decode.sequences, decode.new_tokens, decode.cached_tokens,
                   replica.setting.kept_share(), parallel::layer_key(replica.strategy)};
  auto found = known_.find(key);
  if (found == known_.end()) {
    found = known_.emplace(key, pass_parts(replica, {{}, decode})).first;
  }
  return whole_passes(replica, found->second);
}

}  // namespace scalesweep::estimator
