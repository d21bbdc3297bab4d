#include "catalog/differences.hpp"

namespace scalesweep::catalog {
namespace {

bool says_the_same(const Value& one, const Value& other) {
  return one.text == other.text || (!one.numbers.empty() && one.numbers == other.numbers);
}

// By its own name: an alias would be another entry.
const Entry* same_entry(const Catalog& catalog, const Entry& entry) {
  const Entry* found = catalog.entry(entry.section, entry.name);
  return found != nullptr && found->name == entry.name ? found : nullptr;
}

void compare_values(const Entry& from, const Entry& to, std::vector<Difference>& found) {
  for (const Value& value : from.values) {
    const Value* other = to.value(value.key);
    if (other == nullptr || !says_the_same(value, *other)) {
      found.push_back({&from, &to, value.key, &value, other});
    }
  }
  for (const Value& value : to.values) {
    if (from.value(value.key) == nullptr) {
      found.push_back({&from, &to, value.key, nullptr, &value});
    }
  }
}

}  // namespace

std::vector<Difference> differences(const Catalog& from, const Catalog& to,
                                    const std::set<std::string>& ids) {
  const auto asked = [&](const Entry& entry, Section section) {
    return entry.section == section && (ids.empty() || ids.contains(id_of(entry)));
  };
  std::vector<Difference> found;
  for (std::size_t s = 0; s < section_count; ++s) {
    const auto section = static_cast<Section>(s);
    for (const Entry& entry : from.entries()) {
      const Entry* other = asked(entry, section) ? same_entry(to, entry) : nullptr;
      if (other != nullptr) {
        compare_values(entry, *other, found);
      } else if (asked(entry, section)) {
        found.push_back({&entry, nullptr, "", nullptr, nullptr});
      }
    }
    for (const Entry& entry : to.entries()) {
      if (asked(entry, section) && same_entry(from, entry) == nullptr) {
        found.push_back({nullptr, &entry, "", nullptr, nullptr});
      }
    }
  }
  return found;
}

}  // namespace scalesweep::catalog
