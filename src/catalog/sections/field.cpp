#include "catalog/sections/field.hpp"

#include <fmt/format.h>

#include <deque>
#include <mutex>

#include "core/text.hpp"

namespace scalesweep::catalog {

std::string_view kept(std::string text) {
  static std::mutex mutex;
  static std::deque<std::string> texts;
  const std::scoped_lock lock(mutex);
  return texts.emplace_back(std::move(text));
}

std::string_view path_in(const Key& table, const Key& key) {
  return kept(fmt::format("{}.{}", table.path, key.path));
}

void read_precisions(EntryReader& group,
                     const std::function<void(std::size_t, const std::string&)>& read) {
  for (const std::string& key : group.value_keys()) {
    const std::optional<technology::Precision> precision = technology::precision_from(key);
    if (precision) {
      read(technology::index_of(*precision), key);
      continue;
    }
    (void)group.table().value(key);  // counts as read: reported here
    group.table().error(key, fmt::format("unknown precision '{}'{}", key,
                                         suggestion(key, technology::precision_names.list())));
  }
}

}  // namespace scalesweep::catalog
