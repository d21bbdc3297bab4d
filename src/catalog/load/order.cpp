#include "catalog/load/order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace scalesweep::catalog {
namespace {

using FoundList = std::vector<Found*>;

std::string series_of(const Found& node) {
  return node.name.substr(0, node.name.rfind('/'));
}

std::set<std::string> series_in(const FoundList& entries) {
  std::set<std::string> series;
  for (const Found* found : entries) {
    if (found->section == Section::logic) {
      series.insert(series_of(*found));
    }
  }
  return series;
}

// Nodes follow each other in the order of technology, which is that of their lines.
void check_series(const FoundList& nodes, Diagnostics& diagnostics) {
  std::map<std::string, const Found*> first;
  for (const Found* node : nodes) {
    const auto [known, is_new] = first.try_emplace(series_of(*node), node);
    if (!is_new && known->second->file != node->file) {
      const SourcePosition& other = known->second->entry.position;
      diagnostics.error(node->entry.position,
                        fmt::format("nodes of the series '{}' stand in another overlay, too "
                                    "({}:{}); give all of them in one file, in the order of "
                                    "technology",
                                    known->first, other.file, other.line));
      return;
    }
  }
}

// What lines say of a file is kept, whatever the file is called.
void sort_by_lines(FoundList& entries) {
  std::map<const File*, std::string> first;  // name in each file, which no other has
  for (const Found* found : entries) {
    const auto [known, is_new] = first.try_emplace(found->file, found->name);
    if (!is_new) {
      known->second = std::min(known->second, found->name);
    }
  }
  std::stable_sort(entries.begin(), entries.end(), [&](const Found* one, const Found* other) {
    return std::tuple(first.at(one->file), one->entry.position.line) <
           std::tuple(first.at(other->file), other->entry.position.line);
  });
}

// Names of one section are unique; where they are not, which is reported, files decide.
void sort_by_names(FoundList& entries) {
  std::stable_sort(entries.begin(), entries.end(), [](const Found* one, const Found* other) {
    return std::tuple(one->section, one->name, one->file->path) <
           std::tuple(other->section, other->name, other->file->path);
  });
}

}  // namespace

std::vector<Found*> in_order(const std::vector<Found*>& found, Diagnostics& diagnostics) {
  FoundList own;
  for (Found* each : found) {
    if (!each->in_overlay()) {
      own.push_back(each);
    }
  }
  const std::set<std::string> series = series_in(own);
  FoundList processes;
  FoundList nodes_of_catalog;
  FoundList nodes_of_overlays;
  FoundList others;
  for (Found* each : found) {
    if (!each->in_overlay()) {
      continue;
    }
    if (each->section == Section::processes) {
      processes.push_back(each);
    } else if (each->section == Section::logic) {
      (series.contains(series_of(*each)) ? nodes_of_catalog : nodes_of_overlays).push_back(each);
    } else {
      others.push_back(each);
    }
  }
  sort_by_names(nodes_of_catalog);
  sort_by_lines(processes);
  sort_by_lines(nodes_of_overlays);
  check_series(nodes_of_overlays, diagnostics);
  sort_by_names(others);
  FoundList all;
  for (const FoundList* part : {&nodes_of_catalog, &processes, &own, &nodes_of_overlays, &others}) {
    all.insert(all.end(), part->begin(), part->end());
  }
  return all;
}

}  // namespace scalesweep::catalog
