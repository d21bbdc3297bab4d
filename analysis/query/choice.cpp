#include "analysis/query/choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace scalesweep::analysis {

Groups group_rows(const Columns& keys, std::size_t rows) {
  Groups groups;
  groups.of_row.resize(rows);
  std::map<GroupKey, std::size_t> numbers;
  GroupKey key(keys.size());
  for (std::size_t i = 0; i < rows; ++i) {
    bool as_before = i > 0;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      // What has no value is a group of its own, and maps need an order.
      const double value =
          std::isnan(keys[k][i]) ? std::numeric_limits<double>::infinity() : keys[k][i];
      as_before = as_before && key[k] == value;
      key[k] = value;
    }
    if (as_before) {
      groups.of_row[i] = groups.of_row[i - 1];
      continue;
    }
    const auto [found, is_new] = numbers.try_emplace(key, groups.keys.size());
    if (is_new) {
      groups.keys.push_back(key);
    }
    groups.of_row[i] = found->second;
  }
  return groups;
}

void BestRows::add(const Groups& groups, std::span<const double> values,
                   std::span<const std::int64_t> rows) {
  std::vector<std::vector<Candidate>*> heaps;
  for (const GroupKey& key : groups.keys) {
    heaps.push_back(&groups_[key]);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Candidate candidate{values[i], rows[i]};
    std::vector<Candidate>& heap = *heaps[groups.of_row[i]];
    if (std::isnan(candidate.value) || (heap.size() == top_ && !(candidate < heap.front()))) {
      continue;
    }
    if (heap.size() == top_) {
      std::pop_heap(heap.begin(), heap.end());
      heap.pop_back();
    }
    heap.push_back(candidate);
    std::push_heap(heap.begin(), heap.end());
  }
}

std::vector<std::int64_t> BestRows::rows() const {
  std::vector<std::int64_t> result;
  for (const auto& [key, heap] : groups_) {
    std::vector<Candidate> best = heap;
    std::sort(best.begin(), best.end());
    for (const Candidate& candidate : best) {
      result.push_back(candidate.row);
    }
  }
  return result;
}

void SortedRows::add(const Columns& keys, std::span<const std::int64_t> rows) {
  keys_.resize(keys.size());
  for (std::size_t k = 0; k < keys.size(); ++k) {
    keys_[k].insert(keys_[k].end(), keys[k].begin(), keys[k].end());
  }
  rows_.insert(rows_.end(), rows.begin(), rows.end());
  constexpr std::size_t enough = 1 << 18;  // rows that are worth a sort
  if (most_ < rows_.size() / 2 && rows_.size() > enough) {
    keep(order());
  }
}

std::vector<std::size_t> SortedRows::order() const {
  std::vector<std::size_t> places(rows_.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  const auto before = [&](std::size_t a, std::size_t b) {
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      const double x = keys_[k][a];
      const double y = keys_[k][b];
      if (std::isnan(x) != std::isnan(y)) {
        return std::isnan(y);
      }
      if (x < y || x > y) {
        return descending_[k] ? x > y : x < y;
      }
    }
    return rows_[a] < rows_[b];
  };
  const std::size_t kept = std::min(most_, places.size());
  std::partial_sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(kept),
                    places.end(), before);
  places.resize(kept);
  return places;
}

void SortedRows::keep(const std::vector<std::size_t>& places) {
  Columns keys(keys_.size());
  std::vector<std::int64_t> rows;
  for (const std::size_t place : places) {
    rows.push_back(rows_[place]);
    for (std::size_t k = 0; k < keys.size(); ++k) {
      keys[k].push_back(keys_[k][place]);
    }
  }
  keys_ = std::move(keys);
  rows_ = std::move(rows);
}

std::vector<std::int64_t> SortedRows::rows() {
  keep(order());
  return rows_;
}

}  // namespace scalesweep::analysis
