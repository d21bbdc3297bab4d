// Values that are computed once for each key.
#pragma once

#include <map>

namespace scalesweep::estimator {

template <typename Key, typename Value>
class KeyedMemo {
 public:
  // make() computes what is not known. The value stays where it is.
  template <typename Make>
  const Value& at(const Key& key, const Make& make) {
    const auto found = values_.find(key);
    return found != values_.end() ? found->second : values_.emplace(key, make()).first->second;
  }

 private:
  std::map<Key, Value> values_;
};

}  // namespace scalesweep::estimator
