#include "catalog/load/bases.hpp"

#include <fmt/format.h>

#include <vector>

#include "catalog/keys/catalog_keys.hpp"
#include "core/text.hpp"

namespace scalesweep::catalog {
namespace {

Found* named(const FoundByName& all, Section section, const std::string& name) {
  const auto& names = all[static_cast<std::size_t>(section)];
  const auto found = names.find(name);
  return found == names.end() ? nullptr : found->second;
}

// A node without its series is of the series of the one that names it.
Found* meant_by(const Found& found, const std::string& name, const FoundByName& all) {
  if (found.section == Section::logic && name.find('/') == std::string::npos) {
    const std::string series = found.name.substr(0, found.name.rfind('/') + 1);
    return named(all, found.section, series + name);
  }
  return named(all, found.section, name);
}

// "; 'HBM3' stands among memories (memory.toml:12), and an entry takes ...", where it is of another
// section, or else what was meant.
std::string why_unknown(const Found& found, const std::string& name, const FoundByName& all) {
  for (std::size_t s = 0; s < section_count; ++s) {
    if (const Found* other = named(all, static_cast<Section>(s), name)) {
      return fmt::format(
          "; '{}' is one of {} ({}:{}), and an entry takes what it lacks from one of its own kind",
          name, name_of(other->section), other->entry.position.file, other->entry.position.line);
    }
  }
  std::vector<std::string> known;
  for (const auto& [each, entry] : all[static_cast<std::size_t>(found.section)]) {
    known.push_back(each);
  }
  return suggestion(name, known);
}

}  // namespace

Base base_of(const Found& found, const FoundByName& all) {
  const std::optional<std::string> predecessor =
      has_generations(found.section) ? found.table.optional_string(predecessor_key) : std::nullopt;
  const std::optional<std::string> like = found.table.optional_string(like_key);
  if (predecessor && like) {
    found.table.error(like_key, fmt::format("'{}' has a {} already; take one of the two away",
                                            found.name, predecessor_key));
  }
  if (!predecessor && !like) {
    return {};
  }
  const std::string_view key = predecessor ? predecessor_key : like_key;
  const std::string& name = predecessor ? *predecessor : *like;
  Found* base = meant_by(found, name, all);
  if (base == nullptr) {
    found.table.error(key, fmt::format("no entry '{}' among {}{}", name, name_of(found.section),
                                       why_unknown(found, name, all)));
  } else if (base->state == Found::State::is_read) {
    found.table.error(key, fmt::format("'{}' rests on '{}', which rests on it in turn; give one of "
                                       "them all its values and take its '{}' away",
                                       found.name, base->name, key));
    base = nullptr;
  }
  return {true, base, predecessor.has_value()};
}

}  // namespace scalesweep::catalog
