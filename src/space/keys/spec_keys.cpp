#include "space/keys/spec_keys.hpp"

#include "core/contracts.hpp"
#include "keys/row.hpp"
#include "space/keys/rows.hpp"

namespace scalesweep::space {

std::span<const Key> spec_keys() {
  static const std::vector<Key> all = [] {
    const std::span<const Key> top = top_keys();
    std::vector<Key> rows(top.begin(), top.end());
    for (const keys::Row& row : keys::axis_rows()) {
      rows.push_back(row.key);
    }
    for (const std::span<const Key> part :
         {allocate_keys(), keys::strategy_keys(), result_keys(), dataset_keys()}) {
      rows.insert(rows.end(), part.begin(), part.end());
    }
    return rows;
  }();
  return all;
}

const Key& spec_key(std::string_view path, config::Variants variants) {
  const Key* key = config::KeyScope{spec_keys(), "", variants}.find(path);
  SCALESWEEP_EXPECT(key != nullptr);
  return *key;
}

std::vector<const Key*> keys_in(std::string_view table, config::Variants variants) {
  std::vector<const Key*> keys;
  for (const Key& key : spec_keys()) {
    if (key.table() == table && (key.variants & variants) != 0) {
      keys.push_back(&key);
    }
  }
  return keys;
}

}  // namespace scalesweep::space
