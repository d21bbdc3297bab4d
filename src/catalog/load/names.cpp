#include "catalog/load/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace scalesweep::catalog {
namespace {

// Names of the catalog in one overlay that are told one by one; with more it is none.
constexpr std::size_t most_told = 8;

void remember(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    names.push_back(name);
  }
}

std::string place_of(const Found& found) {
  return fmt::format("{}:{}", found.entry.position.file, found.entry.position.line);
}

}  // namespace

void NameBook::enter(const Found& found) {
  entered_.push_back(&found);
  enter_name(found.name, found);
  if (found.section == Section::logic) {
    enter_node(found);
    return;
  }
  for (const std::string& alias : found.entry.aliases) {
    if (!alias.empty()) {
      enter_name(alias, found);
    }
  }
}

// A node has the same other name in every series.
void NameBook::enter_node(const Found& found) {
  const std::size_t slash = found.name.rfind('/');
  const std::string node = found.name.substr(slash + 1);
  remember(data_.series_names, found.name.substr(0, slash));
  remember(data_.node_names, node);
  for (const std::string& alias : found.entry.aliases) {
    if (alias.empty()) {
      continue;
    }
    enter_name(found.name.substr(0, slash + 1) + alias, found);
    const auto [known, is_new] = data_.node_aliases.try_emplace(alias, node);
    if (!is_new && known->second != node) {
      diagnostics_.error(found.entry.position,
                         fmt::format("'{}' is the other name of '{}' in another series, and of "
                                     "'{}' here",
                                     alias, known->second, node));
    }
  }
}

void NameBook::enter_name(const std::string& name, const Found& found) {
  auto& index = data_.index[static_cast<std::size_t>(found.section)];
  const auto [known, is_new] = index.try_emplace(name, data_.entries.size());
  if (!is_new) {
    const Found* const first = entered_[known->second];
    const bool is_of_catalog = first->in_overlay() && !found.in_overlay();
    collisions_.push_back({is_of_catalog ? first : &found, is_of_catalog ? &found : first, name});
  }
}

void NameBook::report() {
  std::map<std::string, std::vector<const Collision*>> by_overlay;  // with the catalog itself
  for (const Collision& collision : collisions_) {
    if (collision.found->in_overlay() && !collision.other->in_overlay()) {
      by_overlay[collision.found->file->overlay_place].push_back(&collision);
    } else {
      report(collision);
    }
  }
  for (const auto& [place, collisions] : by_overlay) {
    if (collisions.size() <= most_told) {
      for (const Collision* collision : collisions) {
        report(*collision);
      }
      continue;
    }
    const Collision& first = *collisions.front();
    diagnostics_.error(
        first.found->entry.position,
        fmt::format("'{}' and {} other names in {} are those of the catalog ({}), "
                    "and an overlay holds what is new; if it is a catalog of its "
                    "own, name it with --catalog",
                    first.name, collisions.size() - 1, place, place_of(*first.other)));
  }
}

void NameBook::report(const Collision& collision) {
  const auto& [found, other, name] = collision;
  const std::string way_out =
      found->in_overlay() || other->in_overlay()
          ? fmt::format(
                "; an overlay adds entries and replaces none: give one of them another "
                "name, with like = \"{}\" for what stays as it is there",
                other->name)
          : fmt::format("; names of {} must be unique", name_of(found->section));
  diagnostics_.error(found->entry.position,
                     fmt::format("'{}' is already the name or an alias of '{}' ({}){}", name,
                                 other->name, place_of(*other), way_out));
}

}  // namespace scalesweep::catalog
