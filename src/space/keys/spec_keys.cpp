#include "space/keys/spec_keys.hpp"

#include "core/contracts.hpp"
#include "space/keys/rows.hpp"

namespace scalesweep::space {

std::span<const Key> spec_keys() {
  static const std::vector<Key> all = [] {
    std::vector<Key> keys;
    for (const std::span<const Key> part :
         {top_keys(), workload_keys(), image_keys(), recommendation_keys(), diffusion_keys(),
          reinforcement_keys(), system_keys(), pool_keys(), economics_keys(), run_keys(),
          allocate_keys(), strategy_keys(), result_keys(), dataset_keys()}) {
      keys.insert(keys.end(), part.begin(), part.end());
    }
    return keys;
  }();
  return all;
}

const Key& spec_key(std::string_view path, Variants variants) {
  const Key* key = config::KeyScope{spec_keys(), "", variants}.find(path);
  SCALESWEEP_EXPECT(key != nullptr);
  return *key;
}

std::vector<const Key*> keys_in(std::string_view table, Variants variants) {
  std::vector<const Key*> keys;
  for (const Key& key : spec_keys()) {
    if (key.table() == table && (key.variants & variants) != 0) {
      keys.push_back(&key);
    }
  }
  return keys;
}

}  // namespace scalesweep::space
